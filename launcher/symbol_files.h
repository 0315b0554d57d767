/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ELF files that modules were loaded from, opened while the process lives and shared by all
 * sessions: a family of compilers maps the same libc many times.  Each has a cache of answers
 * (launcher/symbol_cache.h) where that is wanted. */
#ifndef LAUNCHER_SYMBOL_FILES_H
#define LAUNCHER_SYMBOL_FILES_H

#include <pthread.h>
#include <stdbool.h>

#include "base/vector.h"
#include "symbols/module.h"

struct symbol_cache;
struct symbol_files;

struct symbol_file {
	struct symbol_module *module;
	struct symbol_cache *cache;	/* NULL: none */
	pthread_mutex_t lock;		/* guards the next three */
	pthread_cond_t given;
	VECTOR(struct symbol_module *) idle;	/* module and what shares it, when nobody uses them */
	unsigned shared;		/* made of module */
	unsigned workers;		/* for the symboliser, under its lock */
	unsigned users;			/* guarded by the set */
	struct symbol_file *next;
	size_t key_length;
	char key[];			/* build-id, or path and inode where there is none */
};

/* cached: answers are looked up in the user's cache and kept there. */
struct symbol_files *symbol_files_new(bool cached);

/* After all users are gone. */
void symbol_files_free(struct symbol_files *f);

/* The file of a module that is mapped now; opens it if no session has.  Never NULL. */
struct symbol_file *symbol_file_get(struct symbol_files *f, const struct symbol_source *source);
void symbol_file_put(struct symbol_files *f, struct symbol_file *file);

/* Can several threads look addresses up at a time? */
bool symbol_file_splits(const struct symbol_file *file);

/* A module to look up in, this thread's until it gives it back; waits where one must do. */
struct symbol_module *symbol_file_take(struct symbol_file *file);
void symbol_file_give(struct symbol_file *file, struct symbol_module *module);

/* Keeps what was found out for later sessions. */
void symbol_file_save(struct symbol_file *file);

#endif
