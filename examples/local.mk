# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the program of `./bootstrap demo` and of the README's walk-through.

check_PROGRAMS += examples/leaky
examples_leaky_SOURCES = examples/leaky.c
examples_leaky_CFLAGS = -std=gnu11 -O2 -g $(WARN_CFLAGS)
examples_leaky_LDFLAGS = -pthread
