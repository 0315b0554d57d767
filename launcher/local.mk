# launcher/: the memtrack command.  One source a line.
noinst_LIBRARIES += liblauncher.a
liblauncher_a_SOURCES =
liblauncher_a_SOURCES += launcher/allocator.c
liblauncher_a_SOURCES += launcher/allocator.h
liblauncher_a_SOURCES += launcher/attach.c
liblauncher_a_SOURCES += launcher/attach.h
liblauncher_a_SOURCES += launcher/attach_alone.c
liblauncher_a_SOURCES += launcher/attach_alone.h
liblauncher_a_SOURCES += launcher/attach_glibc.c
liblauncher_a_SOURCES += launcher/attach_image.c
liblauncher_a_SOURCES += launcher/attach_image.h
liblauncher_a_SOURCES += launcher/attach_inner.h
liblauncher_a_SOURCES += launcher/attach_inside.c
liblauncher_a_SOURCES += launcher/attach_inside.h
liblauncher_a_SOURCES += launcher/attach_leave.c
liblauncher_a_SOURCES += launcher/attach_loop.c
liblauncher_a_SOURCES += launcher/attach_loop.h
liblauncher_a_SOURCES += launcher/attach_patches.c
liblauncher_a_SOURCES += launcher/attach_patches.h
liblauncher_a_SOURCES += launcher/attach_request.c
liblauncher_a_SOURCES += launcher/attach_request.h
liblauncher_a_SOURCES += launcher/attach_segment.c
liblauncher_a_SOURCES += launcher/attach_stale.c
liblauncher_a_SOURCES += launcher/attach_stale.h
liblauncher_a_SOURCES += launcher/attached.c
liblauncher_a_SOURCES += launcher/attached.h
liblauncher_a_SOURCES += launcher/behind.c
liblauncher_a_SOURCES += launcher/behind.h
liblauncher_a_SOURCES += launcher/cache_file.c
liblauncher_a_SOURCES += launcher/cache_file.h
liblauncher_a_SOURCES += launcher/cache_image.c
liblauncher_a_SOURCES += launcher/cache_image.h
liblauncher_a_SOURCES += launcher/capture.c
liblauncher_a_SOURCES += launcher/capture.h
liblauncher_a_SOURCES += launcher/clock.c
liblauncher_a_SOURCES += launcher/clock.h
liblauncher_a_SOURCES += launcher/control.c
liblauncher_a_SOURCES += launcher/control.h
liblauncher_a_SOURCES += launcher/counter.h
liblauncher_a_SOURCES += launcher/counter_arm.c
liblauncher_a_SOURCES += launcher/counter_x86.c
liblauncher_a_SOURCES += launcher/door.c
liblauncher_a_SOURCES += launcher/door.h
liblauncher_a_SOURCES += launcher/doorbells.c
liblauncher_a_SOURCES += launcher/doorbells.h
liblauncher_a_SOURCES += launcher/drain.c
liblauncher_a_SOURCES += launcher/drain.h
liblauncher_a_SOURCES += launcher/ending.c
liblauncher_a_SOURCES += launcher/exit_code.c
liblauncher_a_SOURCES += launcher/exit_code.h
liblauncher_a_SOURCES += launcher/facts.c
liblauncher_a_SOURCES += launcher/facts.h
liblauncher_a_SOURCES += launcher/family.c
liblauncher_a_SOURCES += launcher/family.h
liblauncher_a_SOURCES += launcher/front.c
liblauncher_a_SOURCES += launcher/front.h
liblauncher_a_SOURCES += launcher/hearing.c
liblauncher_a_SOURCES += launcher/hearing.h
liblauncher_a_SOURCES += launcher/near.c
liblauncher_a_SOURCES += launcher/near.h
liblauncher_a_SOURCES += launcher/heartbeat.c
liblauncher_a_SOURCES += launcher/heartbeat.h
liblauncher_a_SOURCES += launcher/holders.c
liblauncher_a_SOURCES += launcher/holders.h
liblauncher_a_SOURCES += launcher/jit_map.c
liblauncher_a_SOURCES += launcher/jit_map.h
liblauncher_a_SOURCES += launcher/keeper.c
liblauncher_a_SOURCES += launcher/keeper.h
liblauncher_a_SOURCES += launcher/kin.h
liblauncher_a_SOURCES += launcher/keeper_find.c
liblauncher_a_SOURCES += launcher/keeper_find.h
liblauncher_a_SOURCES += launcher/launch.h
liblauncher_a_SOURCES += launcher/loop.c
liblauncher_a_SOURCES += launcher/loop.h
liblauncher_a_SOURCES += launcher/mail.c
liblauncher_a_SOURCES += launcher/mail.h
liblauncher_a_SOURCES += launcher/memview.c
liblauncher_a_SOURCES += launcher/memview.h
liblauncher_a_SOURCES += launcher/marks.c
liblauncher_a_SOURCES += launcher/marks.h
liblauncher_a_SOURCES += launcher/module_table.c
liblauncher_a_SOURCES += launcher/module_table.h
liblauncher_a_SOURCES += launcher/namespaces.c
liblauncher_a_SOURCES += launcher/namespaces.h
liblauncher_a_SOURCES += launcher/notice.c
liblauncher_a_SOURCES += launcher/notice.h
liblauncher_a_SOURCES += launcher/options.c
liblauncher_a_SOURCES += launcher/options.h
liblauncher_a_SOURCES += launcher/orders.c
liblauncher_a_SOURCES += launcher/orders.h
liblauncher_a_SOURCES += launcher/output.c
liblauncher_a_SOURCES += launcher/output.h
liblauncher_a_SOURCES += launcher/pass.c
liblauncher_a_SOURCES += launcher/preload.c
liblauncher_a_SOURCES += launcher/preload.h
liblauncher_a_SOURCES += launcher/process.c
liblauncher_a_SOURCES += launcher/process.h
liblauncher_a_SOURCES += launcher/procfs.c
liblauncher_a_SOURCES += launcher/procfs.h
liblauncher_a_SOURCES += launcher/program_cache.c
liblauncher_a_SOURCES += launcher/program_cache.h
liblauncher_a_SOURCES += launcher/pump.c
liblauncher_a_SOURCES += launcher/pump.h
liblauncher_a_SOURCES += launcher/ranges.c
liblauncher_a_SOURCES += launcher/ranges.h
liblauncher_a_SOURCES += launcher/region.c
liblauncher_a_SOURCES += launcher/region.h
liblauncher_a_SOURCES += launcher/region_chunks.c
liblauncher_a_SOURCES += launcher/regions.c
liblauncher_a_SOURCES += launcher/relatives.c
liblauncher_a_SOURCES += launcher/relatives.h
liblauncher_a_SOURCES += launcher/report.c
liblauncher_a_SOURCES += launcher/report.h
liblauncher_a_SOURCES += launcher/requests.c
liblauncher_a_SOURCES += launcher/requests.h
liblauncher_a_SOURCES += launcher/resident.c
liblauncher_a_SOURCES += launcher/resident.h
liblauncher_a_SOURCES += launcher/result.c
liblauncher_a_SOURCES += launcher/result.h
liblauncher_a_SOURCES += launcher/run.c
liblauncher_a_SOURCES += launcher/run.h
liblauncher_a_SOURCES += launcher/run_attach.c
liblauncher_a_SOURCES += launcher/run_attach.h
liblauncher_a_SOURCES += launcher/say.c
liblauncher_a_SOURCES += launcher/say.h
liblauncher_a_SOURCES += launcher/segment.c
liblauncher_a_SOURCES += launcher/segment.h
liblauncher_a_SOURCES += launcher/serve.c
liblauncher_a_SOURCES += launcher/serve.h
liblauncher_a_SOURCES += launcher/session.c
liblauncher_a_SOURCES += launcher/session.h
liblauncher_a_SOURCES += launcher/signals.c
liblauncher_a_SOURCES += launcher/signals.h
liblauncher_a_SOURCES += launcher/sink.h
liblauncher_a_SOURCES += launcher/sink_mtk.c
liblauncher_a_SOURCES += launcher/sink_text.c
liblauncher_a_SOURCES += launcher/snapshot.c
liblauncher_a_SOURCES += launcher/snapshot.h
liblauncher_a_SOURCES += launcher/snapshot_child.c
liblauncher_a_SOURCES += launcher/snapshot_child.h
liblauncher_a_SOURCES += launcher/stack_reader.c
liblauncher_a_SOURCES += launcher/stack_reader.h
liblauncher_a_SOURCES += launcher/start.c
liblauncher_a_SOURCES += launcher/start.h
liblauncher_a_SOURCES += launcher/suspects.c
liblauncher_a_SOURCES += launcher/suspects.h
liblauncher_a_SOURCES += launcher/symbol_cache.c
liblauncher_a_SOURCES += launcher/symbol_cache.h
liblauncher_a_SOURCES += launcher/symbol_files.c
liblauncher_a_SOURCES += launcher/symbol_files.h
liblauncher_a_SOURCES += launcher/symbol_records.c
liblauncher_a_SOURCES += launcher/symbol_records.h
liblauncher_a_SOURCES += launcher/symbol_work.c
liblauncher_a_SOURCES += launcher/symbol_work.h
liblauncher_a_SOURCES += launcher/symbolise.c
liblauncher_a_SOURCES += launcher/symbolise.h
liblauncher_a_SOURCES += launcher/tally.c
liblauncher_a_SOURCES += launcher/tally.h
liblauncher_a_SOURCES += launcher/terminal.c
liblauncher_a_SOURCES += launcher/terminal.h
liblauncher_a_SOURCES += launcher/text_frames.c
liblauncher_a_SOURCES += launcher/text_frames.h
liblauncher_a_SOURCES += launcher/thread_numbers.c
liblauncher_a_SOURCES += launcher/thread_numbers.h
liblauncher_a_SOURCES += launcher/thread_watch.c
liblauncher_a_SOURCES += launcher/tracer.c
liblauncher_a_SOURCES += launcher/tracer.h
liblauncher_a_SOURCES += launcher/verbs.c
liblauncher_a_SOURCES += launcher/verbs.h
liblauncher_a_SOURCES += launcher/viewers.c
liblauncher_a_SOURCES += launcher/viewers.h

