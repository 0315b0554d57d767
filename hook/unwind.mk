# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the unwinder's part of memtrack.so, for hook/local.mk.

hook_unwind_c = \
	hook/cfi.c \
	hook/cfi_expression.c \
	hook/cfi_program.c \
	hook/cfi_read.c \
	hook/depot.c \
	hook/cfi_frames.c \
	hook/depot_index.c \
	hook/modules.c \
	hook/modules_elf.c \
	hook/rows.c \
	hook/rows_make.c \
	hook/unwind.c \
	hook/unwind_aarch64.c \
	hook/unwind_bounds.c \
	hook/unwind_chain.c \
	hook/unwind_register.c \
	hook/unwind_segments.c \
	hook/unwind_step.c \
	hook/unwind_walk.c \
	hook/unwind_x86_64.c

hook_unwind_h = \
	hook/cfi.h \
	hook/cfi_program.h \
	hook/cfi_read.h \
	hook/depot.h \
	hook/cfi_frames.h \
	hook/depot_index.h \
	hook/modules.h \
	hook/modules_elf.h \
	hook/rows.h \
	hook/rows_make.h \
	hook/unwind.h \
	hook/unwind_aarch64.h \
	hook/unwind_bounds.h \
	hook/unwind_chain.h \
	hook/unwind_cpu.h \
	hook/unwind_register.h \
	hook/unwind_segments.h \
	hook/unwind_step.h \
	hook/unwind_walk.h \
	hook/unwind_x86_64.h \
	hook/verify.h

# The debug mode: a hook that differs in these.
hook_verify_c = \
	hook/unwind.c \
	hook/verify.c \
	hook/verify_report.c \
	hook/verify_share.c

hook_verify_h = \
	hook/verify_page.h \
	hook/verify_report.h \
	hook/verify_share.h
