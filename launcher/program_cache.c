/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One small file: pairs of words, the newest last. */
#include "launcher/program_cache.h"

#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "launcher/cache_file.h"
#include "launcher/symbol_cache.h"
#include "symbols/target.h"

#define NAME		"programs"
#define MAGIC		0x3147525f4b52544dull	/* "MTRK_RG1" */
#define PAIRS_MAX	4096u

struct pair {
	uint64_t file, says;
};

/* magic, a hash of all that follows, pairs */
static struct {
	struct buffer image;
	int directory;
	bool changed;
} cache = { .directory = -1 };

#define HEAD	(2 * sizeof(uint64_t))

static uint64_t pairs_hash(void)
{
	return hash_bytes(cache.image.data + HEAD, cache.image.length - HEAD);
}

static bool image_good(void)
{
	uint64_t head[2];

	if (cache.image.length < HEAD || (cache.image.length - HEAD) % sizeof(struct pair))
		return false;
	memcpy(head, cache.image.data, sizeof(head));
	return head[0] == MAGIC && head[1] == pairs_hash();
}

static bool recall(void *owner, uint64_t file, uint64_t *says)
{
	(void)owner;
	for (size_t at = cache.image.length; at > HEAD; at -= sizeof(struct pair)) {
		struct pair p;

		memcpy(&p, cache.image.data + at - sizeof(p), sizeof(p));
		if (p.file == file) {
			*says = p.says;
			return true;
		}
	}
	return false;
}

static void keep(void *owner, uint64_t file, uint64_t says)
{
	struct pair p = { file, says };

	(void)owner;
	buffer_append(&cache.image, &p, sizeof(p));
	cache.changed = true;
}

static const struct target_memory memory = { recall, keep, NULL };

void program_cache_begin(void)
{
	uint64_t head[2] = { 0, 0 };

	cache.directory = symbol_cache_directory();
	if (cache.directory < 0)
		return;
	if (cache_file_read(cache.directory, NAME, HEAD + 2 * PAIRS_MAX * sizeof(struct pair), &cache.image) ||
	    !image_good()) {
		buffer_clear(&cache.image);
		buffer_append(&cache.image, head, sizeof(head));
	}
	target_remember(&memory);
}

static void drop_oldest(void)
{
	size_t pairs = (cache.image.length - HEAD) / sizeof(struct pair), gone = pairs - PAIRS_MAX;

	if (pairs <= PAIRS_MAX)
		return;
	memmove(cache.image.data + HEAD, cache.image.data + HEAD + gone * sizeof(struct pair),
		PAIRS_MAX * sizeof(struct pair));
	cache.image.length = HEAD + PAIRS_MAX * sizeof(struct pair);
}

void program_cache_end(void)
{
	target_remember(NULL);
	if (cache.changed) {
		uint64_t head[2] = { MAGIC, 0 };

		drop_oldest();
		head[1] = pairs_hash();
		memcpy(cache.image.data, head, sizeof(head));
		cache_file_write(cache.directory, NAME, &cache.image);
	}
	if (cache.directory >= 0)
		close(cache.directory);
	cache.directory = -1;
	cache.changed = false;
	buffer_release(&cache.image);
}
