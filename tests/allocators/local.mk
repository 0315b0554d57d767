# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: other allocators, the whole allocation API, programs with a malloc of their own.

EXTRA_DIST += tests/allocators/allocators.sh tests/allocators/own.c tests/allocators/wrap.c
sh_tests += tests/allocators/api.sh
sh_tests += tests/allocators/footprint.sh
sh_tests += tests/allocators/matrix.sh
sh_tests += tests/allocators/own.sh
sh_tests += tests/allocators/programs.sh

check_PROGRAMS += tests/allocators/calls tests/allocators/calls_cxx
tests_allocators_calls_SOURCES = tests/allocators/calls.c
tests_allocators_calls_CFLAGS = -std=gnu11 -O0 -g -w -fno-builtin
tests_allocators_calls_LDFLAGS = -pthread
tests_allocators_calls_LDADD = -ldl
tests_allocators_calls_cxx_SOURCES = tests/allocators/calls_cxx.cpp
tests_allocators_calls_cxx_CXXFLAGS = -std=gnu++17 -O0 -g

check_DATA += tests/allocators/wrap.so
CLEANFILES += tests/allocators/wrap.so
tests/allocators/wrap.so: tests/allocators/wrap.c
	$(AM_V_CCLD)$(MKDIR_P) tests/allocators && $(CC) -O1 -fPIC -fno-builtin -shared -o $@ \
		$(top_srcdir)/tests/allocators/wrap.c
