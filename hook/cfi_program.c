/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine that runs call frame instructions, reduced to three registers. */
#include "hook/cfi_program.h"

#include <errno.h>

#include "hook/unwind_cpu.h"

#define REMEMBER_MAX	4u		/* compilers nest it once or twice */
#define REG_NONE	0xffffu		/* the CFA is an expression */

enum {
	CFA_nop = 0x00, CFA_set_loc = 0x01, CFA_advance_loc1 = 0x02, CFA_advance_loc2 = 0x03,
	CFA_advance_loc4 = 0x04, CFA_offset_extended = 0x05, CFA_restore_extended = 0x06,
	CFA_undefined = 0x07, CFA_same_value = 0x08, CFA_register = 0x09, CFA_remember_state = 0x0a,
	CFA_restore_state = 0x0b, CFA_def_cfa = 0x0c, CFA_def_cfa_register = 0x0d,
	CFA_def_cfa_offset = 0x0e, CFA_def_cfa_expression = 0x0f, CFA_expression = 0x10,
	CFA_offset_extended_sf = 0x11, CFA_def_cfa_sf = 0x12, CFA_def_cfa_offset_sf = 0x13,
	CFA_val_offset = 0x14, CFA_val_offset_sf = 0x15, CFA_val_expression = 0x16,
	CFA_GNU_args_size = 0x2e, CFA_GNU_negative_offset_extended = 0x2f,
	CFA_advance_loc = 0x40, CFA_offset = 0x80, CFA_restore = 0xc0,
};

struct rule {
	int32_t offset;
	uint8_t how;			/* enum cfi_how */
};

/* Small, because a capture may run on a thread stack of 16 KiB. */
struct state {
	const uint8_t *expression;	/* of the CFA, when cfa_register is REG_NONE */
	uint16_t expression_size;
	uint16_t cfa_register;
	uint8_t sp_register;
	int32_t cfa_offset;
	struct rule fp, ra;
};

struct machine {
	struct cfi_cursor c;
	const struct cfi_program *cie;
	struct state now, initial;
	uintptr_t location, at;
	uint32_t depth;
	unsigned reg;			/* that rules of `fp` are about */
	int error;
	struct state remembered[REMEMBER_MAX];
};

/* The rule of a register, or a place where it does no harm. */
static struct rule *rule_of(const struct machine *m, struct state *s, uint64_t reg, struct rule *nowhere)
{
	if (reg == m->reg)
		return &s->fp;
	if (reg == CPU_DWARF_PC)
		return &s->ra;
	return nowhere;
}

/* Offsets beyond 2 GiB do not occur in code that works. */
static int32_t narrow(struct machine *m, int64_t offset)
{
	if (offset != (int32_t)offset)
		m->error = -ENOTSUP;
	return (int32_t)offset;
}

static void set_rule(struct machine *m, uint64_t reg, enum cfi_how how, int64_t offset)
{
	struct rule nowhere;

	*rule_of(m, &m->now, reg, &nowhere) = (struct rule){ narrow(m, offset), (uint8_t)how };
}

static void restore_rule(struct machine *m, uint64_t reg)
{
	struct rule nowhere;

	*rule_of(m, &m->now, reg, &nowhere) = *rule_of(m, &m->initial, reg, &nowhere);
}

static void set_register(struct machine *m, uint64_t reg, uint64_t from)
{
	if (reg == CPU_DWARF_SP)
		m->now.sp_register = from < CPU_DWARF_REGISTERS ? (uint8_t)from : CFI_NO_REGISTER;
	else if (from < CPU_DWARF_REGISTERS && from != reg)
		set_rule(m, reg, CFI_REGISTER, (int64_t)from);
	else
		set_rule(m, reg, from == reg ? CFI_SAME : CFI_LOST, 0);
}

/* A block operand: the cursor over it. */
static struct cfi_cursor take_block(struct cfi_cursor *c)
{
	uint64_t size = cfi_read_uleb(c);
	struct cfi_cursor block = *c;

