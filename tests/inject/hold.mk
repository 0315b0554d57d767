# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: threads held, calls made in them, objects delivered: only where memtrack can attach at all.
hold_sources = tests/inject/hold_fixture.h tests/tap.h
if HOST_X86_64
hold_tests = \
	tests/inject/hold_calls \
	tests/inject/hold_keep \
	tests/inject/hold_threads
check_PROGRAMS += $(hold_tests)
TESTS += $(hold_tests)
tests_inject_hold_calls_SOURCES = tests/inject/hold_calls.c $(hold_sources)
tests_inject_hold_calls_LDADD = $(inject_tests_LDADD)
tests_inject_hold_keep_SOURCES = tests/inject/hold_keep.c $(hold_sources)
tests_inject_hold_keep_LDADD = $(inject_tests_LDADD)
tests_inject_hold_threads_SOURCES = tests/inject/hold_threads.c $(hold_sources)
tests_inject_hold_threads_LDADD = $(inject_tests_LDADD)
endif
EXTRA_DIST += $(hold_sources) tests/inject/hold_calls.c tests/inject/hold_keep.c tests/inject/hold_threads.c \
	tests/inject/hold_hostile.c tests/inject/hold_hostile.h
