/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set of distinct byte strings with dense ids. */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/vector.h"

#define BLOCK_BYTES	65536u

struct entry {
	const char *text;
	size_t length;
	uint64_t hash;
};

/* slots hold ids, 0 is empty; entries[id - 1] is what an id means.  Texts lie in blocks that
 * never move; `left` bytes are free at `next` in the newest. */
struct intern {
	VECTOR(struct entry) entries;
	VECTOR(char *) blocks;
	char *next;
	size_t left;
	uint32_t *slots;
	size_t mask;
};

struct intern *intern_new(void)
{
	struct intern *in = xcalloc(1, sizeof(*in));

	in->mask = 63;
	in->slots = xcalloc(in->mask + 1, sizeof(*in->slots));
	return in;
}

void intern_free(struct intern *in)
{
	if (!in)
		return;
	for (size_t i = 0; i < in->blocks.count; i++)
		free(in->blocks.items[i]);
	vector_release(&in->blocks);
	vector_release(&in->entries);
	free(in->slots);
	free(in);
}

static size_t slot_of(const struct intern *in, const char *data, size_t length, uint64_t hash)
{
	size_t i = hash & in->mask;

	for (; in->slots[i]; i = (i + 1) & in->mask) {
		const struct entry *e = &in->entries.items[in->slots[i] - 1];

		if (e->hash == hash && e->length == length && !memcmp(e->text, data, length))
			break;
	}
	return i;
}

static void grow(struct intern *in)
{
	size_t slots = (in->mask + 1) * 2;

	free(in->slots);
	in->slots = xcalloc(slots, sizeof(*in->slots));
	in->mask = slots - 1;
	for (size_t id = 1; id <= in->entries.count; id++) {
		size_t i = in->entries.items[id - 1].hash & in->mask;

		while (in->slots[i])
			i = (i + 1) & in->mask;
		in->slots[i] = (uint32_t)id;
	}
}

static const char *keep(struct intern *in, const char *data, size_t length)
{
	char *text;

	if (length + 1 > in->left) {
		in->left = length + 1 > BLOCK_BYTES ? length + 1 : BLOCK_BYTES;
		in->next = xmalloc(in->left);
		vector_push(&in->blocks, in->next);
	}
	text = in->next;
	if (length)
		memcpy(text, data, length);
	text[length] = '\0';
	in->next += length + 1;
	in->left -= length + 1;
	return text;
}

uint32_t intern_put(struct intern *in, const char *data, size_t length)
{
	uint64_t hash = hash_bytes(data, length);
	size_t i = slot_of(in, data, length, hash);
	struct entry entry = { NULL, length, hash };

	if (in->slots[i])
		return in->slots[i];
	entry.text = keep(in, data, length);
	vector_push(&in->entries, entry);
	in->slots[i] = (uint32_t)in->entries.count;
	if (in->entries.count * 2 > in->mask)
		grow(in);
	return (uint32_t)in->entries.count;
}

uint32_t intern_put_string(struct intern *in, const char *text)
{
	return intern_put(in, text, strlen(text));
}

uint32_t intern_find(const struct intern *in, const char *data, size_t length)
{
	return in->slots[slot_of(in, data, length, hash_bytes(data, length))];
}

const char *intern_text(const struct intern *in, uint32_t id, size_t *length)
{
	const struct entry *e = id - 1u < in->entries.count ? &in->entries.items[id - 1] : NULL;

	if (length)
		*length = e ? e->length : 0;
	return e ? e->text : "";
}

uint32_t intern_count(const struct intern *in)
{
	return (uint32_t)in->entries.count;
}
