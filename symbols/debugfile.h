/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where an object's separate debug information may lie, and whether a file found there is it. */
#ifndef SYMBOLS_DEBUGFILE_H
#define SYMBOLS_DEBUGFILE_H

#include "symbols/elf.h"

struct debug_search {
	const char *path;		/* of the object, as the target names it; NULL: unknown */
	const char *root;		/* "/proc/PID/root" or NULL */
	const char *symbols_from;	/* colon-separated, or NULL */
	const uint8_t *build_id;
	size_t build_id_len;
};

/* Whether the file has DWARF of its own. */
bool debug_file_has_dwarf(struct elf_file *);

/* Finds the debug file: by build-id, then by .gnu_debuglink of object (NULL: no object at hand).
 * A file with another build-id, or without one and another checksum than the link's, is refused.
 * The result and its path (malloc'ed) are the caller's.  0 or -ENOENT. */
int debug_file_find(const struct debug_search *, struct elf_file *object, struct elf_file **, char **path);

/* Finds the file that dwz moved common parts into (.gnu_debugaltlink) for the debug file at
 * debug_path.  0: *path is the caller's; -ENOENT: it is wanted but not found; -ENODATA: not wanted;
 * -EPERM: what lies there is no regular file, and must not be opened by anyone. */
int debug_file_find_alt(const struct debug_search *, struct elf_file *debug, const char *debug_path,
			char **path);

#endif
