/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loader's list of objects (struct r_debug, link.h) and the hash tables of their symbols. */
#include "inject/objects.h"

#include "inject/memory.h"
#include "inject/state.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OBJECTS_MAX	20000u
#define HEADERS_MAX	64u
#define DYNAMIC_MAX	128u
#define NAME_MAX_HERE	128u

static bool starts(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

bool object_is_glibc(const char *name)
{
	return starts(name, "libc.so.6") || starts(name, "libc-2.");
}

bool object_is_musl(const char *name)
{
	return starts(name, "ld-musl-") || starts(name, "libc.musl-") || strcmp(name, "libc.so") == 0;
}

bool object_is_loader(const char *name)
{
	return starts(name, "ld-linux") || starts(name, "ld-2.") || starts(name, "ld64.so");
}

uint64_t auxiliary_value(const struct injection *i, uint64_t type)
{
	Elf64_auxv_t vector[64];
	char path[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)injection_proc(i));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, vector, sizeof(vector));
	if (fd >= 0)
		close(fd);
	for (size_t k = 0; n > 0 && k < (size_t)n / sizeof(*vector); k++)
		if (vector[k].a_type == type)
			return vector[k].a_un.a_val;
	return 0;
}

/* glibc adds the bias to the addresses in the section when it loads an object, musl does not. */
static uint64_t placed(const struct object *o, uint64_t value)
{
	return value < o->bias ? value + o->bias : value;
}

static int read_dynamic(struct injection *i, struct object *o, uint64_t *debug)
{
	Elf64_Dyn entry;

	for (unsigned k = 0; k < DYNAMIC_MAX; k++) {
		int rc = memory_read(i, o->dynamic + k * sizeof(entry), &entry, sizeof(entry));

		if (rc)
			return rc;
		switch (entry.d_tag) {
		case DT_NULL:
			return 0;
		case DT_SYMTAB:
			o->symbols = placed(o, entry.d_un.d_ptr);
			break;
		case DT_STRTAB:
			o->strings = placed(o, entry.d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			o->gnu_hash = placed(o, entry.d_un.d_ptr);
			break;
		case DT_HASH:
			o->hash = placed(o, entry.d_un.d_ptr);
			break;
		case DT_DEBUG:
			if (debug)
				*debug = entry.d_un.d_ptr;
			break;
		}
	}
	return 0;
}

/* From program headers at an address. */
static int from_headers(struct injection *i, uint64_t address, unsigned count, uint64_t header,
			struct object *o, uint64_t *debug)
{
	Elf64_Phdr segments[HEADERS_MAX];
	bool found = false;
	int rc;

	if (count == 0 || count > HEADERS_MAX)
		return -ENOEXEC;
	rc = memory_read(i, address, segments, count * sizeof(*segments));
	if (rc)
		return rc;
	for (unsigned k = 0; k < count; k++) {
		if (segments[k].p_type == PT_PHDR && !found) {
			o->bias = address - segments[k].p_vaddr;
			found = true;
		} else if (header && segments[k].p_type == PT_LOAD && !found) {
			o->bias = header - (segments[k].p_vaddr - segments[k].p_offset);
			found = true;
		}
	}
	for (unsigned k = 0; k < count; k++)
		if (segments[k].p_type == PT_DYNAMIC)
			o->dynamic = segments[k].p_vaddr + o->bias;
	return o->dynamic ? read_dynamic(i, o, debug) : 0;
}

int object_at(struct injection *i, uint64_t header, struct object *o)
{
	Elf64_Ehdr e;
	int rc = memory_read(i, header, &e, sizeof(e));

	memset(o, 0, sizeof(*o));
	if (rc)
		return rc;
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 || e.e_phentsize != sizeof(Elf64_Phdr))
		return -ENOEXEC;
	o->loaded = header;
	return from_headers(i, header + e.e_phoff, e.e_phnum, header, o, NULL);
}

static int read_program(struct injection *i, struct object *o, uint64_t *debug)
{
	uint64_t headers = auxiliary_value(i, AT_PHDR);

	memset(o, 0, sizeof(*o));
	if (!headers)
		return -EAGAIN;
	/* Not all have PT_PHDR; but the headers are in the first page. */
	return from_headers(i, headers, (unsigned)auxiliary_value(i, AT_PHNUM), headers & ~4095ull, o, debug);
}

