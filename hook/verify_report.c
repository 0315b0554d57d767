/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text by raw writes: a line for each frame, its object and both walks' values. */
#include "hook/verify_report.h"

#include "hook/memory.h"
#include "hook/modules.h"
#include "hook/raw.h"
#include "hook/verify_share.h"
#include "trace/channel.h"

#define STDERR		2
#define NAME_MAX	200u

struct line {
	char text[512];
	unsigned used;
};

static void add(struct line *l, const char *s)
{
	for (unsigned i = 0; s[i] && i < NAME_MAX && l->used < sizeof(l->text) - 1; i++)
		l->text[l->used++] = s[i];
}

static void add_number(struct line *l, uint64_t n, unsigned base)
{
	char digits[24];
	unsigned at = sizeof(digits) - 1;

	digits[at] = '\0';
	do {
		digits[--at] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n);
	if (base == 16)
		add(l, "0x");
	add(l, digits + at);
}

static void put(struct line *l)
{
	l->text[l->used++] = '\n';
	raw_call(RAW_NR_write, STDERR, l->text, l->used, 0, 0);
	l->used = 0;
}

/* Where `frame` is: object and address in its file. */
static void add_place(struct line *l, uint64_t frame)
{
	uintptr_t pc = DEPOT_PC(frame);
	struct module m;

	add(l, frame & VERIFY_EXACT ? " at " : "    ");
	add_number(l, pc, 16);
	if (DEPOT_EPOCH(frame & ~VERIFY_EXACT)) {
		add(l, " epoch ");
		add_number(l, DEPOT_EPOCH(frame & ~VERIFY_EXACT), 10);
	}
	if (!modules_find(pc - 1, &m))
		return;
	add(l, " ");
	add(l, m.name && *m.name ? m.name : "(program)");
	add(l, "+");
	add_number(l, pc - m.bias, 16);
}

static void put_head(const char *how, const struct verify_walk *interned, const struct verify_walk *other)
{
	struct line l = { .used = 0 };

	add(&l, "memtrack.so: two walks of one stack differ: interned (root ");
	add_number(&l, interned->root, 10);
	add(&l, ") and ");
	add(&l, how);
	add(&l, " (root ");
	add_number(&l, other->root, 10);
	add(&l, "), process ");
	add_number(&l, (uint64_t)raw_call(RAW_NR_getpid, 0, 0, 0, 0, 0), 10);
	put(&l);
}

static void put_frames(const struct verify_walk *interned, const struct verify_walk *other)
{
	for (uint32_t i = 0; i < interned->count || i < other->count; i++) {
		struct line l = { .used = 0 };
		bool one = i < interned->count, two = i < other->count;

		add(&l, one && two && interned->frames[i] == other->frames[i] ? "   #" : "!! #");
		add_number(&l, i, 10);
		if (one)
			add_place(&l, interned->frames[i]);
		if (two && (!one || interned->frames[i] != other->frames[i])) {
			add(&l, "  |");
			add_place(&l, other->frames[i]);
		}
		put(&l);
	}
}

void verify_differ(const struct verify_walk *interned, const struct verify_walk *other, const char *how)
{
	atomic_fetch_add(&verify_page->different, 1);
	put_head(how, interned, other);
	put_frames(interned, other);
	__builtin_trap();
}
