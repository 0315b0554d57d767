# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what tracing costs: the synthetic workloads (tests/real uses them as well), built as the
# programs of a distribution are, the tools that bench/run measures with, and the targets that run it.

bench_cflags = -O2 -g -fomit-frame-pointer -fno-builtin-malloc -fno-builtin-free
EXTRA_DIST += \
	bench/columns \
	bench/document \
	bench/matrix.awk \
	bench/measure.sh \
	bench/median.awk \
	bench/plot \
	bench/plot.awk \
	bench/profile \
	bench/run \
	bench/summary.awk \
	bench/table \
	bench/table.awk \
	bench/workloads.sh

check_PROGRAMS += bench/tight bench/deep bench/crossing bench/containers
bench_tight_SOURCES = bench/tight.c bench/workload.h
bench_tight_CFLAGS = -std=gnu11 $(WARN_CFLAGS) $(bench_cflags)
bench_tight_LDFLAGS = -pthread
bench_deep_SOURCES = bench/deep.c bench/workload.h
bench_deep_CFLAGS = $(bench_tight_CFLAGS)
bench_deep_LDFLAGS =
bench_crossing_SOURCES = bench/crossing.c bench/workload.h
bench_crossing_CFLAGS = $(bench_tight_CFLAGS)
bench_crossing_LDFLAGS = -pthread
bench_containers_SOURCES = bench/containers.cpp bench/workload.h
bench_containers_CXXFLAGS = -std=gnu++17 -Wall -Wextra $(bench_cflags)
bench_containers_LDFLAGS =

check_PROGRAMS += bench/stopwatch
bench_stopwatch_SOURCES = bench/stopwatch.c
bench_stopwatch_CFLAGS = -std=gnu11 -O2 $(WARN_CFLAGS)
bench_stopwatch_LDFLAGS =

# How long a process stands still for an attach and a detach.
check_PROGRAMS += bench/pause
bench_pause_SOURCES = bench/pause.c
bench_pause_CFLAGS = -std=gnu11 -O2 -fno-builtin-malloc -fno-builtin-free $(WARN_CFLAGS)
bench_pause_LDFLAGS = -pthread

# How fast memview is while it loads, and a stream of so many events a second for it.
check_PROGRAMS += bench/view bench/replay
bench_view_SOURCES = bench/view.c tests/memview/emulator.c tests/memview/emulator.h \
	tests/memview/emulator_parse.c tests/memview/emulator_state.h
bench_view_LDADD = -lutil
bench_replay_SOURCES = bench/replay.c
bench_replay_LDADD = libstore.a libtrace.a libbase.a $(ZSTD_LIBS) $(XXHASH_LIBS)

# The naive interposer that memtrack is compared with.
check_DATA += bench/naive.so
EXTRA_DIST += bench/naive.c
CLEANFILES += bench/naive.so

bench/naive.so: bench/naive.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && \
	$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -fPIC -shared -fvisibility=hidden $(WARN_CFLAGS) $(HOOK_WERROR) \
		-o $@ $(srcdir)/bench/naive.c -ldl -lpthread

# A hook that takes the time of each capture: the same objects, and a wrapper around unwind_capture.
check_DATA += bench/stackid.so
EXTRA_DIST += bench/stackid_hook.c
CLEANFILES += bench/stackid.so bench/stackid_hook.hook.o
bench/stackid_hook.hook.o: bench/stackid.h $(hook_h)
bench/stackid.so: $(hook_objects) bench/stackid_hook.hook.o
	$(AM_V_CCLD)$(CC) $(hook_link_flags) -Wl,--wrap=unwind_capture -o $@ $(hook_objects) bench/stackid_hook.hook.o

check_PROGRAMS += bench/stackid_print
bench_stackid_print_SOURCES = bench/stackid_print.c bench/stackid.h
bench_stackid_print_CFLAGS = -std=gnu11 -O2 $(WARN_CFLAGS)
bench_stackid_print_LDFLAGS =

# make bench [BENCH='-n 3 -m "full raw" tight']: measures, prints the tables, draws the plot.
# make bench-quick: a small part of the work, once.  make bench-doc: measures for doc/PERFORMANCE.md.
.PHONY: bench bench-quick bench-doc
CLEANFILES += bench/results.tsv bench/results.tsv.new bench/results.svg
bench bench-quick: bench-programs
	$(srcdir)/bench/run $(BENCH_QUICK) -b . -o bench/results.tsv $(BENCH)
	$(srcdir)/bench/plot bench/results.tsv >bench/results.svg
	@echo 'The plot is bench/results.svg.'
bench-quick: BENCH_QUICK = -q
bench-doc: bench-programs
	$(srcdir)/bench/run -b . -o bench/results.tsv $(BENCH)
	$(srcdir)/bench/document bench/results.tsv $(srcdir)/doc
.PHONY: bench-programs
bench-programs:
	$(MAKE) all
	$(MAKE) check TESTS=
