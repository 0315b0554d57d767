# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the programs that are traced.  Built as distributions build: -O2, no frame pointers,
# and never instrumented.

target_cflags = -O2 -g -fomit-frame-pointer -fno-builtin-malloc -fno-builtin-free

check_PROGRAMS += tests/target/scenarios
tests_target_scenarios_SOURCES = \
	tests/target/main.c \
	tests/target/record.c \
	tests/target/record.h \
	tests/target/scenarios.h \
	tests/target/heap.c \
	tests/target/realloc.c \
	tests/target/deep.c \
	tests/target/threads.c \
	tests/target/workers.h \
	tests/target/cxx.cpp \
	tests/target/templates.cpp
tests_target_scenarios_CFLAGS = -std=gnu11 $(WARN_CFLAGS) $(target_cflags)
tests_target_scenarios_CXXFLAGS = -std=gnu++17 -Wall -Wextra $(target_cflags)
tests_target_scenarios_LDFLAGS = -pthread
