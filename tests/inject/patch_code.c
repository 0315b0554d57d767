/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entries of all shapes are moved and patched in this process, and the functions called: by the patch,
 * by the copy alone, and when the patch is gone.  Then the entries of real allocators. */
#include "inject/code.h"

#include "symbols/elf.h"
#include "tests/inject/patch_shapes.h"
#include "tests/tap.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/mman.h>
#include <unistd.h>

typedef long shape_fn(long);

long shape_word = 1234567, shape_hits;
long shape_target(long x);
shape_fn *shape_slot = shape_target;
static void *caught[8];
static int caught_count;
static bool catching;

__attribute__((noinline)) long shape_target(long x)
{
	if (catching)
		caught_count = backtrace(caught, 8);
	return x + 5;
}

/* Each in a page of nops, so that a size need not be known. */
#define DEFINE(name, code) \
	__asm__(".section .text.shapes,\"ax\"; .balign 512; .globl " name "; " name ": .cfi_startproc; " code \
		"; .cfi_endproc; .balign 512,0x90; .text");
#define SHAPE(name, value, code) DEFINE("shape_" #name, code) extern shape_fn shape_##name;
#define BAD(name, reason, code) DEFINE("bad_" #name, code) extern shape_fn bad_##name;
SHAPES(SHAPE)
BAD_SHAPES(BAD)

/* The hook's entry: counts, drops what the stub pushed on the way to it. */
__asm__(".text; .globl shape_entry; shape_entry: incq shape_hits(%rip); ret");
extern char shape_entry[];

static uint8_t *area;			/* stubs and copies, near this program */

static struct code_copy move(const struct code_entry *e, uint8_t *at)
{
	struct code_copy copy;

	is_int(code_entry_move(e, (uint64_t)(uintptr_t)at, &copy), 0, "... it can be moved");
	memcpy(at, copy.bytes, copy.length);
	return copy;
}

static bool decode(shape_fn *f, struct code_entry *e, const char **reason)
{
	return code_entry_decode((uint64_t)(uintptr_t)f, (const uint8_t *)f, SHAPE_BYTES, SHAPE_BYTES, e, reason) == 0;
}

/* What it should return. */
#define VALUE(name, value, code) static long value_##name(long x) { return (long)(value); }
SHAPES(VALUE)

static unsigned wrong(shape_fn *f, shape_fn *value)
{
	static const long values[] = { 0, 5, 40 };
	unsigned bad = 0;

	for (size_t n = 0; n < sizeof(values) / sizeof(*values); n++)
		bad += f(values[n]) != value(values[n]);
	return bad;
}

/* Plants the jump, and takes it away: only its five bytes may ever change. */
static void test_shape(const char *name, shape_fn *f, shape_fn *value)
{
	uint8_t *stub = area, *copy = area + 64, before[SHAPE_BYTES], *at = (uint8_t *)f;
	const char *reason = NULL;
	struct code_entry e;
	bool understood = decode(f, &e, &reason);
	uint64_t to;

	if (!ok(understood, "%s: its entry is understood (%s)", name, reason ? reason : ""))
		return;
	memcpy(before, at, SHAPE_BYTES);
	move(&e, copy);
	code_stub((uint64_t)(uintptr_t)copy, (uint64_t)(uintptr_t)shape_entry, stub);
	is_int(wrong((shape_fn *)(uintptr_t)copy, value), 0, "... the copy does the same");
	code_jump(e.address, (uint64_t)(uintptr_t)stub, at);
	ok(code_is_jump(e.address, at, &to) && to == (uint64_t)(uintptr_t)stub, "... the jump is recognised");
	shape_hits = 0;
	is_int(wrong(f, value), 0, "... the patched one does the same");
	ok(shape_hits >= 3, "... by way of the entry");
	ok(memcmp(at + CODE_PATCH_BYTES, before + CODE_PATCH_BYTES, SHAPE_BYTES - CODE_PATCH_BYTES) == 0,
	   "... nothing else has changed");
	memcpy(at, e.bytes, CODE_PATCH_BYTES);
	shape_hits = 0;
	is_int(wrong(f, value) + (unsigned)shape_hits, 0, "... and so it is afterwards");
}

