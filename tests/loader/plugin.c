/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library to be opened: allocates as it is loaded, when called, through an initialised pointer,
 * and as it goes.  PLUGIN_OWN: it brings a malloc of its own. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Initialised by the loader, then read-only: a word that begins on one page and ends on the next. */
static const struct {
	char before[4092];
	void (*release)(void *);
} __attribute__((packed, aligned(4096))) crossing = { "", free };
static void *volatile early;

#ifdef PLUGIN_OWN
static char arena[65536];
static size_t used;

void *malloc(size_t size)
{
	char *p = arena + used;

	used += (size + 15) / 16 * 16;
	return p;
}

void free(void *block)
{
	(void)block;
}

int plugin_owns(const void *p);
int plugin_owns(const void *p)
{
	return (const char *)p >= arena && (const char *)p < arena + sizeof(arena);
}
#endif

static __attribute__((constructor)) void plugin_load(void)
{
	early = malloc(4111);
}

static __attribute__((destructor)) void plugin_unload(void)
{
	free(early);
}

void *plugin_make(size_t size);
void *plugin_make(size_t size)
{
	void *p = malloc(size);

	return memset(p, 1, size);
}

void plugin_unmake(void *p);
void plugin_unmake(void *p)
{
	free(p);
}

void plugin_pointer(void *p);
void plugin_pointer(void *p)
{
	void (*volatile release)(void *) = crossing.release;

	release(p);
}

char *plugin_string(void);
char *plugin_string(void)
{
	return strdup("twelve bytes");
}
