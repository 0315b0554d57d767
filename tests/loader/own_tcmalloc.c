/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gperftools' tcmalloc by the names that only it has. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void *tc_malloc(size_t size);
void *tc_calloc(size_t n, size_t size);
void *tc_realloc(void *block, size_t size);
void *tc_memalign(size_t alignment, size_t size);
int tc_posix_memalign(void **out, size_t alignment, size_t size);
void tc_free(void *block);
void tc_cfree(void *block);
void tc_free_sized(void *block, size_t size);
void *tc_new(size_t size);
void tc_delete(void *block);
void tc_delete_sized(void *block, size_t size);
void *tc_newarray(size_t size);
void tc_deletearray(void *block);

#define ROUNDS 200

static void round_trip(void)
{
	void *p = tc_malloc(111), *q = NULL;

	p = tc_realloc(p, 2222);
	tc_free(p);
	tc_free_sized(tc_calloc(7, 16), 112);
	tc_cfree(tc_memalign(64, 113));
	if (tc_posix_memalign(&q, 128, 114) == 0)
		tc_free(q);
	tc_delete(tc_new(115));
	tc_delete_sized(tc_new(116), 116);
	tc_deletearray(tc_newarray(117));
	free(tc_malloc(118));
	tc_free(malloc(119));
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++)
		round_trip();
	tc_malloc(120);
	printf("expect tc_malloc 111 %d\nexpect tc_realloc 2222 %d\nexpect tc_calloc 112 %d\n", ROUNDS, ROUNDS,
	       ROUNDS);
	printf("expect tc_memalign 113 %d\nexpect tc_memalign 114 %d\n", ROUNDS, ROUNDS);
	printf("expect tc_new 115 %d\nexpect tc_new 116 %d\nexpect tc_newarray 117 %d\n", ROUNDS, ROUNDS, ROUNDS);
	printf("expect tc_malloc 118 %d\nexpect malloc 119 %d\n", ROUNDS, ROUNDS);
	printf("expect tc_free - %d\nexpect tc_delete - %d\nexpect tc_deletearray - %d\n", 5 * ROUNDS,
	       2 * ROUNDS, ROUNDS);
	for (int size = 111; size < 120; size++)
		printf("live %d 0\n", size);
	printf("live 2222 0\nlive 120 1\nframes tc_malloc 111 ^round_trip;main;\n");
	return 0;
}
