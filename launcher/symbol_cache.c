/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers in memory: looked up, added to, made into an image and back. */
#include "launcher/symbol_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/vector.h"
#include "launcher/cache_file.h"
#include "launcher/cache_image.h"
#include "symbols/elf.h"

#define WORTH_NS	5000000u	/* what replacing a file costs, amply */

/* texts of answers from the file lie in image, others in strings. */
struct symbol_cache {
	pthread_mutex_t lock;
	int directory;
	char name[2 * ELF_BUILD_ID_MAX + 1];
	uint64_t identity;
	bool loaded, present;		/* looked for; there is a file that is good */
	struct buffer image;
	struct cache_answers answers;
	struct map places;		/* address -> index in answers.entries + 1 */
	struct intern *strings;
	uint64_t spent_ns;		/* on what the file does not have */
};

struct symbol_cache *symbol_cache_new(int directory, const uint8_t *build_id, size_t length, uint64_t identity)
{
	struct symbol_cache *c = xcalloc(1, sizeof(*c));

	pthread_mutex_init(&c->lock, NULL);
	c->directory = directory;
	c->identity = identity;
	c->strings = intern_new();
	elf_build_id_text(build_id, length < ELF_BUILD_ID_MAX ? length : ELF_BUILD_ID_MAX, c->name);
	return c;
}

void symbol_cache_free(struct symbol_cache *c)
{
	if (!c)
		return;
	cache_answers_release(&c->answers);
	buffer_release(&c->image);
	map_release(&c->places);
	intern_free(c->strings);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static void load(struct symbol_cache *c)
{
	c->loaded = true;
	if (cache_file_read(c->directory, c->name, SYMBOL_CACHE_FILE_MAX, &c->image) ||
	    !cache_image_read(&c->image, c->identity, &c->answers)) {
		cache_answers_release(&c->answers);
		buffer_release(&c->image);
	} else {
		c->present = true;
	}
	for (size_t i = 0; i < c->answers.entries.count; i++)
		map_put(&c->places, c->answers.entries.items[i].vaddr, i + 1);
}

bool symbol_cache_find(struct symbol_cache *c, uint64_t vaddr, struct symbol_result *result)
{
	uint64_t place = 0;

	pthread_mutex_lock(&c->lock);
	if (!c->loaded)
		load(c);
	if (map_get(&c->places, vaddr, &place)) {
		const struct cache_entry *e = &c->answers.entries.items[place - 1];

		*result = (struct symbol_result){ .count = e->count, .offset = e->offset };
		for (size_t i = 0; i < e->count; i++)
			result->frames[i] = c->answers.frames.items[e->first + i];
	}
	pthread_mutex_unlock(&c->lock);
	return place;
}

static const char *keep(struct symbol_cache *c, const char *text)
{
	return text ? intern_text(c->strings, intern_put_string(c->strings, text), NULL) : NULL;
}

/* Raw names are not kept: where there is no readable one they are. */
static void add(struct symbol_cache *c, uint64_t vaddr, const struct symbol_result *result)
{
	struct cache_answers *a = &c->answers;
	struct cache_entry e = { vaddr, result->offset, (uint32_t)a->frames.count, (uint32_t)result->count };

	for (size_t i = 0; i < result->count; i++) {
		const struct symbol_frame *f = &result->frames[i];

		vector_push(&a->frames, (struct symbol_frame){
			.function = keep(c, f->function ? f->function : f->raw),
			.file = keep(c, f->file), .line = f->line });
	}
	vector_push(&a->entries, e);
	map_put(&c->places, vaddr, a->entries.count);
}

void symbol_cache_add(struct symbol_cache *c, uint64_t vaddr, const struct symbol_result *result, uint64_t ns)
{
	pthread_mutex_lock(&c->lock);
	c->spent_ns += ns;
	if (!map_find(&c->places, vaddr))
		add(c, vaddr, result);
	pthread_mutex_unlock(&c->lock);
}

void symbol_cache_save(struct symbol_cache *c)
{
	struct buffer image = BUFFER_INIT;

	pthread_mutex_lock(&c->lock);
	if (c->spent_ns >= (c->present ? WORTH_NS : 1)) {
		c->spent_ns = 0;
		c->present = true;
		cache_image_make(&c->answers, c->identity, SYMBOL_CACHE_FILE_MAX, &image);
	}
	pthread_mutex_unlock(&c->lock);
	if (image.length && cache_file_write(c->directory, c->name, &image) == 0)
		cache_file_bound(c->directory, SYMBOL_CACHE_TOTAL_MAX);
	buffer_release(&image);
}
