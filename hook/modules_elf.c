/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding loaded ELF objects and reading their headers in place, without the loader's lock. */
#include "hook/modules_elf.h"

#include <elf.h>
#include <link.h>

#include "hook/cfi_frames.h"
#include "hook/modules.h"
#include "hook/raw.h"

#define WEAK __attribute__((weak, visibility("default")))

/* glibc 2.35, dlfcn.h; under a name of our own because only newer headers have it. */
struct find_result {
	unsigned long long flags;
	void *map_start, *map_end;
	struct link_map *link_map;
	void *eh_frame;
	unsigned long long reserved[7];
};

extern int find_object(void *address, struct find_result *result) __asm__("_dl_find_object") WEAK;
#pragma weak _r_debug
extern struct r_debug *_dl_debug_addr WEAK;	/* musl */
extern ElfW(Dyn) own_dynamic[] __asm__("_DYNAMIC") __attribute__((visibility("hidden")));

/* Objects that the loader does not know of. */
struct fixed {
	uintptr_t header, bias, start, end;
	const char *name;
};
static struct fixed program;

#define LINK_MAP_MAX	16384		/* a longer chain is a broken one */
#define HEADER_REACH	(1u << 20)	/* how far the dynamic tables may lie behind the ELF header */

static const ElfW(Ehdr) *elf_header(uintptr_t start)
{
	const ElfW(Ehdr) *e = (const void *)start;

	if (e->e_ident[0] != ELFMAG0 || e->e_ident[1] != ELFMAG1 || e->e_ident[2] != ELFMAG2 ||
	    e->e_ident[3] != ELFMAG3 || e->e_ident[EI_CLASS] != ELFCLASS64 ||
	    e->e_phentsize != sizeof(ElfW(Phdr)) || e->e_phoff > 4096 ||
	    e->e_phoff + e->e_phnum * sizeof(ElfW(Phdr)) > 4096)
		return NULL;
	return e;
}

static const ElfW(Phdr) *program_headers(const ElfW(Ehdr) *e)
{
	return (const void *)((uintptr_t)e + e->e_phoff);
}

/* Address range by the PT_LOADs; the ELF header must be at bias. */
static bool range_of(uintptr_t header, uintptr_t bias, uintptr_t *start, uintptr_t *end)
{
	const ElfW(Ehdr) *e = elf_header(header);
	const ElfW(Phdr) *p = e ? program_headers(e) : NULL;

	*start = ~(uintptr_t)0;
	*end = 0;
	for (unsigned i = 0; e && i < e->e_phnum; i++) {
		if (p[i].p_type != PT_LOAD)
			continue;
		if (bias + p[i].p_vaddr < *start)
			*start = bias + p[i].p_vaddr;
		if (bias + p[i].p_vaddr + p[i].p_memsz > *end)
			*end = bias + p[i].p_vaddr + p[i].p_memsz;
	}
	return *start < *end;
}

/* Where the object's ELF header is, proven to be mapped: the dynamic section points at tables
 * of the first segment, which begins with the header.  0: not sure. */
static uintptr_t header_of(const struct link_map *l)
{
	uintptr_t lowest = ~(uintptr_t)0;

	for (const ElfW(Dyn) *d = l->l_ld; d && d->d_tag != DT_NULL; d++) {
		uintptr_t at = d->d_un.d_ptr;

		if (d->d_tag != DT_GNU_HASH && d->d_tag != DT_HASH && d->d_tag != DT_STRTAB &&
		    d->d_tag != DT_SYMTAB)
			continue;
		if (at < l->l_addr)	/* the loader relocates them where it can write */
			at += l->l_addr;
		if (at < lowest)
			lowest = at;
	}
	if (lowest == ~(uintptr_t)0)
		return 0;
	if (l->l_addr)
		return lowest - l->l_addr < HEADER_REACH ? l->l_addr : 0;
	/* A fixed-address executable: its header begins the page that a table begins. */
	lowest &= ~(uintptr_t)4095;
	return elf_header(lowest) ? lowest : 0;
}

