/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* replay FILE: puts recorded stacks (record.h) where they were and unwinds them.  Nothing but the recorded
 * bytes is there: no code, no libc of the recorded program, no loader that knows it. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "hook/modules.h"
#include "tests/aarch64/capture.h"
#include "tests/tap.h"
#include "trace/channel.h"

#define PAGE	65536ul		/* as large as any kernel's */
#define WORDS_MAX 4096u

static struct module object = { .name = "recorded", .shared = true };
static uintptr_t mapped_low, mapped_high;	/* of the stack */

static struct {
	char name[64];
	struct capture want;
	uintptr_t high;
	unsigned words;
	uint64_t at[WORDS_MAX], value[WORDS_MAX];
} stack;

static unsigned stacks, interrupted, differ, blind;

/* In place of hook/modules.c: the recorded program is all there is. */
size_t modules_reserve_bytes(void)
{
	return 0;
}

void modules_init(void *reserved, struct channel_region *region, uint64_t modules_offset)
{
	(void)reserved;
	(void)region;
	(void)modules_offset;
}

bool modules_find(uintptr_t at, struct module *m)
{
	*m = object;
	return at >= object.start && at < object.end;
}

bool modules_code(uintptr_t at)
{
	return at >= object.start && at < object.end;
}

void modules_forget(void)
{
}

void modules_changed(void)
{
}

static void map(uintptr_t low, uintptr_t high)
{
	low &= ~(PAGE - 1);
	high = (high + PAGE - 1) & ~(PAGE - 1);
	if (mmap((void *)low, high - low, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		 -1, 0) != (void *)low)
		exit(2);
}

static void begin_object(void)
{
	map(object.start, object.end);
	object.code = (struct cfi_segment){ object.start, object.end };
	object.tables.count = 1;
	object.tables.readable[0] = (struct cfi_segment){ object.tables.header, object.tables.header };
}

static void take_bytes(uintptr_t at, const char *digits)
{
	unsigned byte;

	for (; sscanf(digits, "%2x", &byte) == 1; digits += 2)
		*(uint8_t *)at++ = (uint8_t)byte;
	object.tables.readable[0].end = at;
}

static bool same(const struct capture *got)
{
	const struct capture *want = &stack.want;

	if (got->count != want->count || got->root != want->root)
		return false;
	for (unsigned i = 0; i < got->count; i++)
		if (got->frames[i].pc != want->frames[i].pc || !got->frames[i].exact != !want->frames[i].exact)
			return false;
	return true;
}

static void show(const struct capture *c, const char *what)
{
	printf("# %s: root %u:", what, c->root);
	for (unsigned i = 0; i < c->count; i++)
		printf(" %lx%s", (unsigned long)c->frames[i].pc, c->frames[i].exact ? "!" : "");
	printf("\n");
}

static void fill(void)
{
	memset((void *)mapped_low, 0, mapped_high - mapped_low);
	for (unsigned i = 0; i < stack.words; i++)
		*(uint64_t *)stack.at[i] = stack.value[i];
}

/* Another return address in the place of each one: it must be told. */
static void change(void)
{
	for (unsigned i = 0; i < stack.words; i++) {
		struct capture got = { .pc = stack.want.pc, .sp = stack.want.sp, .fp = stack.want.fp };
		uint64_t pc = stack.value[i] & 0xffffffffffff;

		if (pc != stack.want.frames[stack.want.count - 2].pc)
			continue;
		*(uint64_t *)stack.at[i] ^= 4;
		capture_from(&got);
		blind += same(&got);
		*(uint64_t *)stack.at[i] ^= 4;
		return;
	}
}

static void unwind(void)
{
	struct capture got = { .pc = stack.want.pc, .sp = stack.want.sp, .fp = stack.want.fp };
	bool twice;

	fill();
	twice = capture_from(&got);
	stacks++;
	for (unsigned i = 0; i < got.count; i++)
		interrupted += got.frames[i].exact != 0;
	if (!twice || !same(&got)) {
		if (differ++ < 5) {
			printf("# %s, the same twice: %d\n", stack.name, twice);
			show(&got, "got ");
			show(&stack.want, "want");
		}
		return;
	}
	change();
}

static void begin_stack(void)
{
	if (!mapped_high) {
		mapped_high = stack.high;
		mapped_low = stack.high - (1ul << 20);
		map(mapped_low, mapped_high);
		capture_init(mapped_low, mapped_high);
	}
	stack.want.count = 0;
	stack.words = 0;
}

static void take_words(uintptr_t at, const char *values)
{
	unsigned long value;
	int used;

	for (; stack.words < WORDS_MAX && sscanf(values, "%lx%n", &value, &used) == 1; values += used, at += 8) {
		stack.at[stack.words] = at;
		stack.value[stack.words++] = value;
	}
}

static bool take(const char *line)
{
	struct capture *w = &stack.want;
	struct capture_frame f;
	unsigned long at;
	int used;

	if (sscanf(line, "object %lx %lx %lx", &object.start, &object.end, &object.tables.header) == 3)
		begin_object();
	else if (sscanf(line, "bytes %lx %n", &at, &used) == 1)
		take_bytes(at, line + used);
	else if (sscanf(line, "stack %lx %lx %lx %lx %63[^\n]", &w->pc, &w->sp, &w->fp, &stack.high, stack.name) == 5)
		begin_stack();
	else if (sscanf(line, "words %lx%n", &at, &used) == 1)
		take_words(at, line + used);
	else if (sscanf(line, "frame %lx %x", &f.pc, &f.exact) == 2 && w->count < CAPTURE_DEPTH)
		w->frames[w->count++] = f;
	else if (sscanf(line, "root %x", &w->root) == 1)
		unwind();
	else
		return line[0] == '#';
	return true;
}

int main(int argc, char **argv)
{
	static char line[4096];
	FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
	unsigned bad = 0;

	if (!file)
		return 2;
	while (fgets(line, sizeof(line), file))
		bad += !take(line);
	is_int(bad, 0, "every line is understood");
	ok(stacks >= 10 && interrupted >= stacks, "%u stacks, %u interrupted frames", stacks, interrupted);
	is_int(differ, 0, "each is unwound as it was");
	is_int(blind, 0, "none when a return address in it is another");
	return done_testing();
}
