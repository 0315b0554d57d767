/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hook in a process that already ran: begins sessions by itself and calls what patched functions would.
 *
 *	attach dlopen|mapped LIBRARY */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/hook/attach_host.h"
#include "tests/tap.h"

#define SETTLED_US	1500000

typedef void *malloc_fn(size_t);
typedef void free_fn(void *);
typedef void *calloc_fn(size_t, size_t);
typedef void *realloc_fn(void *, size_t);
typedef int posix_memalign_fn(void **, size_t, size_t);
typedef char *strdup_fn(const char *);
typedef void *mmap_fn(void *, size_t, int, int, int, off_t);
typedef int munmap_fn(void *, size_t);
typedef void *sbrk_fn(intptr_t);
typedef int brk_fn(void *);
typedef void *mallocx_fn(size_t, int);

static malloc_fn *at_malloc, *at_leaf, *at_blocked, *at_outer;
static free_fn *at_free, *at_keep, *at_leaf_free;
static realloc_fn *at_realloc, *at_refused;

/* Real functions of this test's own. */
static void keep(void *block)
{
	(void)block;
}

/* Touch no register but the result's, and say so to nobody. */
__asm__(".text\nreal_leaf: lea (%rdi, %rdi), %rax\n ret\nreal_leaf_free: ret\n");
extern char real_leaf[], real_leaf_free[];

static int gate[2], here[2];

static void wait_at_gate(void)
{
	char c = 0;

	if (write(here[1], &c, 1) != 1 || read(gate[0], &c, 1) != 1)
		abort();
}

static void *blocked(size_t size)
{
	void *p = malloc(size);

	wait_at_gate();
	return p;
}

/* malloc below valloc. */
static void *outer(size_t size)
{
	return at_blocked(size);
}

static void *refused(void *block, size_t size)
{
	(void)block;
	(void)size;
	wait_at_gate();
	return NULL;
}

static brk_fn *at_brk;

static int pretend_brk(void *to)
{
	(void)to;
	return 0;
}

static void *pretend_sbrk(intptr_t by)
{
	void *now = sbrk(0);

	at_brk((char *)now + by);
	return now;
}

static void *pretend_new(size_t size)
{
	return at_malloc(size);
}

static void make_stubs(void)
{
	at_malloc = stub("malloc", malloc);
	at_free = stub("free", free);
	at_keep = stub("free", keep);
	at_realloc = stub("realloc", realloc);
	at_leaf = stub("malloc", real_leaf);
	at_leaf_free = stub("free", real_leaf_free);
	at_blocked = stub("malloc", blocked);
	at_outer = stub("valloc", outer);
	at_refused = stub("realloc", refused);
}

static __attribute__((noinline)) void *marked(size_t size)
{
	void *p = at_malloc(size);

	__asm__ volatile("" : "+r"(p));
	return p;
}

/* A thread that does as it is told: 'm' marked(), 'q' quit; calls that block: 'b' malloc, 'o' malloc below
 * valloc, 'r' a realloc of its last block that fails. */
struct worker {
	pthread_t thread;
	int to[2], from[2];
	uint32_t tid;
	void *block;
};

static void *work(void *argument)
{
	struct worker *w = argument;
	char c = 0;

	w->tid = tid();
	do {
		if (write(w->from[1], &c, 1) != 1 || read(w->to[0], &c, 1) != 1)
			break;
		if (c == 'm')
			w->block = marked(333);
		else if (c == 'b')
			w->block = at_blocked(444);
		else if (c == 'o')
			w->block = at_outer(444);
		else if (c == 'r' && at_refused(w->block, 1 << 20))
			abort();
	} while (c != 'q');
	return NULL;
}

static void done(struct worker *w)
{
	char c;

	if (read(w->from[0], &c, 1) != 1)
		abort();
}

static void tell(struct worker *w, char c)
{
	if (write(w->to[1], &c, 1) != 1)
		abort();
	if (c == 'm')
		done(w);
}

