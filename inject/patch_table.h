/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The areas in a target that hold stubs, copies, and what memtrack overwrote: one layout for whoever
 * planted and for whoever takes away, today or after memtrack died.
 *
 *	0		table_header, rows
 *	AREA_CODE	for row n: its stub, its copy
 *
 * A row stays for ever with its address and bytes; whether its patch is planted stands in the target's
 * code alone.  All that is read back is taken as hostile. */
#ifndef INJECT_PATCH_TABLE_H
#define INJECT_PATCH_TABLE_H

#include "base/vector.h"
#include "inject/code.h"
#include "inject/process.h"
#include "symbols/maps.h"

#define AREA_BYTES	(64u << 10)
#define AREA_CODE	(18u << 10)
#define AREA_ROWS	256u
#define AREA_ROW_CODE	(CODE_STUB_BYTES + CODE_COPY_MAX)

#define TABLE_MAGIC	0x6275747378656d4dull	/* "Mmexstub" */
#define TABLE_VERSION	1u

struct table_header {
	uint64_t magic, base;
	uint32_t version, row_bytes, rows, count; /* rows: that there is room for */
	uint8_t reserved[32];
};

enum row_kind {
	ROW_ENTRY = 1,			/* code: a jump stands at address */
	ROW_SLOT,			/* data: the stub's address stands there */
};

struct table_row {
	uint64_t address, stub, copy;	/* copy: what the stub pushes */
	uint32_t kind, length;		/* of original: whole instructions, and padding behind them */
	uint8_t original[32];
};

_Static_assert(sizeof(struct table_header) == 64 && sizeof(struct table_row) == 64, "the layout is fixed");
_Static_assert(sizeof(struct table_header) + AREA_ROWS * sizeof(struct table_row) <= AREA_CODE, "rows end before code");
_Static_assert(AREA_CODE + AREA_ROWS * AREA_ROW_CODE <= AREA_BYTES, "code ends with the area");

struct patch_area {
	uint64_t base;
	bool fresh;			/* not in the target yet */
	VECTOR(struct table_row) rows;
};

VECTOR_STRUCT(patch_areas, struct patch_area);

/* Those of a process, in maps.  What is damaged is left out. */
void patch_areas_read(struct injection *, const struct maps *, struct patch_areas *);
void patch_areas_release(struct patch_areas *);

uint64_t area_stub(const struct patch_area *, size_t row);
uint64_t area_copy(const struct patch_area *, size_t row);

/* Whether every byte of an area at base reaches both. */
bool area_reaches(uint64_t base, uint64_t low, uint64_t high);

/* How many bytes a planted patch takes, and what they are. */
size_t row_patch_bytes(const struct table_row *);
void row_patch(const struct table_row *, uint8_t *bytes);

/* Whether the patch is planted. */
bool row_planted(struct injection *, const struct table_row *);

/* A place for an area from which low and high can be reached (high 0: any place), where neither the heap nor the stack will
 * grow; taken: areas that are not mapped yet.  0: there is none. */
uint64_t patch_room(struct injection *, const struct maps *, const struct patch_areas *taken, uint64_t low,
		    uint64_t high);

#endif
