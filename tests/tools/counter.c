/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A counting interposer, independent of the hook and next to it in the chain: what it counted in
 * the same run is what the trace must show.
 *
 * The counts live in a shared mapping of a file, so they are complete however the process ends.
 * Only the outermost call of a thread counts: malloc below strdup or operator new does not. */
#include "tests/tools/counter.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static __thread int depth __attribute__((tls_model("initial-exec")));

/* Lies in a page that fork empties, so that a child opens a file of its own. */
static struct counter_file *_Atomic *opened;

static long raw_open(const char *path, int flags)
{
	return syscall(SYS_openat, AT_FDCWD, path, flags, 0644);
}

/* environ is not set yet when the first calls come: the kernel's copy is.  A fork child that gave
 * up root could not read that again. */
static const char *prefix(void)
{
	static char text[1 << 18];
	static const char *found;
	long fd, got, length = 0;

	if (found)
		return found;
	fd = raw_open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	while ((got = syscall(SYS_read, fd, text + length, sizeof(text) - 1 - (size_t)length)) > 0)
		length += got;
	syscall(SYS_close, fd);
	for (char *at = text; at < text + length; at += strlen(at) + 1)
		if (strncmp(at, COUNTER_ENV "=", sizeof(COUNTER_ENV)) == 0)
			return found = at + sizeof(COUNTER_ENV);
	return NULL;
}

static void *raw_map(size_t size, int flags, long fd)
{
	long at = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	return at == -1 ? NULL : (void *)at;
}

static struct counter_file *file_open(void)
{
	char path[4096];
	const char *start = prefix();
	struct counter_file *file = NULL;
	long fd;

	if (!start)
		return NULL;
	snprintf(path, sizeof(path), "%s.%ld", start, syscall(SYS_getpid));
	fd = raw_open(path, O_RDWR | O_CREAT | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (syscall(SYS_ftruncate, fd, sizeof(*file)) == 0)
		file = raw_map(sizeof(*file), MAP_SHARED, fd);
	syscall(SYS_close, fd);
	return file;
}

static struct counter_file *counts(void)
{
	static struct counter_file nothing;
	static atomic_flag busy = ATOMIC_FLAG_INIT;
	int saved = errno;
	struct counter_file *file = opened ? atomic_load(opened) : NULL;

