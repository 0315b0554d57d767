/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* calls WHAT: allocator calls of known number and size; says what a trace must hold.
 *
 *	expect OP-SIZE COUNT	so many allocations by that function of that size
 *	live SIZE COUNT		so many blocks of that size at the end */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#define BLOCKS		200
#define THREADS		4
#define check(what)	do { if (!(what)) printf("FAIL line %d: %s\n", __LINE__, #what); } while (0)

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_memalign(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static void *keep[64];
static int kept;

static void *hold(void *p)
{
	check(p);
	return keep[kept++ % 64] = p;
}

static void *churn(void *unused)
{
	void *block[BLOCKS];

	for (int i = 0; i < BLOCKS; i++) {
		block[i] = i % 4 ? malloc(10007) : calloc(3, 3337);
		check(block[i] && (uintptr_t)block[i] % 16 == 0);
		if (i % 4 == 0)
			for (int b = 0; b < 3 * 3337; b++)
				check(((char *)block[i])[b] == 0);
		memset(block[i], 0xa5, 10007);
	}
	for (int i = 0; i < BLOCKS; i++) {
		if (i % 2)
			block[i] = realloc(block[i], 20011);
		check(((unsigned char *)block[i])[10006] == 0xa5 && malloc_usable_size(block[i]) >= 10007);
	}
	for (int i = 0; i < BLOCKS; i++)
		free(block[i]);
	return unused;
}

static void tell_churn(int times)
{
	printf("expect malloc-10007 %d\nexpect calloc-10011 %d\nexpect realloc-20011 %d\n", 150 * times,
	       50 * times, 100 * times);
	printf("live 10007 0\nlive 10011 0\nlive 20011 0\nlive 30011 7\n");
}

static void leave(void)
{
	for (int i = 0; i < 7; i++)
		hold(malloc(30011));
}

static void counts(void)
{
	churn(NULL);
	leave();
	tell_churn(1);
}

static void threads(void)
{
	pthread_t id[THREADS];

	for (int i = 0; i < THREADS; i++)
		check(!pthread_create(&id[i], NULL, churn, NULL));
	for (int i = 0; i < THREADS; i++)
		check(!pthread_join(id[i], NULL));
	leave();
	tell_churn(THREADS);
}

/* Every function once; `leak` keeps what it made. */
static void api(int leak)
{
	void (*cfree)(void *) = (void (*)(void *))dlvsym(RTLD_DEFAULT, "cfree", "GLIBC_2.2.5");
	size_t huge = SIZE_MAX / 2;
	void *p = NULL;

	hold(malloc(11001));
	hold(calloc(7, 1573));
	hold(realloc(NULL, 11003));
	hold(realloc(malloc(8), 100004));
	hold(reallocarray(NULL, 5, 2201));
	check(!posix_memalign(&p, 64, 11006));
	hold(p);
	hold(aligned_alloc(128, 11008 + 128));
	check((uintptr_t)keep[kept - 1] % 128 == 0);
	hold(memalign(256, 11009));
	check((uintptr_t)keep[kept - 1] % 256 == 0);
	hold(valloc(11010));
	check((uintptr_t)keep[kept - 1] % 4096 == 0);
	hold(pvalloc(11011));
	hold(strdup("twenty-two characters."));
	hold(strndup("twenty-three characters.., and more", 24));
	hold(malloc(0));
	hold(calloc(0, 5));
	check(!calloc(huge, 4) && !reallocarray(keep[0], huge, 8) && !malloc(huge));
	check(posix_memalign(&p, 3, 10) == EINVAL);
	free(NULL);
	for (int i = 0; !leak && i < kept; i++)
		(i % 2 && cfree ? cfree : free)(keep[i]);
	printf("live 11001 %d\nlive 11011 %d\nlive 11003 %d\nlive 100004 %d\nlive 11005 %d\nlive 11006 %d\n", leak,
	       2 * leak, leak, leak, leak, leak);
	printf("live 11136 %d\nlive 11009 %d\nlive 11010 %d\nlive 23 %d\nlive 25 %d\nlive 0 %d\nlive 8 0\n", leak,
	       leak, leak, leak, leak, 2 * leak);
	puts("expect malloc-11001 1\nexpect calloc-11011 1\nexpect realloc-11003 1\nexpect realloc-100004 1\n"
	     "expect reallocarray-11005 1\nexpect posix_memalign-11006 1\nexpect aligned_alloc-11136 1\n"
	     "expect memalign-11009 1\nexpect valloc-11010 1\nexpect pvalloc-11011 1\nexpect strdup-23 1\n"
	     "expect strndup-25 1\nexpect malloc-0 1\nexpect calloc-0 1");
}

static void straight(void)
{
	for (int i = 0; i < 100; i++) {
		free(__libc_malloc(10100));
		free(__libc_calloc(3, 3400));
		free(__libc_memalign(64, 10300));
		free(realloc(__libc_malloc(10110), 15000));
		__libc_free(malloc(10077));
		free(__libc_realloc(malloc(10009), 13000));
	}
	puts("expect malloc-10100 100\nexpect calloc-10200 100\nexpect memalign-10300 100\nexpect malloc-10077 100\n"
	     "expect realloc-15000 100\nexpect realloc-13000 100\nlive 10100 0\nlive 10200 0\nlive 10300 0\n"
	     "live 10110 0\nlive 15000 0\nlive 10077 0\nlive 10009 0\nlive 13000 0");
}

#define KEEPS(call)	do { errno = 33; call; check(errno == 33); } while (0)
#define FAILS(call)	do { errno = 0; check(!(call)); check(errno == ENOMEM); } while (0)

static void kept_errno(void)
{
	volatile size_t huge = SIZE_MAX / 2, one = 1;
	void *volatile p, *q = (void *)5;

	for (int i = 0; i < 2000; i++) {
		KEEPS(p = malloc((size_t)i * 100 + 1));
		KEEPS(p = realloc(p, (size_t)i * 200 + 1));
		KEEPS(free(p));
		KEEPS(p = calloc(3, (size_t)i + 1));
		KEEPS(malloc_usable_size(p));
		KEEPS(free(p));
		KEEPS(free(strdup("kept")));
	}
	FAILS(malloc(huge));
	FAILS(calloc(huge, 4));
	FAILS(aligned_alloc(64 * one, huge));
	p = malloc(10001);
	FAILS(realloc(p, huge));
	FAILS(reallocarray(p, huge, 8));
	free(p);
	KEEPS(check(posix_memalign((void **)&q, 3, 10) == EINVAL));
	check(q == (void *)5 && posix_memalign((void **)&q, 64, huge) == ENOMEM);
	puts("live 10001 0");
}

static void show(const char *what, void *p)
{
	printf("%s %s %d\n", what, p == MAP_FAILED ? "fails" : "works", errno);
	errno = 0;
}

/* All that mmap and its relatives can be asked for: the output tells what came back. */
static void pages(void)
{
	int kinds[] = { MAP_PRIVATE, MAP_SHARED, MAP_PRIVATE | MAP_HUGETLB, MAP_PRIVATE | MAP_NORESERVE,
			MAP_PRIVATE | MAP_POPULATE, MAP_PRIVATE | MAP_STACK | MAP_GROWSDOWN,
			MAP_PRIVATE | MAP_32BIT, 0, MAP_SHARED_VALIDATE | 0x4000000 };
	size_t sizes[] = { 0, 1, 4096, 3 * 4096 + 1, 2 << 20, (size_t)1 << 46 };
	char *p, *q, *low;
	int id;

	errno = 0;
	for (unsigned k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		for (unsigned s = 0; s < 6; s++) {
			p = mmap(NULL, sizes[s], PROT_READ | PROT_WRITE, kinds[k] | MAP_ANONYMOUS, -1, 0);
			show("mmap", p);
			if (p != MAP_FAILED)
				printf("munmap %d\n", munmap(p, sizes[s]));
		}
	show("unaligned", mmap((void *)4097, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	show("no file", mmap(NULL, 4096, 1, MAP_PRIVATE, 99, 0));
	p = mmap(NULL, 16 * 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	strcpy(p, "moved");
	q = mmap(NULL, 64 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(mremap(p, 16 * 4096, 32 * 4096, MREMAP_MAYMOVE | MREMAP_FIXED, q) == q && !strcmp(q, "moved"));
	check(mmap(q + 4096, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == q + 4096);
	show("mremap", mremap(p, 4096, 8192, 0));
	check(!munmap(q, 64 * 4096));
	low = sbrk(0);
	check(sbrk(3 * 4096) == low && (char *)sbrk(0) == low + 3 * 4096);
	check(!brk(low + 4096) && (char *)sbrk(0) == low + 4096 && sbrk(-4096) == low + 4096);
	show("sbrk", sbrk((intptr_t)1 << 46));
	id = shmget(IPC_PRIVATE, 8192, IPC_CREAT | 0600);
	p = shmat(id, NULL, 0);
	show("shmat", p == (void *)-1 ? MAP_FAILED : p);
	shmctl(id, IPC_RMID, NULL);
	printf("shmdt %d\n", shmdt(p));
}

/* 192 MiB of blocks and 64 MiB of pages: what malloc maps for its blocks is not counted twice. */
static void halves(void)
{
	for (int i = 0; i < 6; i++)
		hold(malloc(32 << 20));
	hold(mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	puts("expect malloc-33554432 6\nexpect mmap-67108864 1\nlive 33554432 6");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "counts"))
		counts();
	else if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "api") || !strcmp(what, "leak"))
		api(*what == 'l');
	else if (!strcmp(what, "straight"))
		straight();
	else if (!strcmp(what, "errno"))
		kept_errno();
	else if (!strcmp(what, "pages"))
		pages();
	else if (!strcmp(what, "halves"))
		halves();
	else
		return 2;
	return 0;
}
