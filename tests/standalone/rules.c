/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does each thing that the text log has a rule for, and says which lines must stand there:
 *
 *	line OP SIZE PTR	SIZE - where the line has none */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u

static volatile size_t huge = PTRDIFF_MAX;
static void *volatile null;

static void line(const char *op, size_t size, const volatile void *p)
{
	printf("line %s %zu %p\n", op, size, (void *)p);
}

static void release(const char *op, const volatile void *p)
{
	printf("line %s - %p\n", op, (void *)p);
}

static void check(int good, const char *what)
{
	if (!good)
		printf("FAIL %s\n", what);
}

static void simple(void)
{
	void *p = malloc(1001), *zero = malloc(0), *c = calloc(7, 143);

	line("malloc", 1001, p);
	line("malloc", 0, zero);
	line("calloc", 1001, c);
	free(p);
	release("free", p);
	free(zero);
	release("free", zero);
	free(c);
	release("free", c);
	free(null);
}

static void failing(void)
{
	errno = 0;
	check(!malloc(huge) && errno == ENOMEM, "malloc of everything");
	check(!calloc(huge, 16), "calloc that overflows");
	check(!reallocarray(NULL, huge, 16), "reallocarray that overflows");
	check(mmap(NULL, huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED, "mmap fails");
	check(munmap((void *)1, PAGE) < 0, "munmap fails");
}

static void resizing(void)
{
	char *p = realloc(null, 1100), *block, *q;

	line("realloc", 1100, p);
	block = malloc(1);	/* in its way */
	line("malloc", 1, block);
	q = realloc(p, 900000);
	release("free", p);
	line("realloc", 900000, q);
	p = realloc(q, 800000);
	release("free", q);
	line("realloc", 800000, p);
	check(!realloc(p, huge), "realloc of everything");
	p[799999] = 1;
	q = reallocarray(p, 3, 411);
	release("free", p);
	line("reallocarray", 1233, q);
	check(!reallocarray(q, huge, 16), "reallocarray of a block that overflows");
	p = realloc(q, 0);
	release("free", q);
	check(!p, "realloc to 0 returns nothing");
	free(block);
	release("free", block);
}

static void strings(void)
{
	char *s = strdup("twelve bytes"), *t = strndup("only the first", 4);

	line("strdup", 13, s);
	line("strndup", 5, t);
	free(s);
	release("free", s);
	free(t);
	release("free", t);
}

static void aligned(void)
{
	void *p = NULL, *q = aligned_alloc(64, 1280), *m = memalign(128, 1301), *v = valloc(1302);

	check(!posix_memalign(&p, 256, 1303), "posix_memalign");
	line("aligned_alloc", 1280, q);
	line("memalign", 1301, m);
	line("valloc", 1302, v);
	line("posix_memalign", 1303, p);
	check(posix_memalign(&p, 3, 1304) == EINVAL, "posix_memalign refuses");
	free(p);
	release("free", p);
	free(q);
	release("free", q);
	free(m);
	release("free", m);
	free(v);
	release("free", v);
}

static void pages(void)
{
	char *p = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *q;

	line("mmap", 8 * PAGE, p);
	check(!munmap(p + 2 * PAGE, PAGE), "partial munmap");
	line("munmap", PAGE, p + 2 * PAGE);
	q = mremap(p + 3 * PAGE, 5 * PAGE, 50 * PAGE, MREMAP_MAYMOVE);
	line("munmap", 5 * PAGE, p + 3 * PAGE);
	line("mremap", 50 * PAGE, q);
	check(mremap(q, 50 * PAGE, 50 * PAGE, ~0) == MAP_FAILED, "mremap fails");
	munmap(q, 50 * PAGE);
	line("munmap", 50 * PAGE, q);
	munmap(p, 2 * PAGE);
	line("munmap", 2 * PAGE, p);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	simple();
	failing();
	resizing();
	strings();
	aligned();
	pages();
	return 0;
}
