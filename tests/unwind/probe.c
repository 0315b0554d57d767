/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A preload library that compares the hook's unwinder with glibc's backtrace() at every heap call
 * of any program.  Built by hand or by a test:
 *
 *   UNWIND_PROBE_OUT=FILE     where the verdict goes (appended; stderr by default)
 *   UNWIND_PROBE_TIME=1       no comparison: time the captures instead
 *   UNWIND_PROBE_RANGES=1     play the launcher: publish readable ranges when they are wanted
 *   UNWIND_PROBE_EVERY=N      compare every Nth call
 *   UNWIND_PROBE_DLCLOSE=1    do not tell of a dlclose, as when libc calls its own
 *   UNWIND_PROBE_SHOW=ROOT    show some stacks that end with this enum stack_root
 *
 * backtrace() is found by dlopen, so that no other unwinder's alias of it gets in between. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hook/caller.h"
#include "hook/core.h"
#include "hook/modules.h"
#include "hook/unwind.h"
#include "trace/channel.h"

#define EXPORT __attribute__((visibility("default")))
#define DEPTH 256u
#define SLOTS 1024u
#define SAMPLES (1u << 20)

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

struct hook hook = { .clock = CLOCK_TSC };

uint64_t clock_nanoseconds(void)
{
	return 1;
}

static struct channel_header header;
static struct channel_region *region;
static struct depot_node *nodes;
static struct channel_thread *threads;
static int (*glibc_backtrace)(void **, int);
static _Atomic unsigned slots_used, calls, stacks, frames_seen, different, beyond, cut[8], ranges_answered;
static unsigned every = 1, show_root = ~0u, shown;
static int timing, ranges, quiet_dlclose, ready, out = 2;
static uint32_t *samples;
static _Atomic unsigned sample_count;

static __thread int inside __attribute__((tls_model("initial-exec")));
static __thread int slot __attribute__((tls_model("initial-exec"))) = -1;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	char line[4096];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (write(out, line, (size_t)n) < 0)
		return;
}

static void take_slot(void)
{
	pthread_attr_t attr;
	void *low;
	size_t size;

	slot = (int)(slots_used++ % SLOTS);
	unwind_thread_start((unsigned)slot, &threads[slot]);
	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	pthread_attr_getstack(&attr, &low, &size);
	threads[slot].stack_low = (uintptr_t)low;
	threads[slot].stack_high = (uintptr_t)low + size;
	if (getpid() == gettid()) {
		hook.main_stack_low = (uintptr_t)low;
		hook.main_stack_high = (uintptr_t)low + size;
	}
	pthread_attr_destroy(&attr);
}

static void publish_ranges(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static char text[1 << 20];
	size_t used = 0;
	ssize_t n;
	unsigned count = 0;
	int fd;

	pthread_mutex_lock(&lock);
	region->ranges_seq++;
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && used < sizeof(text) - 1 && (n = read(fd, text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)n;
	close(fd);
	text[used] = 0;
	for (char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		unsigned long start, end;
		char mode[5];

		if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) == 3 && mode[0] == 'r' && mode[1] == 'w' &&
		    count < CHANNEL_RANGES_MAX) {
			region->ranges[count].start = start;
			region->ranges[count++].end = end;
		}
	}
	region->ranges_count = count;
	region->ranges_seq++;
	ranges_answered++;
	pthread_mutex_unlock(&lock);
}

static unsigned rebuild(uint32_t id, uint64_t *pcs, uint32_t *root)
{
	unsigned n = 0;

	while (id >= DEPOT_FIRST && n < DEPTH) {
		pcs[n++] = DEPOT_PC(nodes[id].frame);
		id = nodes[id].parent;
	}
	*root = id;
	return n;
}

static const char *name_of(uint64_t pc, char *text, size_t size)
{
	Dl_info info;

	if (!dladdr((void *)(pc - 1), &info) || !info.dli_fname)
		snprintf(text, size, "?");
	else
		snprintf(text, size, "%s(%s) base+%#lx", info.dli_fname, info.dli_sname ? info.dli_sname : "",
			 (unsigned long)(pc - (uintptr_t)info.dli_fbase));
	return text;
}

