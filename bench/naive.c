/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The naive design, to compare with: an interposer that formats a line of text for each event in the program
 * itself, and writes it at once or when a thread's buffer is full.
 *
 *	NAIVE_OUTPUT	the log
 *	NAIVE_BUFFER	bytes of a thread's buffer (4096; 0: a write for each event)
 *	NAIVE_DEPTH	frames of backtrace() with each event, as addresses only (0)
 *
 * Naming the frames here, too, as backtrace_symbols() does, would cost 10 to 20 us for each: it is left out. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define BUFFER 4096
#define LINE_MAX_BYTES 512
#define DEPTH_MAX 64

struct thread {
	pthread_mutex_t lock;	/* an allocation's line and its frames stay together */
	char name[16];
	size_t used;
	unsigned long long total;
	int tid;
	char buffer[BUFFER];
};

static __thread bool inside __attribute__((tls_model("initial-exec")));
static __thread struct thread *self __attribute__((tls_model("initial-exec")));
static pthread_key_t ending;
static struct timespec started;
static int log_fd = -1, depth;
static size_t limit = BUFFER;

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static void *(*real_aligned_alloc)(size_t, size_t);
static int (*real_posix_memalign)(void **, size_t, size_t);
static void (*real_free)(void *);

static void flush(struct thread *t)
{
	size_t used = t->used;

	t->used = 0;
	if (used && write(log_fd, t->buffer, used) < 0)
		log_fd = -1;
}

static void thread_end(void *thread)
{
	flush(thread);
}

static void find_real(void)
{
	inside = true;
	*(void **)&real_calloc = dlsym(RTLD_NEXT, "calloc");
	*(void **)&real_malloc = dlsym(RTLD_NEXT, "malloc");
	*(void **)&real_realloc = dlsym(RTLD_NEXT, "realloc");
	*(void **)&real_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
	*(void **)&real_posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
	*(void **)&real_free = dlsym(RTLD_NEXT, "free");
	inside = false;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("NAIVE_OUTPUT"), *text;

	if (!real_malloc)
		find_real();
	inside = true;
	if ((text = getenv("NAIVE_BUFFER")))
		limit = strtoul(text, NULL, 10) < BUFFER ? strtoul(text, NULL, 10) : BUFFER;
	if ((text = getenv("NAIVE_DEPTH")))
		depth = atoi(text) < DEPTH_MAX ? atoi(text) : DEPTH_MAX;
	clock_gettime(CLOCK_MONOTONIC, &started);
	pthread_key_create(&ending, thread_end);
	if (depth) {
		void *first[1];

		backtrace(first, 1);	/* loads libgcc_s */
	}
	if (path)
		log_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0644);
	unsetenv("LD_PRELOAD");
	inside = false;
}

__attribute__((destructor)) static void end(void)
{
	if (self)
		flush(self);
	limit = 0;	/* what comes later is not buffered */
}

static struct thread *thread_self(void)
{
	struct thread *t = self;

	if (t)
		return t;
	t = real_calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	t->tid = (int)syscall(SYS_gettid);
	prctl(PR_GET_NAME, t->name);
	pthread_setspecific(ending, t);
	return self = t;
}

static void put(struct thread *t, const char *line, int n)
{
	size_t length = n < LINE_MAX_BYTES ? (size_t)n : LINE_MAX_BYTES - 1;

	if (t->used + length > BUFFER)
		flush(t);
	memcpy(t->buffer + t->used, line, length);
	t->used += length;
}

static void put_frames(struct thread *t)
{
	void *frames[DEPTH_MAX + 2];
	int n = backtrace(frames, depth + 2);
	char line[LINE_MAX_BYTES];

	for (int i = 2; i < n; i++)	/* without ourselves */
		put(t, line, snprintf(line, sizeof(line), "[naive]   #%-2d [%p]\n", i - 2, frames[i]));
}

static unsigned long long micros(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)((t.tv_sec - started.tv_sec) * 1000000 + (t.tv_nsec - started.tv_nsec) / 1000);
}

/* The one event: size is (size_t)-1 for a release. */
static void event(const char *op, size_t size, const void *block)
{
	char line[LINE_MAX_BYTES];
	struct thread *t;
	int saved = errno;

	if (log_fd < 0 || inside)
		return;
	inside = true;
	t = thread_self();
	if (t) {
		pthread_mutex_lock(&t->lock);
		if (size == (size_t)-1)
			put(t, line, snprintf(line, sizeof(line), "[naive] tid=%-6d (%-15s) %-10s ts=%-12llu  ptr=%p\n",
					t->tid, t->name, op, micros(), block));
		else
			put(t, line, snprintf(line, sizeof(line),
					"[naive] tid=%-6d (%-15s) %-10s ts=%-12llu size=%-12zu  total=%-12llu  ptr=%p\n",
					t->tid, t->name, op, micros(), size, t->total += size, block));
		if (depth)
			put_frames(t);
		if (t->used >= limit)
			flush(t);
		pthread_mutex_unlock(&t->lock);
	}
	inside = false;
	errno = saved;
}

/* dlsym may allocate before it has told us where. */
static char early[65536];
static size_t early_used;

static void *early_alloc(size_t n)
{
	size_t at = early_used;

	early_used += (n + 15) / 16 * 16;
	return early_used <= sizeof(early) ? early + at : NULL;
}

static bool is_early(const void *p)
{
	return (const char *)p >= early && (const char *)p < early + sizeof(early);
}

static bool there(void)
{
	if (!real_malloc && !inside)
		find_real();
	return real_malloc;
}

EXPORT void *malloc(size_t n)
{
	void *p = there() ? real_malloc(n) : early_alloc(n);

	if (p)
		event("malloc", n, p);
	return p;
}

EXPORT void *calloc(size_t k, size_t n)
{
	void *p = there() ? real_calloc(k, n) : early_alloc(k * n);

	if (p)
		event("calloc", k * n, p);
	return p;
}

EXPORT void *realloc(void *old, size_t n)
{
	void *p;

	if (is_early(old)) {
		size_t most = (size_t)(early + sizeof(early) - (char *)old);

		p = malloc(n);
		return p ? memcpy(p, old, n < most ? n : most) : NULL;
	}
	p = there() ? real_realloc(old, n) : NULL;
	if (old && (p || !n))
		event("free", (size_t)-1, old);
	if (p)
		event("realloc", n, p);
	return p;
}

EXPORT void free(void *p)
{
	if (!p || is_early(p))
		return;
	event("free", (size_t)-1, p);
	if (there())
		real_free(p);
}

EXPORT void *aligned_alloc(size_t alignment, size_t n)
{
	void *p = there() ? real_aligned_alloc(alignment, n) : NULL;

	if (p)
		event("aligned_alloc", n, p);
	return p;
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t n)
{
	int error = there() ? real_posix_memalign(out, alignment, n) : ENOMEM;

	if (!error && *out)
		event("posix_memalign", n, *out);
	return error;
}
