# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the unwinder's part of the hook.

hook_unwind_c = hook/unwind_none.c
hook_unwind_h = hook/unwind.h
