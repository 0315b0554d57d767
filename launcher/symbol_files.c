/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sharing open ELF files. */
#include "launcher/symbol_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"

#define IDLE_MAX	32u	/* files nobody uses that are kept for the next process */

struct symbol_files {
	pthread_mutex_t lock;
	struct symbol_file *first;
	unsigned idle;
};

struct symbol_files *symbol_files_new(void)
{
	struct symbol_files *f = xcalloc(1, sizeof(*f));

	pthread_mutex_init(&f->lock, NULL);
	return f;
}

static void file_free(struct symbol_file *file)
{
	symbol_module_close(file->module);
	pthread_mutex_destroy(&file->lock);
	free(file);
}

void symbol_files_free(struct symbol_files *f)
{
	while (f->first) {
		struct symbol_file *file = f->first;

		f->first = file->next;
		file_free(file);
	}
	pthread_mutex_destroy(&f->lock);
	free(f);
}

/* Debug directories are one per launcher in practice, but they decide what is found. */
static void make_key(const struct symbol_source *s, struct buffer *key)
{
	if (s->build_id_len)
		buffer_append(key, s->build_id, s->build_id_len);
	else
		buffer_printf(key, "%s:%llu:%d", s->path, (unsigned long long)s->inode, (int)s->pid);
	buffer_printf(key, "|%s", s->symbols_from ? s->symbols_from : "");
}

static struct symbol_file *file_find(struct symbol_files *f, const struct buffer *key)
{
	for (struct symbol_file *file = f->first; file; file = file->next)
		if (file->key_length == key->length && !memcmp(file->key, key->data, key->length))
			return file;
	return NULL;
}

static struct symbol_file *file_new(const struct symbol_source *source, const struct buffer *key)
{
	struct symbol_file *file = xcalloc(1, sizeof(*file) + key->length);

	file->module = symbol_module_open(source);
	pthread_mutex_init(&file->lock, NULL);
	file->key_length = key->length;
	memcpy(file->key, key->data, key->length);
	return file;
}

/* One that could not be found for the first process may be found for this one. */
static bool file_useful(const struct symbol_file *file)
{
	enum symbol_state state = symbol_module_state(file->module);

	return state == SYMBOL_MODULE_OK || state == SYMBOL_MODULE_STRIPPED;
}

struct symbol_file *symbol_file_get(struct symbol_files *f, const struct symbol_source *source)
{
	struct buffer key = BUFFER_INIT;
	struct symbol_file *file;

	make_key(source, &key);
	pthread_mutex_lock(&f->lock);
	file = file_find(f, &key);
	if (!file || !file_useful(file)) {
		file = file_new(source, &key);
		file->next = f->first;
		f->first = file;
	} else if (!file->users) {
		f->idle--;
	}
	file->users++;
	pthread_mutex_unlock(&f->lock);
	buffer_release(&key);
	return file;
}

static void file_unlink(struct symbol_files *f, struct symbol_file *file)
{
	struct symbol_file **link = &f->first;

	while (*link != file)
		link = &(*link)->next;
	*link = file->next;
}

void symbol_file_put(struct symbol_files *f, struct symbol_file *file)
{
	bool unwanted = false;

	pthread_mutex_lock(&f->lock);
	if (!--file->users) {
		unwanted = f->idle >= IDLE_MAX || !file_useful(file);
		if (unwanted)
			file_unlink(f, file);
		else
			f->idle++;
	}
	pthread_mutex_unlock(&f->lock);
	if (unwanted)
		file_free(file);
}
