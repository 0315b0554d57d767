/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libdwfl with our own eyes: its own way of looking at a process stops it by SIGSTOP. */
#include "inject/unwind.h"

#include "base/alloc.h"
#include "inject/cpu.h"
#include "inject/memory.h"
#include "inject/registers.h"
#include "inject/state.h"
#include "symbols/maps.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CACHE	4096u

struct unwinder {
	struct injection *i;
	Dwfl *dwfl;
	struct maps maps;
	const struct thread *thread;	/* the one that is walked */
	uint64_t page;			/* what cache holds; ~0: nothing */
	uint8_t cache[CACHE];
	uint8_t *vdso;
};

static int find_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
	struct unwinder *u = *user;
	const struct map_entry *m = u ? maps_find(&u->maps, base) : NULL;

	(void)module, (void)name;
	*file = NULL;
	*elf = NULL;
	if (!m)
		return -1;
	if (strcmp(m->name, "[vdso]") == 0) {
		size_t size = m->end - m->start;

		free(u->vdso);
		u->vdso = xmalloc(size);
		if (memory_read(u->i, m->start, u->vdso, size) == 0)
			*elf = elf_memory((char *)u->vdso, size);
		return -1;
	}
	return injection_open_mapped(u->i, m->start, m->end, m->name, m->inode);
}

static int no_debuginfo(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
			const char *link, GElf_Word crc, char **path)
{
	(void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)path;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = no_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static bool read_word(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *argument)
{
	struct unwinder *u = argument;
	uint64_t page = address & ~(uint64_t)(CACHE - 1);

	(void)dwfl;
	if (address - page > CACHE - sizeof(*word))
		return memory_read(u->i, address, word, sizeof(*word)) == 0;
	if (page != u->page) {
		u->page = ~0ull;
		if (memory_read(u->i, page, u->cache, CACHE) != 0)
			return false;
		u->page = page;
	}
	memcpy(word, u->cache + (address - page), sizeof(*word));
	return true;
}

static pid_t next_thread(Dwfl *dwfl, void *argument, void **thread_argument)
{
	struct unwinder *u = argument;

	(void)dwfl;
	if (*thread_argument)
		return 0;
	*thread_argument = u;
	return u->thread->tid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *argument, void **thread_argument)
{
	struct unwinder *u = argument;

	(void)dwfl;
	*thread_argument = u;
	return tid == u->thread->tid;
}

static bool set_registers(Dwfl_Thread *thread, void *argument)
{
	struct unwinder *u = argument;
	Dwarf_Word registers[CPU_DWARF_REGISTERS];

	cpu_dwarf_registers(&u->thread->regs, registers);
	return dwfl_thread_state_registers(thread, 0, CPU_DWARF_REGISTERS, registers);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_word,
	.set_initial_registers = set_registers,
};

/* One module for each object that has code. */
static void report(struct unwinder *u)
{
	uint64_t done = 0;

	for (size_t k = 0; k < u->maps.count; k++) {
		const struct map_entry *m = &u->maps.items[k];
		size_t first = k, last = k;
		bool vdso = strcmp(m->name, "[vdso]") == 0;
		Dwfl_Module *module;
		void **user;

		if (!m->execute || m->start < done)
			continue;
		if (!vdso && !maps_object(&u->maps, m->start, &first, &last))
			continue;
		done = u->maps.items[last].end;
		module = dwfl_report_module(u->dwfl, m->name, u->maps.items[first].start, done);
		if (module && dwfl_module_info(module, &user, NULL, NULL, NULL, NULL, NULL, NULL))
			*user = u;
	}
}

int unwinder_open(struct injection *i, struct unwinder **result)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));
	int rc = maps_read(injection_proc(i), &u->maps);

	*result = NULL;
	if (rc) {
		free(u);
		return rc;
	}
	u->i = i;
	u->page = ~0ull;
	u->dwfl = dwfl_begin(&callbacks);
	if (u->dwfl) {
		dwfl_report_begin(u->dwfl);
		report(u);
		if (dwfl_report_end(u->dwfl, NULL, NULL) == 0) {
			*result = u;
			return 0;
		}
	}
	unwinder_close(u);
	return -ENOMEM;
}

void unwinder_close(struct unwinder *u)
{
	if (!u)
		return;
	if (u->dwfl)
		dwfl_end(u->dwfl);
	maps_release(&u->maps);
	free(u->vdso);
	free(u);
}

bool unwinder_stale(const struct unwinder *u)
{
	struct maps now;
	bool same;

	if (maps_read(injection_proc(u->i), &now) != 0)
		return true;
	same = true;
	/* Only code counts: heaps and stacks come and go. */
	for (size_t k = 0, n = 0; same; k++, n++) {
		while (k < u->maps.count && !u->maps.items[k].execute)
			k++;
		while (n < now.count && !now.items[n].execute)
			n++;
		if (k == u->maps.count || n == now.count) {
			same = k == u->maps.count && n == now.count;
			break;
		}
		same = u->maps.items[k].start == now.items[n].start && u->maps.items[k].end == now.items[n].end &&
		       u->maps.items[k].inode == now.items[n].inode;
	}
	maps_release(&now);
	return !same;
}

static int each_frame(Dwfl_Frame *state, void *argument)
{
	struct unwind_stack *stack = argument;
	struct unwind_frame *f = &stack->frames[stack->count];
	Dwarf_Word sp = 0;

	if (stack->count == UNWIND_FRAMES || !dwfl_frame_pc(state, &f->pc, &f->activation) ||
	    dwfl_frame_reg(state, CPU_DWARF_SP, &sp) != 0)
		return DWARF_CB_ABORT;
	f->sp = sp;
	stack->count++;
	return DWARF_CB_OK;
}

int unwinder_walk(struct unwinder *u, const struct thread *t, struct unwind_stack *stack)
{
	stack->count = 0;
	stack->complete = false;
	u->thread = t;
	u->page = ~0ull;
	if (dwfl_pid(u->dwfl) < 0 && !dwfl_attach_state(u->dwfl, NULL, u->i->pid, &thread_callbacks, u))
		return -ENOEXEC;
	stack->complete = dwfl_getthread_frames(u->dwfl, t->tid, each_frame, stack) == 0;
	return stack->count ? 0 : -ENOEXEC;
}

const char *unwinder_object(const struct unwinder *u, uint64_t address, uint64_t *start)
{
	const struct map_entry *m = maps_find(&u->maps, address);
	size_t first, last;

	if (!m)
		return NULL;
	*start = maps_object(&u->maps, address, &first, &last) ? u->maps.items[first].start : m->start;
	return m->name;
}

bool unwinder_function(struct unwinder *u, uint64_t address, uint64_t *start)
{
	Dwfl_Module *module = dwfl_addrmodule(u->dwfl, address);
	GElf_Off offset;
	GElf_Sym symbol;

	if (!module || !dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL) ||
	    offset >= symbol.st_size)
		return false;
	*start = address - offset;
	return true;
}
