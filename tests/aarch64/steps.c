/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* steps [FILE [EVERY]]: stops at every instruction of functions of all shapes, unwinds there, and compares with
 * what the program knows itself: where it stopped, and the return addresses that the link register and
 * the compiler gave on the way there.  FILE: some of these stacks are written there, for replay.c.
 *
 *	on_stack, the outermost frame -> outer -> inner -> the function, which is interrupted -> handler
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/aarch64/capture.h"
#include "tests/aarch64/record.h"
#include "tests/aarch64/shapes.h"
#include "tests/tap.h"
#include "trace/channel.h"

#define NOINLINE __attribute__((noinline, noclone))
#define BREAK	0xd4200000u		/* brk #0 */
#define STACK_AT 0x20000000ul
#define STACK_BYTES (1ul << 20)
#define KNOWN	3

long on_stack(long (*function)(void *), void *argument, uintptr_t top);
__asm__(".text\n.type on_stack, %function\non_stack:\n.cfi_startproc\n.cfi_undefined x30\n"
	"	stp x29, x30, [sp, #-32]!\n	str x19, [sp, #16]\n	mov x19, sp\n	mov x3, x0\n	mov x0, x1\n"
	"	mov sp, x2\n	mov x29, xzr\n	blr x3\n	mov sp, x19\n	ldr x19, [sp, #16]\n"
	"	ldp x29, x30, [sp], #32\n	ret\n.cfi_endproc\n.size on_stack, .-on_stack\n");

static struct {
	const char *name;
	const struct shape *shape;
	const void *first;
	volatile uint32_t *at;		/* where the break is, and what it stands for */
	uint32_t instruction;
	uint64_t known[KNOWN];		/* return addresses, innermost first */
	struct capture capture;
	int hit, same, right;
} step;

static NOINLINE long answer(long n)
{
	return n & 15;
}

static NOINLINE long inner(void)
{
	volatile long keep = 1;

	step.known[1] = (uintptr_t)__builtin_return_address(0);
	return step.shape->function(3, answer) + keep;
}

static NOINLINE long outer(void *argument)
{
	long values[2] = { (long)argument, 0 };

	step.known[2] = (uintptr_t)__builtin_return_address(0);
	values[1] = inner();
	return values[0] + values[1];
}

static void set_instruction(uint32_t instruction)
{
	*step.at = instruction;
	__builtin___clear_cache((char *)step.at, (char *)(step.at + 1));
}

/* Are the frames from the interrupted one on what they must be? */
static int right(void)
{
	const struct capture *c = &step.capture;
	unsigned i = 0, n = 0;

	while (i < c->count && (!c->frames[i].exact || c->frames[i].pc != (uintptr_t)step.at))
		i++;
	if (i == c->count)
		return 0;
	while (n < KNOWN && i + 1 + n < c->count && c->frames[i + 1 + n].pc == step.known[n])
		n++;
	return n == KNOWN && i + 1 + n == c->count && c->root == STACK_COMPLETE;
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	const mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;

	(void)number;
	(void)info;
	if (m->pc != (uintptr_t)step.at || step.hit)
		_exit(2);
	if (!step.known[0])
		step.known[0] = m->regs[30];
	set_instruction(step.instruction);
	step.same = capture_here(&step.capture);
	step.right = right();
	if (step.same && step.right)
		record_stack(step.name, (uintptr_t)step.at - (uintptr_t)step.first, &step.capture,
			     STACK_AT + STACK_BYTES);
	step.hit = 1;
}

static void show(const char *name, size_t offset)
{
	const struct capture *c = &step.capture;

	printf("# %s+%zu, same %d, root %u:", name, offset, step.same, c->root);
	for (unsigned i = 0; i < c->count; i++)
		printf(" %lx%s", (unsigned long)c->frames[i].pc, c->frames[i].exact ? "!" : "");
	printf("\n#   known:");
	for (unsigned n = 0; n < KNOWN; n++)
		printf(" %lx", (unsigned long)step.known[n]);
	printf("\n");
}

