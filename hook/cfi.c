/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From an address to its row: .eh_frame_hdr's binary search, the FDE and CIE, and the small
 * machine whose program says how the row changes along the function.
 *
 * Formats: LSB core specification, "Exception Frames"; DWARF 5, 6.4. */
#include "hook/cfi.h"

#include <errno.h>

#include "hook/cfi_program.h"
#include "hook/cfi_read.h"
#include "hook/cfi_frames.h"
#include "hook/unwind_cpu.h"

uintptr_t cfi_readable_end(const struct cfi_tables *tables, uintptr_t at)
{
	for (uint32_t i = 0; i < tables->count; i++)
		if (at >= tables->readable[i].start && at < tables->readable[i].end)
			return tables->readable[i].end;
	return 0;
}

/* A cursor from `at` to the end of its segment; bad when it lies in none. */
static struct cfi_cursor cursor_at(const struct cfi_tables *tables, uintptr_t at)
{
	uintptr_t end = cfi_readable_end(tables, at);
	struct cfi_cursor c = { (const uint8_t *)at, (const uint8_t *)end, false };

	if (!end) {
		c.end = c.at;
		c.bad = true;
	}
	return c;
}

/* Begins a CIE or FDE: *body holds what its length covers, *id its first word. */
static int open_entry(const struct cfi_tables *tables, uintptr_t at, struct cfi_cursor *body,
		      uintptr_t *id_at, uint32_t *id)
{
	struct cfi_cursor c = cursor_at(tables, at);
	uint64_t length = cfi_read_fixed(&c, 4);

	if (length == 0xffffffff)
		length = cfi_read_fixed(&c, 8);
	if (c.bad || length < 4 || length > (uint64_t)(c.end - c.at))
		return -EBADMSG;
	c.end = c.at + length;
	*id_at = (uintptr_t)c.at;
	*id = (uint32_t)cfi_read_fixed(&c, 4);
	*body = c;
	return 0;
}

struct cie {
	struct cfi_program program;	/* the instructions are its initial ones */
	uint8_t pointers;		/* encoding of the FDE's addresses */
	bool sized;			/* the FDE has augmentation data */
	bool signal;
};

/* The letters behind 'z'; c stands at the augmentation data's length. */
static int read_augmentation(struct cfi_cursor *c, const char *letters, struct cie *cie)
{
	uint64_t length = cfi_read_uleb(c);
	struct cfi_cursor data = *c;

	cfi_skip(c, length);
	if (c->bad)
		return -EBADMSG;
	data.end = c->at;
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R': cie->pointers = (uint8_t)cfi_read_fixed(&data, 1); break;
		case 'L': cfi_skip(&data, 1); break;
		case 'P': cfi_read_encoded(&data, (uint8_t)cfi_read_fixed(&data, 1) & 0x7f, 0); break;
		case 'S': cie->signal = true; break;
		case 'B': case 'G': break;	/* how return addresses are signed, and memory is tagged */
		default: return -ENOTSUP;
		}
	}
	return data.bad ? -EBADMSG : 0;
}

static int read_cie(const struct cfi_tables *tables, uintptr_t at, struct cie *cie)
{
	struct cfi_cursor c;
	uintptr_t id_at;
	uint32_t id;
	const char *letters;
	uint64_t version, ra;
	int error = open_entry(tables, at, &c, &id_at, &id);

	if (error)
		return error;
	*cie = (struct cie){ .pointers = PE_ABSPTR };
	version = cfi_read_fixed(&c, 1);
	letters = (const char *)c.at;
	while (!c.bad && cfi_read_fixed(&c, 1))
		;
	if (version == 4)
		cfi_skip(&c, 2);
	else if (version != 1 && version != 3)
		return -ENOTSUP;
	cie->program.code_align = cfi_read_uleb(&c);
	cie->program.data_align = cfi_read_sleb(&c);
	ra = version == 1 ? cfi_read_fixed(&c, 1) : cfi_read_uleb(&c);
	if (c.bad || id)
		return -EBADMSG;
	if (ra != CPU_DWARF_PC)
		return -ENOTSUP;
	if (*letters == 'z') {
		cie->sized = true;
		error = read_augmentation(&c, letters + 1, cie);
	} else if (*letters) {
		error = -ENOTSUP;
	}
	cie->program.code = c;
	cie->program.pointers = cie->pointers;
	return error;
}

struct fde {
	struct cie cie;
	struct cfi_cursor code;
	uintptr_t start, size;
};

