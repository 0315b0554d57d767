# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: attaching to programs that make it hard, over and over, and looking what became of them.
#
# make check attaches a few times to each; MEMTRACK_LONG=1 a thousand times in total.

attach_cflags = -std=gnu11 $(WARN_CFLAGS) -O2 -g -fno-builtin-malloc -fno-builtin-free

# The programs that are attached to are never instrumented; attach.sh builds static and musl forms too.
attach_hostile = \
	tests/attach/hostile.c \
	tests/attach/hostile_blocking.c \
	tests/attach/hostile_heap.c \
	tests/attach/hostile_loader.c \
	tests/attach/hostile_process.c \
	tests/attach/hostile_registers.c \
	tests/attach/hostile_signals.c \
	tests/attach/blocking_files.c \
	tests/attach/blocking_ipc.c \
	tests/attach/blocking_time.c

check_PROGRAMS += tests/attach/hostile tests/attach/cycles
tests_attach_hostile_SOURCES = $(attach_hostile) \
	tests/attach/blocking.h tests/attach/board.h tests/attach/hostile.h
tests_attach_hostile_CFLAGS = $(attach_cflags)
tests_attach_hostile_LDFLAGS = -pthread

tests_attach_cycles_SOURCES = tests/attach/cycles.c tests/attach/look.c tests/attach/look.h tests/attach/board.h \
	$(true_code)
tests_attach_cycles_LDADD = libsymbols.a libbase.a $(SYMBOLS_LIBS) $(XXHASH_LIBS)

check_PROGRAMS += tests/attach/attach_tool
tests_attach_attach_tool_SOURCES = tests/attach/attach_tool.c
tests_attach_attach_tool_LDADD = $(inject_tests_LDADD)

check_DATA += tests/attach/plugin.so
CLEANFILES += tests/attach/plugin.so
EXTRA_DIST += tests/attach/passing.c tests/attach/plugin.c tests/attach/attach.sh
tests/attach/plugin.so: tests/attach/plugin.c
	$(AM_V_CCLD)$(MKDIR_P) tests/attach && $(CC) $(attach_cflags) -fPIC -shared -o $@ \
		$(top_srcdir)/tests/attach/plugin.c

sh_tests += tests/attach/harness.sh tests/attach/cycles.sh tests/attach/targets.sh
EXTRA_DIST += tests/attach/programs.sh

# Counting calls independently (counts.sh).
check_PROGRAMS += tests/attach/probes tests/attach/caller tests/attach/operators
tests_attach_probes_SOURCES = tests/attach/probes.c
tests_attach_probes_CFLAGS = $(attach_cflags)
tests_attach_probes_LDFLAGS =
tests_attach_caller_SOURCES = tests/attach/caller.c
tests_attach_caller_CFLAGS = -std=gnu11 $(WARN_CFLAGS) -O2 -g -fno-builtin
tests_attach_caller_LDFLAGS = -pthread
tests_attach_operators_SOURCES = tests/attach/operators.cpp
tests_attach_operators_CXXFLAGS = -std=gnu++17 -O1 -g -w
tests_attach_operators_LDFLAGS =
EXTRA_DIST += tests/attach/counting.sh tests/attach/counts_long.sh tests/attach/imports.py tests/attach/places.awk

sh_tests += tests/attach/counts.sh