static void take_name(struct injection *i, uint64_t address, struct object *o)
{
	char path[4096];
	const char *base;

	if (memory_read_string(i, address, path, sizeof(path)) != 0)
		return;
	base = strrchr(path, '/');
	snprintf(o->name, sizeof(o->name), "%.*s", (int)sizeof(o->name) - 1, base ? base + 1 : path);
}

int objects_read(struct injection *i, struct object_list *objects)
{
	uint64_t debug = 0, next;
	struct r_debug state;
	struct link_map map;
	struct object o;
	bool by_name;
	int rc;

	memset(objects, 0, sizeof(*objects));
	rc = read_program(i, &o, &debug);
	if (rc)
		return rc;
	vector_push(objects, o);
	if (!o.dynamic)
		return -ENOENT;
	/* Without a loader beside it it is static, or it is the loader, started by name. */
	by_name = !auxiliary_value(i, AT_BASE);
	if (by_name && object_symbol(i, &o, "_r_debug", &debug) != 0)
		return -ENOENT;
	if (!debug || memory_read(i, debug, &state, sizeof(state)) || !state.r_map)
		return -EAGAIN;
	next = (uint64_t)state.r_map;
	for (unsigned k = 0; next && k < OBJECTS_MAX; k++) {
		/* The list may change under our eyes; what does not hold together ends it. */
		if (memory_read(i, next, &map, sizeof(map)))
			break;
		memset(&o, 0, sizeof(o));
		o.bias = map.l_addr;
		o.dynamic = (uint64_t)map.l_ld;
		if ((k > 0 || by_name) && read_dynamic(i, &o, NULL) == 0) {
			take_name(i, (uint64_t)map.l_name, &o);
			vector_push(objects, o);
		}
		next = (uint64_t)map.l_next;
	}
	return 0;
}

static bool matches(struct injection *i, const struct object *o, uint64_t index, const char *name,
		    uint64_t *address, uint64_t *size)
{
	char text[NAME_MAX_HERE];
	Elf64_Sym symbol;

	if (memory_read(i, o->symbols + index * sizeof(symbol), &symbol, sizeof(symbol)) ||
	    symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) == STT_TLS ||
	    ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC ||
	    memory_read_string(i, o->strings + symbol.st_name, text, sizeof(text)) || strcmp(text, name) != 0)
		return false;
	*address = symbol.st_value + o->bias;
	*size = symbol.st_size;
	return true;
}

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

static int find_gnu(struct injection *i, const struct object *o, const char *name, uint64_t *address,
		    uint64_t *size)
{
	uint32_t head[4], h = gnu_hash_of(name), at, value;
	uint64_t buckets, chain;

	if (memory_read(i, o->gnu_hash, head, sizeof(head)) || head[0] == 0)
		return -ENOENT;
	buckets = o->gnu_hash + sizeof(head) + head[2] * 8ull;
	chain = buckets + head[0] * 4ull;
	if (memory_read(i, buckets + h % head[0] * 4ull, &at, 4) || at < head[1])
		return -ENOENT;
	for (;; at++) {
		if (memory_read(i, chain + (at - head[1]) * 4ull, &value, 4))
			return -ENOENT;
		if ((value | 1) == (h | 1) && matches(i, o, at, name, address, size))
			return 0;
		if (value & 1)
			return -ENOENT;
	}
}

static int find_hash(struct injection *i, const struct object *o, const char *name, uint64_t *address,
		     uint64_t *size)
{
	uint32_t head[2];

	if (memory_read(i, o->hash, head, sizeof(head)) || head[1] > 1u << 20)
		return -ENOENT;
	for (uint32_t k = 1; k < head[1]; k++)
		if (matches(i, o, k, name, address, size))
			return 0;
	return -ENOENT;
}

int object_function(struct injection *i, const struct object *o, const char *name, uint64_t *address,
		    uint64_t *size)
{
	if (!o->symbols || !o->strings)
		return -ENOENT;
	if (o->gnu_hash)
		return find_gnu(i, o, name, address, size);
	return o->hash ? find_hash(i, o, name, address, size) : -ENOENT;
}

int object_symbol(struct injection *i, const struct object *o, const char *name, uint64_t *address)
{
	uint64_t size;

	return object_function(i, o, name, address, &size);
}

int objects_symbol(struct injection *i, const struct object_list *objects, const char *name, uint64_t *address)
{
	for (size_t k = 0; k < objects->count; k++)
		if (object_symbol(i, &objects->items[k], name, address) == 0)
			return 0;
	return -ENOENT;
}
