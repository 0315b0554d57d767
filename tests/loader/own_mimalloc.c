/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mimalloc by the names that only it has. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct mi_heap;

void *mi_malloc(size_t size);
void *mi_mallocn(size_t n, size_t size);
void *mi_zalloc(size_t size);
void *mi_calloc(size_t n, size_t size);
void *mi_realloc(void *block, size_t size);
void *mi_reallocf(void *block, size_t size);
int mi_reallocarr(void *block, size_t n, size_t size);
void *mi_malloc_aligned(size_t size, size_t alignment);
int mi_posix_memalign(void **out, size_t alignment, size_t size);
char *mi_strdup(const char *s);
void *mi_new(size_t size);
void mi_free(void *block);
void mi_free_size(void *block, size_t size);
struct mi_heap *mi_heap_new(void);
void mi_heap_delete(struct mi_heap *heap);
void *mi_heap_malloc(struct mi_heap *heap, size_t size);

#define ROUNDS	200
#define TOO_MUCH ((size_t)-1 / 2)

static void round_trip(struct mi_heap *heap)
{
	void *p = mi_malloc(111), *q = NULL;

	p = mi_realloc(p, 2222);
	if (mi_realloc(p, TOO_MUCH))	/* fails: p stays */
		abort();
	if (mi_reallocarr(&p, 10, 230))
		abort();
	mi_free(p);
	if (mi_reallocf(mi_malloc(110), TOO_MUCH))	/* fails: the block goes */
		abort();
	mi_free_size(mi_zalloc(112), 112);
	mi_free(mi_calloc(10, 11) /* 110 */);
	mi_free(mi_mallocn(29, 4) /* 116 */);
	mi_free(mi_malloc_aligned(113, 256));
	if (mi_posix_memalign(&q, 128, 114) == 0)
		mi_free(q);
	mi_free(mi_strdup("four"));
	mi_free(mi_new(115));
	mi_free(mi_heap_malloc(heap, 117));
	free(mi_malloc(118));
}

int main(void)
{
	struct mi_heap *heap = mi_heap_new();

	for (int i = 0; i < ROUNDS; i++)
		round_trip(heap);
	mi_heap_delete(heap);
	mi_malloc(120);
	printf("expect mi_malloc 110 %d\nexpect mi_malloc 111 %d\nexpect mi_realloc 2222 %d\n", ROUNDS, ROUNDS,
	       ROUNDS);
	printf("expect mi_realloc 2300 %d\nexpect mi_zalloc 112 %d\nexpect mi_calloc 110 %d\n", ROUNDS, ROUNDS,
	       ROUNDS);
	printf("expect mi_malloc 116 %d\nexpect mi_memalign 113 %d\nexpect mi_memalign 114 %d\n", ROUNDS, ROUNDS,
	       ROUNDS);
	printf("expect mi_strdup 5 %d\nexpect mi_new 115 %d\nexpect mi_heap_malloc 117 %d\n", ROUNDS, ROUNDS,
	       ROUNDS);
	printf("expect mi_malloc 118 %d\nexpect mi_free - %d\n", ROUNDS, 9 * ROUNDS);
	for (int size = 110; size < 119; size++)
		printf("live %d 0\n", size);
	printf("live 2222 0\nlive 2300 0\nlive 5 0\nlive 120 1\nframes mi_malloc 111 ^round_trip;main;\n");
	return 0;
}
