/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One Dwfl for each process, refreshed when its mappings change. */
#include "tests/oracle/outside.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES_MAX	32

struct process {
	pid_t pid;
	Dwfl *dwfl;
	uint64_t maps;		/* a hash of the code that is mapped */
	unsigned used;
};

static struct process processes[PROCESSES_MAX];
static unsigned clock_now;
static Dwfl *last;

/* What separate debug information says is not there when the program runs. */
static int no_debuginfo(Dwfl_Module *m, void **u, const char *n, Dwarf_Addr b, const char *f, const char *l,
			GElf_Word c, char **p)
{
	(void)m, (void)u, (void)n, (void)b, (void)f, (void)l, (void)c, (void)p;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = no_debuginfo,
};

static uint64_t hash_maps(pid_t pid)
{
	uint64_t hash = 14695981039346656037u;
	char path[64], *line = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && getline(&line, &size, f) > 0) {
		char *mode = strchr(line, ' ');

		if (!mode || mode[3] != 'x')
			continue;
		for (const char *s = line; *s; s++)
			hash = (hash ^ (unsigned char)*s) * 1099511628211u;
	}
	if (f)
		fclose(f);
	free(line);
	return hash;
}

static void forget(struct process *p)
{
	dwfl_end(p->dwfl);
	*p = (struct process){ 0 };
}

static struct process *slot_of(pid_t pid)
{
	struct process *oldest = &processes[0];

	for (int i = 0; i < PROCESSES_MAX; i++) {
		if (processes[i].pid == pid)
			return &processes[i];
		if (processes[i].used < oldest->used)
			oldest = &processes[i];
	}
	if (oldest->dwfl)
		forget(oldest);
	return oldest;
}

static int begin(struct process *p, pid_t pid)
{
	p->dwfl = dwfl_begin(&callbacks);
	if (!p->dwfl)
		return -ENOMEM;
	p->pid = pid;
	if (dwfl_linux_proc_report(p->dwfl, pid) || dwfl_report_end(p->dwfl, NULL, NULL) ||
	    dwfl_linux_proc_attach(p->dwfl, pid, true)) {
		forget(p);
		return -ESRCH;
	}
	return 0;
}

static int refresh(struct process *p)
{
	dwfl_report_begin(p->dwfl);
	if (dwfl_linux_proc_report(p->dwfl, p->pid) || dwfl_report_end(p->dwfl, NULL, NULL)) {
		forget(p);
		return -ESRCH;
	}
	return 0;
}

static Dwfl *dwfl_of(pid_t pid)
{
	struct process *p = slot_of(pid);
	uint64_t maps = hash_maps(pid);
	int error = 0;

	if (!p->dwfl)
		error = begin(p, pid);
	else if (p->maps != maps)
		error = refresh(p);
	p->maps = maps;
	p->used = ++clock_now;
	return error ? NULL : p->dwfl;
}

static int add_frame(Dwfl_Frame *state, void *arg)
{
	struct outside_stack *s = arg;
	Dwarf_Addr pc;
	bool exact;

	if (s->count == OUTSIDE_FRAMES_MAX)
		return DWARF_CB_ABORT;
	if (!dwfl_frame_pc(state, &pc, &exact))
		return -1;
	s->frames[s->count++] = (struct outside_frame){ pc, exact };
	return DWARF_CB_OK;
}

static int stop(pid_t tid, int *signal)
{
	int status;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return -errno;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) || waitpid(tid, &status, __WALL) != tid ||
	    !WIFSTOPPED(status))
		return -ESRCH;
	*signal = status >> 16 ? 0 : WSTOPSIG(status);	/* one that was just coming */
	return 0;
}

int outside_unwind(pid_t pid, pid_t tid, struct outside_stack *stack)
{
	int signal = 0, error = stop(tid, &signal);

	if (error)
		return error;
	*stack = (struct outside_stack){ .count = 0 };
	last = dwfl_of(pid);
	if (!last)
		error = -ESRCH;
	else if (dwfl_getthread_frames(last, tid, add_frame, stack) && stack->count < OUTSIDE_FRAMES_MAX)
		stack->end = dwfl_errmsg(-1);
	if (ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)signal) && !error)
		error = -errno;
	return error;
}

static const char *object_of(Dwfl_Module *m)
{
	const char *file = NULL, *name = dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, &file, NULL);

	return file ? file : name ? name : "?";
}

bool outside_is_in(uint64_t pc, const char *base_name)
{
	Dwfl_Module *m = dwfl_addrmodule(last, pc);
	const char *file = m ? object_of(m) : "", *slash = strrchr(file, '/');

	return strcmp(slash ? slash + 1 : file, base_name) == 0;
}

const char *outside_lacks(uint64_t pc)
{
	Dwfl_Module *m = dwfl_addrmodule(last, pc);
	Dwarf_Frame *frame;
	Dwarf_Addr bias;
	Dwarf_CFI *cfi;

	if (!m)
		return "no object";
	cfi = dwfl_module_eh_cfi(m, &bias);
	if (!cfi)
		return "no .eh_frame";
	if (!dwarf_cfi_addrframe(cfi, pc - bias, &frame)) {
		free(frame);
		return NULL;
	}
	return strcmp(dwarf_errmsg(-1), "no matching address range") == 0 ? "no entry in .eh_frame" : NULL;
}

static Dwarf_Frame *row_of(uint64_t pc)
{
	Dwfl_Module *m = dwfl_addrmodule(last, pc);
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = m ? dwfl_module_eh_cfi(m, &bias) : NULL;

	return cfi && !dwarf_cfi_addrframe(cfi, pc - bias, &frame) ? frame : NULL;
}

bool outside_lost_rbx(uint64_t pc, uint64_t inner_pc)
{
	Dwarf_Frame *frame = row_of(pc), *inner = row_of(inner_pc);
	Dwarf_Op memory[3], *ops;
	size_t count;
	bool on_rbx = frame && !dwarf_frame_cfa(frame, &ops, &count) && count &&
		      (ops[0].atom == DW_OP_breg3 || (ops[0].atom == DW_OP_bregx && ops[0].number == 3));
	bool lost = inner && !dwarf_frame_register(inner, 3, memory, &ops, &count) && !count && ops == memory;

	free(frame);
	free(inner);
	return on_rbx && lost;
}

void outside_name(uint64_t pc, char *text, size_t size)
{
	Dwfl_Module *m = dwfl_addrmodule(last, pc);
	GElf_Off offset = 0;
	GElf_Sym symbol;
	const char *name;
	Dwarf_Addr start = 0;

	if (!m) {
		snprintf(text, size, "0x%llx", (unsigned long long)pc);
		return;
	}
	name = dwfl_module_addrinfo(m, pc, &offset, &symbol, NULL, NULL, NULL);
	dwfl_module_info(m, NULL, &start, NULL, NULL, NULL, NULL, NULL);
	snprintf(text, size, "%s+0x%llx %s+0x%llx", object_of(m), (unsigned long long)(pc - start),
		 name ? name : "?", (unsigned long long)offset);
}