bin_PROGRAMS += memtrack
memtrack_SOURCES = launcher/main.c
memtrack_LDADD = liblauncher.a libmodel.a libinject.a libsymbols.a libstore.a libwire.a libtrace.a libbase.a \
	$(INJECT_LIBS) $(DW_LIBS) $(ELF_LIBS) $(ZSTD_LIBS) $(XXHASH_LIBS) $(DEMANGLE_LIBS)

dist_man_MANS += doc/memtrack.1

check_PROGRAMS += tests/unit/heartbeat_test
tests_unit_heartbeat_test_SOURCES = tests/unit/heartbeat_test.c tests/tap.h
tests_unit_heartbeat_test_LDADD = liblauncher.a libbase.a
TESTS += tests/unit/heartbeat_test

check_PROGRAMS += tests/unit/symbol_cache_test
tests_unit_symbol_cache_test_SOURCES = tests/unit/symbol_cache_test.c tests/tap.h
tests_unit_symbol_cache_test_LDADD = $(drain_test_libraries)
TESTS += tests/unit/symbol_cache_test

drain_test_sources = tests/unit/collect.h tests/unit/drain_fixture.h tests/unit/producer.h tests/tap.h
drain_test_libraries = liblauncher.a libsymbols.a libstore.a libwire.a libtrace.a libbase.a \
	$(DW_LIBS) $(ELF_LIBS) $(ZSTD_LIBS) $(XXHASH_LIBS) $(DEMANGLE_LIBS)
