/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Putting it together: the file, its debug file, the function table and the DWARF. */
#include "symbols/module.h"

#include "config.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "symbols/debugfile.h"
#include "symbols/dwarf.h"
#include "symbols/elf_internal.h"
#include "symbols/functions.h"
#include "symbols/names.h"
#include "symbols/source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define NAMES_BYTES_MAX	(64u << 20)

/* code is main, or debug when only that was found; NULL: nothing was.  of: the one whose files and
 * functions these are, NULL: our own. */
struct symbol_module {
	const struct symbol_module *of;
	char *name;			/* for hints */
	enum symbol_state state;
	struct elf_file *main, *debug, *code;
	char *main_path, *debug_path;
	struct stat main_st;
	bool loaded;
	struct function_table functions;
	struct dwarf_file *dwarf;	/* NULL: there is none */
	struct elf_file *dwarf_elf;	/* the file it is in, and that file's path */
	const char *dwarf_path;
	struct names *names;
	char *alt_path;
	bool alt_missing;
	char *hint;
};

static void open_debug(struct symbol_module *m, const struct symbol_source *source)
{
	char *path = symbol_source_path(source), *root = symbol_source_root(source);
	struct debug_search search = {
		.path = path, .root = root, .symbols_from = source->symbols_from,
		.build_id = m->main ? m->main->facts.build_id : source->build_id,
		.build_id_len = m->main ? m->main->facts.build_id_len : source->build_id_len,
	};
	struct elf_file *dwarf = m->main;
	const char *dwarf_path = m->main_path;

	if (!path && m->main_path)
		search.path = m->main_path;
	if (!m->main || !debug_file_has_dwarf(m->main) || !elf_has_symtab(m->main))
		debug_file_find(&search, m->main, &m->debug, &m->debug_path);
	if (m->debug && !(m->main && debug_file_has_dwarf(m->main))) {
		dwarf = m->debug;
		dwarf_path = m->debug_path;
	}
	m->code = m->main ? m->main : m->debug;
	if (dwarf && debug_file_has_dwarf(dwarf)) {
		int error = debug_file_find_alt(&search, dwarf, dwarf_path, &m->alt_path);

		m->alt_missing = error == -ENOENT || error == -EPERM;
		m->dwarf_elf = dwarf;
		m->dwarf_path = dwarf_path;
		if (error != -EPERM)
			m->dwarf = dwarf_file_new(dwarf, dwarf_path, m->alt_path, m->code);
	}
	free(path);
	free(root);
}

struct symbol_module *symbol_module_open(const struct symbol_source *source)
{
	struct symbol_module *m = xcalloc(1, sizeof(*m));

	m->names = names_new();
	m->name = symbol_source_path(source);
	if (symbol_source_open(source, &m->main, &m->main_path, &m->state) == 0)
		fstat(m->main->fd, &m->main_st);
	open_debug(m, source);
	if (!m->main && m->debug) {
		m->state = SYMBOL_MODULE_OK;
	} else if (m->main && !elf_has_symtab(m->main) && !m->debug && !m->dwarf) {
		m->state = SYMBOL_MODULE_STRIPPED;
	}
	if (!m->name)
		m->name = xstrdup(m->main_path ? m->main_path : "the program");
	return m;
}

void symbol_module_close(struct symbol_module *m)
{
	if (!m)
		return;
	dwarf_file_free(m->dwarf);
	if (m->of) {
		names_free(m->names);
		free(m->hint);
		free(m);
		return;
	}
	function_table_release(&m->functions);
	elf_file_close(m->main);
	elf_file_close(m->debug);
	names_free(m->names);
	free(m->main_path);
	free(m->debug_path);
	free(m->alt_path);
	free(m->hint);
	free(m->name);
	free(m);
}

/* A file overwritten in place since it was opened is another one. */
static bool main_changed(const struct symbol_module *m)
{
	struct stat st;

	return m->main && (fstat(m->main->fd, &st) < 0 || st.st_size != m->main_st.st_size ||
			   st.st_mtim.tv_sec != m->main_st.st_mtim.tv_sec ||
			   st.st_mtim.tv_nsec != m->main_st.st_mtim.tv_nsec);
}

