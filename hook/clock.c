/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fallback clock. */
#include "hook/clock.h"

#include <link.h>
#include <time.h>

#include "hook/elf_symbol.h"
#include "hook/resolve.h"

typedef int clock_gettime_fn(clockid_t, struct timespec *);

static clock_gettime_fn *_Atomic function;

uint64_t clock_nanoseconds(void)
{
	clock_gettime_fn *f = function;
	struct timespec t = { 0, 0 };

	if (!f) {
		f = (clock_gettime_fn *)resolve_real("clock_gettime", 0);
		function = f;
	}
	if (f)
		f(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void clock_from_vdso(uintptr_t header)
{
	const ElfW(Ehdr) *e = (const void *)header;
	const ElfW(Phdr) *p = (const void *)(header + e->e_phoff);
	struct link_map vdso = { 0 };
	uintptr_t dynamic = 0;

	for (unsigned i = 0; i < e->e_phnum; i++) {
		if (p[i].p_type == PT_LOAD)
			vdso.l_addr = header + p[i].p_offset - p[i].p_vaddr;
		else if (p[i].p_type == PT_DYNAMIC)
			dynamic = p[i].p_vaddr;
	}
	if (!dynamic)
		return;
	vdso.l_ld = (void *)(vdso.l_addr + dynamic);
	function = (clock_gettime_fn *)elf_symbol(&vdso, "__vdso_clock_gettime");
}
