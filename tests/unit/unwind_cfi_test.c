/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call frame information: this program's own tables, hand-made rows, and damaged copies, which may
 * give any answer but must not be read outside their bytes. */
#include "hook/cfi.h"

#include <errno.h>
#include <link.h>
#include <sys/mman.h>

#include "hook/cfi_program.h"
#include "hook/cfi_read.h"
#include "hook/unwind_cpu.h"
#include "tests/tap.h"

#define SP	CPU_DWARF_SP
#define FP	CPU_DWARF_FP
#define RA	CPU_DWARF_PC	/* in expressions the address itself */

int main(void);

static struct cfi_tables own;
static uintptr_t code_start, code_end;

static int find_own(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_GNU_EH_FRAME)
			own.header = start;
		if (p->p_type == PT_LOAD && p->p_flags & PF_R && own.count < CFI_SEGMENTS_MAX)
			own.readable[own.count++] = (struct cfi_segment){ start, start + p->p_memsz };
		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			code_start = start;
			code_end = start + p->p_memsz;
		}
	}
	return 1;
}

static void test_own(void)
{
	struct cfi_row row;
	unsigned found = 0, odd = 0;

	dl_iterate_phdr(find_own, NULL);
	is_int(cfi_find(&own, (uintptr_t)main + 1, &row), 0, "main has a row");
	is_int(row.cfa_base == CFI_SP || row.cfa_base == CFI_FP, 1, "its CFA is by a register");
	ok(row.ra_how == CFI_AT_CFA ? cpu_plain_ra(row.ra_offset) : CPU_HAS_LINK && row.ra_how == CFI_SAME,
	   "the return address is below it, or where the call left it");
	for (uintptr_t at = code_start; at < code_end; at++) {
		int error = cfi_find(&own, at, &row);

		found += !error;
		odd += error && error != -ENOENT;
	}
	ok(found > (code_end - code_start) / 2, "most code has rows (%u)", found);
	is_int(odd, 0, "no row is beyond us");
	is_int(cfi_find(&own, 16, &row), -ENOENT, "low addresses have none");
}

static void run_for(const uint8_t *code, size_t size, uintptr_t at, unsigned reg, struct cfi_row *row,
		    int error)
{
	static const uint8_t initial[] = { 0x0c, SP, 8, 0x80 | RA, 1 };
	struct cfi_program cie = { .code = { initial, initial + sizeof(initial), false }, .code_align = 1,
				   .data_align = -8 };
	struct cfi_cursor c = { code, code + size, false };

	is_int(cfi_run(&cie, c, 1000, at, reg, row), error, "program of %zu bytes", size);
}

static void run(const uint8_t *code, size_t size, uintptr_t at, struct cfi_row *row, int error)
{
	run_for(code, size, at, CPU_DWARF_FP, row, error);
}

