/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading back what was patched. */
#include "inject/patch_table.h"

#include "inject/memory.h"
#include "inject/patch.h"

#include <string.h>

#define AREA_NAME	"/memfd:" PATCH_AREA_NAME

uint64_t area_stub(const struct patch_area *a, size_t row)
{
	return a->base + AREA_CODE + row * AREA_ROW_CODE;
}

uint64_t area_copy(const struct patch_area *a, size_t row)
{
	return area_stub(a, row) + CODE_STUB_BYTES;
}

static bool is_sound(const struct patch_area *a, size_t index, const struct table_row *row)
{
	if (row->stub != area_stub(a, index))
		return false;
	return row->kind == ROW_ENTRY ? row->length > 0 && row->length <= CODE_ENTRY_MAX
				      : row->kind == ROW_SLOT && row->length == sizeof(uint64_t);
}

static bool read_area(struct injection *in, uint64_t base, struct patch_area *a)
{
	struct table_header h;

	*a = (struct patch_area){ .base = base };
	if (memory_read(in, base, &h, sizeof(h)) < 0 || h.magic != TABLE_MAGIC || h.version != TABLE_VERSION ||
	    h.row_bytes != sizeof(struct table_row) || h.base != base || h.count > AREA_ROWS)
		return false;
	vector_resize(&a->rows, h.count);
	if (h.count && memory_read(in, base + sizeof(h), a->rows.items, h.count * sizeof(*a->rows.items)) < 0)
		return false;
	for (size_t i = 0; i < h.count; i++)
		if (!is_sound(a, i, &a->rows.items[i]))
			a->rows.items[i].kind = 0;
	return true;
}

void patch_areas_read(struct injection *in, const struct maps *maps, struct patch_areas *areas)
{
	struct patch_area a;

	memset(areas, 0, sizeof(*areas));
	for (size_t i = 0; i < maps->count; i++) {
		const struct map_entry *e = &maps->items[i];

		if (strcmp(e->name, AREA_NAME) != 0 || e->offset != 0 || e->end - e->start != AREA_BYTES)
			continue;
		if (read_area(in, e->start, &a))
			vector_push(areas, a);
		else
			vector_release(&a.rows);
	}
}

void patch_areas_release(struct patch_areas *areas)
{
	for (size_t i = 0; i < areas->count; i++)
		vector_release(&areas->items[i].rows);
	vector_release(areas);
}

size_t row_patch_bytes(const struct table_row *row)
{
	return row->kind == ROW_SLOT ? sizeof(row->stub) : CODE_PATCH_BYTES;
}

void row_patch(const struct table_row *row, uint8_t *bytes)
{
	if (row->kind == ROW_SLOT)
		memcpy(bytes, &row->stub, sizeof(row->stub));
	else
		code_jump(row->address, row->stub, bytes);
}

bool row_planted(struct injection *in, const struct table_row *row)
{
	uint8_t want[sizeof(uint64_t)], found[sizeof(uint64_t)];
	size_t length = row_patch_bytes(row);

	if (!row->kind || memory_read(in, row->address, found, length) < 0)
		return false;
	row_patch(row, want);
	return memcmp(found, want, length) == 0;
}
