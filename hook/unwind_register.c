/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From frame to frame inwards, until one has saved the register. */
#include "hook/unwind_register.h"

#include "hook/cfi.h"
#include "hook/modules.h"
#include "hook/unwind_chain.h"
#include "hook/unwind_cpu.h"
#include "hook/unwind_walk.h"
#include "trace/channel.h"

enum saved { NOT_HERE, HERE, NOWHERE };

static bool is_signal(const struct walk_frame *f)
{
	return f->rule && f->rule->kind == RULE_SIGNAL;
}

/* Where a frame that ends at `cfa` has saved the register.  Only its own memory is looked at: that was
 * readable when the walk came by.  In an interrupted epilogue it may lie below sp already. */
static enum saved saved_in(const struct walk_frame *f, uintptr_t cfa, unsigned reg, uintptr_t low,
			   uintptr_t *at)
{
	bool interrupted = f->rule && f->frame & ~f->rule->frame & FRAME_EXACT;
	uintptr_t pc = DEPOT_PC(f->frame) - !interrupted, lowest = f->sp;
	struct cfi_row row;
	struct module m;

	if (!f->rule || !modules_find(pc, &m) || cfi_find_register(&m.tables, pc, reg, &row))
		return NOWHERE;
	switch (row.fp_how) {
	case CFI_SAME: return NOT_HERE;
	case CFI_AT_CFA: *at = cfa; break;
	case CFI_AT_FP: *at = f->fp; break;
	case CFI_AT_SP: *at = f->sp; break;
	default: return NOWHERE;
	}
	*at += (uintptr_t)(intptr_t)row.fp_offset;
	if (interrupted && f->sp >= low + CPU_RED_ZONE)
		lowest -= CPU_RED_ZONE;
	return *at < lowest || *at > cfa - sizeof(uintptr_t) || *at & 7 ? NOWHERE : HERE;
}

bool register_in_frame(const struct walk_frame *frames, unsigned n, unsigned reg, uintptr_t low,
		       uintptr_t *value)
{
	for (const struct walk_frame *f = frames + n - 1; f-- > frames;) {
		uintptr_t at = f->sp + cpu_signal_register(reg);
		enum saved where = HERE;

		if (!is_signal(f)) {
			if (!cpu_keeps_register(reg))
				return false;
			where = saved_in(f, f[1].sp, reg, low, &at);
		}
		if (where == NOWHERE)
			return false;
		if (where == HERE) {
			*value = *(const uintptr_t *)at;
			return true;
		}
	}
	return false;
}
