# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the test harness.  One test alone: make check TESTS=tests/CASE/NAME.sh
#
# Unit tests are programs that speak TAP (tests/tap.h), all others are shell scripts
# (tests/tap.sh).  They learn from the environment where the tree and the build are.

TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
# Not $(SHELL): bash would set variables that a test of the environment sees.
SH_LOG_COMPILER = sh
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	MEMTRACK_CC='$(CC)' MEMTRACK_NM='$(NM)' MEMTRACK_READELF='$(READELF)' \
	TERM=xterm LC_ALL=C.UTF-8; \
	export top_srcdir top_builddir MEMTRACK_CC MEMTRACK_NM MEMTRACK_READELF TERM LC_ALL; \
	unset LD_PRELOAD;

EXTRA_DIST += tests/tap.h tests/tap.sh

check_PROGRAMS += tests/unit/tap_test
tests_unit_tap_test_SOURCES = tests/unit/tap_test.c tests/tap.h
TESTS += tests/unit/tap_test

sh_tests = tests/unit/tap.sh tests/unit/spill_full.sh tests/unit/spill_folder.sh
TESTS += $(sh_tests)
EXTRA_DIST += $(sh_tests)
include tests/target/local.mk
include tests/tools/local.mk
include tests/hook/local.mk
include tests/unwind/local.mk
include tests/oracle/local.mk
include tests/hazards/local.mk
include tests/style/local.mk
include tests/scenarios/local.mk
include tests/standalone/local.mk
include tests/real/local.mk
include tests/soak/local.mk
include tests/kill/local.mk
include tests/family/local.mk
include tests/loader/local.mk
include tests/cxx/local.mk
include tests/allocators/local.mk
include tests/memview/local.mk
include tests/fuzz/local.mk
include tests/aarch64/local.mk
include tests/attach/local.mk
include tests/bench/local.mk
include tests/inject/local.mk
