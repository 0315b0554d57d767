# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: what has broken tools of this kind: a program and a test for each line of the list.
# The programs are traced, so they are never instrumented; one rule builds them all.

hazard_programs = \
	tests/hazards/a1_early \
	tests/hazards/a2_forwarder \
	tests/hazards/a4_bare \
	tests/hazards/a7_iterate \
	tests/hazards/a8_filled \
	tests/hazards/a10_own \
	tests/hazards/b11_exits \
	tests/hazards/b12_keys \
	tests/hazards/b13_thread_local \
	tests/hazards/b14_static_tls \
	tests/hazards/b15_growth \
	tests/hazards/b16_waits \
	tests/hazards/b17_bounds \
	tests/hazards/b18_audited \
	tests/hazards/c19_busy_fork \
	tests/hazards/c20_handlers \
	tests/hazards/c21_strangers \
	tests/hazards/c22_two_heaps \
	tests/hazards/c23_vfork \
	tests/hazards/c24_images \
	tests/hazards/c26_spawns \
	tests/hazards/d30_heap \
	tests/hazards/d30_reentry \
	tests/hazards/d30_first \
	tests/hazards/d30_jump \
	tests/hazards/d31_all_signals \
	tests/hazards/d32_crash \
	tests/hazards/d33_small_stack \
	tests/hazards/i87_older \
	tests/hazards/j90_closes \
	tests/hazards/j91_no_stdio \
	tests/hazards/j93_confined \
	tests/hazards/j94_limits \
	tests/hazards/j94_locked \
	tests/hazards/j95_killed \
	tests/hazards/j96_small \
	tests/hazards/j97_long \
	tests/hazards/j98_flood \
	tests/hazards/j99_mappings \
	tests/hazards/j100_early_exit \
	tests/hazards/l114_split \
	tests/hazards/l115_replaced \
	tests/hazards/l116_silent \
	tests/hazards/m123_failures \
	tests/hazards/m124_runtime \
	tests/hazards/m125_pool \
	tests/hazards/m126_pages \
	tests/hazards/m127_ends \
	tests/hazards/n128_race \
	tests/hazards/n129_queue \
	tests/hazards/n130_realloc \
	tests/hazards/n131_sizes \
	tests/hazards/n132_pages \
	tests/hazards/n133_large \
	tests/hazards/n134_peak \
	tests/hazards/n135_one_stack \
	tests/hazards/n136_beyond \
	tests/hazards/peak_rss

hazard_libraries = \
	tests/hazards/a8_wrapper.so \
	tests/hazards/audit_library.so \
	tests/hazards/static_tls_1.so \
	tests/hazards/static_tls_2.so \
	tests/hazards/static_tls_3.so \
	tests/hazards/tls_library.so \
	tests/hazards/waiting_library.so

hazard_flags = -O0 -g -D_GNU_SOURCE -I$(top_srcdir) -Wall -Wextra -Wundef -Wshadow -fno-builtin -pthread

check_DATA += $(hazard_programs) $(hazard_libraries)
CLEANFILES += $(hazard_programs) $(hazard_libraries)
EXTRA_DIST += \
	$(filter-out %b13_thread_local.c,$(hazard_programs:=.c)) tests/hazards/b13_thread_local.cpp \
	tests/hazards/a9_instrumented.c \
	tests/hazards/a8_wrapper.c \
	tests/hazards/audit_library.c \
	tests/hazards/static_tls_library.c \
	tests/hazards/l113_leaves.c \
	tests/hazards/l115_library.c \
	tests/hazards/l120_lines.c \
	tests/hazards/tls_library.c \
	tests/hazards/waiting_library.c \
	tests/hazards/hazard.h \
	tests/hazards/hazard.sh

tests/hazards/%: tests/hazards/%.c tests/hazards/hazard.h
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) -std=gnu11 $(hazard_flags) -o $@ $<

tests/hazards/%: tests/hazards/%.cpp tests/hazards/hazard.h
	$(AM_V_CXXLD)$(MKDIR_P) $(@D) && $(CXX) -std=gnu++17 $(hazard_flags) -o $@ $<

tests/hazards/%.so: tests/hazards/%.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) -std=gnu11 $(hazard_flags) -fPIC -shared -o $@ $<

tests/hazards/static_tls_%.so: tests/hazards/static_tls_library.c
	$(AM_V_CCLD)$(MKDIR_P) $(@D) && $(CC) -std=gnu11 $(hazard_flags) -fPIC -DWANT='$*00' -shared -o $@ $<

check_PROGRAMS += tests/hazards/j96_damage tests/hazards/ledger
tests_hazards_j96_damage_SOURCES = tests/hazards/j96_damage.c
tests_hazards_j96_damage_LDADD = $(model_test_libs)
tests_hazards_ledger_SOURCES = tests/hazards/ledger.c
tests_hazards_ledger_LDADD = $(model_test_libs)

sh_tests += tests/hazards/accounting.sh
sh_tests += tests/hazards/datapath.sh
sh_tests += tests/hazards/fork.sh
sh_tests += tests/hazards/reports.sh
sh_tests += tests/hazards/signals.sh
sh_tests += tests/hazards/startup.sh
sh_tests += tests/hazards/symbols.sh
sh_tests += tests/hazards/threads.sh
sh_tests += tests/hazards/viewer.sh
