/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a thread may be in the midst of while another one's work, or dlopen itself, goes on.
 *
 * A thread that runs must not be inside libc, the loader or an allocator at all: any of their locks
 * may be held, and without threads they do without locks.  Callbacks and signal handlers that were called from
 * there count as inside.  A thread that the kernel found sleeping in a system call
 * is in a place where it has time; there only the loader, the allocators and what works with them are
 * taboo.  Unless the stack is known down to where the thread began, nothing is safe. */
#include "inject/judge.h"

#include "base/alloc.h"
#include "inject/cpu.h"
#include "inject/memory.h"
#include "inject/objects.h"
#include "inject/unwind.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of glibc: what holds locks that dlopen wants, or calls dlopen. */
static const char *const taboo_in_libc[] = {
	"malloc", "free", "calloc", "realloc", "memalign", "aligned_alloc", "posix_memalign", "valloc", "pvalloc",
	"reallocarray", "malloc_trim", "malloc_info", "mallinfo", "mallinfo2", "malloc_stats", "mallopt",
	"__libc_freeres", "dlopen", "dlmopen", "dlclose", "dlsym", "dlvsym", "dladdr", "dladdr1", "dlinfo", "dlerror",
	"dl_iterate_phdr", "__libc_dlopen_mode", "fork", "_Fork", "vfork", "posix_spawn", "posix_spawnp", "clone",
	"exit", "_exit", "quick_exit", "abort", "__cxa_finalize", "__cxa_at_quick_exit", "__cxa_atexit",
	"pthread_create", "pthread_exit", "pthread_atfork", "setlocale", "newlocale", "freelocale", "duplocale",
	"textdomain", "bindtextdomain", "dcgettext", "dcngettext", "iconv_open", "iconv_close", "backtrace",
	"getaddrinfo", "gethostbyname", "gethostbyname_r", "getpwnam_r", "getpwuid_r", "getgrnam_r", "getgrgid_r",
	"execve", "execvp", "execv", "__register_frame_info", "__nss_configure_lookup", "syslog", "vsyslog",
};

/* Of a program that has its own allocator. */
static const char *const taboo_in_program[] = {
	"malloc", "free", "calloc", "realloc", "memalign", "aligned_alloc", "posix_memalign", "valloc", "pvalloc",
	"reallocarray", "_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "mallocx", "rallocx", "dallocx",
	"sdallocx", "malloc_trim",
};

enum kind {
	KIND_PROGRAM,			/* and its libraries */
	KIND_LIBC,
	KIND_LOADER,
	KIND_ALLOCATOR,
	KIND_TABOO,			/* a function of the lists */
	KIND_SIGRETURN,			/* between a signal handler and what it interrupted */
};

struct place {
	uint64_t start;			/* of the object */
	enum kind kind;
	bool is_program;
};

struct range {
	uint64_t start, end;
};

struct judge {
	struct injection *i;
	struct unwinder *unwinder;
	uint64_t entry, loader;
	VECTOR(struct place) places;
	VECTOR(struct range) taboo;
	struct unwind_stack stack;
};

int judge_open(struct injection *i, struct judge **result)
{
	struct judge *j = xcalloc(1, sizeof(*j));

	j->i = i;
	j->entry = auxiliary_value(i, AT_ENTRY);
	j->loader = auxiliary_value(i, AT_BASE);
	*result = j;
	return 0;
}

static void forget(struct judge *j)
{
	unwinder_close(j->unwinder);
	j->unwinder = NULL;
	vector_clear(&j->places);
	vector_clear(&j->taboo);
}

void judge_close(struct judge *j)
{
	if (!j)
		return;
	forget(j);
	vector_release(&j->places);
	vector_release(&j->taboo);
	free(j);
}

static void add_taboo(struct judge *j, const struct object *o, const char *const names[], size_t count)
{
	for (size_t k = 0; k < count; k++) {
		struct range r;
		uint64_t size;

		if (object_function(j->i, o, names[k], &r.start, &size) == 0) {
			r.end = r.start + size;
			vector_push(&j->taboo, r);
		}
	}
}

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

static struct place look_at(struct judge *j, const char *path, uint64_t start)
{
	const char *base = strrchr(path, '/');
	struct place p = { .start = start };
	struct object o;
	uint64_t entry_start = 0, address;

	base = base ? base + 1 : path;
	unwinder_object(j->unwinder, j->entry, &entry_start);
	p.is_program = start == entry_start;
	if (start == j->loader || object_is_loader(base)) {
		p.kind = KIND_LOADER;
		return p;
	}
	if (object_at(j->i, start, &o) != 0)
		return p;
	if (object_is_glibc(base) || strncmp(base, "libpthread", 10) == 0 || strncmp(base, "libdl", 5) == 0) {
		p.kind = KIND_LIBC;
		add_taboo(j, &o, taboo_in_libc, COUNT(taboo_in_libc));
	} else if (object_symbol(j->i, &o, "malloc", &address) == 0) {
		if (p.is_program)
			add_taboo(j, &o, taboo_in_program, COUNT(taboo_in_program));
		else
			p.kind = KIND_ALLOCATOR;
	}
	return p;
}