static void start(struct worker *w)
{
	if (pipe(w->to) || pipe(w->from) || pthread_create(&w->thread, NULL, work, w))
		abort();
	done(w);
}

static void test_idle(void)
{
	void *p = at_malloc(64);

	ok(p, "before a session entries pass on");
	at_free(p);
	is_int(hook.state->recording, 0, "nothing is recorded");
	is_int(hook.state->magic, ATTACH_MAGIC, "the state says who it is");
}

static void test_refusals(void)
{
	struct attach_request r = request;

	session = session_open(NULL, CLOCK_TSC);
	r.segment = (uint64_t)session.header;
	r.segment_bytes = session.bytes;
	r.version++;
	is_int(hook.attach(&r), -EINVAL, "another version is refused");
	r.version--;
	r.segment_bytes--;
	is_int(hook.attach(&r), -EINVAL, "a segment of another size is refused");
	r.segment_bytes++;
	session.header->magic++;
	is_int(hook.attach(&r), -EINVAL, "what is no segment is refused");
	is_int(hook.state->sessions, 0, "none of them was a session");
}

static void test_heap(void *before)
{
	calloc_fn *at_calloc = stub("calloc", calloc);
	posix_memalign_fn *at_memalign = stub("posix_memalign", posix_memalign);
	strdup_fn *at_strdup = stub("strdup", strdup);
	uint32_t me = tid();
	void *p = at_malloc(100), *q = at_calloc(10, 20), *r, *m = NULL, *moved;
	char *s = at_strdup("text"), address[32];

	is_string(story(me, p), ops(OP_MALLOC, 0, 0), "malloc");
	is_int(find(p, OP_MALLOC)->size, 100, "its size");
	is_int(find(q, OP_CALLOC)->size, 200, "calloc");
	is_int(at_memalign(&m, 64, 300), 0, "posix_memalign returns 0");
	is_int(find(m, OP_POSIX_MEMALIGN)->size, 300, "posix_memalign");
	ok(!find(s, OP_STRDUP), "strdup of a libc whose malloc is not patched is none of ours");
	r = at_realloc(p, 5000);
	is_int(find(r, OP_REALLOC)->size, 5000, "realloc");
	ok(find(p, OP_REALLOC_FREE), "and the end of the old block");
	at_free(r);
	at_free(q);
	ok(find(q, OP_FREE), "free");
	snprintf(address, sizeof(address), "%p", before);
	at_free(before);
	is_string(story(me, before), ops(OP_FREE, 0, 0), "a block from before: its end is told, and is no finding");
	before = malloc(77);
	moved = at_realloc(before, 7777);
	ok(moved && find(before, OP_REALLOC_FREE) && find(moved, OP_REALLOC), "the same for realloc");
	at_free(moved);
	at_free(m);
	free(s);
}

static void test_nested(void)
{
	void *(*at_calloc_new)(size_t, size_t) = stub("calloc", pretend_new);
	strdup_fn *at_strdup;
	unsigned before = events_of(tid());
	void *p = at_calloc_new(55, 1);

	ok(find(p, OP_CALLOC) && events_of(tid()) == before + 1, "what a recorded call calls is a part of it");
	at_strdup = stub("strdup", pretend_new);
	p = at_strdup((char *)32);
	ok(find(p, OP_STRDUP), "strdup counts if its block came by us");
}

static void test_pages(void)
{
	mmap_fn *at_mmap = stub("mmap", mmap);
	munmap_fn *at_munmap = stub("munmap", munmap);
	sbrk_fn *at_sbrk = stub("sbrk", pretend_sbrk);
	int fd = memfd_create("file", MFD_CLOEXEC);
	char *p = at_mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *file, *now;

	is_int(find(p, OP_MMAP)->size, 8192, "mmap");
	if (ftruncate(fd, 8192) || pwrite(fd, "x", 1, 4096) != 1)
		abort();
	file = at_mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 4096);
	is_int(*file, 'x', "all six arguments arrive");
	at_munmap(file, 4096);
	at_munmap(p, 8192);
	ok(find(p, OP_MUNMAP), "munmap");
	at_brk = stub("brk", pretend_brk);
	now = at_sbrk(4096);
	ok(find(now, OP_SBRK) && !find(now, OP_BRK), "sbrk, without the brk below it");
	close(fd);
}

