# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: SIGKILL of each of the three.  MEMTRACK_LONG=1 make check TESTS=tests/kill/target.sh

check_PROGRAMS += tests/kill/ticker
tests_kill_ticker_SOURCES = tests/kill/ticker.c
tests_kill_ticker_CFLAGS = -std=gnu11 -O2 -g $(WARN_CFLAGS) -fno-builtin-malloc -fno-builtin-free
tests_kill_ticker_LDFLAGS = -pthread

EXTRA_DIST += tests/kill/kill.sh
sh_tests += tests/kill/target.sh
sh_tests += tests/kill/launcher.sh
sh_tests += tests/kill/viewer.sh
