/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of the last page of a text segment: mapped and executable, but not part of the program.
 * Nothing need be mapped for it, so that it also works where new executable memory is forbidden. */
#include "inject/cave.h"

#include "inject/cpu.h"
#include "inject/memory.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#define HEADERS_MAX	64u

/* Where the segment of the object at base that reaches into the mapping's last page ends; 0: not known. */
static uint64_t segment_end(struct injection *i, uint64_t base, const struct map_entry *text)
{
	Elf64_Ehdr header;
	Elf64_Phdr segments[HEADERS_MAX];
	uint64_t first = UINT64_MAX, found = 0;

	if (memory_read(i, base, &header, sizeof(header)) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_phentsize != sizeof(*segments) || header.e_phnum == 0 || header.e_phnum > HEADERS_MAX ||
	    memory_read(i, base + header.e_phoff, segments, header.e_phnum * sizeof(*segments)))
		return 0;
	for (unsigned k = 0; k < header.e_phnum; k++)
		if (segments[k].p_type == PT_LOAD && segments[k].p_offset == 0)
			first = segments[k].p_vaddr;
	if (first == UINT64_MAX)
		return 0;
	for (unsigned k = 0; k < header.e_phnum; k++) {
		uint64_t end = base - first + segments[k].p_vaddr + segments[k].p_memsz;

		if (segments[k].p_type == PT_LOAD && end > text->end - 4096 && end <= text->end)
			found = segments[k].p_flags & PF_X && end > found ? end : found;
	}
	return found;
}

uint64_t cave_in(struct injection *i, const struct maps *maps, size_t k)
{
	const struct map_entry *m = &maps->items[k];
	bool vdso = strcmp(m->name, "[vdso]") == 0;
	size_t first = k, last;
	uint64_t address;

	if (!m->execute || !m->read || m->write || m->shared || (!vdso && !m->inode) ||
	    strncmp(m->name, "/memfd:", 7) == 0)
		return 0;
	if (!vdso && (!maps_object(maps, m->start, &first, &last) || maps->items[first].offset != 0))
		return 0;
	address = segment_end(i, maps->items[first].start, m);
	address = address ? (address + 15) & ~15ull : 0;
	return address + CAVE_SIZE <= m->end ? address : 0;
}

/* Through that of a memtrack that was killed threads may still be on their way. */
static bool take(struct injection *i, uint64_t address)
{
	if (!address || address == i->cave.spoilt || memory_read(i, address, i->cave.original, CAVE_SIZE) != 0 ||
	    cpu_is_cave(i->cave.original))
		return false;
	i->cave.address = address;
	return true;
}

/* Writing where nothing runs what is there already shows whether writing is possible. */
static bool writable(struct injection *i)
{
	if (memory_write(i, i->cave.address, i->cave.original, CAVE_SIZE) == 0)
		return true;
	i->cave.address = 0;
	return false;
}

int cave_find(struct injection *i)
{
	struct maps maps;
	int rc;

	if (i->cave.address)
		return 0;
	rc = maps_read(injection_proc(i), &maps);
	if (rc)
		return rc;
	rc = -ENOSPC;
	for (size_t k = 0; k < maps.count && rc; k++)
		if (take(i, cave_in(i, &maps, k)) && writable(i))
			rc = 0;
	maps_release(&maps);
	return rc;
}

int cave_write(struct injection *i, const uint8_t code[CAVE_SIZE])
{
	i->cave.written = true;
	return memory_write(i, i->cave.address, code, CAVE_SIZE);
}

int cave_restore(struct injection *i)
{
	int rc = i->cave.written ? memory_write(i, i->cave.address, i->cave.original, CAVE_SIZE) : 0;

	/* The mapping may be unmapped by then, and another one be there next time. */
	i->cave.written = false;
	i->cave.address = 0;
	return rc;
}

void cave_abandon(struct injection *i)
{
	i->cave.spoilt = i->cave.address;
	i->cave.address = 0;
	i->cave.written = false;
}

bool cave_holds(const struct thread *t)
{
	return cpu_pc(&t->regs) - t->of->cave.address < CAVE_SIZE;
}