static void show(const char *head, unsigned n, const uint64_t *pcs)
{
	char text[512];

	say("  %s\n", head);
	for (unsigned i = 0; i < n; i++)
		say("    #%u %#lx %s\n", i, (unsigned long)pcs[i], name_of(pcs[i], text, sizeof(text)));
}

/* Ours may end early, marked so; never differ. */
static void compare(uint32_t id, uintptr_t pc)
{
	uint64_t ours[DEPTH], theirs[DEPTH + 16];
	void *bt[DEPTH + 16];
	uint32_t root;
	unsigned n = rebuild(id, ours, &root), skip = 0, m, same = 0;
	int count = glibc_backtrace(bt, DEPTH + 16);

	while (skip < (unsigned)count && (uintptr_t)bt[skip] != pc)
		skip++;
	m = (unsigned)count - skip;
	for (unsigned i = 0; i < m; i++)
		theirs[i] = (uintptr_t)bt[skip + i];
	while (same < n && same < m && ours[same] == theirs[same])
		same++;
	stacks++;
	frames_seen += n;
	cut[root < 8 ? root : 7]++;
	if (root == show_root && shown++ % 101 < 2) {
		show("ours", n, ours);
		show("glibc", m, theirs);
	}
	if (same == n && (n == m || (root != STACK_COMPLETE && n < m)))
		return;
	/* glibc stops at code without CFI, we may go on by its frame pointer: what lies beyond has no
	 * second opinion here and is counted apart. */
	if (same == m && n > m) {
		beyond++;
		return;
	}
	if (different++ < 10) {
		say("different: root %u, %u frames, glibc %u, same %u\n", root, n, m, same);
		show("ours", n, ours);
		show("glibc", m, theirs);
	}
}

static inline uint64_t ticks(void)
{
	uint64_t now;

	atomic_thread_fence(memory_order_seq_cst);
	now = raw_ticks();
	atomic_thread_fence(memory_order_seq_cst);
	return now;
}

static uint32_t capture(struct caller c)
{
	return unwind_capture((unsigned)slot, &threads[slot], caller_pc(c), caller_sp(c), caller_fp(c));
}

static __attribute__((noinline)) void event(struct caller c)
{
	int saved = errno;
	uint32_t id;

	if (!ready || inside)
		return;
	inside = 1;
	if (slot < 0)
		take_slot();
	if (timing) {
		uint64_t from = ticks(), to;
		unsigned i;

		id = capture(c);
		to = ticks();
		i = sample_count++;
		if (i < SAMPLES)
			samples[i] = (uint32_t)(to - from);
	} else if (calls++ % every == 0) {
		uint32_t wanted = region->ranges_wanted;

		id = capture(c);
		if (ranges && region->ranges_wanted != wanted) {
			publish_ranges();
			id = capture(c);
		}
		compare(id, caller_pc(c));
	}
	inside = 0;
	errno = saved;
}

#define EVENT() event(CALLER())

EXPORT void *malloc(size_t size)
{
	void *p = __libc_malloc(size);

	EVENT();
	return p;
}

EXPORT void *calloc(size_t n, size_t size)
{
	void *p = __libc_calloc(n, size);

	EVENT();
	return p;
}

EXPORT void *realloc(void *old, size_t size)
{
	void *p = __libc_realloc(old, size);

	EVENT();
	return p;
}

EXPORT void free(void *p)
{
	__libc_free(p);
	EVENT();
}

/* A library says so when it is there, as it does in the hook (hook/got.c). */
EXPORT void __gmon_start__(void);
EXPORT void __gmon_start__(void)
{
	if (ready)
		modules_loaded((uintptr_t)__builtin_return_address(0));
}

EXPORT int dlclose(void *handle)
{
	static int (*real)(void *);
	int result;

	if (!real)
		real = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
	result = real(handle);
	if (!quiet_dlclose)
		unwind_modules_changed();
	return result;
}

