/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* caller saved|threads|load [LIBRARY] ROUNDS: calls the allocator in ways that only a patched entry sees.
 *
 * Says "ready" and waits for a line on its standard input; then works, says
 *	counted MALLOC CALLOC REALLOC FREE MEMALIGN	calls of its own (free: of blocks)
 *	live BLOCKS BYTES				of those that it made in that time
 * and waits for another line.  While it waits it calls no allocator. */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OLD = 64, KEPT_EACH = 50, LARGE = 300000 };

struct pointers {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	void *(*memalign)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	char *(*strdup)(const char *);
};

#define POINTERS { malloc, calloc, realloc, free, memalign, posix_memalign, strdup }

struct counts {
	uint64_t malloc, calloc, realloc, free, memalign, blocks, bytes;
};

static struct pointers in_data = POINTERS;
static void *old[OLD], *kept;
static struct counts counts;

static void say(const char *line)
{
	if (write(1, line, strlen(line)) < 0)
		_exit(1);
}

static void wait_for_line(void)
{
	char c;

	while (read(0, &c, 1) == 1)
		if (c == '\n')
			return;
	_exit(1);
}

static void call_aligned(const struct pointers *f, struct counts *n, size_t size)
{
	void *p = f->memalign(64, size), *q = NULL, *r = f->memalign(8, size);

	if (f->posix_memalign(&q, 4096, size) || !p || !q || !r)
		_exit(1);
	f->free(q);
	f->free(p);
	f->free(r);
	n->memalign += 3;
	n->free += 3;
}

/* In place, moved, from and to nothing, as a mapping of its own. */
static void call_realloc(const struct pointers *f, struct counts *n, size_t size)
{
	char *p = f->realloc(NULL, size), *q = f->malloc(16);

	p = f->realloc(p, size + 200);
	p = f->realloc(p, LARGE);
	p = f->realloc(p, 3 * LARGE);
	p = f->realloc(p, size / 2 + 1);
	f->free(p);
	f->free(q);
	n->malloc++;
	n->realloc += 5;
	n->free += 2;
}

static void call_all(const struct pointers *f, struct counts *n, unsigned round)
{
	size_t size = 1 + round % 700;
	char *p = f->malloc(size), *q = f->calloc(3, size), *s = f->strdup("an example");

	n->malloc += 2;
	n->calloc++;
	f->free(NULL);
	f->free(s);
	f->free(q);
	n->free += 2;
	if (round % KEPT_EACH == 0) {
		if (size >= sizeof(kept))
			memcpy(p, &kept, sizeof(kept));	/* a list, so nobody calls it leaked */
		kept = size >= sizeof(kept) ? p : kept;
		n->blocks++;
		n->bytes += size;
	} else {
		f->free(p);
		n->free++;
	}
	call_realloc(f, n, size);
	call_aligned(f, n, size);
}

static void release_old(void)
{
	for (unsigned i = 0; i < OLD / 2; i++)
		free(old[i]);
	for (unsigned i = OLD / 2; i < OLD; i++)
		free(realloc(old[i], 1000));
	counts.free += OLD;
	counts.realloc += OLD / 2;
}

static void saved(unsigned rounds, struct pointers *in_heap)
{
	volatile struct pointers on_stack = POINTERS;
	struct pointers copy = { on_stack.malloc, on_stack.calloc, on_stack.realloc, on_stack.free,
				 on_stack.memalign, on_stack.posix_memalign, on_stack.strdup };

	say("ready\n");
	wait_for_line();
	for (unsigned i = 0; i < rounds; i++) {
		call_all(&in_data, &counts, i);
		call_all(in_heap, &counts, i);
		call_all(&copy, &counts, i);
		call_all(&(struct pointers)POINTERS, &counts, i);
	}
	release_old();
}

static void *run(void *argument)
{
	unsigned round = (unsigned)(uintptr_t)argument;
	struct counts *n = malloc(sizeof(*n));

	memset(n, 0, sizeof(*n));
	n->malloc = 1;
	n->free = 1;		/* its joiner */
	call_all(&in_data, n, round);
	return n;
}

/* Each thread frees blocks that its allocator keeps for it alone, until it ends. */
static void threads(unsigned rounds)
{
	pthread_t t[4];
	void *result;

	say("ready\n");
	wait_for_line();
	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned k = 0; k < 4; k++)
			if (pthread_create(&t[k], NULL, run, (void *)(uintptr_t)(i * 4 + k + 1)))
				_exit(1);
		for (unsigned k = 0; k < 4; k++) {
			const struct counts *n = NULL;

			pthread_join(t[k], &result);
			n = result;
			counts.malloc += n->malloc;
			counts.calloc += n->calloc;
			counts.realloc += n->realloc;
			counts.free += n->free;
			counts.memalign += n->memalign;
			counts.blocks += n->blocks;
			counts.bytes += n->bytes;
			free(result);
		}
	}
}

static void load(const char *library, unsigned rounds)
{
	say("ready\n");
	wait_for_line();
	for (unsigned i = 0; i < rounds; i++) {
		void *handle = dlopen(library, RTLD_NOW);

		if (!handle || !dlsym(handle, "plugin_sum") || dlclose(handle)) {
			say("no library\n");
			_exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	struct pointers *in_heap = malloc(sizeof(*in_heap));
	char line[160];

	if (argc < 3)
		return 2;
	*in_heap = in_data;
	for (unsigned i = 0; i < OLD; i++)
		old[i] = malloc(8 + 16 * i);
	if (strcmp(argv[1], "saved") == 0)
		saved((unsigned)atoi(argv[2]), in_heap);
	else if (strcmp(argv[1], "threads") == 0)
		threads((unsigned)atoi(argv[2]));
	else if (argc > 3)
		load(argv[2], (unsigned)atoi(argv[3]));
	snprintf(line, sizeof(line), "counted %llu %llu %llu %llu %llu\nlive %llu %llu\n",
		 (unsigned long long)counts.malloc, (unsigned long long)counts.calloc,
		 (unsigned long long)counts.realloc, (unsigned long long)counts.free,
		 (unsigned long long)counts.memalign, (unsigned long long)counts.blocks,
		 (unsigned long long)counts.bytes);
	say(line);
	wait_for_line();
	return 0;
}
