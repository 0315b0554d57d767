# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: threads held, calls made in them, objects delivered: only where memtrack can attach at all.
hold_sources = tests/inject/hold_fixture.h tests/tap.h
if HOST_X86_64
hold_tests = \
	tests/inject/hold_calls \
	tests/inject/hold_deliver \
	tests/inject/hold_keep \
	tests/inject/hold_threads
check_PROGRAMS += $(hold_tests)
TESTS += $(hold_tests)
tests_inject_hold_calls_SOURCES = tests/inject/hold_calls.c $(hold_sources)
tests_inject_hold_calls_LDADD = $(inject_tests_LDADD)
tests_inject_hold_deliver_SOURCES = tests/inject/hold_deliver.c tests/inject/hold_hostile.h $(hold_sources) \
	$(true_code)
tests_inject_hold_deliver_LDADD = $(inject_tests_LDADD)
tests_inject_hold_keep_SOURCES = tests/inject/hold_keep.c $(hold_sources)
tests_inject_hold_keep_LDADD = $(inject_tests_LDADD)
tests_inject_hold_threads_SOURCES = tests/inject/hold_threads.c $(hold_sources)
tests_inject_hold_threads_LDADD = $(inject_tests_LDADD)

# What is delivered, and to whom; what cannot be built here is skipped by the test.
hold_data = tests/inject/hold_library.so tests/inject/hold_tls.so tests/inject/hold_hostile \
	tests/inject/hold_hostile_static tests/inject/hold_hostile_musl
check_DATA += $(hold_data)
CLEANFILES += $(hold_data) tests/inject/hold_hostile_static.log tests/inject/hold_hostile_musl.log
hold_library_flags = -std=gnu11 -O2 -fPIC -shared -nostdlib -fno-stack-protector -Wl,-Bsymbolic,-z,now \
	$(top_srcdir)/tests/inject/hold_library.c -o $@
hold_hostile_flags = -std=gnu11 -D_GNU_SOURCE -O2 -g -I$(top_srcdir) $(top_srcdir)/tests/inject/hold_hostile.c -o $@ \
	-lpthread -ldl
hold_hostile_sources = tests/inject/hold_hostile.c tests/inject/hold_hostile.h

tests/inject/hold_library.so: tests/inject/hold_library.c
	@$(MKDIR_P) tests/inject
	$(AM_V_CCLD)$(CC) $(hold_library_flags)
tests/inject/hold_tls.so: tests/inject/hold_library.c
	@$(MKDIR_P) tests/inject
	$(AM_V_CCLD)$(CC) -DHOLD_TLS $(hold_library_flags)
tests/inject/hold_hostile: $(hold_hostile_sources)
	@$(MKDIR_P) tests/inject
	$(AM_V_CCLD)$(CC) $(hold_hostile_flags)
tests/inject/hold_hostile_static: $(hold_hostile_sources)
	@$(MKDIR_P) tests/inject
	$(AM_V_CCLD)$(CC) -static $(hold_hostile_flags) 2>$@.log || echo none >$@
tests/inject/hold_hostile_musl: $(hold_hostile_sources)
	@$(MKDIR_P) tests/inject
	$(AM_V_CCLD)musl-gcc $(hold_hostile_flags) 2>$@.log || echo none >$@
endif
EXTRA_DIST += $(hold_sources) tests/inject/hold_calls.c tests/inject/hold_keep.c tests/inject/hold_threads.c \
	tests/inject/hold_deliver.c tests/inject/hold_hostile.c tests/inject/hold_hostile.h tests/inject/hold_library.c
