/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Facts about a target from its ELF files: linkage, sanitizers, its own malloc. */
#include "symbols/target.h"

#include "base/hash.h"
#include "symbols/elf_internal.h"
#include "symbols/library.h"
#include "symbols/living.h"
#include "symbols/maps.h"
#include "symbols/target_start.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
	enum target_sanitizer id;
	const char *name, *init, *gcc, *clang;
} sanitizers[] = {
	{ TARGET_SANITIZER_HWADDRESS, "hwasan", "__hwasan_init", "libhwasan.so", "libclang_rt.hwasan" },
	{ TARGET_SANITIZER_ADDRESS, "asan", "__asan_init", "libasan.so", "libclang_rt.asan" },
	{ TARGET_SANITIZER_THREAD, "tsan", "__tsan_init", "libtsan.so", "libclang_rt.tsan" },
	{ TARGET_SANITIZER_MEMORY, "msan", "__msan_init", "libmsan.so", "libclang_rt.msan" },
	{ TARGET_SANITIZER_LEAK, "lsan", "__lsan_init", "liblsan.so", "libclang_rt.lsan" },
};
#define SANITIZERS	(sizeof(sanitizers) / sizeof(sanitizers[0]))

const char *target_sanitizer_name(enum target_sanitizer id)
{
	for (size_t i = 0; i < SANITIZERS; i++)
		if (sanitizers[i].id == id)
			return sanitizers[i].name;
	return NULL;
}

static void note_library(struct target_facts *facts, const char *name)
{
	const char *base = strrchr(name, '/');

	base = base ? base + 1 : name;
	for (size_t i = 0; i < SANITIZERS && !facts->sanitizer; i++)
		if (strncmp(base, sanitizers[i].gcc, strlen(sanitizers[i].gcc)) == 0 ||
		    strncmp(base, sanitizers[i].clang, strlen(sanitizers[i].clang)) == 0)
			facts->sanitizer = sanitizers[i].id;
}

/* Names that an allocator built into a program goes by. */
static const char *const inner_names[] = {
	"_rjem_malloc", "je_malloc", "mi_malloc", "tc_malloc", "rpmalloc", "scudo_malloc", "snmalloc_alloc",
};

/* What the symbols of a file say, in one word. */
enum says {
	SAYS_EXPORTS_MALLOC = 1,
	SAYS_HIDES_MALLOC = 2,
	SAYS_OPERATORS = 4,		/* new or delete is defined, exported or not */
	SAYS_INNER_SHIFT = 8,		/* index in inner_names + 1 */
	SAYS_SANITIZER_SHIFT = 16,	/* enum target_sanitizer */
};
#define SAYS_INNER(says)	((says) >> SAYS_INNER_SHIFT & 255)
#define SAYS_SANITIZER(says)	((says) >> SAYS_SANITIZER_SHIFT & 255)

static const struct target_memory *memory;

void target_remember(const struct target_memory *m)
{
	memory = m;
}

static void scan_allocator(const char *name, const struct elf_symbol *s, uint64_t *says)
{
	if (s->type != STT_FUNC)
		return;
	if (strcmp(name, "malloc") == 0) {
		*says |= s->dynamic ? SAYS_EXPORTS_MALLOC : SAYS_HIDES_MALLOC;
		return;
	}
	for (size_t i = 0; i < sizeof(inner_names) / sizeof(*inner_names) && !SAYS_INNER(*says); i++)
		if (strcmp(name, inner_names[i]) == 0)
			*says |= (i + 1) << SAYS_INNER_SHIFT;
}

static int scan_symbol(const char *name, const struct elf_symbol *s, void *arg)
{
	uint64_t *says = arg;

	if (strchr("mjtrs_", name[0]))
		scan_allocator(name, s, says);
	if (name[0] != '_')
		return 0;
	if (strcmp(name, "_ZdlPv") == 0 || strcmp(name, "_Znwm") == 0)
		*says |= SAYS_OPERATORS;
	for (size_t i = 0; name[1] == '_' && i < SANITIZERS && !SAYS_SANITIZER(*says); i++)
		if (strcmp(name, sanitizers[i].init) == 0)
			*says |= (uint64_t)sanitizers[i].id << SAYS_SANITIZER_SHIFT;
	return 0;
}

static void ask_program(struct elf_file *f, uint64_t *says)
{
	elf_each_symbol(f, scan_symbol, says);
}

static void ask_library(struct elf_file *f, uint64_t *says)
{
	struct elf_symbol s;

	if (elf_find_symbol(f, "malloc", &s) == 0 && s.dynamic)
		*says |= SAYS_EXPORTS_MALLOC;
}

/* From memory, or from the file: ask() reads its tables. */
static uint64_t what_symbols_say(struct elf_file *f, void (*ask)(struct elf_file *f, uint64_t *says))
{
	const struct elf_header_facts *facts = elf_facts(f);
	uint64_t file = hash_pair(hash_bytes(facts->build_id, facts->build_id_len), f->size), says = 0;

	file = hash_pair(file, ask == ask_program);
	if (memory && facts->build_id_len && memory->recall(memory->owner, file, &says))
		return says;
	ask(f, &says);
	if (memory && facts->build_id_len)
		memory->keep(memory->owner, file, says);
	return says;
}

static void set_malloc(struct target_facts *facts, const char *name)
{
	if (facts->own_malloc)
		return;
	facts->own_malloc = true;
	snprintf(facts->malloc_in, sizeof(facts->malloc_in), "%s", name);
}

