/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DWARF expressions with the registers left open.
 *
 * Those that occur in .eh_frame on this machine have a simple answer, "register + constant" or
 * "the word at register + constant", also the one of the PLT, whose condition hangs on the pc
 * alone: rsp + 8 + (((rip & 15) >= 11) << 3).  So values are {base, offset}; arithmetic that has
 * no such answer gives CFI_OTHER. */
#include "hook/cfi_read.h"
#include "hook/unwind_cpu.h"

#define STACK_MAX	5u	/* the PLT's needs 4 */

enum {
	OP_addr = 0x03, OP_deref = 0x06, OP_const1u = 0x08, OP_const1s = 0x09, OP_const2u = 0x0a,
	OP_const2s = 0x0b, OP_const4u = 0x0c, OP_const4s = 0x0d, OP_const8u = 0x0e, OP_const8s = 0x0f,
	OP_constu = 0x10, OP_consts = 0x11, OP_dup = 0x12, OP_drop = 0x13, OP_and = 0x1a,
	OP_minus = 0x1c, OP_mul = 0x1e, OP_or = 0x21, OP_plus = 0x22, OP_plus_uconst = 0x23,
	OP_shl = 0x24, OP_shr = 0x25, OP_eq = 0x29, OP_ge = 0x2a, OP_gt = 0x2b, OP_le = 0x2c,
	OP_lt = 0x2d, OP_ne = 0x2e, OP_lit0 = 0x30, OP_lit31 = 0x4f, OP_breg0 = 0x70,
	OP_breg31 = 0x8f, OP_nop = 0x96,
};

static struct cfi_value constant(uint64_t n)
{
	return (struct cfi_value){ (int64_t)n, CFI_CONST };
}

static struct cfi_value of_register(unsigned reg, int64_t offset, uintptr_t pc)
{
	switch (reg) {
	case CPU_DWARF_SP: return (struct cfi_value){ offset, CFI_SP };
	case CPU_DWARF_FP: return (struct cfi_value){ offset, CFI_FP };
	case CPU_DWARF_PC: return constant(pc + (uint64_t)offset);
	default: return (struct cfi_value){ 0, CFI_OTHER };
	}
}

static struct cfi_value dereference(struct cfi_value v)
{
	switch (v.base) {
	case CFI_SP: v.base = CFI_MEM_SP; break;
	case CFI_FP: v.base = CFI_MEM_FP; break;
	default: v.base = CFI_OTHER;
	}
	return v;
}

/* Pushes what the operator at the cursor pushes; false: it is no such operator. */
static bool push(struct cfi_cursor *c, uint8_t op, uintptr_t pc, struct cfi_value *v)
{
	if (op >= OP_lit0 && op <= OP_lit31) {
		*v = constant(op - OP_lit0);
		return true;
	}
	if (op >= OP_breg0 && op <= OP_breg31) {
		*v = of_register(op - OP_breg0, cfi_read_sleb(c), pc);
		return true;
	}
	switch (op) {
	case OP_const1u: *v = constant(cfi_read_fixed(c, 1)); break;
	case OP_const2u: *v = constant(cfi_read_fixed(c, 2)); break;
	case OP_const4u: *v = constant(cfi_read_fixed(c, 4)); break;
	case OP_const1s: *v = constant((uint64_t)(int8_t)cfi_read_fixed(c, 1)); break;
	case OP_const2s: *v = constant((uint64_t)(int16_t)cfi_read_fixed(c, 2)); break;
	case OP_const4s: *v = constant((uint64_t)(int32_t)cfi_read_fixed(c, 4)); break;
	case OP_addr:
	case OP_const8u:
	case OP_const8s: *v = constant(cfi_read_fixed(c, 8)); break;
	case OP_constu: *v = constant(cfi_read_uleb(c)); break;
	case OP_consts: *v = constant((uint64_t)cfi_read_sleb(c)); break;
	default: return false;
	}
	return true;
}

static struct cfi_value fold(uint8_t op, int64_t a, int64_t b)
{
	uint64_t shift = (uint64_t)b;

	switch (op) {
	case OP_and: return constant((uint64_t)a & (uint64_t)b);
	case OP_or: return constant((uint64_t)a | (uint64_t)b);
	case OP_plus: return constant((uint64_t)a + (uint64_t)b);
	case OP_minus: return constant((uint64_t)a - (uint64_t)b);
	case OP_mul: return constant((uint64_t)a * (uint64_t)b);
	case OP_shl: return constant(shift < 64 ? (uint64_t)a << shift : 0);
	case OP_shr: return constant(shift < 64 ? (uint64_t)a >> shift : 0);
	case OP_eq: return constant(a == b);
	case OP_ne: return constant(a != b);
	case OP_ge: return constant(a >= b);
	case OP_gt: return constant(a > b);
	case OP_le: return constant(a <= b);
	case OP_lt: return constant(a < b);
	default: return (struct cfi_value){ 0, CFI_OTHER };
	}
}

static struct cfi_value combine(uint8_t op, struct cfi_value a, struct cfi_value b)
{
	struct cfi_value sum = a;

	if (a.base == CFI_CONST && b.base == CFI_CONST)
		return fold(op, a.offset, b.offset);
	sum.base = CFI_OTHER;
	if (b.base == CFI_CONST && a.base <= CFI_CFA && (op == OP_plus || op == OP_minus)) {
		sum = fold(op, a.offset, b.offset);
		sum.base = a.base;
	} else if (a.base == CFI_CONST && b.base <= CFI_CFA && op == OP_plus) {
		sum = fold(op, a.offset, b.offset);
		sum.base = b.base;
	}
	return sum;
}

struct cfi_value cfi_evaluate(struct cfi_cursor c, enum cfi_base start, uintptr_t pc)
{
	const struct cfi_value other = { 0, CFI_OTHER };
	struct cfi_value stack[STACK_MAX];
	unsigned n = 1;

	stack[0] = (struct cfi_value){ 0, start };
	while (c.at < c.end && !c.bad) {
		uint8_t op = *c.at++;

		if (n < STACK_MAX && push(&c, op, pc, &stack[n])) {
			n++;
			continue;
		}
		switch (op) {
		case OP_nop:
			break;
		case OP_dup:
			if (n == STACK_MAX)
				return other;
			stack[n] = stack[n - 1];
			n++;
			break;
		case OP_drop:
			if (n < 2)
				return other;
			n--;
			break;
		case OP_deref:
			stack[n - 1] = dereference(stack[n - 1]);
			break;
		case OP_plus_uconst:
			stack[n - 1] = combine(OP_plus, stack[n - 1], constant(cfi_read_uleb(&c)));
			break;
		default:
			if (n < 2)
				return other;
			stack[n - 2] = combine(op, stack[n - 2], stack[n - 1]);
			n--;
		}
	}
	return c.bad ? other : stack[n - 1];
}