/* Calls with a pattern in every register that a call may change. */
#define REGISTERS 9
static void patterns(void *function, uintptr_t argument, uintptr_t after[REGISTERS])
{
	register uintptr_t di __asm__("rdi") = argument;
	register void *f __asm__("rbx") = function;
	register uintptr_t *to __asm__("r12") = after;

	__asm__ volatile("mov $0xa0, %%eax\n mov $0xc0, %%ecx\n mov $0xd0, %%edx\n mov $0x50, %%esi\n"
			 "mov $0x80, %%r8d\n mov $0x90, %%r9d\n mov $0x100, %%r10d\n mov $0x110, %%r11d\n"
			 "call *%%rbx\n"
			 "mov %%rax, (%%r12)\n mov %%rcx, 8(%%r12)\n mov %%rdx, 16(%%r12)\n mov %%rsi, 24(%%r12)\n"
			 "mov %%r8, 32(%%r12)\n mov %%r9, 40(%%r12)\n mov %%r10, 48(%%r12)\n mov %%r11, 56(%%r12)\n"
			 "mov %%rdi, 64(%%r12)"
			 : "+r"(di)
			 : "r"(f), "r"(to)
			 : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
}

static void test_registers(void)
{
	static const uintptr_t same[REGISTERS] = { 0xa0, 0xc0, 0xd0, 0x50, 0x80, 0x90, 0x100, 0x110, 0x1000 };
	uintptr_t after[REGISTERS];

	patterns(at_leaf, 0x1000, after);
	is_int(after[0], 0x2000, "the result is the function's");
	ok(!memcmp(after + 1, same + 1, sizeof(same) - 8), "malloc leaves all other registers alone");
	patterns(at_leaf_free, 0x1000, after);
	ok(!memcmp(after, same, sizeof(same)), "free leaves all registers alone");
	ok(find((void *)0x2000, OP_MALLOC) && find((void *)0x1000, OP_FREE), "both are recorded");
}

static void test_stacks(struct worker *old)
{
	void *p = marked(123);

	ok(session_stack(&session, find(p, OP_MALLOC)->stack, marked, 64, true), "the caller is on the stack, down to the end");
	tell(old, 'm');
	is_string(story(old->tid, old->block), ops(OP_MALLOC, 0, 0), "a thread older than the hook is recorded");
	ok(session_stack(&session, find(old->block, OP_MALLOC)->stack, marked, 64, true) &&
	   session_stack(&session, find(old->block, OP_MALLOC)->stack, work, 512, false), "with its stack");
}

static void test_findings(void)
{
	void *p = at_malloc(20);

	at_keep(p);
	at_keep(p);
	ok(!find(p, OP_FOUND_DOUBLE), "at first no free is a double one");
	usleep(SETTLED_US);
	p = at_malloc(20);
	at_keep(p);
	at_keep(p);
	ok(find(p, OP_FOUND_DOUBLE), "later it is found");
	at_keep((void *)0x7123456);
	at_keep((void *)0x7123450);
	ok(!find((void *)0x7123456, OP_FOUND_UNKNOWN) && !find((void *)0x7123450, OP_FOUND_UNKNOWN),
	   "no free is wild: the block may be older");
	p = at_malloc(30);
	at_free(p);
	is_string(story(tid(), p), ops(OP_MALLOC, OP_FREE, 0), "the short way");
}

/* What is known of blocks ends with the session. */
static void test_forgotten(void)
{
	void *p = at_malloc(20), *q = at_malloc(21);

	at_keep(p);
	end();
	is_int(begin(CLOCK_TSC), 0, "a session after one that knew of a freed block");
	at_keep(p);
	ok(find(p, OP_FREE) && !find(p, OP_FOUND_DOUBLE), "its next end is no double one: much may have been between");
	at_free(q);
	is_string(story(tid(), q), ops(OP_FREE, 0, 0), "a block of that session is an older one");
}

static void test_end(void)
{
	unsigned before = events_of(tid());
	void *p;

	end();
	p = at_malloc(40);
	at_free(p);
	is_int(events_of(tid()), before, "after the end nothing is recorded");
	is_int(hook.state->recording, 0, "and the state says so");
}

/* A call begins, and is in the real function; later that goes on. */
static void block(struct worker *w, char command)
{
	char c;

	tell(w, command);
	if (read(here[0], &c, 1) != 1)
		abort();
}

static void unblock(struct worker *w)
{
	if (write(gate[1], "", 1) != 1)
		abort();
	done(w);
}

/* A thread that was in a call when the session ended, and comes back in the next one. */
static void test_overtaken(struct worker *w, const char *way)
{
	unsigned n, i;

	tell(w, 'm');
	block(w, 'b');
	end();
	is_int(begin(CLOCK_TSC), 0, "a new session begins meanwhile");
	at_malloc(1);
	unblock(w);
	n = session_events(&session, seen);
	for (i = 0; i < n && seen[i].ptr != (uintptr_t)w->block; i++)
		;
	ok(n == 1 && i == n, "a call that came before it is not in it (%s)", way);
	for (i = 0; i < SESSION_THREADS; i++)
		if (session.threads[i].guard || session.threads[i].pending ||
		    (i >= session.region->thread_fresh && session.threads[i].bytes))
			break;
	is_int(i, SESSION_THREADS, "nor has it touched a slot");
	tell(w, 'm');
	is_string(story(w->tid, w->block), ops(OP_MALLOC, 0, 0), "its next call is");
}

/* Such a block is an older one: its end is told, and is no finding, whoever ends it. */
static void end_of_older(const struct worker *w, const char *what)
{
	free_fn *at_delete = stub("_ZdlPv", keep);

	(at_delete ? at_delete : at_keep)(w->block);
	is_string(story(tid(), w->block), ops(at_delete ? OP_DELETE : OP_FREE, 0, 0), what);
}

/* Calls that are not recorded on their own, or have something to put back. */
static void test_overtaken_aside(struct worker *w)
{
	block(w, 'o');
	end();
	is_int(begin(CLOCK_TSC), 0, "a new session during a call within a call");
	unblock(w);
	end_of_older(w, "its block is an older one");
	tell(w, 'm');
	block(w, 'r');
	end();
	is_int(begin(CLOCK_TSC), 0, "a new session during a realloc");
	unblock(w);
	end_of_older(w, "the block of one that fails is an older one");
	end();
	block(w, 'b');
	is_int(begin(CLOCK_TSC), 0, "a session during a call that began before any");
	unblock(w);
	end_of_older(w, "its block is an older one, too");
}

/* 63 sessions have lives of their own; the next one has that of the first again. */
static void test_many(struct worker *silent)
{
	unsigned i = 0;
	long error = 0;

	end();
	error = begin(CLOCK_TSC);
	tell(silent, 'm');
	for (; i < 63 && !error; i++) {
		end();
		error = begin(CLOCK_TSC);
		at_malloc(10);
	}
	is_int(error, 0, "sessions one after the other");
	tell(silent, 'm');
	is_string(story(silent->tid, silent->block), ops(OP_MALLOC, 0, 0), "a thread that slept meanwhile");
	is_int(session.region->thread_fresh, 2, "has taken a slot of its own");
	is_int(events_of(tid()), 1, "and main's events are main's");
}

static void test_child(void)
{
	unsigned before = session_events(&session, seen);
	int status = -1;
	pid_t child = fork();

	if (!child) {
		void *p = at_malloc(9);

		at_free(p);
		request.pid = (uint64_t)getpid();
		if (begin(CLOCK_TSC))
			_exit(1);
		p = at_malloc(99);
		_exit(find(p, OP_MALLOC) && events_of(tid()) == 1 ? 0 : 2);
	}
	waitpid(child, &status, 0);
	is_int(status, 0, "a fork child can be attached to on its own");
	is_int(session_events(&session, seen), before, "and leaves the parent's session alone");
	at_malloc(8);
	is_int(session_events(&session, seen), before + 1, "which goes on");
}

static void *once(void *argument)
{
	*(void **)argument = at_malloc(17);
	*(uint32_t *)((void **)argument + 1) = tid();
	return NULL;
}

static void test_churn(void)
{
	struct {
		void *block;
		uint32_t tid;
	} r;
	unsigned good = 0;

	for (unsigned i = 0; i < 100; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, once, &r))
			abort();
		pthread_join(thread, NULL);
		good += !strcmp(story(r.tid, r.block), ops(OP_MALLOC, 0, 0));
	}
	is_int(good, 100, "threads that follow each other in one place are told apart");
}

