/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entries of functions on x86-64, decoded with Zydis. */
#include "inject/code.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <string.h>

#define REACH		(0x7fffffffull - CODE_COPY_MAX)
/* A function longer than this is looked at up to here: nobody jumps to his entry from that far. */
#define BODY_MAX	(64u << 10)
#define FIELD_BYTES	4u		/* of a displacement or a long branch */

struct instruction {
	ZydisDecodedInstruction zydis;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	bool branches;			/* a relative branch or call */
	bool refers;			/* a memory operand relative to the program counter */
	uint64_t target;		/* of either */
};

bool code_cpu_supported(void)
{
	return true;
}

uint64_t code_reach(void)
{
	return REACH;
}

bool code_reaches(uint64_t from, uint64_t to)
{
	return (from > to ? from - to : to - from) <= REACH;
}

static bool decoder_init(ZydisDecoder *decoder)
{
	return ZYAN_SUCCESS(ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
}

static bool decode(const ZydisDecoder *decoder, uint64_t address, const uint8_t *bytes, size_t length,
		   struct instruction *i)
{
	if (ZYAN_FAILED(ZydisDecoderDecodeFull(decoder, bytes, length, &i->zydis, i->operands)))
		return false;
	i->branches = i->refers = false;
	for (unsigned n = 0; n < i->zydis.operand_count; n++) {
		const ZydisDecodedOperand *o = &i->operands[n];

		if (o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && o->imm.is_relative)
			i->branches = true;
		else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
			 (o->mem.base == ZYDIS_REGISTER_RIP || o->mem.base == ZYDIS_REGISTER_EIP))
			i->refers = true;
		else
			continue;
		if (ZYAN_FAILED(ZydisCalcAbsoluteAddress(&i->zydis, o, address, &i->target)))
			return false;
	}
	return true;
}

static bool is_padding(const struct instruction *i)
{
	return i->zydis.mnemonic == ZYDIS_MNEMONIC_NOP || i->zydis.mnemonic == ZYDIS_MNEMONIC_INT3;
}

static bool is_call(const struct instruction *i)
{
	return i->zydis.meta.category == ZYDIS_CATEGORY_CALL;
}

/* Control never comes to what follows. */
static bool is_end(const struct instruction *i)
{
	return i->zydis.meta.category == ZYDIS_CATEGORY_UNCOND_BR || i->zydis.meta.category == ZYDIS_CATEGORY_RET ||
	       i->zydis.mnemonic == ZYDIS_MNEMONIC_UD2 || i->zydis.mnemonic == ZYDIS_MNEMONIC_HLT;
}

/* A condition on the flags, which all have a long form. */
static bool is_jcc(const struct instruction *i)
{
	return (i->zydis.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && (i->zydis.opcode & 0xf0) == 0x70) ||
	       (i->zydis.opcode_map == ZYDIS_OPCODE_MAP_0F && (i->zydis.opcode & 0xf0) == 0x80);
}

static bool uses_stack_pointer(const struct instruction *i)
{
	for (unsigned n = 0; n < i->zydis.operand_count_visible; n++) {
		const ZydisDecodedOperand *o = &i->operands[n];

		if ((o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.base == ZYDIS_REGISTER_RSP) ||
		    (o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->reg.value == ZYDIS_REGISTER_RSP))
			return true;
	}
	return false;
}

