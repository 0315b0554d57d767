# model/: the heap rebuilt from a trace

noinst_LIBRARIES += libmodel.a
libmodel_a_SOURCES = \
	model/account.c \
	model/catch_up.c \
	model/amounts.c model/amounts.h \
	model/apply.c \
	model/apply_pages.c \
	model/blocks.c model/blocks.h \
	model/buckets.c \
	model/calltree.c model/calltree.h \
	model/calltree_labels.c \
	model/calltree_noise.c \
	model/calltree_paths.c \
	model/calltree_pins.c \
	model/calltree_rows.c \
	model/calltree_sites.c \
	model/calltree_state.h \
	model/calltree_text.c \
	model/check.c model/check.h \
	model/exact.c \
	model/export.c model/export.h \
	model/findings.c model/findings.h \
	model/found.c model/found.h \
	model/facts.c \
	model/footprint.c model/footprint.h \
	model/footprint_report.c \
	model/heap.c model/heap.h \
	model/library.c model/library.h \
	model/live.c model/live.h \
	model/modules.c model/modules.h \
	model/locate.c \
	model/marks.c model/marks.h \
	model/mtk.c \
	model/order.c \
	model/pages.c model/pages.h \
	model/ranges.c model/ranges.h \
	model/records.c \
	model/repair.c \
	model/report.c model/report.h \
	model/report_family.c \
	model/report_findings.c \
	model/report_json.c \
	model/report_marks.c \
	model/report_parts.h \
	model/report_sites.c model/report_sites.h \
	model/report_tops.c \
	model/report_words.c \
	model/rss.c \
	model/runtime.c \
	model/scan.c model/scan.h \
	model/select.c model/select.h \
	model/select_findings.c \
	model/select_groups.c \
	model/select_marks.c \
	model/select_match.c \
	model/select_merge.c \
	model/select_order.c \
	model/select_peaks.c \
	model/select_radix.c \
	model/select_sort.c \
	model/select_state.h \
	model/sessions.c \
	model/snapshot.c model/snapshot.h \
	model/sites.c model/sites.h \
	model/stack_table.c model/stack_table.h \
	model/stack_text.c \
	model/stacks.c model/stacks.h \
	model/state.h \
	model/textline.c model/textline.h \
	model/textlog.c \
	model/threads.c model/threads.h \
	model/timeline.c model/timeline.h \
	model/weight.c model/weight.h \
	model/wrappers.c model/wrappers.h

model_test_libs = libmodel.a libsymbols.a libstore.a libtrace.a libbase.a \
	$(DW_LIBS) $(ELF_LIBS) $(ZSTD_LIBS) $(XXHASH_LIBS) $(DEMANGLE_LIBS)
model_tests = \
	tests/unit/model_calltree_test \
	tests/unit/model_findings_test \
	tests/unit/model_fuzz_test \
	tests/unit/model_sampling_test \
	tests/unit/model_sessions_test \
	tests/unit/model_hazards_test \
	tests/unit/model_library_test \
	tests/unit/model_report_test \
	tests/unit/model_rules_test \
	tests/unit/model_runtime_test \
	tests/unit/model_select_test \
	tests/unit/model_shuffle_test \
	tests/unit/model_slices_test \
	tests/unit/live_test \
	tests/unit/model_spill_test \
	tests/unit/model_text_test \
	tests/unit/model_wrappers_test
check_PROGRAMS += $(model_tests)
TESTS += $(model_tests)
tests_unit_model_calltree_test_SOURCES = tests/unit/model_calltree_test.c tests/unit/model_build.h tests/unit/model_grow.h
tests_unit_model_calltree_test_LDADD = $(model_test_libs)
tests_unit_model_findings_test_SOURCES = tests/unit/model_findings_test.c tests/unit/model_build.h
tests_unit_model_findings_test_LDADD = $(model_test_libs)
tests_unit_model_sampling_test_SOURCES = tests/unit/model_sampling_test.c tests/unit/model_build.h
tests_unit_model_sampling_test_LDADD = $(model_test_libs)
tests_unit_model_sessions_test_SOURCES = tests/unit/model_sessions_test.c tests/unit/model_build.h
tests_unit_model_sessions_test_LDADD = $(model_test_libs)
tests_unit_model_fuzz_test_SOURCES = tests/unit/model_fuzz_test.c tests/unit/model_build.h
tests_unit_model_fuzz_test_LDADD = $(model_test_libs)
tests_unit_model_hazards_test_SOURCES = tests/unit/model_hazards_test.c tests/unit/model_build.h
tests_unit_model_hazards_test_LDADD = $(model_test_libs)
tests_unit_model_library_test_SOURCES = tests/unit/model_library_test.c
tests_unit_model_library_test_LDADD = $(model_test_libs)
tests_unit_model_report_test_SOURCES = tests/unit/model_report_test.c tests/unit/model_build.h
tests_unit_model_report_test_LDADD = $(model_test_libs)
tests_unit_model_rules_test_SOURCES = tests/unit/model_rules_test.c tests/unit/model_build.h
tests_unit_model_rules_test_LDADD = $(model_test_libs)
tests_unit_model_runtime_test_SOURCES = tests/unit/model_runtime_test.c tests/unit/model_build.h
tests_unit_model_runtime_test_LDADD = $(model_test_libs)
tests_unit_model_select_test_SOURCES = tests/unit/model_select_test.c tests/unit/model_build.h tests/unit/model_grow.h
tests_unit_model_select_test_LDADD = $(model_test_libs)
tests_unit_model_shuffle_test_SOURCES = tests/unit/model_shuffle_test.c tests/unit/model_build.h
tests_unit_model_shuffle_test_LDADD = $(model_test_libs)
tests_unit_model_slices_test_SOURCES = tests/unit/model_slices_test.c tests/unit/model_build.h
tests_unit_model_slices_test_LDADD = $(model_test_libs)
tests_unit_live_test_SOURCES = tests/unit/live_test.c
tests_unit_live_test_LDADD = libmodel.a libbase.a
tests_unit_model_spill_test_SOURCES = tests/unit/model_spill_test.c tests/unit/model_build.h
tests_unit_model_spill_test_LDADD = $(model_test_libs)
tests_unit_model_text_test_SOURCES = tests/unit/model_text_test.c tests/unit/model_build.h
tests_unit_model_text_test_LDADD = $(model_test_libs)
tests_unit_model_wrappers_test_SOURCES = tests/unit/model_wrappers_test.c tests/unit/model_build.h
tests_unit_model_wrappers_test_LDADD = $(model_test_libs)
