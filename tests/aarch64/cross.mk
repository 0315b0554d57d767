# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the hook and what tests it, built for 64-bit ARM by the same lists, rules and flags as ever:
#
#	make -I TREE -f TREE/tests/aarch64/cross.mk top_srcdir=TREE CC=aarch64-linux-gnu-gcc

host_cpu = aarch64
CFLAGS = -O2 -g
HOOK_WERROR = -Werror
HOOK_CC_ONLY = -fno-tree-loop-distribute-patterns -fno-stack-clash-protection -fno-lto
MKDIR_P = mkdir -p

units = unwind_cfi_test unwind_depot_test unwind_rows_test

all: memtrack.so probe.so hard hard_signed hard_cxx plugin_small.so plugin_large.so steps replay $(units) counter.so counter_print cases plugin.so throw chains

include hook/local.mk

VPATH = $(top_srcdir)

# The probe, and programs with stacks that are hard to unwind: tests/unwind.
unwind = $(top_srcdir)/tests/unwind
hard_flags = -std=gnu11 -D_GNU_SOURCE -O2 -g -fno-builtin -I$(top_srcdir) -rdynamic
signing = -mbranch-protection=standard

probe.so: $(unwind)/probe.c $(hook_unwind_c:.c=.hook.o)
	$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -g -fPIC -fvisibility=hidden -fno-omit-frame-pointer \
		-fno-optimize-sibling-calls -fno-builtin -I$(top_srcdir) -shared -Wl,-z,now -o $@ $^ -lpthread -ldl

hard: $(unwind)/hard.c $(unwind)/bare.h $(unwind)/bare_aarch64.h
	$(CC) $(hard_flags) -o $@ $< -lpthread -ldl

hard_signed: $(unwind)/hard.c $(unwind)/bare.h $(unwind)/bare_aarch64.h
	$(CC) $(hard_flags) $(signing) -o $@ $< -lpthread -ldl

hard_cxx: $(unwind)/hard_cxx.cpp
	$(CXX) -std=gnu++17 -O2 -g $(signing) -o $@ $<

plugin_small.so: $(unwind)/plugin.c
	$(CC) -O2 -fPIC -shared -DPLUGIN_BYTES=64 -o $@ $<

plugin_large.so: $(unwind)/plugin.c
	$(CC) -O2 -fPIC -shared -DPLUGIN_BYTES=1000 -o $@ $<

# Stacks whose truth is known: the unwinder in a library, functions of all shapes, stepping through them.
here = $(top_srcdir)/tests/aarch64
here_h = $(here)/capture.h $(here)/record.h $(here)/shapes.h
test_flags = -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -I$(top_srcdir)

shapes_plain = -O2
shapes_slow = -O0
shapes_frameless = -O2 -fomit-frame-pointer
shapes_small = -Os
shapes_signed = -O2 -mbranch-protection=pac-ret+leaf
shapes_signed_b = -O2 -fomit-frame-pointer -mbranch-protection=pac-ret+leaf+b-key
variants = plain slow frameless small signed signed_b

shapes_%.o: $(here)/shapes.c $(here_h)
	$(CC) $(test_flags) $(shapes_$*) -DVARIANT=$* -c -o $@ $<

capture.so: $(here)/capture.c $(here_h) $(hook_unwind_c:.c=.hook.o)
	$(CC) $(test_flags) -fPIC -fno-omit-frame-pointer -fvisibility=hidden -shared -o $@ $(filter %.c %.o,$^)

steps: $(here)/steps.c $(here)/record.c $(variants:%=shapes_%.o) capture.so $(here_h)
	$(CC) $(test_flags) -fno-pie -no-pie -rdynamic -Wl,-Ttext-segment=0x10000000 -Wl,-z,lazy \
		-Wl,-rpath,'$$ORIGIN' -o $@ $(filter %.c %.o %.so,$^) -ldl

# Far from where `steps` is.
replay: $(here)/replay.c $(here)/capture.c $(here_h) $(filter-out hook/modules%,$(hook_unwind_c:.c=.hook.o))
	$(CC) $(test_flags) -static -o $@ $(filter %.c %.o,$^)

# The unit tests of the unwinder's parts.
unwind_cfi_test: $(top_srcdir)/tests/unit/unwind_cfi_test.c $(filter hook/cfi%,$(hook_unwind_c:.c=.hook.o))
unwind_depot_test: $(top_srcdir)/tests/unit/unwind_depot_test.c hook/depot.hook.o hook/depot_index.hook.o
unwind_rows_test: $(top_srcdir)/tests/unit/unwind_rows_test.c hook/modules.hook.o hook/modules_elf.hook.o \
	hook/rows.hook.o hook/rows_make.hook.o hook/unwind_aarch64.hook.o \
	$(filter hook/cfi%,$(hook_unwind_c:.c=.hook.o))
unwind_depot_test:
	$(CC) $(test_flags) -static -o $@ $^ -lpthread
unwind_cfi_test unwind_rows_test:
	$(CC) $(test_flags) -DSTEP=26 -o $@ $^ -lpthread -ldl

# The counter behind the hook, and programs that are hard on an interposer: tests/tools, tests/hook.
tools = $(top_srcdir)/tests/tools
cases_flags = -O2 -g -fomit-frame-pointer -fno-builtin-malloc -fno-builtin-free

counter.so: $(tools)/counter.c $(tools)/counter.h trace/functions.h
	$(CC) $(test_flags) -fPIC -fexceptions -fno-builtin -fvisibility=hidden -shared -o $@ $<

counter_print: $(tools)/counter_print.c $(tools)/counter.h $(tools)/labels.h
	$(CC) $(test_flags) -static -o $@ $<

cases: $(top_srcdir)/tests/hook/cases.c
	$(CC) -std=gnu11 -D_GNU_SOURCE $(cases_flags) -I$(top_srcdir) -o $@ $< -lpthread -ldl

plugin.so: $(top_srcdir)/tests/hook/plugin.cpp
	$(CXX) -std=gnu++17 $(cases_flags) -fPIC -shared -o $@ $<

throw: $(top_srcdir)/tests/hook/throw.cpp
	$(CXX) -std=gnu++17 $(cases_flags) -o $@ $<

chains: $(here)/chains.c
	$(CC) $(test_flags) -fno-builtin -fno-optimize-sibling-calls -rdynamic -o $@ $< -lpthread