static void refuse(shape_fn *f, const char *name, const char *word)
{
	struct code_entry e;
	const char *reason = NULL;
	bool understood = decode(f, &e, &reason);

	ok(!understood && reason && strstr(reason, word), "%s is refused: %s", name, reason ? reason : "(not)");
}

/* A call in a copy leaves the original's return address, so that unwinders find their way. */
static void test_unwinding(void)
{
	struct code_entry e;
	const char *reason;
	shape_fn *copy = (shape_fn *)(uintptr_t)(area + 64);
	bool seen = false, copied = false;

	ok(decode(shape_early_call, &e, &reason) && e.calls, "a call is known as one");
	move(&e, area + 64);
	catching = true;
	is_int(copy(1), 6, "... its copy calls");
	for (int i = 1; i < caught_count; i++) {
		seen |= (char *)caught[i] == (char *)shape_early_call + e.length;
		copied |= (uint8_t *)caught[i] >= area && (uint8_t *)caught[i] < area + 4096;
	}
	ok(seen && !copied, "... and is not seen on the stack");
}

static void test_reach(void)
{
	struct code_entry e;
	struct code_copy copy;
	const char *reason;
	uint64_t near = (uint64_t)(uintptr_t)area;

	decode(shape_relative, &e, &reason);
	is_int(code_entry_move(&e, near + (4ull << 30), &copy), -ERANGE, "a copy that does not reach its data");
	decode(shape_pushes, &e, &reason);
	is_int(code_entry_move(&e, near + (4ull << 30), &copy), -ERANGE, "... or its function");
	ok(code_reaches(near, near + 5) && code_reaches(near + 5, near) &&
	   !code_reaches(near, near + code_reach() + 1), "what reaches what");
	decode(shape_relative, &e, &reason);
	ok(e.low <= (uint64_t)(uintptr_t)&shape_word && e.high >= (uint64_t)(uintptr_t)&shape_word,
	   "an entry says what it refers to");
}

/* Sizes: the next function must not be overwritten, and unread code not be trusted. */
static void test_sizes(void)
{
	static const uint8_t ret_then_code[8] = { 0xc3, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xc3 };
	static const uint8_t ret_then_nops[8] = { 0xc3, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 };
	static const uint8_t pushes_then_end[8] = { 0x55, 0x55, 0x5d, 0x5d, 0xc3, 0x55, 0x55, 0xc3 };
	struct code_entry e;
	const char *reason;

	is_int(code_entry_decode(0x1000, ret_then_code, 8, 1, &e, &reason), -EILSEQ, "code behind a tiny function");
	is_int(code_entry_decode(0x1000, ret_then_code, 1, 1, &e, &reason), -EILSEQ, "... or nobody knows what");
	is_int(code_entry_decode(0x1000, ret_then_nops, 8, 1, &e, &reason), 0, "padding behind one makes room");
	ok(e.length == 1 && e.taken == CODE_PATCH_BYTES && memcmp(e.bytes, ret_then_nops, e.taken) == 0,
	   "and is kept, to be given back");
	is_int(code_entry_decode(0x1000, pushes_then_end, 8, 5, &e, &reason), 0, "five bytes are enough");
	is_int(code_entry_decode(0x1000, pushes_then_end, 8, 3, &e, &reason), -EILSEQ, "three are not");
	is_int(code_entry_decode(0x1000, pushes_then_end, 0, 0, &e, &reason), -EILSEQ, "none are not");
}

