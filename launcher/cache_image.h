/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes of a file of the symbol cache. */
#ifndef LAUNCHER_CACHE_IMAGE_H
#define LAUNCHER_CACHE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/vector.h"
#include "symbols/module.h"

struct cache_entry {
	uint64_t vaddr, offset;
	uint32_t first, count;		/* its frames */
};

struct cache_answers {
	VECTOR_STRUCT(cache_entries, struct cache_entry) entries;
	VECTOR_STRUCT(cache_frames, struct symbol_frame) frames;
};

void cache_answers_release(struct cache_answers *a);

/* Appends the image; nothing when it would be larger than most. */
void cache_image_make(const struct cache_answers *a, uint64_t identity, size_t most, struct buffer *image);

/* False when the image is damaged or of something else; *answers are to be released in any case.
 * Their texts lie in the image. */
bool cache_image_read(const struct buffer *image, uint64_t identity, struct cache_answers *answers);

#endif