static void test_programs(void)
{
	static const uint8_t push[] = { 0x41, 0x0e, 16, 0x80 | FP, 2, 0x43, 0x0d, FP };
	static const uint8_t drap[] = { 0x0f, 3, 0x70 + FP, 0x78, 0x06, 0x10, FP, 2, 0x70 + FP, 0 };
	static const uint8_t plt[] = { 0x0f, 11, 0x70 + SP, 8, 0x70 + RA, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 };
	static const uint8_t states[] = { 0x41, 0x0e, 16, 0x0a, 0x41, 0x0e, 32, 0x41, 0x0b };
	static const uint8_t unbalanced[] = { 0x0b };
	static const uint8_t cut[] = { 0x0e };
	static const uint8_t by_other[] = { 0x41, 0x0e, 16, 0x83, 2, 0x41, 0x0d, 3 };
	static const uint8_t outermost[] = { 0x07, RA };
	struct cfi_row row;

	run(push, sizeof(push), 1000, &row, 0);
	ok(row.cfa_base == CFI_SP && row.cfa_offset == 8 && row.fp_how == CFI_SAME, "before the push");
	run(push, sizeof(push), 1001, &row, 0);
	ok(row.cfa_offset == 16 && row.fp_how == CFI_AT_CFA && row.fp_offset == -16, "after the push");
	run(push, sizeof(push), 1004, &row, 0);
	ok(row.cfa_base == CFI_FP && row.cfa_offset == 16, "with the frame pointer set");
	run(drap, sizeof(drap), 1000, &row, 0);
	ok(row.cfa_base == CFI_MEM_FP && row.cfa_offset == -8 && row.fp_how == CFI_AT_FP && row.fp_offset == 0,
	   "a realigned frame");
	run(plt, sizeof(plt), 0x1000b, &row, 0);
	ok(row.cfa_base == CFI_SP && row.cfa_offset == 16, "the PLT behind its push");
	run(plt, sizeof(plt), 0x1000a, &row, 0);
	ok(row.cfa_base == CFI_SP && row.cfa_offset == 8, "the PLT before its push");
	run(states, sizeof(states), 1002, &row, 0);
	is_int(row.cfa_offset, 32, "the newer state");
	run(states, sizeof(states), 1003, &row, 0);
	is_int(row.cfa_offset, 16, "the remembered state");
	/* push %rbx; mov %rsp, %rbx */
	run(by_other, sizeof(by_other), 1002, &row, 0);
	ok(row.cfa_base == CFI_OTHER && row.cfa_register == 3 && row.cfa_offset == 16 && row.fp_how == CFI_SAME,
	   "a CFA by another register");
	run_for(by_other, sizeof(by_other), 1002, 3, &row, 0);
	ok(row.fp_how == CFI_AT_CFA && row.fp_offset == -16, "which was saved");
	run_for(by_other, sizeof(by_other), 1000, 3, &row, 0);
	ok(row.fp_how == CFI_SAME, "but not yet");
	run(outermost, sizeof(outermost), 1000, &row, 0);
	is_int(row.ra_how, CFI_UNDEFINED, "the outermost frame");
	run(unbalanced, sizeof(unbalanced), 1000, &row, -EBADMSG);
	run(cut, sizeof(cut), 1000, &row, -EBADMSG);
}

/* The tables are copied to the end of a mapping, so that reading over it faults. */
static void test_damage(void)
{
	uintptr_t end = cfi_readable_end(&own, own.header);
	size_t size = (end - own.header) & ~(size_t)7, room = (size + 4095) & ~(size_t)4095;
	uint8_t *map = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *copy = map + room - size;
	struct cfi_tables t = { .header = (uintptr_t)copy, .count = 1,
				.readable = { { (uintptr_t)copy, (uintptr_t)map + room } } };
	intptr_t moved = (intptr_t)((uintptr_t)copy - own.header);
	unsigned seed = 1, answers = 0;
	struct cfi_row row;

	mprotect(map + room, 4096, PROT_NONE);
	memcpy(copy, (void *)own.header, size);
	is_int(cfi_find(&t, (uintptr_t)main + 1 + (uintptr_t)moved, &row), 0, "a copy works as well");
	for (unsigned turn = 0; turn < 20000; turn++) {
		for (unsigned i = 0; i < 4; i++) {
			seed = seed * 1103515245 + 12345;
			copy[seed / 65536 * 7 % size] = (uint8_t)(seed >> 8);
		}
		answers += !cfi_find(&t, code_start + (seed >> 4) % (code_end - code_start) + (uintptr_t)moved, &row);
		if (turn % 16 == 0)
			memcpy(copy, (void *)own.header, size);
	}
	ok(1, "damaged tables were survived (%u answers)", answers);
	for (size_t keep = 0; keep < size; keep += 3) {
		t.readable[0].end = (uintptr_t)copy + keep;
		cfi_find(&t, code_start + keep * 5 % (code_end - code_start) + (uintptr_t)moved, &row);
	}
	ok(1, "short tables were survived");
}

int main(void)
{
	test_own();
	test_programs();
	test_damage();
	return done_testing();
}