/* Why an instruction cannot be moved; NULL: it can. */
static const char *immovable(const struct instruction *i, unsigned end)
{
	if (i->zydis.mnemonic == ZYDIS_MNEMONIC_INT3)
		return "a breakpoint is at its entry";
	if (i->zydis.address_width != 64 && (i->refers || i->branches))
		return "its entry uses 32-bit addresses";
	if (i->refers && i->zydis.raw.disp.size != 32)
		return "its entry holds an instruction of an unknown form";
	if (is_call(i)) {
		if (i->zydis.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			return "its entry holds a far call";
		/* Somebody may be in there, and comes back to the middle of the jump. */
		if (end < CODE_PATCH_BYTES)
			return "its entry calls at once";
		return i->branches || !uses_stack_pointer(i) ? NULL : "its entry calls by the stack";
	}
	if (i->branches && !is_jcc(i) && i->zydis.mnemonic != ZYDIS_MNEMONIC_JMP)
		return "its entry holds a branch that has no long form";
	return NULL;
}

static void widen(struct code_entry *e, uint64_t target)
{
	if (target < e->low)
		e->low = target;
	if (target > e->high)
		e->high = target;
}

/* Takes one more instruction into the entry. */
static const char *take(struct code_entry *e, const struct instruction *i)
{
	unsigned end = e->length + i->zydis.length;
	const char *reason = immovable(i, end);

	if (reason)
		return reason;
	if (end > CODE_ENTRY_MAX)
		return "its entry holds an instruction of an unknown form";
	if (i->branches || i->refers)
		widen(e, i->target);
	e->calls = is_call(i);
	e->ends = is_end(i);
	e->starts[e->steps++] = (uint8_t)e->length;
	e->length = end;
	return NULL;
}

/* Bytes behind the function's end that the jump would overwrite. */
static const char *check_padding(const ZydisDecoder *decoder, uint64_t address, const uint8_t *bytes,
				 size_t length, unsigned from)
{
	struct instruction i;

	while (from < CODE_PATCH_BYTES) {
		if (from >= length || !decode(decoder, address + from, bytes + from, length - from, &i) ||
		    !is_padding(&i))
			return "it is too short for a jump";
		from += i.zydis.length;
	}
	return NULL;
}

/* Whether anything from `from` on branches into the entry, itself included. */
static const char *check_branches(const ZydisDecoder *decoder, const struct code_entry *e,
				  const uint8_t *bytes, size_t length)
{
	struct instruction i;
	size_t at = 0;

	while (at < length && at < BODY_MAX) {
		if (!decode(decoder, e->address + at, bytes + at, length - at, &i)) {
			at++;
			continue;
		}
		if (i.branches && !is_call(&i) && i.target >= e->address &&
		    i.target < e->address + CODE_PATCH_BYTES)
			return "it branches back into its entry";
		/* The copy would come out of itself. */
		if (at < e->length && i.branches && i.target >= e->address && i.target < e->address + e->length)
			return "its entry holds a loop";
		at += i.zydis.length;
	}
	return NULL;
}

int code_entry_decode(uint64_t address, const uint8_t *bytes, size_t length, uint64_t size,
		      struct code_entry *e, const char **reason)
{
	size_t body = size && size < length ? size : length;
	ZydisDecoder decoder;
	struct instruction i;

	memset(e, 0, sizeof(*e));
	e->address = e->low = e->high = address;
	*reason = decoder_init(&decoder) ? NULL : "Zydis does not work";
	while (!*reason && e->length < CODE_PATCH_BYTES && e->length < body && !e->ends) {
		if (decode(&decoder, address + e->length, bytes + e->length, body - e->length, &i))
			*reason = take(e, &i);
		else
			*reason = "its entry is no code";
	}
	if (!*reason && e->length == 0)
		*reason = "its code cannot be read";
	if (!*reason && e->length < CODE_PATCH_BYTES)
		*reason = check_padding(&decoder, address, bytes, length, e->length);
	if (!*reason)
		*reason = check_branches(&decoder, e, bytes, body);
	if (*reason)
		return -EILSEQ;
	e->taken = e->length < CODE_PATCH_BYTES ? CODE_PATCH_BYTES : e->length;
	memcpy(e->bytes, bytes, e->taken);
	return 0;
}

/* Writing the copy. */
struct writer {
	uint64_t at;			/* of copy->bytes[0] */
	struct code_copy *copy;
	bool failed;
};

static void put(struct writer *w, const void *bytes, unsigned length)
{
	if (w->copy->length + length > CODE_COPY_MAX) {
		w->failed = true;
		return;
	}
	memcpy(w->copy->bytes + w->copy->length, bytes, length);
	w->copy->length += length;
}

/* A 32-bit distance to target, counted from `behind` bytes behind itself. */
static void put_distance(struct writer *w, uint64_t target, unsigned behind)
{
	int64_t distance = (int64_t)(target - (w->at + w->copy->length + FIELD_BYTES + behind));
	int32_t field = (int32_t)distance;

	if (field != distance)
		w->failed = true;
	put(w, &field, sizeof(field));
}

static void put_jump(struct writer *w, uint64_t target)
{
	put(w, "\xe9", 1);
	put_distance(w, target, 0);
}

/* The instruction itself, its memory operand led to where it was. */
static void put_instruction(struct writer *w, const struct instruction *i, const uint8_t *bytes)
{
	unsigned field = i->zydis.raw.disp.offset;

	if (!i->refers) {
		put(w, bytes, i->zydis.length);
		return;
	}
	put(w, bytes, field);
	put_distance(w, i->target, i->zydis.length - field - FIELD_BYTES);
	put(w, bytes + field + FIELD_BYTES, i->zydis.length - field - FIELD_BYTES);
}

static void put_branch(struct writer *w, const struct instruction *i)
{
	uint8_t long_form[2] = { 0x0f, 0x80 | (i->zydis.opcode & 0x0f) };

	if (!is_jcc(i)) {
		put_jump(w, i->target);
		return;
	}
	put(w, long_form, sizeof(long_form));
	put_distance(w, i->target, 0);
}

/* A call becomes a push of the address that follows the original, and a jump. */
static void put_call(struct writer *w, const struct instruction *i, const uint8_t *bytes, uint64_t after)
{
	uint32_t low = (uint32_t)after, high = (uint32_t)(after >> 32);
	uint8_t jump[ZYDIS_MAX_INSTRUCTION_LENGTH];

	put(w, "\x68", 1);				/* push $low, sign-extended */
	put(w, &low, sizeof(low));
	put(w, "\xc7\x44\x24\x04", 4);			/* movl $high,4(%rsp) */
	put(w, &high, sizeof(high));
	if (i->branches) {
		put_jump(w, i->target);
		return;
	}
	memcpy(jump, bytes, i->zydis.length);
	jump[i->zydis.raw.modrm.offset] ^= 0x30;	/* FF /2 becomes FF /4 */
	put_instruction(w, i, jump);
}

int code_entry_move(const struct code_entry *e, uint64_t at, struct code_copy *copy)
{
	struct writer w = { .at = at, .copy = copy };
	ZydisDecoder decoder;
	struct instruction i;

	copy->length = 0;
	if (!decoder_init(&decoder))
		return -EILSEQ;
	for (unsigned step = 0; step < e->steps; step++) {
		unsigned start = e->starts[step];

		if (!decode(&decoder, e->address + start, e->bytes + start, e->length - start, &i))
			return -EILSEQ;
		copy->starts[step] = (uint8_t)copy->length;
		if (is_call(&i))
			put_call(&w, &i, e->bytes + start, e->address + start + i.zydis.length);
		else if (i.branches)
			put_branch(&w, &i);
		else
			put_instruction(&w, &i, e->bytes + start);
	}
	if (!e->ends && !e->calls)
		put_jump(&w, e->address + e->length);
	return w.failed ? -ERANGE : 0;
}

void code_jump(uint64_t from, uint64_t to, uint8_t *bytes)
{
	int32_t distance = (int32_t)(to - from - CODE_PATCH_BYTES);

	bytes[0] = 0xe9;
	memcpy(bytes + 1, &distance, sizeof(distance));
}

bool code_is_jump(uint64_t from, const uint8_t *bytes, uint64_t *to)
{
	int32_t distance;

	memcpy(&distance, bytes + 1, sizeof(distance));
	*to = from + CODE_PATCH_BYTES + (uint64_t)(int64_t)distance;
	return bytes[0] == 0xe9;
}

/* push 10(%rip); jmp *12(%rip); two traps; real; entry. */
static const uint8_t stub_code[16] = {
	0xff, 0x35, 10, 0, 0, 0, 0xff, 0x25, 12, 0, 0, 0, 0xcc, 0xcc, 0xcc, 0xcc,
};

void code_stub(uint64_t real, uint64_t entry, uint8_t *bytes)
{
	memcpy(bytes, stub_code, sizeof(stub_code));
	memcpy(bytes + 16, &real, sizeof(real));
	memcpy(bytes + 24, &entry, sizeof(entry));
}

bool code_is_stub(const uint8_t *bytes, uint64_t *real, uint64_t *entry)
{
	memcpy(real, bytes + 16, sizeof(*real));
	memcpy(entry, bytes + 24, sizeof(*entry));
	return memcmp(bytes, stub_code, sizeof(stub_code)) == 0;
}

/* Stack pointer, program counter, flags, segments: cs 0x33, ss 0x2b or not kept. */
bool code_is_context(const uint64_t words[CODE_CONTEXT_WORDS], struct code_context *context)
{
	uint64_t flags = words[2], segments = words[3];

	if ((segments & 0x0000ffffffffffff) != 0x33 || (segments >> 48 != 0x2b && segments >> 48 != 0) ||
	    !(flags & 2) || flags >> 22)
		return false;
	*context = (struct code_context){ .sp = words[0], .pc = words[1], .pc_offset = 8 };
	return true;
}