static void test_clock(void)
{
	struct timespec a, b;
	const struct seen *e;
	void *p;

	end();
	is_int(begin(CLOCK_MONOTONIC_NS), 0, "a session with the other clock");
	clock_gettime(CLOCK_MONOTONIC, &a);
	p = at_malloc(11);
	clock_gettime(CLOCK_MONOTONIC, &b);
	e = find(p, OP_MALLOC);
	ok(e && e->stamp >= (uint64_t)a.tv_sec * 1000000000u + (uint64_t)a.tv_nsec &&
	   e->stamp <= (uint64_t)b.tv_sec * 1000000000u + (uint64_t)b.tv_nsec, "which is right");
}

static void test_own(void)
{
	mallocx_fn *at_mallocx = stub("mallocx", malloc);
	void *p = at_mallocx(321, 0);

	is_int(find(p, OP_MALLOCX)->size, 321, "an allocator's own functions have entries");
	at_free(p);
}

#ifndef ATTACH_STATIC
int attach_throw(void *(*operator_new)(size_t));

static void test_throw(bool mapped)
{
	void *operator_new = stub("_Znwm", dlsym(RTLD_DEFAULT, "_Znwm"));

	if (mapped) {
		ok(!operator_new, "the mapped form has no entry for what throws");
		return;
	}
	is_int(attach_throw((void *(*)(size_t))operator_new), 1, "operator new throws through its entry");
	ok(find(at_malloc(12), OP_MALLOC), "and the next call is recorded");
}
#endif