static const struct place *place_of(struct judge *j, uint64_t address)
{
	uint64_t start = 0;
	const char *path = unwinder_object(j->unwinder, address, &start);

	if (!path || !*path)
		return NULL;
	for (size_t k = 0; k < j->places.count; k++)
		if (j->places.items[k].start == start)
			return &j->places.items[k];
	vector_push(&j->places, look_at(j, path, start));
	return &vector_last(&j->places);
}

static enum kind kind_of(struct judge *j, const struct unwind_frame *f)
{
	uint64_t address = f->activation ? f->pc : f->pc - 1;
	const struct place *p = place_of(j, address);
	uint8_t code[CPU_SIGRETURN_SIZE];

	if (memory_read(j->i, f->pc, code, sizeof(code)) == 0 && cpu_is_sigreturn(code))
		return KIND_SIGRETURN;
	for (size_t k = 0; k < j->taboo.count; k++)
		if (address - j->taboo.items[k].start < j->taboo.items[k].end - j->taboo.items[k].start)
			return KIND_TABOO;
	return p ? p->kind : KIND_PROGRAM;
}

/* Frames of the stack without those that every thread begins with; 0: they are not there. */
static size_t without_roots(struct judge *j, const enum kind kinds[])
{
	size_t n = j->stack.count, roots = 0;

	/* _start, of the program or of one that its loader was told to run. */
	if (n && (j->stack.frames[n - 1].pc - j->entry < 64 ||
		  (n > 1 && kinds[n - 1] == KIND_PROGRAM && kinds[n - 2] == KIND_LIBC))) {
		n--;
		roots++;
	}
	/* __libc_start_main with what it has inside; start_thread and clone.  Any more is no root: exit runs
	 * handlers from there. */
	for (unsigned k = 0; k < 2 && n && kinds[n - 1] == KIND_LIBC; k++) {
		n--;
		roots++;
	}
	return roots ? n : 0;
}

/* Sleeping in a system call: how it got there. */
static bool sleeps_well(struct judge *j, const enum kind kinds[], size_t n)
{
	size_t outermost = n;
	uint64_t start;

	for (size_t k = 0; k < n; k++) {
		if (kinds[k] == KIND_LOADER || kinds[k] == KIND_ALLOCATOR || kinds[k] == KIND_TABOO)
			return false;
		if (kinds[k] == KIND_LIBC)
			outermost = k;
	}
	/* A function without a name may be the tail of a taboo one. */
	return outermost == n || unwinder_function(j->unwinder, j->stack.frames[outermost].pc - 1, &start);
}

static enum verdict judge_stack(struct judge *j, bool sleeps, struct step *step)
{
	const struct unwind_frame *frames = j->stack.frames;
	enum kind kinds[UNWIND_FRAMES];
	size_t n, inside;
	bool program = false;

	for (size_t k = 0; k < j->stack.count; k++)
		kinds[k] = kind_of(j, &frames[k]);
	n = j->stack.complete ? without_roots(j, kinds) : 0;
	for (size_t k = 0; k < n; k++)
		program |= kinds[k] == KIND_PROGRAM;
	if (!program)
		return VERDICT_UNSAFE;
	for (inside = n; inside > 0; inside--)
		if (kinds[inside - 1] != KIND_PROGRAM && kinds[inside - 1] != KIND_SIGRETURN)
			break;
	if (inside == 0 || (sleeps && sleeps_well(j, kinds, n)))
		return VERDICT_SAFE;
	if (sleeps || inside == n)
		return VERDICT_UNSAFE;
	step->slot = frames[inside].sp - sizeof(uint64_t);
	step->onwards = frames[inside].pc;
	return VERDICT_STEP;
}

enum verdict judge_thread(struct judge *j, const struct thread *t, struct step *step)
{
	if (j->unwinder && unwinder_stale(j->unwinder))
		forget(j);
	if (!j->unwinder && unwinder_open(j->i, &j->unwinder) != 0)
		return VERDICT_UNSAFE;
	/* Lists of taboo functions come with the objects that have them. */
	if (unwinder_walk(j->unwinder, t, &j->stack) != 0)
		return VERDICT_UNSAFE;
	for (size_t k = 0; k < j->stack.count; k++)
		place_of(j, j->stack.frames[k].pc);
	return judge_stack(j, t->blocked, step);
}
