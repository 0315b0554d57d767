# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the synthetic workloads of bench/run, which tests/real uses as well; built as the
# programs of a distribution are.

bench_cflags = -O2 -g -fomit-frame-pointer -fno-builtin-malloc -fno-builtin-free
EXTRA_DIST += bench/run

check_PROGRAMS += bench/tight bench/deep bench/crossing bench/containers
bench_tight_SOURCES = bench/tight.c bench/workload.h
bench_tight_CFLAGS = -std=gnu11 $(WARN_CFLAGS) $(bench_cflags)
bench_tight_LDFLAGS =
bench_deep_SOURCES = bench/deep.c bench/workload.h
bench_deep_CFLAGS = $(bench_tight_CFLAGS)
bench_deep_LDFLAGS =
bench_crossing_SOURCES = bench/crossing.c bench/workload.h
bench_crossing_CFLAGS = $(bench_tight_CFLAGS)
bench_crossing_LDFLAGS = -pthread
bench_containers_SOURCES = bench/containers.cpp bench/workload.h
bench_containers_CXXFLAGS = -std=gnu++17 -Wall -Wextra $(bench_cflags)
bench_containers_LDFLAGS =

check_PROGRAMS += bench/stopwatch bench/stopwatch_static
bench_stopwatch_SOURCES = bench/stopwatch.c
bench_stopwatch_CFLAGS = -std=gnu11 -O2 $(WARN_CFLAGS)
bench_stopwatch_LDFLAGS =
bench_stopwatch_static_SOURCES = bench/stopwatch.c
bench_stopwatch_static_CFLAGS = $(bench_stopwatch_CFLAGS)
bench_stopwatch_static_LDFLAGS = -static
