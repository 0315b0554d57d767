/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A shared object laid out and relocated here, for an address somewhere else.
 *
 * Made for the hook's mapped form: no TLS, nothing to be bound lazily, no function that chooses itself. */
#ifndef INJECT_ELF_IMAGE_H
#define INJECT_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_part {
	uint64_t start, size;		/* of the image, whole pages */
	int protection;			/* PROT_ */
};

#define ELF_IMAGE_PARTS	16u

struct elf_image {
	uint8_t *bytes;			/* all of it, as it is to be in memory, holes too */
	uint64_t size;
	struct elf_part parts[ELF_IMAGE_PARTS];
	size_t part_count;
};

/* Address of a symbol that the object wants and has not; 0: there is none. */
typedef uint64_t elf_image_want(const char *name, void *argument);

/* From a whole file.  -ENOEXEC: not an object of this kind; *why says what it is. */
int elf_image_load(struct elf_image *, const uint8_t *file, size_t size, const char **why);
int elf_image_relocate(struct elf_image *, uint64_t base, elf_image_want *, void *argument, const char **why);
void elf_image_release(struct elf_image *);

#endif
