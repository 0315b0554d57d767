/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of rows: threads that look up the same addresses of libc while the table grows and
 * rows are dropped always get the rule that the tables give. */
#include "hook/rows.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "hook/clock.h"
#include "hook/core.h"
#include "hook/modules.h"
#include "hook/modules_elf.h"
#include "tests/tap.h"

#define THREADS	4
#ifndef STEP
#define STEP	7
#endif

struct hook hook;

uint64_t clock_nanoseconds(void)
{
	return 1;
}

static struct module libc;
static _Atomic unsigned wrong, found, stop;

static int agrees(uintptr_t at, const struct rule *rule)
{
	struct cfi_row row;

	if (cfi_find(&libc.tables, at, &row))	/* the procedure linkage table's stubs are recognised */
		return rule->kind != RULE_PLAIN && (rule->kind != RULE_GENERAL || rule->flags & RULE_RA_KEPT);
	if (row.signal)
		return rule->kind == RULE_SIGNAL;
	if (row.ra_how == CFI_UNDEFINED)
		return rule->kind == RULE_END;
	if (rule->kind == RULE_NONE)
		return row.cfa_base == CFI_OTHER || row.ra_how != CFI_AT_CFA;
	if (rule->kind == RULE_OTHER)
		return rule->cfa == row.cfa_offset && rule->reg[RULE_REG_SP] == row.sp_register &&
		       rule->reg[RULE_REG_CFA] == (row.cfa_base == CFI_OTHER ? row.cfa_register : CFI_NO_REGISTER);
	return rule->cfa == row.cfa_offset &&
	       !(rule->flags & RULE_FROM_FP) == (row.cfa_base == CFI_SP || row.cfa_base == CFI_MEM_SP) &&
	       (rule->flags & RULE_KEEPS_FP || rule->flags & RULE_FP_LOST || rule->fp == row.fp_offset);
}

static void *work(void *argument)
{
	uintptr_t first = libc.code.start + (uintptr_t)argument % 2;

	for (uintptr_t at = first; at < libc.code.end; at += STEP) {
		struct rule scratch;
		const struct rule *rule = rows_get(rows_current(), at);

		if (!rule || rule->kind == RULE_MISS)
			rule = rows_find(at, &scratch);
		found += rule->kind == RULE_PLAIN;
		wrong += !agrees(at, rule);
	}
	return NULL;
}

static void *drop(void *argument)
{
	(void)argument;
	while (!stop) {
		struct timespec pause = { 0, 2000000 };

		rows_drop(libc.start, libc.end);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void *reserve(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int main(void)
{
	struct channel_layout l = channel_layout(1, 1024, 1, false);
	struct channel_region *region = reserve(l.bytes);
	struct channel_module *published = (void *)((char *)region + l.modules);
	pthread_t threads[THREADS + 1];

	hook.clock = CLOCK_TSC;
	modules_init(reserve(modules_reserve_bytes()), region, l.modules);
	rows_init(reserve(rows_reserve_bytes()));
	ok(modules_find((uintptr_t)puts, &libc), "libc is found");
	ok(libc.shared && region->module_count == 1, "and published");
	is_int(published[0].start, libc.start, "where it starts");
	ok(published[0].build_id_len == libc.build_id_size && strstr(published[0].path, "libc"),
	   "its build-id (%u bytes) and name (%s)", published[0].build_id_len, published[0].path);
	ok(!modules_find(16, &(struct module){ 0 }), "no object is at address 16");

	pthread_create(&threads[THREADS], NULL, drop, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	stop = 1;
	pthread_join(threads[THREADS], NULL);
	ok(found > 700000 / STEP, "plain rules (%u)", found);
	is_int(wrong, 0, "no rule is wrong");
	is_int(region->module_count, 1, "libc is still one module");
	return done_testing();
}
