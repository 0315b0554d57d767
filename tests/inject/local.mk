# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: tests of inject/, and the programs they attach to.
true_code = tests/attach/true_code.c tests/attach/true_code.h
inject_tests = \
	tests/inject/patch_code \
	tests/inject/patch_definitions \
	tests/inject/patch_live
inject_tests_LDADD = libinject.a libsymbols.a libbase.a $(INJECT_LIBS) $(SYMBOLS_LIBS) $(XXHASH_LIBS)
check_PROGRAMS += $(inject_tests)
TESTS += $(inject_tests)

tests_inject_patch_code_SOURCES = tests/inject/patch_code.c tests/inject/patch_shapes.h
tests_inject_patch_code_LDADD = $(inject_tests_LDADD)
tests_inject_patch_definitions_SOURCES = tests/inject/patch_definitions.c
tests_inject_patch_definitions_LDADD = $(inject_tests_LDADD)
tests_inject_patch_live_SOURCES = tests/inject/patch_live.c $(true_code)
tests_inject_patch_live_LDADD = $(inject_tests_LDADD)

# One program linked in all ways; what cannot be built here is skipped by the test.
patch_targets = tests/inject/patch_target tests/inject/patch_target_fixed tests/inject/patch_target_static \
	tests/inject/patch_target_musl
check_DATA += $(patch_targets)
CLEANFILES += $(patch_targets)
EXTRA_DIST += tests/inject/patch_target.c
patch_target_flags = -std=gnu11 -D_GNU_SOURCE -O2 -g -fno-builtin $(top_srcdir)/tests/inject/patch_target.c -o $@ -lpthread

tests/inject/patch_target: tests/inject/patch_target.c
	@$(MKDIR_P) tests/inject
	$(AM_V_CCLD)$(CC) $(patch_target_flags)
tests/inject/patch_target_fixed: tests/inject/patch_target.c
	@$(MKDIR_P) tests/inject
	$(AM_V_CCLD)$(CC) -fno-pie -no-pie $(patch_target_flags) 2>$@.log || echo none >$@
tests/inject/patch_target_static: tests/inject/patch_target.c
	@$(MKDIR_P) tests/inject
	$(AM_V_CCLD)$(CC) -static $(patch_target_flags) 2>$@.log || echo none >$@
tests/inject/patch_target_musl: tests/inject/patch_target.c
	@$(MKDIR_P) tests/inject
	$(AM_V_CCLD)musl-gcc $(patch_target_flags) 2>$@.log || echo none >$@
CLEANFILES += tests/inject/patch_target_fixed.log tests/inject/patch_target_static.log tests/inject/patch_target_musl.log

include tests/inject/hold.mk
