/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Heap calls while the loader binds a function: its resolver allocates, called through the loader's
 * trampoline, whose CFA hangs on a register that is neither sp nor fp.  Linked with -z lazy to lazy.so
 * (LAZY_LIBRARY), which has functions that are bound by such a resolver. */
#include <stdio.h>
#include <stdlib.h>

int lazy_first(int);
int lazy_second(int);

#ifdef LAZY_LIBRARY

static int real_function(int n)
{
	return n + 1;
}

__attribute__((noinline)) static void *bind_it(size_t size)
{
	void *volatile block = malloc(size);

	free(block);
	return (void *)real_function;
}

static void *bind_first(void)
{
	void *f = bind_it(7001);

	__asm__ volatile("" : "+r"(f));	/* no tail call */
	return f;
}

static void *bind_second(void)
{
	void *f = bind_it(7002);

	__asm__ volatile("" : "+r"(f));
	return f;
}

int lazy_first(int n) __attribute__((ifunc("bind_first")));
int lazy_second(int n) __attribute__((ifunc("bind_second")));

#else

__attribute__((noinline)) static int calls_first(int n)
{
	return lazy_first(n) + 1;
}

__attribute__((noinline)) static int calls_second(int n)
{
	return lazy_second(calls_first(n)) + 1;
}

int main(void)
{
	printf("%d\n", calls_second(1));
	for (int size = 7001; size <= 7002; size++)
		printf("expect malloc %d 1\nlive %d 0\nframes malloc %d ^bind_it;(bind|lazy)_[a-z]*;.*;calls_%s[a-z0-9.]*;.*main;\n",
		       size, size, size, size == 7001 ? "first[a-z0-9.]*;calls_second" : "second");
	return 0;
}

#endif