const struct r_debug *modules_debug(void)
{
	if (&_r_debug)
		return &_r_debug;
	return &_dl_debug_addr ? _dl_debug_addr : NULL;
}

/* A hook that was dlopen'ed from a memory file has a path that means something else to everybody else. */
static const char *name_of(const struct link_map *l)
{
	static const char odd[] = "/proc/";

	for (size_t i = 0; l->l_ld == own_dynamic && odd[i]; i++)
		if (l->l_name[i] != odd[i])
			return l->l_name;
	return l->l_ld == own_dynamic ? "memtrack.so" : l->l_name;
}

static bool walk_link_map(uintptr_t at, struct module *m)
{
	const struct r_debug *d = modules_debug();
	unsigned limit = LINK_MAP_MAX;

	if (!d || d->r_state == RT_DELETE)
		return false;
	for (const struct link_map *l = d->r_map; l && limit; l = l->l_next, limit--) {
		uintptr_t header = header_of(l);

		if (!header || !range_of(header, l->l_addr, &m->start, &m->end) || at < m->start ||
		    at >= m->end)
			continue;
		m->bias = l->l_addr;
		m->link_map = l;
		m->name = name_of(l);
		return true;
	}
	return false;
}

bool modules_unsure(void)
{
	return !find_object && modules_debug() && modules_debug()->r_state == RT_DELETE;
}

static bool is_fixed(const struct fixed *f, uintptr_t at, struct module *m)
{
	if (at - f->start >= f->end - f->start)
		return false;
	m->start = f->start;
	m->end = f->end;
	m->bias = f->bias;
	m->link_map = NULL;
	m->name = f->name;
	return true;
}

#ifdef HOOK_MAPPED
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

static bool is_hook(uintptr_t at, struct module *m)
{
	static struct fixed own = { .name = "memtrack-map.so" };

	if (!own.end) {
		own.header = own.bias = (uintptr_t)__ehdr_start;
		range_of(own.header, own.bias, &own.start, &own.end);
	}
	return is_fixed(&own, at, m);
}
#else
static bool is_hook(uintptr_t at, struct module *m)
{
	(void)at;
	(void)m;
	return false;
}
#endif

void modules_set_program(uintptr_t header, uintptr_t bias)
{
	program = (struct fixed){ .header = header, .bias = bias, .name = "" };
	if (!range_of(header, bias, &program.start, &program.end))
		program.start = program.end = 0;
}

/* glibc gives the whole object, but of one with holes (node) only the segment. */
static void whole_object(uintptr_t at, struct module *m)
{
	uintptr_t header, start, end;

	if (m->start == m->bias)
		return;
	header = header_of(m->link_map);
	if (!header || !range_of(header, m->bias, &start, &end) || at < start || at >= end)
		return;
	m->start = start;
	m->end = end;
}

bool modules_locate(uintptr_t at, struct module *m)
{
	struct find_result found;

	if (unlikely(program.end) && is_fixed(&program, at, m))
		return true;
	if (is_hook(at, m))
		return true;
	if (!find_object)
		return walk_link_map(at, m);
	if (find_object((void *)at, &found) || !found.link_map)
		return false;
	m->start = (uintptr_t)found.map_start;
	m->end = (uintptr_t)found.map_end;
	m->bias = found.link_map->l_addr;
	m->link_map = found.link_map;
	m->name = name_of(found.link_map);
	whole_object(at, m);
	return true;
}

/* Is [at, at + size) in one readable segment? */
static bool readable(const struct cfi_tables *t, uintptr_t at, uint64_t size)
{
	uintptr_t end = cfi_readable_end(t, at);

	return end && size <= end - at;
}