	if (file)
		return file;
	while (atomic_flag_test_and_set(&busy))
		;
	if (!opened) {
		struct counter_file *_Atomic *page = raw_map(4096, MAP_PRIVATE | MAP_ANONYMOUS, -1);

		syscall(SYS_madvise, page, 4096, MADV_WIPEONFORK);
		opened = page;
	}
	file = atomic_load(opened);
	if (!file) {
		file = file_open();
		atomic_store(opened, file ? file : &nothing);
		file = atomic_load(opened);
	}
	atomic_flag_clear(&busy);
	errno = saved;
	return file;
}

static void count(enum op op, size_t bytes)
{
	struct counter_cell *cell = &counts()->cells[op];

	atomic_fetch_add_explicit(&cell->count, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&cell->bytes, bytes, memory_order_relaxed);
}

static int enter(void)
{
	return depth++ == 0;
}

static void leave(int *outer)
{
	(void)outer;
	depth--;
}

/* Also left by exceptions (built with -fexceptions). */
#define OUTER int outer __attribute__((cleanup(leave))) = enter()

static void *find(const char *name, const char *instead)
{
	void *at = dlsym(RTLD_NEXT, name);

	return at || !instead ? at : dlsym(RTLD_NEXT, instead);
}

#define REAL(result, name, instead, ...) \
	static result (*real)(__VA_ARGS__); \
	OUTER; \
	if (!real) \
		*(void **)&real = find(#name, instead)

/* parameters and arguments come in parentheses; size and done are expressions in them. */
#define ALLOC(id, name, instead, parameters, arguments, size) \
	EXPORT void *name parameters; \
	EXPORT void *name parameters \
	{ \
		static void *(*real) parameters; \
		void *result; \
		OUTER; \
		if (!real) \
			*(void **)&real = find(#name, instead); \
		result = real arguments; \
		if (outer && result) \
			count(OP_##id, size); \
		return result; \
	}

#define FREE(id, name, instead, parameters, arguments) \
	EXPORT void name parameters; \
	EXPORT void name parameters \
	{ \
		static void (*real) parameters; \
		OUTER; \
		if (!real) \
			*(void **)&real = find(#name, instead); \
		if (outer && p) \
			count(OP_##id, 0); \
		real arguments; \
	}

#define REALLOC(id, name, instead, parameters, arguments, size) \
	EXPORT void *name parameters; \
	EXPORT void *name parameters \
	{ \
		static void *(*real) parameters; \
		void *result; \
		OUTER; \
		if (!real) \
			*(void **)&real = find(#name, instead); \
		result = real arguments; \
		if (outer && p && (result || (size) == 0)) \
			count(OP_REALLOC_FREE, 0); \
		if (outer && result) \
			count(OP_##id, size); \
		return result; \
	}


ALLOC(MALLOC, malloc, NULL, (size_t n), (n), n)
ALLOC(LIBC_MALLOC, __libc_malloc, NULL, (size_t n), (n), n)
ALLOC(VALLOC, valloc, NULL, (size_t n), (n), n)
ALLOC(LIBC_VALLOC, __libc_valloc, NULL, (size_t n), (n), n)
ALLOC(PVALLOC, pvalloc, NULL, (size_t n), (n), n)
ALLOC(LIBC_PVALLOC, __libc_pvalloc, NULL, (size_t n), (n), n)
ALLOC(CALLOC, calloc, NULL, (size_t k, size_t n), (k, n), k * n)
ALLOC(LIBC_CALLOC, __libc_calloc, NULL, (size_t k, size_t n), (k, n), k * n)
ALLOC(ALIGNED_ALLOC, aligned_alloc, NULL, (size_t a, size_t n), (a, n), n)
ALLOC(MEMALIGN, memalign, NULL, (size_t a, size_t n), (a, n), n)
ALLOC(LIBC_MEMALIGN, __libc_memalign, NULL, (size_t a, size_t n), (a, n), n)
REALLOC(REALLOC, realloc, NULL, (void *p, size_t n), (p, n), n)
REALLOC(LIBC_REALLOC, __libc_realloc, NULL, (void *p, size_t n), (p, n), n)
REALLOC(REALLOCARRAY, reallocarray, NULL, (void *p, size_t k, size_t n), (p, k, n), k * n)
FREE(FREE, free, NULL, (void *p), (p))
FREE(CFREE, cfree, "free", (void *p), (p))
FREE(LIBC_FREE, __libc_free, NULL, (void *p), (p))
FREE(FREE_SIZED, free_sized, "free", (void *p, size_t n), (p, n))
FREE(FREE_ALIGNED, free_aligned_sized, "free", (void *p, size_t a, size_t n), (p, a, n))

#define DUPLICATE(id, name, parameters, arguments, size) \
	EXPORT char *name parameters; \
	EXPORT char *name parameters \
	{ \
		static char *(*real) parameters; \
		char *result; \
		OUTER; \
		if (!real) \
			*(void **)&real = find(#name, NULL); \
		result = real arguments; \
		if (outer && result) \
			count(OP_##id, size); \
		return result; \
	}
#undef strdup
#undef strndup
DUPLICATE(STRDUP, strdup, (const char *s), (s), strlen(result) + 1)
DUPLICATE(UNDER_STRDUP, __strdup, (const char *s), (s), strlen(result) + 1)
DUPLICATE(STRNDUP, strndup, (const char *s, size_t n), (s, n), strlen(result) + 1)
DUPLICATE(UNDER_STRNDUP, __strndup, (const char *s, size_t n), (s, n), strlen(result) + 1)

EXPORT int posix_memalign(void **out, size_t a, size_t n);
EXPORT int posix_memalign(void **out, size_t a, size_t n)
{
	int status;

	REAL(int, posix_memalign, NULL, void **, size_t, size_t);
	status = real(out, a, n);
	if (outer && status == 0 && *out)
		count(OP_POSIX_MEMALIGN, n);
	return status;
}

#define NEW(id, suffix) \
	ALLOC(NEW##id, _Znwm##suffix, "malloc", NEW_PARAMETERS, NEW_ARGUMENTS, n) \
	ALLOC(NEWA##id, _Znam##suffix, "malloc", NEW_PARAMETERS, NEW_ARGUMENTS, n)
#define DELETE(id, suffix) \
	FREE(DELETE##id, _ZdlPv##suffix, "free", DELETE_PARAMETERS, DELETE_ARGUMENTS) \
	FREE(DELETEA##id, _ZdaPv##suffix, "free", DELETE_PARAMETERS, DELETE_ARGUMENTS)

#define NEW_PARAMETERS (size_t n)
#define NEW_ARGUMENTS (n)
NEW(, )
#undef NEW_PARAMETERS
#undef NEW_ARGUMENTS
#define NEW_PARAMETERS (size_t n, size_t x)
#define NEW_ARGUMENTS (n, x)
NEW(_NT, RKSt9nothrow_t)
NEW(_AL, St11align_val_t)
#undef NEW_PARAMETERS
#undef NEW_ARGUMENTS
#define NEW_PARAMETERS (size_t n, size_t x, size_t y)
#define NEW_ARGUMENTS (n, x, y)
NEW(_AL_NT, St11align_val_tRKSt9nothrow_t)

#define DELETE_PARAMETERS (void *p)
#define DELETE_ARGUMENTS (p)
DELETE(, )
#undef DELETE_PARAMETERS
#undef DELETE_ARGUMENTS
#define DELETE_PARAMETERS (void *p, size_t x)
#define DELETE_ARGUMENTS (p, x)
DELETE(_SZ, m)
DELETE(_NT, RKSt9nothrow_t)
DELETE(_AL, St11align_val_t)
#undef DELETE_PARAMETERS
#undef DELETE_ARGUMENTS
#define DELETE_PARAMETERS (void *p, size_t x, size_t y)
#define DELETE_ARGUMENTS (p, x, y)
DELETE(_SZ_AL, mSt11align_val_t)
DELETE(_AL_NT, St11align_val_tRKSt9nothrow_t)

#define MMAP(id, name) \
	EXPORT void *name(void *at, size_t n, int protection, int flags, int fd, off_t offset); \
	EXPORT void *name(void *at, size_t n, int protection, int flags, int fd, off_t offset) \
	{ \
		void *result; \
		REAL(void *, name, NULL, void *, size_t, int, int, int, off_t); \
		result = real(at, n, protection, flags, fd, offset); \
		if (outer && result != MAP_FAILED && (flags & MAP_ANONYMOUS)) \
			count(OP_##id, n); \
		return result; \
	}
MMAP(MMAP, mmap)
MMAP(MMAP64, mmap64)