static void load_functions(struct symbol_module *m)
{
	struct elf_file *files[] = { m->main, m->debug };

	m->loaded = true;
	if (!m->code)
		return;
	if (main_changed(m)) {
		m->state = SYMBOL_MODULE_CHANGED;
		return;
	}
	function_table_build(&m->functions, files, 2, m->code);
}

void symbol_module_load(struct symbol_module *m)
{
	if (!m->loaded)
		load_functions(m);
}

bool symbol_module_splits(const struct symbol_module *m)
{
	return m->dwarf;
}

struct symbol_module *symbol_module_share(const struct symbol_module *of)
{
	struct symbol_module *m;

	if (!of->dwarf)
		return NULL;
	m = xmalloc(sizeof(*m));
	*m = *of;
	m->of = of;
	m->names = names_new();
	m->hint = NULL;
	m->dwarf = dwarf_file_new(m->dwarf_elf, m->dwarf_path, m->alt_path, m->code);
	return m;
}

/* Sizes and times of the files that hold debug information: a debug package may come later. */
uint64_t symbol_module_identity(const struct symbol_module *m)
{
	uint64_t identity = hash_bytes(PACKAGE_VERSION, strlen(PACKAGE_VERSION));
	struct stat st;

	if (!m->main || !m->main->facts.build_id_len || m->state > SYMBOL_MODULE_STRIPPED)
		return 0;
	identity = hash_pair(identity, (uint64_t)m->main_st.st_size);
	identity = hash_pair(identity, (uint64_t)(m->debug && fstat(m->debug->fd, &st) == 0 ? st.st_size : 0));
	identity = hash_pair(identity, (uint64_t)(m->debug ? st.st_mtim.tv_sec : 0));
	identity = hash_pair(identity, (uint64_t)(m->debug ? st.st_mtim.tv_nsec : 0));
	identity = hash_pair(identity, m->dwarf != NULL);
	if (m->alt_path && stat(m->alt_path, &st) == 0)
		identity = hash_pair(identity, (uint64_t)st.st_size);
	return identity ? identity : 1;
}

bool symbol_module_complete(const struct symbol_module *m)
{
	return m->state <= SYMBOL_MODULE_STRIPPED && !m->alt_missing && !(m->dwarf && dwarf_hint(m->dwarf));
}

/* Keeps what look-ups leave behind within bounds; strings handed out before die here. */
static void refresh(struct symbol_module *m)
{
	if (!m->loaded)
		load_functions(m);
	if (m->dwarf && !dwarf_intact(m->dwarf))
		dwarf_give_up(m->dwarf);
	if (names_bytes(m->names) > NAMES_BYTES_MAX) {
		if (m->dwarf)
			dwarf_forget(m->dwarf);
		names_free(m->names);
		m->names = names_new();
	}
}

int symbol_name(struct symbol_module *m, uint64_t vaddr, const char **raw, uint64_t *offset, bool *guess)
{
	const struct function *f;
	uint32_t id;

	refresh(m);
	f = function_find(&m->functions, vaddr);
	id = f ? names_put(m->names, f->name) : 0;
	if (id == 0)
		return -ENOENT;
	*raw = names_raw(m->names, id);
	*offset = vaddr - f->start;
	*guess = f->size == 0;
	return 0;
}

static void take_frames(struct symbol_module *m, const struct dwarf_frame *frames, size_t count,
			struct symbol_result *r)
{
	for (size_t i = 0; i < count; i++)
		r->frames[i] = (struct symbol_frame){
			.function = names_readable(m->names, frames[i].function),
			.raw = names_raw(m->names, frames[i].raw),
			.file = names_raw(m->names, frames[i].file), .line = frames[i].line,
		};
	r->count = count;
}

/* "_ZN1n4deepEi.cold" is part of n::deep(int), and people look for that.  DWARF without a linkage
 * name is short of the scope and arguments: the symbol says it all. */
static const char *without_suffix(struct names *names, const char *symbol)
{
	char *whole = xstrndup(symbol, strcspn(symbol, "."));
	uint32_t id = names_put(names, whole);

	free(whole);
	return names_mangled(names, id) ? names_readable(names, id) : symbol;
}