static void add_segment(struct module *m, const ElfW(Phdr) *p)
{
	uintptr_t start = m->bias + p->p_vaddr, end = start + p->p_memsz;
	struct cfi_tables *t = &m->tables;

	if (p->p_flags & PF_X) {
		m->code.start = m->code.start ? m->code.start : start;
		m->code.end = end;
	}
	if (!(p->p_flags & PF_R) || t->count == CFI_SEGMENTS_MAX || start < (m->start & ~(uintptr_t)4095) ||
	    end < start || end - 1 > (m->end | 4095))
		return;
	t->readable[t->count++] = (struct cfi_segment){ start, end };
}

static void read_notes(struct module *m, const ElfW(Phdr) *p)
{
	uintptr_t at = m->bias + p->p_vaddr, end = at + p->p_memsz;

	if (!readable(&m->tables, at, p->p_memsz))
		return;
	while (at < end && end - at >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const void *)at;
		uint64_t name = ((uint64_t)n->n_namesz + 3) & ~3ull, size = n->n_descsz;
		const uint8_t *data = (const uint8_t *)(n + 1) + name;

		if (name + size > end - at - sizeof(*n))
			return;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && size >= 8 && size <= 32 &&
		    *(const uint32_t *)(n + 1) == 0x00554e47 /* "GNU" */) {
			m->build_id = data;
			m->build_id_size = (uint32_t)size;
			for (unsigned i = 0; i < 8; i++)
				m->build_id_word |= (uint64_t)data[i] << (8 * i);
			return;
		}
		at += sizeof(*n) + name + ((size + 3) & ~3ull);
	}
}

/* Stands for the build-id of an object that has none: its functions, as far as a page tells. */
static uint64_t functions_word(const struct cfi_tables *t)
{
	uintptr_t end = cfi_readable_end(t, t->header);
	uint64_t hash = 0;

	for (uintptr_t at = t->header; at + 4 <= end && at < t->header + 4096; at += 4)
		hash = (hash ^ *(const uint32_t *)at) * 0x9e3779b97f4a7c15ull;
	return hash;
}

/* The header is where the first segment begins, as linkers lay it out; elf_header() checks. */
bool modules_read_headers(struct module *m)
{
	const ElfW(Ehdr) *e = elf_header(m->start & ~(uintptr_t)4095);
	const ElfW(Phdr) *p = e ? program_headers(e) : NULL;

	m->tables = (struct cfi_tables){ 0 };
	m->code = (struct cfi_segment){ 0, 0 };
	m->build_id = NULL;
	m->build_id_size = 0;
	m->build_id_word = 0;
	if (!e)
		return false;
	for (unsigned i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD)
			add_segment(m, &p[i]);
	for (unsigned i = 0; i < e->e_phnum; i++) {
		if (p[i].p_type == PT_GNU_EH_FRAME && readable(&m->tables, m->bias + p[i].p_vaddr, 12))
			m->tables.header = m->bias + p[i].p_vaddr;
		else if (p[i].p_type == PT_NOTE && !m->build_id)
			read_notes(m, &p[i]);
	}
	if (!m->tables.header && m->start == program.start)
		m->tables.frames = cfi_frames_start();
	if (!m->build_id_size)
		m->build_id_word = functions_word(&m->tables);
	return true;
}

void modules_relro(const struct module *m, uintptr_t *low, uintptr_t *high)
{
	const ElfW(Ehdr) *e = elf_header(m->start & ~(uintptr_t)4095);
	const ElfW(Phdr) *p = e ? program_headers(e) : NULL;

	*low = *high = 0;
	for (unsigned i = 0; e && i < e->e_phnum; i++) {
		if (p[i].p_type != PT_GNU_RELRO)
			continue;
		*low = (m->bias + p[i].p_vaddr) & ~(uintptr_t)4095;
		*high = (m->bias + p[i].p_vaddr + p[i].p_memsz) & ~(uintptr_t)4095;
	}
}
