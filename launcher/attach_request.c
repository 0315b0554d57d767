/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stack, program, vDSO and the place of the tid, from /proc. */
#include "launcher/attach_request.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "inject/objects.h"
#include "launcher/namespaces.h"
#include "symbols/elf.h"
#include "symbols/living.h"
#include "symbols/maps.h"

#define BLOCK_WORDS	256	/* of a thread control block */
#define TID_GLIBC	0x2d0	/* where the tid stands in them, as a rule */
#define TID_MUSL	0x30

/* The main thread's stack: its mapping, and downward as far as limit and neighbours let it grow. */
static void describe_stack(pid_t pid, const struct maps *maps, struct attach_request *r)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	uint64_t below = 0;

	prlimit(pid, RLIMIT_STACK, NULL, &limit);
	for (size_t i = 0; i < maps->count; i++) {
		const struct map_entry *m = &maps->items[i];

		if (strcmp(m->name, "[stack]")) {
			below = m->end;
			continue;
		}
		r->stack_high = m->end;
		r->stack_low = below;
		if (limit.rlim_cur < m->end - below)
			r->stack_low = m->end - limit.rlim_cur;
		if (r->stack_low > m->start)
			r->stack_low = m->start;
		return;
	}
}

/* The lowest page of the program's file is its ELF header. */
static void describe_file(const struct injection *i, struct elf_file *file, const struct maps *maps,
			  struct attach_request *r)
{
	const struct map_entry *m = maps_find(maps, auxiliary_value(i, AT_PHDR));
	uint64_t start, end;

	if (!m)
		return;
	r->program = m->start - m->offset;
	r->program_bias = auxiliary_value(i, AT_ENTRY) - elf_facts(file)->entry;
	if (elf_section_range(file, ".eh_frame", &start, &end))
		return;
	r->frames = start + r->program_bias;
	r->frames_bytes = end - start;
}

static void describe_program(const struct injection *i, pid_t pid, const struct maps *maps,
			     struct attach_request *r)
{
	struct elf_file *file;
	int fd = living_open(pid, "exe", O_RDONLY);

	if (fd < 0 || elf_file_open_fd(fd, &file))
		return;
	describe_file(i, file, maps, r);
	elf_file_close(file);
}

int attach_describe(const struct injection *i, pid_t pid, struct attach_request *r)
{
	struct maps maps;
	pid_t inner = pid;
	int rc = maps_read(pid, &maps);

	*r = (struct attach_request){ .version = ATTACH_VERSION, .bytes = sizeof(*r) };
	if (rc)
		return rc;
	namespace_depth(pid, &inner);
	r->pid = (uint64_t)inner;
	r->vdso = auxiliary_value(i, AT_SYSINFO_EHDR);
	describe_stack(pid, &maps, r);
	if (!auxiliary_value(i, AT_BASE))	/* no interpreter: nobody keeps a list of objects */
		describe_program(i, pid, &maps, r);
	maps_release(&maps);
	return 0;
}

/* Marks the words of one thread's block that are its tid; one that is ending has no say. */
static bool look_for_tid(int memory, const struct attach_thread *t, bool *candidate)
{
	uint32_t words[BLOCK_WORDS];

	if (pread(memory, words, sizeof(words), (off_t)t->pointer) != sizeof(words))
		return false;
	for (size_t i = 0; i < BLOCK_WORDS; i++)
		candidate[i] &= words[i] == (uint32_t)t->tid;
	return true;
}

/* Of a single thread it may also be its process's number that stands there. */
static int64_t choose(const bool *candidate)
{
	size_t found = 0, count = 0;

	for (size_t i = 1; i < BLOCK_WORDS; i++) {	/* at 0 a block points at itself */
		count += candidate[i];
		if (candidate[i])
			found = i;
	}
	if (count > 1 && candidate[TID_GLIBC / sizeof(uint32_t)])
		return TID_GLIBC;
	if (count > 1 && candidate[TID_MUSL / sizeof(uint32_t)])
		return TID_MUSL;
	return count == 1 ? (int64_t)(found * sizeof(uint32_t)) : 0;
}

int64_t attach_tid_offset(pid_t pid, const struct attach_thread *threads, size_t count)
{
	bool candidate[BLOCK_WORDS];
	int memory = living_open(pid, "mem", O_RDONLY);
	size_t seen = 0;

	if (memory < 0)
		return 0;
	memset(candidate, true, sizeof(candidate));
	for (size_t i = 0; i < count; i++)
		seen += look_for_tid(memory, &threads[i], candidate);
	close(memory);
	return seen ? choose(candidate) : 0;
}
