/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program with a malloc of its own, from which libc takes its blocks, too.  With FORWARD it passes
 * all on to the next malloc; with HIDDEN others do not see it. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

char *strdup(const char *);

#ifdef FORWARD
static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }
void *malloc(size_t n) { return ((void *(*)(size_t))next("malloc"))(n); }
void free(void *p) { ((void (*)(void *))next("free"))(p); }
#else
static char heap[8 << 20] __attribute__((aligned(16)));
static size_t top;
VISIBLE void *malloc(size_t n)
{
	size_t *p = (size_t *)(heap + top);

	top += (n + 31) & ~15ul;
	*p = n;
	return top > sizeof(heap) ? NULL : p + 2;
}
VISIBLE void free(void *p) { (void)p; }
VISIBLE void *calloc(size_t a, size_t b) { return malloc(a * b); }
VISIBLE void *realloc(void *old, size_t n)
{
	size_t *p = malloc(n);

	return p && old ? memcpy(p, old, ((size_t *)old)[-2] < n ? ((size_t *)old)[-2] : n) : p;
}
#endif

int main(void)
{
	for (int i = 0; i < 100; i++) {
		free(malloc(10007));
#ifndef HIDDEN
		free(strdup("hello"));
#endif
	}
	mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	puts("OK");
	return 0;
}
