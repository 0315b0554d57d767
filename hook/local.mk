# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: memtrack.so, freestanding code with its own rule.  Sanitizer, coverage and fortify flags of the
# host programs never reach it; of the user's CFLAGS only -O and -g do.

include hook/standalone.mk
include hook/unwind.mk

hook_c = \
	hook/attach.c \
	hook/bootstrap.c \
	hook/call.c \
	hook/children.c \
	hook/clock.c \
	hook/connect.c \
	hook/core.c \
	hook/elf_symbol.c \
	hook/environment.c \
	hook/got.c \
	hook/interpose_exec.c \
	hook/interpose_heap.c \
	hook/interpose_new.c \
	hook/interpose_other.c \
	hook/interpose_own.c \
	hook/interpose_pages.c \
	hook/locked.c \
	hook/memory.c \
	hook/names.c \
	hook/other.c \
	hook/real.c \
	hook/regions.c \
	hook/resolve.c \
	hook/ring.c \
	hook/sample.c \
	hook/shadow.c \
	hook/thread.c \
	hook/thread_words.c \
	$(hook_standalone_c) \
	$(hook_unwind_c)

hook_h = \
	hook/attach.h \
	hook/bootstrap.h \
	hook/call.h \
	hook/caller.h \
	hook/caller_aarch64.h \
	hook/caller_x86_64.h \
	hook/children.h \
	hook/clock.h \
	hook/connect.h \
	hook/core.h \
	hook/elf_symbol.h \
	hook/entry.h \
	hook/environment.h \
	hook/face.h \
	hook/fast.h \
	hook/got.h \
	hook/got_aarch64.h \
	hook/got_cpu.h \
	hook/interpose.h \
	hook/got_x86_64.h \
	hook/loads.h \
	hook/locked.h \
	hook/memory.h \
	hook/names.h \
	hook/other.h \
	hook/own.h \
	hook/own_functions.h \
	hook/raw.h \
	hook/raw_aarch64.h \
	hook/raw_x86_64.h \
	hook/real.h \
	hook/regions.h \
	hook/resolve.h \
	hook/ring.h \
	hook/sample.h \
	hook/shadow.h \
	hook/thread.h \
	hook/thread_words.h \
	hook/tls.h \
	hook/tls_mapped.h \
	hook/tls_words.h \
	$(hook_standalone_h) \
	$(hook_unwind_h)

EXTRA_DIST += $(filter hook/%,$(hook_c)) $(hook_h) hook/attach_entries.c hook/attach_other.c \
	hook/loads.c hook/tls_mapped.c

# No landing pads, no signed return addresses: frames are as plain as they can be.  Atomic operations are
# instructions, not calls into libgcc.
hook_flags_x86_64 = \
	-fcf-protection=none
hook_flags_aarch64 = \
	-mbranch-protection=none \
	-mno-outline-atomics

hook_compile_flags = \
	-std=gnu11 \
	-D_GNU_SOURCE \
	-O2 \
	-g \
	$(filter -O% -g%,$(CFLAGS)) \
	-Wall \
	-Wextra \
	-Wundef \
	-Wshadow \
	-Wpointer-arith \
	-Wstrict-prototypes \
	-fPIC \
	-fvisibility=hidden \
	-ffreestanding \
	-fno-builtin \
	-fno-omit-frame-pointer \
	-fno-optimize-sibling-calls \
	-fno-stack-protector \
	-fno-strict-aliasing \
	-fdata-sections \
	-fasynchronous-unwind-tables \
	-fno-tree-slp-vectorize \
	$(hook_flags_$(host_cpu)) \
	-mgeneral-regs-only \
	-U_FORTIFY_SOURCE \
	$(HOOK_WERROR) \
	$(HOOK_CC_ONLY)

hook_link_flags = $(hook_link_common) -Wl,-soname,memtrack.so -Wl,-z,initfirst
hook_link_common = \
	-shared \
	-nostdlib \
	-nostartfiles \
	-Wl,-z,now \
	-Wl,-z,relro \
	-Wl,-z,nodelete \
	-Wl,-z,noexecstack \
	-Wl,--sort-section=alignment \
	-Wl,-Bsymbolic \
	-Wl,--build-id \
	-Wl,--hash-style=both

# What patched functions come by (hook/entry.h): the same wrappers in another dress.
hook_entries_x86_64 = \
	hook/attach_entries.c \
	hook/attach_other.c \
	hook/interpose_heap.c \
	hook/interpose_new.c \
	hook/interpose_other.c \
	hook/interpose_own.c \
	hook/interpose_pages.c \
	hook/loads.c
hook_entries_c = $(hook_entries_$(host_cpu))

hook_objects = $(hook_c:.c=.hook.o) $(hook_entries_c:.c=.entry.o)

hookexec_DATA += memtrack.so
CLEANFILES += memtrack.so $(hook_objects)

%.hook.o: %.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && \
	$(CC) $(hook_compile_flags) -I$(top_srcdir) -c -o $@ $<

%.entry.o: %.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && \
	$(CC) $(hook_compile_flags) -DHOOK_ENTRIES -I$(top_srcdir) -c -o $@ $<

$(hook_objects): $(hook_h) trace/attach.h trace/channel.h trace/functions.h trace/ops.h trace/settings.h trace/text_write.h

include hook/mapped.mk

memtrack.so: $(hook_objects)
	$(AM_V_CCLD)$(CC) $(hook_link_flags) -o $@ $(hook_objects)