/* The last frame is the function the ELF symbol names: each fills what the other lacks. */
static void join_symbol(struct symbol_module *m, const struct function *f, uint64_t vaddr, uint64_t start,
			struct symbol_result *r)
{
	struct symbol_frame *outer = r->count ? &r->frames[r->count - 1] : NULL;
	uint32_t id = f ? names_put(m->names, f->name) : 0;

	/* The nearest name before is worth nothing where DWARF knows better. */
	if (f && f->size == 0 && outer && outer->function)
		id = 0;
	if (id) {
		r->symbol = names_raw(m->names, id);
		r->offset = vaddr - f->start;
		r->guess = f->size == 0;
		if (!outer) {
			r->count = 1;
			outer = &r->frames[0];
			*outer = (struct symbol_frame){ 0 };
		}
		if (!outer->function)
			outer->function = names_readable(m->names, id);
		else if (outer->function == outer->raw && names_mangled(m->names, id))
			outer->function = without_suffix(m->names, r->symbol);
		outer->raw = r->symbol;
	} else if (outer && outer->raw) {
		r->symbol = outer->raw;
		r->offset = start && start <= vaddr ? vaddr - start : 0;
	}
}

int symbol_resolve(struct symbol_module *m, uint64_t vaddr, struct symbol_result *r)
{
	struct dwarf_frame frames[SYMBOL_FRAMES_MAX];
	uint64_t start = 0;
	size_t count = 0;

	r->count = 0;
	r->symbol = NULL;
	r->offset = 0;
	r->guess = false;
	refresh(m);
	if (m->dwarf)
		count = dwarf_resolve(m->dwarf, m->names, vaddr, frames, SYMBOL_FRAMES_MAX, &start);
	take_frames(m, frames, count, r);
	join_symbol(m, function_find(&m->functions, vaddr), vaddr, start, r);
	return r->count ? 0 : -ENOENT;
}

enum symbol_state symbol_module_state(const struct symbol_module *m)
{
	return m->state;
}

static char *make_hint(const struct symbol_module *m)
{
	switch (m->state) {
	case SYMBOL_MODULE_STRIPPED:
		return xasprintf("no symbols for %s: its debug package would give them", m->name);
	case SYMBOL_MODULE_CHANGED:
		return xasprintf("%s changed since it was loaded: its functions are shown as offsets",
				 m->name);
	case SYMBOL_MODULE_MISSING:
		return xasprintf("%s is not there any more: its functions are shown as offsets", m->name);
	case SYMBOL_MODULE_DAMAGED:
		return xasprintf("%s is not a readable ELF file", m->name);
	case SYMBOL_MODULE_OK:
		break;
	}
	if (m->alt_missing)
		return xasprintf("the dwz file of %s was not found: some names are missing", m->name);
	if (m->dwarf && dwarf_hint(m->dwarf))
		return xasprintf("%s: %s", m->name, dwarf_hint(m->dwarf));
	if (!m->dwarf)
		return xasprintf("no line numbers for %s: it has no debug information", m->name);
	return NULL;
}

const char *symbol_module_hint(struct symbol_module *m)
{
	free(m->hint);
	m->hint = make_hint(m);
	return m->hint;
}

const char *symbol_module_file(const struct symbol_module *m)
{
	return m->main_path;
}

const char *symbol_module_debug_file(const struct symbol_module *m)
{
	return m->debug_path;
}

size_t symbol_module_build_id(const struct symbol_module *m, const uint8_t **id)
{
	*id = m->code ? m->code->facts.build_id : NULL;
	return m->code ? m->code->facts.build_id_len : 0;
}

int symbol_module_offset(const struct symbol_module *m, uint64_t vaddr, uint64_t *offset)
{
	return m->main ? elf_vaddr_to_offset(m->main, vaddr, offset) : -ENOENT;
}

int symbol_module_bias(const struct symbol_module *m, uint64_t start, uint64_t offset, bool executable,
		       uint64_t *bias)
{
	return m->main ? elf_bias(m->main, start, offset, executable, bias) : -ENOENT;
}