	cfi_skip(c, size);
	block.end = c->at;
	block.bad = c->bad;
	return block;
}

/* "saved at this address": the address as an expression over the CFA and registers.  Not inlined: its
 * stack is only for those who need it. */
static __attribute__((noinline)) void set_expression(struct machine *m, uint64_t reg)
{
	struct cfi_cursor block = take_block(&m->c);
	struct cfi_value v = { 0, CFI_OTHER };
	enum cfi_how how;

	if (reg == m->reg || reg == CPU_DWARF_PC)
		v = cfi_evaluate(block, CFI_CFA, m->at);
	switch (v.base) {
	case CFI_CFA: how = CFI_AT_CFA; break;
	case CFI_FP: how = CFI_AT_FP; break;
	case CFI_SP: how = CFI_AT_SP; break;
	default: how = CFI_LOST;
	}
	set_rule(m, reg, how, v.offset);
}

static void remember(struct machine *m)
{
	if (m->depth == REMEMBER_MAX)
		m->error = -ENOTSUP;
	else
		m->remembered[m->depth++] = m->now;
}

static void recall(struct machine *m)
{
	if (!m->depth)
		m->error = -EBADMSG;
	else
		m->now = m->remembered[--m->depth];
}

static void define_expression(struct machine *m)
{
	struct cfi_cursor block = take_block(&m->c);

	m->now.cfa_register = REG_NONE;
	m->now.expression = block.at;
	m->now.expression_size = (uint16_t)(block.end - block.at);
	if (block.end - block.at > UINT16_MAX)
		m->error = -ENOTSUP;
}

static void define_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
	m->now.cfa_register = reg < REG_NONE ? (uint16_t)reg : REG_NONE - 1;
	m->now.cfa_offset = narrow(m, offset);
}

static uint64_t scaled(struct machine *m, unsigned bytes)
{
	return cfi_read_fixed(&m->c, bytes) * m->cie->code_align;
}

/* Instructions that name a register.  C's order of evaluation is open for arguments, hence reg. */
static void run_rule(struct machine *m, uint8_t op)
{
	struct cfi_cursor *c = &m->c;
	int64_t align = m->cie->data_align;
	uint64_t reg = cfi_read_uleb(c);

	switch (op) {
	case CFA_offset_extended: set_rule(m, reg, CFI_AT_CFA, (int64_t)cfi_read_uleb(c) * align); break;
	case CFA_offset_extended_sf: set_rule(m, reg, CFI_AT_CFA, cfi_read_sleb(c) * align); break;
	case CFA_GNU_negative_offset_extended:
		set_rule(m, reg, CFI_AT_CFA, -(int64_t)cfi_read_uleb(c) * align);
		break;
	case CFA_restore_extended: restore_rule(m, reg); break;
	case CFA_undefined: set_rule(m, reg, CFI_UNDEFINED, 0); break;
	case CFA_same_value: set_rule(m, reg, CFI_SAME, 0); break;
	case CFA_register:
		set_register(m, reg, cfi_read_uleb(c));
		break;
	case CFA_def_cfa: define_cfa(m, reg, (int64_t)cfi_read_uleb(c)); break;
	case CFA_def_cfa_sf: define_cfa(m, reg, cfi_read_sleb(c) * align); break;
	case CFA_def_cfa_register: define_cfa(m, reg, m->now.cfa_offset); break;
	case CFA_expression: set_expression(m, reg); break;
	case CFA_val_offset:
	case CFA_val_offset_sf:
		cfi_read_uleb(c);
		set_rule(m, reg, CFI_LOST, 0);
		break;
	case CFA_val_expression:
		take_block(c);
		/* rsp by val_expression is what each asm routine means by "the CFA". */
		set_rule(m, reg, CFI_LOST, 0);
		break;
	default: m->error = -ENOTSUP;
	}
}

