/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ELF files: headers, symbols, libraries, DWARF. */
#include "tests/fuzz/target.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/elf.h"
#include "symbols/module.h"
#include "symbols/target.h"

#define PLACES_MAX	200u

enum { OPENED, SYMBOLS, FUNCTIONS, LINES, NEEDED, MARKS };

static struct fuzz_mark marks[MARKS + 1] = {
	[OPENED] = { "ELF files", 0 }, [SYMBOLS] = { "symbols", 0 }, [FUNCTIONS] = { "functions", 0 },
	[LINES] = { "source lines", 0 }, [NEEDED] = { "libraries that are needed", 0 },
};

/* Where the symbols are, so that look-ups find something. */
struct places {
	uint64_t at[PLACES_MAX];
	size_t count;
	size_t sum;
};

static int memory;
static char path[64];

static void start(void)
{
	memory = memfd_create("fuzz", MFD_CLOEXEC);
	fuzz_rule(memory >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
}

static int take(const char *name, const struct elf_symbol *s, void *arg)
{
	struct places *places = arg;

	places->sum += strlen(name);
	if (places->count < PLACES_MAX)
		places->at[places->count++] = s->vaddr + s->size / 2;
	return places->sum > 1u << 20;
}

static void read_file(struct elf_file *f, struct places *places)
{
	char hex[2 * ELF_BUILD_ID_MAX + 1];
	const struct elf_header_facts *facts = elf_facts(f);
	struct elf_symbol s;
	uint64_t value;
	const char *name;

	fuzz_rule(memchr(facts->interp, 0, sizeof(facts->interp)) != NULL);
	fuzz_rule(facts->build_id_len <= ELF_BUILD_ID_MAX);
	elf_build_id_text(facts->build_id, facts->build_id_len, hex);
	elf_find_symbol(f, "main", &s);
	elf_find_symbol(f, "malloc", &s);
	elf_imports(f, "malloc");
	elf_has_symtab(f);
	elf_has_section(f, ".debug_info");
	elf_each_symbol(f, take, places);
	for (size_t i = 0; i < 50 && (name = elf_needed(f, i)); i++)
		marks[NEEDED].count += strlen(name) > 0;
	places->sum += elf_soname(f) ? strlen(elf_soname(f)) : 0;
	places->sum += elf_runpath(f) ? strlen(elf_runpath(f)) : 0;
	places->sum += elf_rpath(f) ? strlen(elf_rpath(f)) : 0;
	elf_bias(f, 0x7f0000001000, 0x1000, true, &value);
	elf_vaddr_to_offset(f, facts->entry, &value);
	elf_offset_to_vaddr(f, 0x1000, &value);
	marks[OPENED].count++;
	marks[SYMBOLS].count += places->count;
}

static void resolve(const struct places *places)
{
	static struct symbol_result result;
	struct symbol_source from = { .path = path };
	struct symbol_module *m = symbol_module_open(&from);

	for (size_t i = 0; i < places->count; i++) {
		if (symbol_resolve(m, places->at[i], &result))
			continue;
		fuzz_rule(result.count <= SYMBOL_FRAMES_MAX);
		for (size_t j = 0; j < result.count; j++) {
			marks[FUNCTIONS].count += result.frames[j].function && *result.frames[j].function;
			marks[LINES].count += result.frames[j].file && result.frames[j].line;
		}
	}
	symbol_module_hint(m);
	symbol_module_close(m);
}

static void run(const uint8_t *data, size_t size)
{
	static struct target_facts facts;
	struct places places = { .count = 0 };
	struct elf_file *f;

	fuzz_rule(ftruncate(memory, 0) == 0 && pwrite(memory, data, size, 0) == (ssize_t)size);
	if (elf_file_open(path, &f) == 0) {
		read_file(f, &places);
		elf_file_close(f);
	}
	places.at[places.count ? places.count - 1 : 0] = 0x1140;
	places.count += !places.count;
	target_inspect(path, &facts);
	resolve(&places);
}

const struct fuzz_target fuzz_elf = { "elf", marks, start, run };
