/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The units of a file, found by address; opening, forgetting, giving up. */
#include "symbols/dwarf_unit.h"

#include "base/alloc.h"
#include "symbols/elf_internal.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_SPANS_MAX	(4u << 20)

/* .debug_aranges is not used: clang does not write it, and it is not always complete. */
struct dwarf_file {
	int fd, alt_fd;
	struct stat st;			/* as it was opened */
	char *path;
	const struct elf_file *code;
	bool dead;
	bool loaded;
	Elf *elf;
	Dwarf *dwarf, *alt;
	VECTOR(struct dwarf_unit) units;
	struct span_index index;	/* address -> unit */
	size_t cost;			/* estimated bytes of what is loaded */
	char *hint;
};

static int open_regular(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd >= 0 && (fstat(fd, st) < 0 || !S_ISREG(st->st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* libdw gets a descriptor of its own, made from the open one: paths below /proc/PID vanish with the
 * process, at any moment between two opens. */
static int open_again(const struct elf_file *file, const char *path, struct stat *st)
{
	char link[32];
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
	fd = open_regular(link, st);
	return fd >= 0 ? fd : open_regular(path, st);
}

struct dwarf_file *dwarf_file_new(const struct elf_file *file, const char *path, const char *alt_path,
				  const struct elf_file *code)
{
	struct dwarf_file *d = xcalloc(1, sizeof(*d));
	struct stat alt_st;

	d->path = xstrdup(path);
	d->code = code;
	d->fd = open_again(file, path, &d->st);
	d->alt_fd = alt_path ? open_regular(alt_path, &alt_st) : -1;
	d->dead = d->fd < 0;
	return d;
}

void dwarf_forget(struct dwarf_file *d)
{
	for (size_t i = 0; i < d->units.count; i++)
		dwarf_unit_release(&d->units.items[i]);
	vector_release(&d->units);
	vector_release(&d->index);
	dwarf_end(d->dwarf);
	dwarf_end(d->alt);
	elf_end(d->elf);
	d->dwarf = d->alt = NULL;
	d->elf = NULL;
	d->loaded = false;
	d->cost = 0;
}

void dwarf_file_free(struct dwarf_file *d)
{
	if (!d)
		return;
	dwarf_forget(d);
	if (d->fd >= 0)
		close(d->fd);
	if (d->alt_fd >= 0)
		close(d->alt_fd);
	free(d->path);
	free(d->hint);
	free(d);
}

static void set_hint(struct dwarf_file *d, char *text)
{
	if (d->hint)
		free(text);
	else
		d->hint = text;
}

const char *dwarf_hint(const struct dwarf_file *d)
{
	return d->hint;
}

bool dwarf_intact(const struct dwarf_file *d)
{
	struct stat st;

	/* Mapped pages behind a new, nearer end of the file would be SIGBUS. */
	return d->fd < 0 || (fstat(d->fd, &st) == 0 && st.st_size >= d->st.st_size &&
			     st.st_mtim.tv_sec == d->st.st_mtim.tv_sec &&
			     st.st_mtim.tv_nsec == d->st.st_mtim.tv_nsec);
}

void dwarf_give_up(struct dwarf_file *d)
{
	dwarf_forget(d);
	d->dead = true;
	set_hint(d, xasprintf("%s changed while it was being read", d->path));
}

/* Whether libdw may look for a .dwo file there: a FIFO or device under that name would hold it up. */
static bool is_safe_path(const char *dir, const char *name, bool *found)
{
	char *path = name[0] == '/' ? xstrdup(name) : xasprintf("%s/%s", dir, name);
	struct stat st;
	bool exists = stat(path, &st) == 0;

	free(path);
	*found |= exists && S_ISREG(st.st_mode);
	return !exists || S_ISREG(st.st_mode);
}

static const char *text(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	const char *s = dwarf_formstring(dwarf_attr(die, name, &attribute));

	return s && strnlen(s, 4097) <= 4096 ? s : NULL;
}

/* Lets u->code be the unit in the .dwo file that the skeleton names. */
static void find_split(struct dwarf_file *d, struct dwarf_unit *u)
{
	const char *name = text(&u->die, DW_AT_dwo_name);
	const char *dir = text(&u->die, DW_AT_comp_dir);
	char *own = xstrdup(d->path), *slash = strrchr(own, '/');
	bool found = false;
	Dwarf_Die split = { 0 };

	if (slash)
		*slash = '\0';
	name = name ? name : text(&u->die, DW_AT_GNU_dwo_name);
	if (name && is_safe_path(slash ? own : ".", name, &found) &&
	    is_safe_path(dir ? dir : ".", name, &found) && found &&
	    dwarf_cu_info(u->die.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 && split.addr &&
	    dwarf_tag(&split) == DW_TAG_compile_unit)
		u->code = split;
	else
		set_hint(d, xasprintf("split DWARF file %s not found", name ? name : "without a name"));
	free(own);
}

static bool begin(struct dwarf_file *d)
{
	d->loaded = true;
	d->elf = elf_begin(d->fd, ELF_C_READ_MMAP, NULL);
	d->dwarf = d->elf ? dwarf_begin_elf(d->elf, DWARF_C_READ, NULL) : NULL;
	if (!d->dwarf)
		return false;
	if (d->alt_fd >= 0)
		d->alt = dwarf_begin(d->alt_fd, DWARF_C_READ);
	if (d->alt)
		dwarf_setalt(d->dwarf, d->alt);
	return true;
}

static void load_units(struct dwarf_file *d)
{
	struct span_list spans = { 0 };
	size_t budget = FILE_SPANS_MAX;
	Dwarf_CU *cu = NULL;
	uint8_t type;
	Dwarf_Die die;

	if (!begin(d))
		return;
	while (dwarf_get_units(d->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		int tag = dwarf_tag(&die);

		if ((tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit) ||
		    type == DW_UT_type || type == DW_UT_split_type)
			continue;
		dwarf_add_ranges(&die, d->code, (uint32_t)d->units.count, 0, &spans, &budget);
		vector_push(&d->units, (struct dwarf_unit){ .die = die, .code = die, .type = type });
	}
	span_flatten(&spans, &d->index);
	d->cost += d->units.capacity * (sizeof(struct dwarf_unit) + 256) +
		   d->index.capacity * sizeof(struct span_piece);
	vector_release(&spans);
}

static struct dwarf_unit *unit_at(struct dwarf_file *d, uint64_t vaddr)
{
	uint32_t value;

	if (d->dead)
		return NULL;
	if (d->cost > DWARF_CACHE_MAX)
		dwarf_forget(d);
	if (!d->loaded)
		load_units(d);
	value = span_find(&d->index, vaddr);
	return value == SPAN_NONE ? NULL : &d->units.items[value];
}

size_t dwarf_resolve(struct dwarf_file *d, struct names *names, uint64_t vaddr, struct dwarf_frame *frames,
		     size_t max, uint64_t *start)
{
	struct dwarf_unit *u = unit_at(d, vaddr);
	struct dwarf_function *f;
	const char *file = NULL, *dir;
	unsigned line = 0;
	size_t count = 0;
	bool has_line;
	uint32_t at;

	*start = 0;
	if (!u)
		return 0;
	if (!u->loaded && u->type == DW_UT_skeleton)
		find_split(d, u);
	dir = text(&u->die, DW_AT_comp_dir);
	has_line = dwarf_unit_line(u, vaddr, &file, &line, &d->cost);
	f = dwarf_unit_function(u, d->code, vaddr, &d->cost);
	if (!f) {
		if (has_line)
			frames[count++] = (struct dwarf_frame){
				.file = names_put_path(names, dir, file), .line = line };
		return count;
	}
	*start = f->start;
	at = dwarf_function_scope(f, d->code, vaddr, &d->cost);
	while (at != SPAN_NONE && count < max) {
		struct dwarf_scope *s = &f->scopes.items[at];

		if (!s->named)
			dwarf_scope_name(s, names);
		frames[count++] = (struct dwarf_frame){ s->raw, s->function,
						  names_put_path(names, dir, file), line };
		if (s->parent != SPAN_NONE) {
			file = dwarf_unit_file(u, s->call_file, &d->cost);
			line = s->call_line;
		}
		at = s->parent;
	}
	return count;
}