int main(int count, char **arguments)
{
	struct worker old = { 0 }, silent = { 0 };
	bool mapped = count > 2 && !strcmp(arguments[1], "mapped"), loaded = false;
	void *before = malloc(1000);

	if (count < 3 || pipe(gate) || pipe(here))
		return 2;
	start(&old);
	start(&silent);
	if (mapped)
		loaded = load_mapped(arguments[2], &hook);
#ifndef ATTACH_STATIC
	else
		loaded = load_dlopen(arguments[2], &hook);
#endif
	if (!ok(loaded, "the hook is in"))
		return done_testing();
	describe();
	make_stubs();
	test_idle();
	test_refusals();
	is_int(begin(CLOCK_TSC), 0, "a session begins");
	is_int(begin(CLOCK_TSC), -EBUSY, "a second one does not");
	end();
	is_int(begin(CLOCK_TSC), 0, "but after the first one");
	test_heap(before);
	test_nested();
	test_pages();
	test_registers();
	test_stacks(&old);
	test_own();
	test_churn();
	test_findings();
#ifndef ATTACH_STATIC
	test_throw(mapped);
#endif
	test_forgotten();
	usleep(SETTLED_US);
	at_free(at_malloc(1));
	test_overtaken(&old, "the short way");
	test_overtaken(&old, "the long way");
	test_overtaken_aside(&old);
	test_child();
	test_many(&silent);
	test_clock();
	test_end();
	return done_testing();
}
