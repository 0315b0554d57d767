# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the hook against hard programs.

check_PROGRAMS += tests/hook/cases tests/hook/throw tests/hook/wrong_frees tests/hook/selective tests/hook/operators \
	tests/hook/replaced
tests_hook_cases_SOURCES = tests/hook/cases.c
tests_hook_cases_CFLAGS = -std=gnu11 -O2 -g -fno-builtin -fomit-frame-pointer
tests_hook_cases_LDFLAGS =
tests_hook_cases_LDADD = -lpthread -ldl
tests_hook_throw_SOURCES = tests/hook/throw.cpp
tests_hook_throw_CXXFLAGS = -std=gnu++17 -O2 -g -fno-builtin -fomit-frame-pointer
tests_hook_throw_LDFLAGS =
tests_hook_wrong_frees_SOURCES = tests/hook/wrong_frees.cpp
tests_hook_wrong_frees_CXXFLAGS = -std=gnu++17 -O1 -g -fno-builtin -fno-optimize-sibling-calls -w
tests_hook_wrong_frees_LDFLAGS =
tests_hook_replaced_SOURCES = tests/hook/replaced.cpp
tests_hook_replaced_CXXFLAGS = -std=gnu++17 -O1 -g -fno-builtin -w
tests_hook_replaced_LDFLAGS =
tests_hook_operators_SOURCES = tests/hook/operators.cpp
tests_hook_operators_CXXFLAGS = -std=gnu++17 -O1 -g -fno-builtin
tests_hook_operators_LDFLAGS = -static-libstdc++
tests_hook_operators_LDADD = -ldl
tests_hook_selective_SOURCES = tests/hook/selective.c
tests_hook_selective_CFLAGS = -std=gnu11 -O1 -g -fno-builtin
tests_hook_selective_LDFLAGS =
tests_hook_selective_LDADD = -lpthread

# In a process that already ran.  The static one is no automake program: there may be no static C library.
check_PROGRAMS += tests/hook/attach
tests_hook_attach_SOURCES = tests/hook/attach.c tests/hook/attach_host.h tests/hook/attach_load.h tests/hook/attach_session.h \
	tests/hook/attach_throw.cpp
tests_hook_attach_CFLAGS = -std=gnu11 -D_GNU_SOURCE -O1 -g -fno-builtin -fno-optimize-sibling-calls
tests_hook_attach_CXXFLAGS = -std=gnu++17 -O1 -g -fno-builtin
tests_hook_attach_LDFLAGS =
tests_hook_attach_LDADD = -lpthread -ldl
check_DATA += tests/hook/attach_static
CLEANFILES += tests/hook/attach_static
EXTRA_DIST += tests/hook/attach.sh
TESTS += tests/hook/attach.sh
tests/hook/attach_static: trace/attach.h trace/channel.h tests/hook/attach.c tests/hook/attach_host.h tests/hook/attach_load.h tests/hook/attach_session.h
	$(AM_V_CCLD)$(MKDIR_P) tests/hook && { $(CC) $(tests_hook_attach_CFLAGS) -DATTACH_STATIC -static \
		-I$(top_srcdir) -o $@ $(top_srcdir)/tests/hook/attach.c -lpthread 2>/dev/null || : >$@; }

check_PROGRAMS += tests/hook/loads
tests_hook_loads_SOURCES = tests/hook/loads.c
tests_hook_loads_CFLAGS = -std=gnu11 -O1 -g -fno-builtin
tests_hook_loads_LDFLAGS =
tests_hook_loads_LDADD = -lpthread -ldl
check_DATA += tests/hook/loads_library.so
EXTRA_DIST += tests/hook/loads_library.c tests/hook/loads.sh
CLEANFILES += tests/hook/loads_library.so
TESTS += tests/hook/loads.sh
tests/hook/loads_library.so: tests/hook/loads_library.c
	$(AM_V_CCLD)$(MKDIR_P) tests/hook && $(CC) -std=gnu11 -O1 -g -fPIC -fno-builtin -Wl,-Bsymbolic \
		-shared -o $@ $(top_srcdir)/tests/hook/loads_library.c

check_DATA += tests/hook/plugin.so
EXTRA_DIST += tests/hook/plugin.cpp tests/hook/expected.sh tests/hook/cases.sh tests/hook/musl.sh \
	tests/hook/wrong_frees.sh tests/hook/selective.sh
CLEANFILES += tests/hook/plugin.so
tests/hook/plugin.so: tests/hook/plugin.cpp
	$(AM_V_CXXLD)$(MKDIR_P) tests/hook && $(CXX) -std=gnu++17 -O2 -g -fPIC -fno-builtin \
		-shared -o $@ $(top_srcdir)/tests/hook/plugin.cpp

TESTS += tests/hook/cases.sh tests/hook/musl.sh tests/hook/wrong_frees.sh tests/hook/selective.sh

check_PROGRAMS += tests/unit/sample_test
tests_unit_sample_test_SOURCES = tests/unit/sample_test.c hook/sample.c hook/shadow.c
tests_unit_sample_test_LDADD = -lm
TESTS += tests/unit/sample_test
