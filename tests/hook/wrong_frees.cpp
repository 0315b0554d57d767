/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Releases that do not fit: wrong_frees mismatch|double|wild|odd|clean.
 * "expect KIND COUNT" lines tell how many findings the trace must have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>
#include <string>
#include <vector>

#define ROUNDS 3

struct pair {
	long a, b;
};

__attribute__((noinline)) static void array_with_free()
{
	free(new pair[4]);
}

__attribute__((noinline)) static void malloc_with_delete()
{
	::operator delete(malloc(40));
}

__attribute__((noinline)) static void scalar_with_array_delete()
{
	::operator delete[](::operator new(24));
}

__attribute__((noinline)) static void new_with_realloc()
{
	void *p = realloc(::operator new(24), 400);

	free(p);
}

__attribute__((noinline)) static void free_twice()
{
	void *p = malloc(3000), *keep = malloc(16);

	free(p);
	free(keep);
	free(p);
}

__attribute__((noinline)) static void free_inside(int at)
{
	char *p = (char *)malloc(256);

	free(p + at);
}

static void mismatch()
{
	for (int i = 0; i < ROUNDS; i++) {
		array_with_free();
		malloc_with_delete();
		scalar_with_array_delete();
		new_with_realloc();
	}
	printf("expect mismatched %d\n", 4 * ROUNDS);
}

/* All that is right, in one go: nothing may be found. */
static void clean()
{
	std::vector<std::string> texts;
	void *block = NULL;

	for (int i = 0; i < 500; i++)
		texts.push_back(std::string((size_t)i, 'x'));
	texts.clear();
	texts.shrink_to_fit();
	for (size_t n = 1; n < 5000; n *= 3)
		block = realloc(block, n);
	if (realloc(block, SIZE_MAX / 4))
		puts("FAIL: that much memory");
	free(block);
	delete[] new (std::nothrow) pair[7];
	::operator delete(::operator new(64, std::align_val_t(64)), std::align_val_t(64));
	free(aligned_alloc(128, 256));
	free(strdup("text"));
	free(malloc(0));
	printf("expect mismatched 0\n");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IONBF, 0);
	if (!strcmp(what, "mismatch"))
		mismatch();
	else if (!strcmp(what, "clean"))
		clean();
	else if (!strcmp(what, "double"))
		free_twice();
	else if (!strcmp(what, "wild"))
		free_inside(64);
	else if (!strcmp(what, "odd"))
		free_inside(8);
	else
		return 2;
	return 0;
}
