# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the hook without the launcher: variables, the text log, its server.

check_PROGRAMS += \
	tests/standalone/client \
	tests/standalone/process \
	tests/standalone/rules \
	tests/standalone/workers

tests_standalone_client_SOURCES = tests/standalone/client.c
tests_standalone_client_CFLAGS = -std=gnu11 -O1 -g
tests_standalone_client_LDFLAGS =
tests_standalone_process_SOURCES = tests/standalone/process.c
tests_standalone_process_CFLAGS = -std=gnu11 -O1 -g -fno-builtin
tests_standalone_process_LDFLAGS =
tests_standalone_rules_SOURCES = tests/standalone/rules.c
tests_standalone_rules_CFLAGS = -std=gnu11 -O1 -g -fno-builtin
tests_standalone_rules_LDFLAGS =
tests_standalone_workers_SOURCES = tests/standalone/workers.c
tests_standalone_workers_CFLAGS = -std=gnu11 -O1 -g -fno-builtin
tests_standalone_workers_LDFLAGS =
tests_standalone_workers_LDADD = -lpthread

standalone_tests = \
	tests/standalone/cases.sh \
	tests/standalone/output.sh \
	tests/standalone/port.sh \
	tests/standalone/processes.sh \
	tests/standalone/rules.sh \
	tests/standalone/threads.sh \
	tests/standalone/truth.sh \
	tests/standalone/variables.sh
TESTS += $(standalone_tests)
EXTRA_DIST += $(standalone_tests) tests/standalone/log.awk tests/standalone/musl.c \
	tests/standalone/standalone.sh