static void test_stub(void)
{
	uint8_t stub[CODE_STUB_BYTES];
	uint64_t real, entry;

	code_stub(0x123456789abcdef0, 0xfedcba9876543210, stub);
	ok(code_is_stub(stub, &real, &entry) && real == 0x123456789abcdef0 && entry == 0xfedcba9876543210,
	   "a stub says what it pushes and where it goes");
	stub[0] ^= 1;
	ok(!code_is_stub(stub, &real, &entry), "other bytes are none");
}

/* Real functions. */
struct census { struct elf_file *file; int fd; unsigned seen, refused; };

static bool is_allocator(const char *name)
{
	static const char *const names[] = {
		"malloc", "calloc", "realloc", "reallocarray", "free", "cfree", "posix_memalign", "aligned_alloc",
		"memalign", "valloc", "pvalloc", "strdup", "strndup", "mmap", "mmap64", "munmap", "mremap", "brk",
		"sbrk", "mallocx", "rallocx", "xallocx", "dallocx", "sdallocx", "tc_malloc", "tc_free", "mi_malloc",
		"mi_free", "mi_calloc", "mi_realloc", "dlclose", "execve", "pthread_setname_np", "prctl",
	};

	if (strncmp(name, "_Znw", 4) == 0 || strncmp(name, "_Zna", 4) == 0 ||
	    strncmp(name, "_Zdl", 4) == 0 || strncmp(name, "_Zda", 4) == 0)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static int examine(const char *name, const struct elf_symbol *s, void *arg)
{
	struct census *c = arg;
	uint8_t code[4096];
	struct code_entry e;
	struct code_copy copy;
	const char *reason;
	uint64_t offset;
	ssize_t got;

	if (!s->dynamic || !is_allocator(name) || elf_vaddr_to_offset(c->file, s->vaddr, &offset))
		return 0;
	got = pread(c->fd, code, sizeof(code), (off_t)offset);
	c->seen++;
	if (code_entry_decode(s->vaddr, code, got > 0 ? (size_t)got : 0, s->size, &e, &reason) ||
	    code_entry_move(&e, s->vaddr + (1u << 28), &copy)) {
		printf("# %s: %s\n", name, reason ? reason : "out of reach");
		c->refused++;
	}
	return 0;
}

static void test_library(const char *pattern)
{
	struct census c = { 0 };
	glob_t found;

	if (glob(pattern, 0, NULL, &found) || elf_file_open(found.gl_pathv[0], &c.file)) {
		skip(1, "not installed");
		return;
	}
	c.fd = open(found.gl_pathv[0], O_RDONLY | O_CLOEXEC);
	elf_each_symbol(c.file, examine, &c);
	ok(c.seen > 5 && c.refused == 0, "%s: %u functions, %u refused", found.gl_pathv[0], c.seen, c.refused);
	close(c.fd);
	elf_file_close(c.file);
	globfree(&found);
}

#define RUN(name, value, code) test_shape(#name, shape_##name, value_##name);
#define REFUSE(name, word, code) refuse(bad_##name, #name, word);

int main(void)
{
	uintptr_t page = (uintptr_t)shape_pushes & ~(uintptr_t)4095;

	if (!code_cpu_supported())
		plan_skip_all("code of this CPU cannot be patched");
	area = mmap((void *)(page - (1u << 26)), 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || mprotect((void *)page, 8 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
		plan_skip_all("code cannot be made writable");
	SHAPES(RUN)
	BAD_SHAPES(REFUSE)
	test_unwinding();
	test_reach();
	test_sizes();
	test_stub();
	test_library("/lib/x86_64-linux-gnu/libc.so.6");
	test_library("/usr/lib/x86_64-linux-gnu/libstdc++.so.6");
	test_library("/lib/ld-musl-x86_64.so.1");
	test_library("/usr/lib/x86_64-linux-gnu/libjemalloc.so.2");
	test_library("/usr/lib/x86_64-linux-gnu/libtcmalloc.so.4");
	test_library("/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4");
	test_library("/usr/lib/x86_64-linux-gnu/libmimalloc.so.2*");
	return done_testing();
}
