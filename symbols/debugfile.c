/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search for debug files: build-id directories, .gnu_debuglink, .gnu_debugaltlink. */
#include "symbols/debugfile.h"

#include "base/alloc.h"
#include "symbols/elf_internal.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEBUG_DIR	"/usr/lib/debug"

/* Called for each place a debug file may be in; true ends the walk. */
typedef bool try_fn(char *path, void *arg);

static Elf_Data *section_data(struct elf_file *f, const char *name)
{
	GElf_Shdr sh;
	Elf_Scn *section = elf_find_section(f, name, &sh);

	return section && sh.sh_size <= ELF_TABLE_MAX ? elf_getdata(section, NULL) : NULL;
}

bool debug_file_has_dwarf(struct elf_file *f)
{
	return elf_has_section(f, ".debug_info") || elf_has_section(f, ".zdebug_info");
}

/* "DIR/.build-id/ab/cdef.debug" for each directory of debug files. */
static bool walk_build_id(const struct debug_search *s, const uint8_t *id, size_t len, try_fn *try,
			  void *arg)
{
	char text[2 * ELF_BUILD_ID_MAX + 1];
	const char *dirs = s->symbols_from ? s->symbols_from : "";
	bool done = false;

	if (len < 2 || len > ELF_BUILD_ID_MAX)
		return false;
	elf_build_id_text(id, len, text);
	while (*dirs && !done) {
		int n = (int)strcspn(dirs, ":");

		if (n > 0)
			done = try(xasprintf("%.*s/.build-id/%.2s/%s.debug", n, dirs, text, text + 2),
				   arg) ||
			       try(xasprintf("%.*s" DEBUG_DIR "/.build-id/%.2s/%s.debug", n, dirs, text,
					     text + 2), arg);
		dirs += n + (dirs[n] == ':');
	}
	if (!done && s->root)
		done = try(xasprintf("%s" DEBUG_DIR "/.build-id/%.2s/%s.debug", s->root, text, text + 2),
			   arg);
	return done || try(xasprintf(DEBUG_DIR "/.build-id/%.2s/%s.debug", text, text + 2), arg);
}

/* The places of gdb's manual, "Separate Debug Files", each in the target's root and in ours. */
static bool walk_link(const struct debug_search *s, const char *dir, int dir_len, const char *name,
		      try_fn *try, void *arg)
{
	const char *roots[] = { s->root ? s->root : "", "" };
	const char *dirs = s->symbols_from ? s->symbols_from : "";
	bool done = false;

	for (size_t i = s->root ? 0 : 1; i < 2 && !done; i++)
		done = try(xasprintf("%s%.*s/%s", roots[i], dir_len, dir, name), arg) ||
		       try(xasprintf("%s%.*s/.debug/%s", roots[i], dir_len, dir, name), arg) ||
		       try(xasprintf("%s" DEBUG_DIR "%.*s/%s", roots[i], dir_len, dir, name), arg);
	while (*dirs && !done) {
		int n = (int)strcspn(dirs, ":");

		if (n > 0)
			done = try(xasprintf("%.*s%.*s/%s", n, dirs, dir_len, dir, name), arg) ||
			       try(xasprintf("%.*s" DEBUG_DIR "%.*s/%s", n, dirs, dir_len, dir, name), arg) ||
			       try(xasprintf("%.*s/%s", n, dirs, name), arg);
		dirs += n + (dirs[n] == ':');
	}
	return done;
}

static uint32_t crc32_of(int fd)
{
	uint32_t table[256];
	unsigned char block[65536];
	uint32_t crc = ~0u;
	uint64_t at = 0;
	ssize_t got;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
		table[i] = c;
	}
	while ((got = pread(fd, block, sizeof(block), (off_t)at)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			crc = crc >> 8 ^ table[(crc ^ block[i]) & 255];
		at += (uint64_t)got;
	}
	return ~crc;
}

struct candidate {
	const struct debug_search *search;
	const struct elf_file *object;	/* never its own debug file */
	bool check_crc;
	uint32_t crc;
	struct elf_file *found;
	char *path;
};

