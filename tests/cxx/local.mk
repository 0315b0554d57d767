# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: C++ under the hook.

check_PROGRAMS += tests/cxx/overloads tests/cxx/throws tests/cxx/late tests/cxx/opener tests/cxx/handler \
	tests/cxx/header
cxx_test_flags = -std=gnu++20 -O1 -g -fno-builtin -fno-inline -fno-optimize-sibling-calls -Wno-unused-result
tests_cxx_overloads_SOURCES = tests/cxx/overloads.cpp
tests_cxx_overloads_CXXFLAGS = $(cxx_test_flags)
tests_cxx_overloads_LDFLAGS =
tests_cxx_throws_SOURCES = tests/cxx/throws.cpp
tests_cxx_throws_CXXFLAGS = $(cxx_test_flags)
tests_cxx_throws_LDFLAGS =
tests_cxx_throws_LDADD = -lpthread
tests_cxx_late_SOURCES = tests/cxx/late.cpp
tests_cxx_late_CXXFLAGS = $(cxx_test_flags)
tests_cxx_late_LDFLAGS =
tests_cxx_late_LDADD = -lpthread
tests_cxx_handler_SOURCES = tests/cxx/handler.cpp
tests_cxx_handler_CXXFLAGS = $(cxx_test_flags)
tests_cxx_handler_LDFLAGS =
tests_cxx_header_SOURCES = tests/cxx/header.cpp
tests_cxx_header_CXXFLAGS = $(cxx_test_flags)
tests_cxx_header_LDFLAGS =
tests_cxx_opener_SOURCES = tests/cxx/opener.c
tests_cxx_opener_CFLAGS = -std=gnu11 -O1 -g -fno-builtin
tests_cxx_opener_LDFLAGS =
tests_cxx_opener_LDADD = -ldl

check_DATA += tests/cxx/opened.so
CLEANFILES += tests/cxx/opened.so
tests/cxx/opened.so: tests/cxx/opened.cpp
	$(AM_V_CXXLD)$(MKDIR_P) tests/cxx && $(CXX) -std=gnu++17 -O1 -g -fPIC -fno-builtin -shared -o $@ \
		$(top_srcdir)/tests/cxx/opened.cpp

EXTRA_DIST += tests/cxx/opened.cpp tests/cxx/pools.cpp
sh_tests += tests/cxx/cxx.sh