static void run_other(struct machine *m, uint8_t op)
{
	struct cfi_cursor *c = &m->c;

	switch (op) {
	case CFA_nop: break;
	case CFA_set_loc: m->location = cfi_read_encoded(c, m->cie->pointers, 0); break;
	case CFA_advance_loc1: m->location += scaled(m, 1); break;
	case CFA_advance_loc2: m->location += scaled(m, 2); break;
	case CFA_advance_loc4: m->location += scaled(m, 4); break;
	case CFA_remember_state: remember(m); break;
	case CFA_restore_state: recall(m); break;
	case CFA_def_cfa_offset: m->now.cfa_offset = narrow(m, (int64_t)cfi_read_uleb(c)); break;
	case CFA_def_cfa_offset_sf:
		m->now.cfa_offset = narrow(m, cfi_read_sleb(c) * m->cie->data_align);
		break;
	case CFA_def_cfa_expression: define_expression(m); break;
	case CFA_GNU_args_size: cfi_read_uleb(c); break;
	default:
		if (!cpu_cfi_skips(op))
			run_rule(m, op);
	}
}

static void run(struct machine *m, struct cfi_cursor code)
{
	m->c = code;
	while (m->c.at < m->c.end && !m->c.bad && !m->error && m->location <= m->at) {
		uint8_t op = *m->c.at++, low = op & 0x3f;

		switch (op & 0xc0) {
		case CFA_advance_loc: m->location += low * m->cie->code_align; break;
		case CFA_offset:
			set_rule(m, low, CFI_AT_CFA, (int64_t)cfi_read_uleb(&m->c) * m->cie->data_align);
			break;
		case CFA_restore: restore_rule(m, low); break;
		default: run_other(m, op);
		}
	}
	if (m->c.bad)
		m->error = -EBADMSG;
}

static __attribute__((noinline)) void to_row(struct machine *m, struct cfi_row *row)
{
	const struct state *s = &m->now;
	struct cfi_value cfa = { s->cfa_offset, CFI_OTHER };

	if (s->cfa_register == CPU_DWARF_SP)
		cfa.base = CFI_SP;
	else if (s->cfa_register == CPU_DWARF_FP)
		cfa.base = CFI_FP;
	else if (s->cfa_register == REG_NONE)
		cfa = cfi_evaluate((struct cfi_cursor){ s->expression, s->expression + s->expression_size,
				   false }, CFI_OTHER, m->at);
	if (cfa.base == CFI_CONST || cfa.base == CFI_CFA)
		cfa.base = CFI_OTHER;
	row->cfa_base = (uint8_t)cfa.base;
	/* A return address above a CFA that is not the caller's sp either: a jmp_buf (longjmp on ARM). */
	row->cfa_register = cfa.base == CFI_OTHER && s->cfa_register < CFI_NO_REGISTER &&
			    (s->ra.offset < 0 || s->sp_register != CFI_NO_REGISTER) ?
			    (uint8_t)s->cfa_register : CFI_NO_REGISTER;
	row->cfa_offset = narrow(m, cfa.offset);
	row->fp_how = s->fp.how;
	row->fp_offset = s->fp.offset;
	row->sp_register = s->sp_register;
	row->ra_how = s->ra.how;
	row->ra_offset = s->ra.offset;
}

int cfi_run(const struct cfi_program *cie, struct cfi_cursor code, uintptr_t start, uintptr_t at,
	    unsigned reg, struct cfi_row *row)
{
	struct machine m;

	m.cie = cie;
	m.at = at;
	m.location = start;
	m.depth = 0;
	m.reg = reg;
	m.error = 0;
	m.now = (struct state){ .cfa_register = REG_NONE - 1, .sp_register = CFI_NO_REGISTER };
	m.initial = m.now;
	run(&m, cie->code);
	m.initial = m.now;
	m.location = start;
	run(&m, code);
	to_row(&m, row);
	return m.error;
}