static bool same_inode(const struct elf_file *a, const struct elf_file *b)
{
	struct stat sa, sb;

	return a && fstat(a->fd, &sa) == 0 && fstat(b->fd, &sb) == 0 &&
	       sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

static bool is_debug_file(const struct candidate *c, struct elf_file *f)
{
	const struct debug_search *s = c->search;

	if (same_inode(c->object, f) || (!debug_file_has_dwarf(f) && !elf_has_symtab(f)))
		return false;
	if (s->build_id_len > 0 && f->facts.build_id_len > 0)
		return s->build_id_len == f->facts.build_id_len &&
		       memcmp(s->build_id, f->facts.build_id, s->build_id_len) == 0;
	return c->check_crc && crc32_of(f->fd) == c->crc;
}

/* Takes path over. */
static bool try_debug_file(char *path, void *arg)
{
	struct candidate *c = arg;
	struct elf_file *f;

	if (elf_file_open(path, &f) == 0) {
		if (is_debug_file(c, f)) {
			c->found = f;
			c->path = path;
			return true;
		}
		elf_file_close(f);
	}
	free(path);
	return false;
}

static bool find_by_link(const struct debug_search *s, struct elf_file *object, struct candidate *c)
{
	Elf_Data *link = section_data(object, ".gnu_debuglink");
	const char *slash = s->path ? strrchr(s->path, '/') : NULL;
	const char *name = link ? link->d_buf : NULL;
	size_t len, at;

	if (!name || !slash)
		return false;
	len = strnlen(name, link->d_size);
	at = (len + 4) & ~(size_t)3;
	if (len == 0 || len > 255 || at + 4 > link->d_size || memchr(name, '/', len))
		return false;
	memcpy(&c->crc, name + at, 4);
	if (object->facts.big_endian)
		c->crc = __builtin_bswap32(c->crc);
	c->check_crc = true;
	return walk_link(s, s->path, (int)(slash - s->path), name, try_debug_file, c);
}

int debug_file_find(const struct debug_search *s, struct elf_file *object, struct elf_file **found,
		    char **path)
{
	struct candidate c = { .search = s, .object = object };

	if (!walk_build_id(s, s->build_id, s->build_id_len, try_debug_file, &c) &&
	    !(object && find_by_link(s, object, &c)))
		return -ENOENT;
	*found = c.found;
	*path = c.path;
	return 0;
}

static bool try_alt(char *path, void *arg)
{
	struct candidate *c = arg;
	struct elf_file *f;

	if (elf_file_open(path, &f) == 0) {
		bool same = f->facts.build_id_len == c->search->build_id_len &&
			    memcmp(f->facts.build_id, c->search->build_id, f->facts.build_id_len) == 0;

		elf_file_close(f);
		if (same) {
			c->path = path;
			return true;
		}
	}
	free(path);
	return false;
}

/* name, relative to debug_path's directory unless absolute; in the target's root first. */
static bool walk_alt(const struct debug_search *s, const char *debug_path, const char *name,
		     struct candidate *c)
{
	const char *slash = strrchr(debug_path, '/');
	int dir = slash ? (int)(slash - debug_path) : 0;

	if (name[0] != '/')
		return try_alt(xasprintf("%.*s/%s", dir, dir ? debug_path : "", name), c);
	return (s->root && try_alt(xasprintf("%s%s", s->root, name), c)) || try_alt(xstrdup(name), c);
}

int debug_file_find_alt(const struct debug_search *s, struct elf_file *debug, const char *debug_path,
			char **path)
{
	Elf_Data *link = section_data(debug, ".gnu_debugaltlink");
	const char *name = link ? link->d_buf : NULL;
	struct debug_search alt = *s;
	struct candidate c = { .search = &alt };
	struct stat st;
	size_t len;

	if (!link)
		return -ENODATA;
	len = name ? strnlen(name, link->d_size) : 0;
	if (len == 0 || len >= link->d_size || link->d_size - len - 1 > ELF_BUILD_ID_MAX)
		return -EPERM;
	alt.build_id = (const uint8_t *)name + len + 1;
	alt.build_id_len = link->d_size - len - 1;
	if (walk_alt(s, debug_path, name, &c) ||
	    walk_build_id(&alt, alt.build_id, alt.build_id_len, try_alt, &c)) {
		*path = c.path;
		return 0;
	}
	return stat(name, &st) == 0 && !S_ISREG(st.st_mode) ? -EPERM : -ENOENT;
}
