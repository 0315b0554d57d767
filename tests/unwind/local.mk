# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the hook's unwinder against glibc's backtrace(), on hard stacks and real programs.

check_PROGRAMS += tests/unwind/hard tests/unwind/hard_cxx tests/unwind/shapes
tests_unwind_hard_SOURCES = tests/unwind/hard.c tests/unwind/bare.h tests/unwind/bare_aarch64.h tests/unwind/bare_x86_64.h
tests_unwind_hard_CFLAGS = -std=gnu11 -O2 -g -fno-builtin -fomit-frame-pointer
tests_unwind_hard_LDFLAGS = -rdynamic
tests_unwind_hard_LDADD = -lpthread -ldl
tests_unwind_shapes_SOURCES = tests/unwind/shapes.c
tests_unwind_shapes_CFLAGS = -std=gnu11 -D_GNU_SOURCE -O1 -g -fno-builtin -fno-inline -fno-optimize-sibling-calls
tests_unwind_shapes_LDFLAGS = -Wl,-z,now
tests_unwind_shapes_LDADD = -lpthread
tests_unwind_hard_cxx_SOURCES = tests/unwind/hard_cxx.cpp
tests_unwind_hard_cxx_CXXFLAGS = -std=gnu++17 -O2 -g -fomit-frame-pointer
tests_unwind_hard_cxx_LDFLAGS =

unwind_probe_objects = $(hook_unwind_c:.c=.hook.o)
check_DATA += tests/unwind/probe.so tests/unwind/plugin_small.so tests/unwind/plugin_large.so
CLEANFILES += tests/unwind/probe.so tests/unwind/plugin_small.so tests/unwind/plugin_large.so
EXTRA_DIST += tests/unwind/probe.c tests/unwind/plugin.c tests/unwind/unwind.sh

tests/unwind/probe.so: tests/unwind/probe.c $(unwind_probe_objects)
	$(AM_V_CCLD)$(MKDIR_P) tests/unwind && $(CC) -std=gnu11 -D_GNU_SOURCE -O2 -g -fPIC \
		-fvisibility=hidden -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-builtin \
		-I$(top_srcdir) -shared -Wl,-z,now -o $@ $(top_srcdir)/tests/unwind/probe.c \
		$(unwind_probe_objects) -lpthread -ldl

tests/unwind/plugin_small.so: tests/unwind/plugin.c
	$(AM_V_CCLD)$(MKDIR_P) tests/unwind && $(CC) -O2 -fomit-frame-pointer -fPIC -shared \
		-DPLUGIN_BYTES=264 -o $@ $(top_srcdir)/tests/unwind/plugin.c

tests/unwind/plugin_large.so: tests/unwind/plugin.c
	$(AM_V_CCLD)$(MKDIR_P) tests/unwind && $(CC) -O2 -fomit-frame-pointer -fPIC -shared \
		-DPLUGIN_BYTES=1000 -o $@ $(top_srcdir)/tests/unwind/plugin.c

# The program finds the library where the build left it.
check_PROGRAMS += tests/unwind/lazy
check_DATA += tests/unwind/lazy.so
CLEANFILES += tests/unwind/lazy.so
tests_unwind_lazy_SOURCES = tests/unwind/lazy.c
tests_unwind_lazy_CFLAGS = -std=gnu11 -O1 -g -fno-builtin -fno-optimize-sibling-calls -fPIE
tests_unwind_lazy_LDFLAGS = -pie -Wl,-z,lazy -Wl,-rpath,$(abs_top_builddir)/tests/unwind
tests_unwind_lazy_LDADD = tests/unwind/lazy.so

tests/unwind/lazy.so: tests/unwind/lazy.c
	$(AM_V_CCLD)$(MKDIR_P) tests/unwind && $(CC) -std=gnu11 -O1 -g -fno-builtin \
		-fno-optimize-sibling-calls -DLAZY_LIBRARY -fPIC -shared -Wl,-soname,lazy.so -o $@ \
		$(top_srcdir)/tests/unwind/lazy.c

TESTS += tests/unwind/unwind.sh
sh_tests += tests/unwind/shapes.sh

check_PROGRAMS += tests/unit/unwind_cfi_test tests/unit/unwind_depot_test tests/unit/unwind_rows_test
tests_unit_unwind_cfi_test_SOURCES = tests/unit/unwind_cfi_test.c hook/cfi.c hook/cfi_expression.c \
	hook/cfi_frames.c hook/cfi_program.c hook/cfi_read.c
tests_unit_unwind_depot_test_SOURCES = tests/unit/unwind_depot_test.c hook/depot.c hook/depot_index.c
tests_unit_unwind_depot_test_LDADD = -lpthread
tests_unit_unwind_rows_test_SOURCES = tests/unit/unwind_rows_test.c hook/cfi.c hook/cfi_expression.c \
	hook/cfi_frames.c hook/cfi_program.c hook/cfi_read.c hook/modules.c hook/modules_elf.c hook/rows.c hook/rows_make.c \
	hook/unwind_aarch64.c hook/unwind_x86_64.c
tests_unit_unwind_rows_test_LDADD = -lpthread -ldl
TESTS += tests/unit/unwind_cfi_test tests/unit/unwind_depot_test tests/unit/unwind_rows_test