/* before(): undoes what an earlier call has changed; skip: an instruction whose CFI is known to be wrong. */
static unsigned steps_of(const char *name, const struct shape *shape, const void *first, size_t count,
			 void (*before)(void), size_t skip)
{
	uint32_t *code = (uint32_t *)first;
	unsigned hits = 0, wrong = 0;
	char *page = (char *)((uintptr_t)first & ~4095ul);

	mprotect(page, (size_t)((char *)(code + count) - page), PROT_READ | PROT_WRITE | PROT_EXEC);
	step.name = name;
	step.shape = shape;
	step.first = first;
	step.known[0] = 0;
	for (size_t i = 0; i < count; i++) {
		step.at = &code[i];
		step.instruction = code[i];
		step.hit = 0;
		if (before)
			before();
		set_instruction(BREAK);
		on_stack(outer, &step, STACK_AT + STACK_BYTES);
		set_instruction(step.instruction);
		if (!step.hit || i + 1 == skip)
			continue;
		hits++;
		if ((!step.same || !step.right) && wrong++ < 3)
			show(name, 4 * i);
	}
	ok(hits && !wrong, "%s: %u of %zu instructions, %u wrong", name, hits, count, wrong);
	return hits;
}

static unsigned variant(const char *name, const struct shape *shape)
{
	unsigned hits = 0;
	const ElfW(Sym) *symbol;
	Dl_info info;
	char text[64];

	for (; shape->name; shape++) {
		snprintf(text, sizeof(text), "%s, %s", shape->name, name);
		if (!dladdr1((void *)shape->function, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) {
			ok(0, "%s has a symbol", text);
			continue;
		}
		hits += steps_of(text, shape, info.dli_saddr, symbol->st_size / 4, NULL, 0);
	}
	return hits;
}

/* A function that is bound at its first call, and the instruction that goes to its stub. */
long by_stub(long n, callback *g);
__asm__(".text\n.globl by_stub\n.type by_stub, %function\nby_stub:\n.cfi_startproc\n	b labs\n.cfi_endproc\n"
	".size by_stub, .-by_stub\n");

static uint64_t *slot;		/* of the stub, and what is there until it is bound */
static uint64_t unbound;

static void unbind(void)
{
	*slot = unbound;
}

/* The word that a stub's adrp and ldr name. */
static uint64_t *word_of(const uint32_t *code)
{
	int64_t pages = (int64_t)((uint64_t)(code[0] >> 5 & 0x7ffff) << 45) >> 31;

	pages |= (code[0] >> 29 & 3) << 12;
	return (uint64_t *)(((uintptr_t)code & ~4095ul) + (uint64_t)pages + (code[1] >> 10 & 0xfff) * 8);
}

/* The stub, the first one, which all others go to, and the resolver behind it.  glibc tells of its first
 * instruction that nothing has been pushed, and at the last two the link register's place is popped. */
static void test_stubs(void)
{
	const uint32_t *code = (const uint32_t *)by_stub;
	const uint32_t *stub = code + ((int32_t)(*code << 6) >> 6), *first;
	struct shape shape = { "stub", (shape_function *)(uintptr_t)stub };

	slot = word_of(stub);
	unbound = *slot;
	first = (const uint32_t *)unbound;
	steps_of("stub", &shape, stub, 4, unbind, 0);
	steps_of("first stub", &shape, first, 5, unbind, 0);
	steps_of("resolver", &shape, (const void *)*word_of(first + 1), 27, unbind, 1);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	unsigned hits = 0;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (mmap((void *)STACK_AT, STACK_BYTES, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)STACK_AT)
		return 2;
	capture_init(STACK_AT, STACK_AT + STACK_BYTES);
	sigaction(SIGTRAP, &action, NULL);
	test_stubs();
	record_open(argc > 1 ? argv[1] : NULL, argc > 2 ? (unsigned)atoi(argv[2]) : 1);	/* without code */
#define X(name) hits += variant(#name, shapes_##name);
	VARIANTS(X)
#undef X
	ok(hits > 1000, "%u places in all", hits);
	record_close();
	return done_testing();
}
