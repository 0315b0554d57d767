/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ELF files that modules were loaded from, opened while the process lives and shared by all
 * sessions: a family of compilers maps the same libc many times. */
#ifndef LAUNCHER_SYMBOL_FILES_H
#define LAUNCHER_SYMBOL_FILES_H

#include <pthread.h>

#include "symbols/module.h"

struct symbol_files;

struct symbol_file {
	struct symbol_module *module;
	pthread_mutex_t lock;		/* held while module is used */
	unsigned users;			/* guarded by the set */
	struct symbol_file *next;
	size_t key_length;
	char key[];			/* build-id, or path and inode where there is none */
};

struct symbol_files *symbol_files_new(void);

/* After all users are gone. */
void symbol_files_free(struct symbol_files *f);

/* The file of a module that is mapped now; opens it if no session has.  Never NULL. */
struct symbol_file *symbol_file_get(struct symbol_files *f, const struct symbol_source *source);
void symbol_file_put(struct symbol_files *f, struct symbol_file *file);

#endif
