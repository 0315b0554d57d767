/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing stacks down. */
#include "tests/aarch64/record.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/aarch64/capture.h"

#define LINE 32u

static FILE *file;
static unsigned every, seen;

static void write_bytes(uintptr_t at, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (i % LINE == 0)
			fprintf(file, "%sbytes %lx ", i ? "\n" : "", at + i);
		fprintf(file, "%02x", *(uint8_t *)(at + i));
	}
	fprintf(file, "\n");
}

/* .eh_frame ends with an entry of length 0. */
static uintptr_t frames_end(uintptr_t at)
{
	uint32_t length;

	while (memcpy(&length, (void *)at, 4), length)
		at += 4 + length;
	return at + 4;
}

static int write_object(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t start = ~0ul, end = 0, header = 0;
	int32_t frames;

	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD) {
			start = at < start ? at : start;
			end = at + p->p_memsz > end ? at + p->p_memsz : end;
		} else if (p->p_type == PT_GNU_EH_FRAME) {
			header = at;
		}
	}
	memcpy(&frames, (void *)(header + 4), 4);	/* pcrel, 4 bytes */
	fprintf(file, "object %lx %lx %lx\n", start, end, header);
	write_bytes(header, frames_end(header + 4 + (uintptr_t)(intptr_t)frames) - header);
	return 1;
}

void record_open(const char *path, unsigned one_of)
{
	if (!path)
		return;
	every = one_of ? one_of : 1;
	file = fopen(path, "w");
	if (!file)
		exit(2);
	dl_iterate_phdr(write_object, NULL);
}

static void write_words(uintptr_t at, uintptr_t high)
{
	unsigned in_line = 0;

	for (; at < high; at += 8) {
		uint64_t value = *(uint64_t *)at;

		if (in_line && (!value || in_line == 8)) {
			fprintf(file, "\n");
			in_line = 0;
		}
		if (!value)
			continue;
		if (!in_line++)
			fprintf(file, "words %lx", at);
		fprintf(file, " %lx", value);
	}
	fprintf(file, "%s", in_line ? "\n" : "");
}

void record_stack(const char *name, size_t offset, const struct capture *c, uintptr_t high)
{
	if (!file || seen++ % every)
		return;
	fprintf(file, "stack %lx %lx %lx %lx %s+%zu\n", c->pc, c->sp, c->fp, high, name, offset);
	write_words(c->sp, high);
	for (unsigned i = 0; i < c->count; i++)
		fprintf(file, "frame %lx %x\n", c->frames[i].pc, c->frames[i].exact);
	fprintf(file, "root %x\n", c->root);
}

void record_close(void)
{
	if (file && fclose(file))
		exit(2);
	file = NULL;
}
