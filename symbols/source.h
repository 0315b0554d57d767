/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file that a module was loaded from, among the places where it may be. */
#ifndef SYMBOLS_SOURCE_H
#define SYMBOLS_SOURCE_H

#include "symbols/module.h"

struct elf_file;

/* Opens the first candidate that is the loaded file.  *state says how it went; *path (malloc'ed) is
 * where it was found.  0 or -ENOENT. */
int symbol_source_open(const struct symbol_source *, struct elf_file **, char **path, enum symbol_state *state);

/* source->path without " (deleted)"; NULL when it has none.  malloc'ed. */
char *symbol_source_path(const struct symbol_source *);

/* "/proc/PID/root", or NULL when the process is unknown.  malloc'ed. */
char *symbol_source_root(const struct symbol_source *);

#endif