/* Needs the C++ library that has the operators: they are not linked in. */
static bool needs_cxx(struct elf_file *f)
{
	const char *needed;

	for (size_t i = 0; (needed = elf_needed(f, i)) != NULL; i++)
		if (!strncmp(needed, "libstdc++", 9) || !strncmp(needed, "libc++", 6))
			return true;
	return false;
}

static bool has_own_operators(struct elf_file *f, uint64_t says)
{
	return (says & SAYS_OPERATORS) && elf_has_symtab(f) && !needs_cxx(f);
}

bool target_own_operators(const char *path)
{
	struct elf_file *f;
	bool own;

	if (elf_file_open(path, &f))
		return false;
	own = has_own_operators(f, what_symbols_say(f, ask_program));
	elf_file_close(f);
	return own;
}

static void read_program(struct elf_file *f, struct target_facts *facts)
{
	uint64_t says = what_symbols_say(f, ask_program);

	facts->elf = *elf_facts(f);
	if (facts->kind != TARGET_SCRIPT)
		facts->kind = TARGET_ELF;
	facts->is_go = elf_has_section(f, ".go.buildinfo") || elf_has_section(f, ".note.go.buildid");
	facts->sanitizer = (enum target_sanitizer)SAYS_SANITIZER(says);
	if (SAYS_INNER(says) && SAYS_INNER(says) <= sizeof(inner_names) / sizeof(*inner_names))
		facts->inner_malloc = inner_names[SAYS_INNER(says) - 1];
	facts->own_operators = has_own_operators(f, says);
	/* A static program has libc's malloc inside: that is no malloc of its own. */
	if ((says & SAYS_EXPORTS_MALLOC) && !facts->elf.is_static)
		set_malloc(facts, "");
	else if (says & SAYS_HIDES_MALLOC)
		facts->inner_malloc = "malloc";
}

/* Only what comes before libc in look-up order can take malloc away from it. */
static int visit_library(const char *name, struct elf_file *file, void *arg)
{
	struct target_facts *facts = arg;

	note_library(facts, name);
	if (library_is_libc(name))
		return 1;
	if (file && what_symbols_say(file, ask_library) & SAYS_EXPORTS_MALLOC)
		set_malloc(facts, name);
	return 0;
}

int target_inspect(const char *path, struct target_facts *facts)
{
	char origin[TARGET_PATH_MAX], *slash;
	struct elf_file *f;
	int error;

	memset(facts, 0, sizeof(*facts));
	error = target_follow_scripts(path, facts);
	if (error)
		return error;
	error = elf_file_open(facts->path, &f);
	target_read_rights(facts);
	if (error == -ENOEXEC) {
		facts->kind = TARGET_OTHER;
		return 0;
	}
	if (error)
		return error;
	read_program(f, facts);
	strcpy(origin, facts->path);
	slash = strrchr(origin, '/');
	if (slash)
		*slash = '\0';
	library_walk(f, slash ? origin : ".", visit_library, facts);
	elf_file_close(f);
	return 0;
}

static bool is_secure(pid_t pid)
{
	uint64_t pairs[128];
	ssize_t got;
	int fd = living_open(pid, "auxv", O_RDONLY);

	if (fd < 0)
		return false;
	got = read(fd, pairs, sizeof(pairs));
	close(fd);
	for (size_t i = 0; got > 0 && i + 1 < (size_t)got / sizeof(pairs[0]); i += 2)
		if (pairs[i] == AT_SECURE)
			return pairs[i + 1] != 0;
	return false;
}

/* A mapped object that defines malloc and is neither libc nor the program (done already). */
static void visit_mapped(pid_t pid, const struct map_entry *e, struct target_facts *facts)
{
	char path[TARGET_PATH_MAX];
	struct elf_file *f;
	const char *base = strrchr(e->name, '/');

	base = base ? base + 1 : e->name;
	note_library(facts, base);
	if (library_is_libc(base) || strcmp(base, "memtrack.so") == 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, e->start, e->end);
	if (elf_file_open(path, &f) < 0) {
		int n = snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, e->name);

		if (n < 0 || (size_t)n >= sizeof(path) || elf_file_open(path, &f) < 0)
			return;
	}
	if (!elf_facts(f)->is_static && what_symbols_say(f, ask_library) & SAYS_EXPORTS_MALLOC)
		set_malloc(facts, base);
	elf_file_close(f);
}

static void visit_mappings(pid_t pid, struct target_facts *facts)
{
	struct maps maps;

	if (maps_read(pid, &maps) < 0)
		return;
	for (size_t i = 0; i < maps.count; i++) {
		const struct map_entry *e = &maps.items[i];

		/* The first mapping of an object starts at its ELF header. */
		if (e->inode != 0 && e->offset == 0 && e->name[0] == '/' &&
		    strcmp(e->name, facts->path) != 0)
			visit_mapped(pid, e, facts);
	}
	maps_release(&maps);
}

int target_inspect_process(pid_t pid, struct target_facts *facts)
{
	struct elf_file *f;
	char path[40];
	ssize_t len;
	int error;

	memset(facts, 0, sizeof(*facts));
	facts->kind = TARGET_OTHER;
	pid = living_proc(pid);
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	error = elf_file_open(path, &f);
	if (error)
		return error == -ENOENT ? -ESRCH : error;
	len = readlink(path, facts->path, sizeof(facts->path) - 1);
	facts->path[len > 0 ? len : 0] = '\0';
	read_program(f, facts);
	elf_file_close(f);
	facts->secure = is_secure(pid);
	visit_mappings(pid, facts);
	return 0;
}
