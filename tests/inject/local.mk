# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: tests of inject/, and the programs they attach to.
inject_tests = \
	tests/inject/patch_code
inject_tests_LDADD = libinject.a libsymbols.a libbase.a $(INJECT_LIBS) $(SYMBOLS_LIBS) $(XXHASH_LIBS)
check_PROGRAMS += $(inject_tests)
TESTS += $(inject_tests)

tests_inject_patch_code_SOURCES = tests/inject/patch_code.c tests/inject/patch_shapes.h
tests_inject_patch_code_LDADD = $(inject_tests_LDADD)
