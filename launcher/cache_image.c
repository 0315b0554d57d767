/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making and checking an image.  Only this machine reads it: integers are as the CPU has them. */
#include "launcher/cache_image.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"

#define MAGIC		0x3153594d4b52544dull	/* "MTRKMYS1" */

struct head {
	uint64_t magic, check;		/* of all that follows */
	uint64_t identity;
	uint32_t entries, frames;
	uint64_t texts;			/* bytes, the last one a NUL */
};

struct stored_frame {
	uint32_t function, file;	/* offsets in texts; 0: none */
	uint32_t line, pad;
};

VECTOR_STRUCT(cache_offsets, uint32_t);

void cache_answers_release(struct cache_answers *a)
{
	vector_release(&a->entries);
	vector_release(&a->frames);
}

static uint64_t checksum(const char *image, size_t length)
{
	size_t from = offsetof(struct head, identity);

	return hash_bytes(image + from, length - from);
}

/* The offset of a text, which is put there if it is new. */
static uint32_t put_text(const char *text, struct intern *known, struct buffer *texts, struct cache_offsets *at)
{
	uint32_t before = intern_count(known), id;

	if (!text)
		return 0;
	id = intern_put_string(known, text);
	if (id > before) {
		vector_push(at, (uint32_t)texts->length);
		buffer_append(texts, text, strlen(text) + 1);
	}
	return at->items[id - 1];
}

static void put_frames(const struct cache_answers *a, struct buffer *image, struct buffer *texts)
{
	struct intern *known = intern_new();
	struct cache_offsets at = { 0 };

	buffer_append_char(texts, '\0');
	for (size_t i = 0; i < a->frames.count; i++) {
		const struct symbol_frame *f = &a->frames.items[i];
		struct stored_frame s = {
			.function = put_text(f->function, known, texts, &at),
			.file = put_text(f->file, known, texts, &at), .line = f->line,
		};

		buffer_append(image, &s, sizeof(s));
	}
	vector_release(&at);
	intern_free(known);
}

void cache_image_make(const struct cache_answers *a, uint64_t identity, size_t most, struct buffer *image)
{
	struct head h = {
		.magic = MAGIC, .identity = identity,
		.entries = (uint32_t)a->entries.count, .frames = (uint32_t)a->frames.count,
	};
	struct buffer texts = BUFFER_INIT;

	buffer_append(image, &h, sizeof(h));
	buffer_append(image, a->entries.items, a->entries.count * sizeof(*a->entries.items));
	put_frames(a, image, &texts);
	h.texts = texts.length;
	buffer_append(image, texts.data, texts.length);
	buffer_release(&texts);
	memcpy(image->data, &h, sizeof(h));
	h.check = checksum(image->data, image->length);
	memcpy(image->data, &h, sizeof(h));
	if (image->length > most)
		buffer_clear(image);
}

static bool read_frames(const struct head *h, const char *at, const char *texts, struct cache_answers *a)
{
	for (uint32_t i = 0; i < h->frames; i++) {
		struct stored_frame s;

		memcpy(&s, at + i * sizeof(s), sizeof(s));
		if (s.function >= h->texts || s.file >= h->texts)
			return false;
		vector_push(&a->frames, (struct symbol_frame){
			.function = s.function ? texts + s.function : NULL,
			.file = s.file ? texts + s.file : NULL, .line = s.line });
	}
	return true;
}

static bool entry_good(const struct cache_entry *e, uint32_t frames)
{
	return e->count <= SYMBOL_FRAMES_MAX && e->first <= frames && e->count <= frames - e->first;
}

bool cache_image_read(const struct buffer *image, uint64_t identity, struct cache_answers *a)
{
	uint64_t entries, frames;
	const char *at = image->data;
	struct head h;

	if (image->length < sizeof(h))
		return false;
	memcpy(&h, at, sizeof(h));
	entries = (uint64_t)h.entries * sizeof(struct cache_entry);
	frames = (uint64_t)h.frames * sizeof(struct stored_frame);
	if (h.magic != MAGIC || h.identity != identity || !h.texts || h.texts > image->length ||
	    sizeof(h) + entries + frames + h.texts != image->length ||
	    h.check != checksum(at, image->length) || at[image->length - 1])
		return false;
	vector_resize(&a->entries, h.entries);
	if (entries)
		memcpy(a->entries.items, at + sizeof(h), entries);
	for (size_t i = 0; i < a->entries.count; i++)
		if (!entry_good(&a->entries.items[i], h.frames))
			return false;
	at += sizeof(h) + entries;
	return read_frames(&h, at, at + frames, a);
}
