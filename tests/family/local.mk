# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: processes and their children.

check_PROGRAMS += tests/family/family
tests_family_family_SOURCES = tests/family/family.c
tests_family_family_CFLAGS = -std=gnu11 -O1 -g -fno-builtin
tests_family_family_LDFLAGS =
tests_family_family_LDADD = -lpthread

EXTRA_DIST += tests/family/family.sh tests/family/fork.sh tests/family/exec.sh \
	tests/family/shell.sh tests/family/stream.sh
TESTS += tests/family/fork.sh tests/family/exec.sh tests/family/shell.sh tests/family/stream.sh