/* -ENOENT: it is a CIE. */
static int read_fde(const struct cfi_tables *tables, uintptr_t at, struct fde *fde)
{
	struct cfi_cursor c;
	uintptr_t id_at;
	uint32_t id;
	int error = open_entry(tables, at, &c, &id_at, &id);

	if (error)
		return error;
	if (!id)
		return -ENOENT;
	error = read_cie(tables, id_at - id, &fde->cie);
	if (error)
		return error;
	fde->start = cfi_read_encoded(&c, fde->cie.pointers, 0);
	fde->size = cfi_read_encoded(&c, fde->cie.pointers & 0x0f, 0);
	if (fde->cie.sized)
		cfi_skip(&c, cfi_read_uleb(&c));
	fde->code = c;
	return c.bad ? -EBADMSG : 0;
}

/* What the head of .eh_frame_hdr says. */
struct header {
	uintptr_t frames;		/* .eh_frame */
	uint64_t count;			/* entries of the table; 0: there is none to search */
	struct cfi_cursor table;
};

static int read_header(const struct cfi_tables *tables, struct header *h)
{
	struct cfi_cursor c = cursor_at(tables, tables->header);
	uint8_t version = (uint8_t)cfi_read_fixed(&c, 1), frames = (uint8_t)cfi_read_fixed(&c, 1);
	uint8_t count = (uint8_t)cfi_read_fixed(&c, 1), table = (uint8_t)cfi_read_fixed(&c, 1);

	h->frames = cfi_read_encoded(&c, frames, tables->header);
	h->count = cfi_read_encoded(&c, count, tables->header);
	h->table = c;
	if (c.bad || version != 1)
		return -EBADMSG;
	if (table != (PE_DATAREL | PE_SDATA4) || h->count > (uint64_t)(c.end - c.at) / 8)
		h->count = 0;
	return 0;
}

static uintptr_t table_word(const struct header *h, uintptr_t base, uint64_t index)
{
	struct cfi_cursor c = { h->table.at + 4 * index, h->table.end, false };

	return base + (uintptr_t)(int32_t)cfi_read_fixed(&c, 4);
}

/* The FDE whose start is the last one at or below `at`; it may still end before it. */
static uintptr_t search_table(const struct header *h, uintptr_t base, uintptr_t at)
{
	uint64_t low = 0, high = h->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (table_word(h, base, 2 * middle) <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? table_word(h, base, 2 * (low - 1) + 1) : 0;
}

uintptr_t cfi_next(const struct cfi_tables *tables, uintptr_t at, struct cfi_entry *entry)
{
	struct cfi_cursor body;
	struct fde fde;
	uintptr_t id_at;
	uint32_t id;

	*entry = (struct cfi_entry){ 0, 0 };
	if (open_entry(tables, at, &body, &id_at, &id))
		return 0;
	if (id && !read_fde(tables, at, &fde))
		*entry = (struct cfi_entry){ fde.start, fde.size };
	return (uintptr_t)body.end;
}

/* Without a table: one entry after the other, up to the terminator. */
static uintptr_t scan_frames(const struct cfi_tables *tables, uintptr_t frames, uintptr_t at)
{
	struct cfi_entry e;
	uintptr_t next;

	for (; (next = cfi_next(tables, frames, &e)); frames = next)
		if (at - e.start < e.size)
			return frames;
	return 0;
}

/* Not inlined: the header must not lie on the stack while the program runs. */
static __attribute__((noinline)) int find_entry(const struct cfi_tables *tables, uintptr_t at, uintptr_t *entry)
{
	struct header h;
	int error = tables->header ? read_header(tables, &h) : -ENOENT;

	if (!tables->header && tables->frames)
		return (*entry = cfi_frames_find(at)) ? 0 : -ENOENT;
	if (error)
		return error;
	*entry = h.count ? search_table(&h, tables->header, at) : scan_frames(tables, h.frames, at);
	return *entry ? 0 : -ENOENT;
}

int cfi_find_register(const struct cfi_tables *tables, uintptr_t at, unsigned reg, struct cfi_row *row)
{
	struct fde fde;
	uintptr_t entry;
	int error = find_entry(tables, at, &entry);

	if (error)
		return error;
	error = read_fde(tables, entry, &fde);
	if (error)
		return error;
	if (at - fde.start >= fde.size)
		return -ENOENT;
	error = cfi_run(&fde.cie.program, fde.code, fde.start, at, reg, row);
	row->signal = fde.cie.signal;
	return error;
}

int cfi_find(const struct cfi_tables *tables, uintptr_t at, struct cfi_row *row)
{
	return cfi_find_register(tables, at, CPU_DWARF_FP, row);
}
