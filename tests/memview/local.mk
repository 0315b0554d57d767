# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: memview driven by keystrokes in a real terminal.

EXTRA_DIST += tests/memview/session.py
EXTRA_DIST += tests/memview/screen.sh tests/memview/make_log.sh tests/memview/screens
sh_tests += tests/memview/accounts.sh
sh_tests += tests/memview/arguments.sh
sh_tests += tests/memview/attach.sh
sh_tests += tests/memview/commands.sh
sh_tests += tests/memview/connection.sh
sh_tests += tests/memview/covered.sh
sh_tests += tests/memview/files.sh
sh_tests += tests/memview/findings.sh
sh_tests += tests/memview/hostile.sh
sh_tests += tests/memview/keys.sh
sh_tests += tests/memview/launched.sh
sh_tests += tests/memview/live.sh
sh_tests += tests/memview/manual.sh
sh_tests += tests/memview/marks.sh
sh_tests += tests/memview/mouse.sh
sh_tests += tests/memview/random.sh
sh_tests += tests/memview/runtime.sh
sh_tests += tests/memview/sessions.sh
sh_tests += tests/memview/settings.sh
sh_tests += tests/memview/signals.sh
sh_tests += tests/memview/sizes.sh
sh_tests += tests/memview/source.sh
sh_tests += tests/memview/terminals.sh
sh_tests += tests/memview/trees.sh
sh_tests += tests/memview/tmux.sh
sh_tests += tests/memview/views.sh
sh_tests += tests/memview/walkthrough.sh

check_PROGRAMS += tests/memview/terminal
tests_memview_terminal_SOURCES = \
	tests/memview/emulator.c tests/memview/emulator.h \
	tests/memview/emulator_parse.c tests/memview/emulator_state.h \
	tests/memview/terminal.c tests/memview/terminal.h \
	tests/memview/terminal_keys.c

check_PROGRAMS += tests/memview/session
tests_memview_session_SOURCES = tests/memview/session.c
tests_memview_session_CFLAGS = -std=gnu11 -O2 -g $(WARN_CFLAGS)
tests_memview_session_LDFLAGS = -pthread

if HAVE_MEMVIEW
check_PROGRAMS += tests/unit/memview_test
tests_unit_memview_test_SOURCES = tests/unit/memview_test.c tests/tap.h
tests_unit_memview_test_LDADD = $(memview_memview_LDADD)
TESTS += tests/unit/memview_test

check_PROGRAMS += tests/unit/memview_stream_test
tests_unit_memview_stream_test_SOURCES = tests/unit/memview_stream_test.c tests/tap.h
tests_unit_memview_stream_test_LDADD = $(memview_memview_LDADD)
TESTS += tests/unit/memview_stream_test

check_PROGRAMS += tests/unit/memview_view_test
tests_unit_memview_view_test_SOURCES = tests/unit/memview_view_test.c tests/tap.h
tests_unit_memview_view_test_LDADD = $(memview_memview_LDADD)
TESTS += tests/unit/memview_view_test
endif
