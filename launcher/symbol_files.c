/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sharing open ELF files. */
#include "launcher/symbol_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "launcher/symbol_cache.h"

#define SHARED_MAX	3u	/* threads that read one object's DWARF at a time, beside the first */
#define IDLE_MAX	32u	/* files nobody uses that are kept for the next process */

struct symbol_files {
	pthread_mutex_t lock;
	struct symbol_file *first;
	unsigned idle;
	bool cached, looked;		/* wanted; the directory was looked for */
	int directory;			/* -1: none */
};

struct symbol_files *symbol_files_new(bool cached)
{
	struct symbol_files *f = xcalloc(1, sizeof(*f));

	pthread_mutex_init(&f->lock, NULL);
	f->cached = cached;
	f->directory = -1;
	return f;
}

static void file_free(struct symbol_file *file)
{
	for (size_t i = 0; i < file->idle.count; i++)
		if (file->idle.items[i] != file->module)
			symbol_module_close(file->idle.items[i]);
	vector_release(&file->idle);
	symbol_module_close(file->module);
	symbol_cache_free(file->cache);
	pthread_cond_destroy(&file->given);
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
	if (f->directory >= 0)
		close(f->directory);
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

static struct symbol_cache *cache_for(struct symbol_files *f, const struct symbol_module *module)
{
	uint64_t identity = f->cached ? symbol_module_identity(module) : 0;
	const uint8_t *id;
	size_t length;

	if (!identity)
		return NULL;
	if (!f->looked)
		f->directory = symbol_cache_directory();
	f->looked = true;
	if (f->directory < 0)
		return NULL;
	length = symbol_module_build_id(module, &id);
	return symbol_cache_new(f->directory, id, length, identity);
}

static struct symbol_file *file_new(struct symbol_files *f, const struct symbol_source *source,
				    const struct buffer *key)
{
	struct symbol_file *file = xcalloc(1, sizeof(*file) + key->length);

	file->module = symbol_module_open(source);
	file->cache = cache_for(f, file->module);
	pthread_mutex_init(&file->lock, NULL);
	pthread_cond_init(&file->given, NULL);
	vector_push(&file->idle, file->module);
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
		file = file_new(f, source, &key);
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

bool symbol_file_splits(const struct symbol_file *file)
{
	return symbol_module_splits(file->module);
}

/* The functions are read by whoever comes first; others wait for them, and share them. */
struct symbol_module *symbol_file_take(struct symbol_file *file)
{
	struct symbol_module *m = NULL;

	pthread_mutex_lock(&file->lock);
	symbol_module_load(file->module);
	while (!m) {
		if (file->idle.count)
			m = file->idle.items[--file->idle.count];
		else if (file->shared < SHARED_MAX && (m = symbol_module_share(file->module)))
			file->shared++;
		else
			pthread_cond_wait(&file->given, &file->lock);
	}
	pthread_mutex_unlock(&file->lock);
	return m;
}

void symbol_file_give(struct symbol_file *file, struct symbol_module *module)
{
	pthread_mutex_lock(&file->lock);
	vector_push(&file->idle, module);
	pthread_cond_signal(&file->given);
	pthread_mutex_unlock(&file->lock);
}

void symbol_file_save(struct symbol_file *file)
{
	bool complete = file->cache;

	pthread_mutex_lock(&file->lock);
	for (size_t i = 0; i < file->idle.count; i++)
		complete = complete && symbol_module_complete(file->idle.items[i]);
	pthread_mutex_unlock(&file->lock);
	if (complete)
		symbol_cache_save(file->cache);
}