check_PROGRAMS += tests/unit/drain_test tests/unit/drain_death_test
tests_unit_drain_test_SOURCES = tests/unit/drain_test.c $(drain_test_sources)
tests_unit_drain_test_LDADD = $(drain_test_libraries)
tests_unit_drain_death_test_SOURCES = tests/unit/drain_death_test.c $(drain_test_sources)
tests_unit_drain_death_test_LDADD = $(drain_test_libraries)
check_PROGRAMS += tests/unit/sink_text_test
tests_unit_sink_text_test_SOURCES = tests/unit/sink_text_test.c tests/tap.h
tests_unit_sink_text_test_LDADD = $(drain_test_libraries)
TESTS += tests/unit/drain_test tests/unit/drain_death_test tests/unit/sink_text_test

check_PROGRAMS += tests/launcher/looper
tests_launcher_looper_SOURCES = tests/launcher/looper.c
tests_launcher_looper_CFLAGS = $(WARN_CFLAGS) -O1

check_PROGRAMS += tests/launcher/phases
tests_launcher_phases_SOURCES = tests/launcher/phases.c
tests_launcher_phases_CFLAGS = $(WARN_CFLAGS) -O1 -fno-builtin -pthread
tests_launcher_phases_LDFLAGS = -pthread
EXTRA_DIST += tests/launcher/phases.py tests/launcher/phases_check.py

launcher_tests = \
	tests/launcher/attach.sh \
	tests/launcher/attach_odd.sh \
	tests/launcher/commands.sh \
	tests/launcher/descriptors.sh \
	tests/launcher/exit_status.sh \
	tests/launcher/follow.sh \
	tests/launcher/killed.sh \
	tests/launcher/limits.sh \
	tests/launcher/manual.sh \
	tests/launcher/output.sh \
	tests/launcher/pause.sh \
	tests/launcher/port.sh \
	tests/launcher/preload_path.sh \
	tests/launcher/signals.sh \
	tests/launcher/symbol_cache.sh \
	tests/launcher/terminal.sh \
	tests/launcher/untraced.sh
TESTS += $(launcher_tests)
EXTRA_DIST += $(launcher_tests)

# What the drain takes at full speed, on its own.
check_PROGRAMS += bench/drain
bench_drain_SOURCES = bench/drain.c $(drain_test_sources)
bench_drain_LDADD = $(drain_test_libraries)