EXPORT int munmap(void *at, size_t size)
{
	static int (*real)(void *, size_t);
	int result;

	if (!real)
		real = (int (*)(void *, size_t))dlsym(RTLD_NEXT, "munmap");
	unwind_forget_range((uintptr_t)at, (uintptr_t)at + size);
	result = real(at, size);
	unwind_forget_range((uintptr_t)at, (uintptr_t)at + size);
	return result;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static double tick_ns(void)
{
	struct timespec a, b;
	uint64_t from, to;

	clock_gettime(CLOCK_MONOTONIC, &a);
	from = ticks();
	usleep(20000);
	clock_gettime(CLOCK_MONOTONIC, &b);
	to = ticks();
	return ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)(to - from);
}

static void report_times(void)
{
	unsigned n = sample_count < SAMPLES ? sample_count : SAMPLES, mean_n = 0;
	double ns = tick_ns(), sum = 0, empty = 1e9;

	for (int i = 0; i < 1000; i++) {
		uint64_t from = ticks(), to = ticks();

		if ((double)(to - from) * ns < empty)
			empty = (double)(to - from) * ns;
	}
	qsort(samples, n, sizeof(*samples), by_value);
	for (unsigned i = 0; i < n; i++)
		if (samples[i] * ns < 31000) {
			sum += samples[i] * ns - empty;
			mean_n++;
		}
	if (n)
		say("unwind_probe %s: %u captures, median %.0f mean %.0f p10 %.0f p90 %.0f ns (timer %.0f taken off)\n",
		    program_invocation_short_name, n, samples[n / 2] * ns - empty, sum / mean_n,
		    samples[n / 10] * ns - empty, samples[n - n / 10] * ns - empty, empty);
}

static __attribute__((destructor)) void end(void)
{
	if (!ready)
		return;
	inside = 1;
	ready = 0;
	if (timing)
		report_times();
	say("unwind_probe %s: %u stacks, %u frames, %u different; beyond %u complete %u depth %u unreadable %u unknown %u full %u; "
	    "nodes %u level %u modules %u epoch %u ranges %u\n", program_invocation_short_name, stacks, frames_seen,
	    different, beyond, cut[1], cut[2], cut[3], cut[4], cut[5], region->node_fresh, region->index_depth,
	    region->module_count, region->epoch, ranges_answered);
}

static __attribute__((constructor)) void start(void)
{
	const char *text = getenv("UNWIND_PROBE_OUT");
	struct channel_layout l = channel_layout(SLOTS, CHANNEL_NODES_MAX, 16, false);
	size_t reserve = unwind_reserve_bytes(SLOTS);
	void *bt[4], *libc;

	inside = 1;
	if (text)
		out = open(text, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	out = out < 0 ? 2 : fcntl(out, F_DUPFD_CLOEXEC, 200);
	timing = getenv("UNWIND_PROBE_TIME") != NULL;
	ranges = getenv("UNWIND_PROBE_RANGES") != NULL;
	if (getenv("UNWIND_PROBE_EVERY"))
		every = (unsigned)atoi(getenv("UNWIND_PROBE_EVERY"));
	quiet_dlclose = getenv("UNWIND_PROBE_DLCLOSE") != NULL;
	if (getenv("UNWIND_PROBE_SHOW"))
		show_root = (unsigned)atoi(getenv("UNWIND_PROBE_SHOW"));
	libc = dlopen("libc.so.6", RTLD_NOW);
	glibc_backtrace = (int (*)(void **, int))dlsym(libc, "backtrace");
	glibc_backtrace(bt, 4);
	if (timing)
		samples = mmap(NULL, SAMPLES * sizeof(*samples), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	header = (struct channel_header){ .threads_max = SLOTS, .nodes_max = CHANNEL_NODES_MAX,
					  .chunks_max = 16 };
	region = mmap(NULL, l.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	threads = (void *)((char *)region + l.threads);
	nodes = (void *)((char *)region + l.nodes);
	text = getenv("UNWIND_PROBE_DEPTH");
	unwind_init(mmap(NULL, reserve, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			 -1, 0), &header, region, text ? (unsigned)atoi(text) : DEPTH);
	ready = 1;
	inside = 0;
}
