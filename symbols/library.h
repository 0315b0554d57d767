/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The libraries a program will be loaded with, in the order of symbol look-up, without loading it. */
#ifndef SYMBOLS_LIBRARY_H
#define SYMBOLS_LIBRARY_H

#include "symbols/elf.h"

/* Called for each library, breadth first as the dynamic linker searches them.  file is NULL when
 * the library was not found.  Nonzero ends the walk. */
typedef int library_fn(const char *name, struct elf_file *file, void *arg);

/* Walks the needed libraries of program, whose file lies in directory origin.  Looks where ld.so
 * does (rpath, LD_LIBRARY_PATH, runpath, default directories), without its cache. */
int library_walk(struct elf_file *program, const char *origin, library_fn *each, void *arg);

/* Whether the name is that of the C library or its dynamic linker. */
bool library_is_libc(const char *name);

#endif
