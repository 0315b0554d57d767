/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Facts of ELF files and targets; load bias in live processes, split mappings, lld's layout. */
#include "symbols/target.h"

#include "symbols/maps.h"
#include "symbols/module.h"
#include "tests/unit/symbols_build.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct target_facts facts;

static void inspect(const char *path)
{
	is_int(target_inspect(path, &facts), 0, "%s can be inspected", path);
}

static void test_linkage(void)
{
	inspect("program");
	ok(facts.kind == TARGET_ELF && facts.elf.native && facts.elf.dynamic && !facts.elf.is_static,
	   "a dynamic program");
	is_int(facts.elf.libc, ELF_LIBC_GLIBC, "of glibc");
	ok(!facts.own_malloc && !facts.sanitizer && !facts.secure, "with nothing special");
	if (run("gcc -static a.c -o static")) {
		inspect("static");
		ok(facts.elf.is_static && facts.elf.libc == ELF_LIBC_NONE && !facts.own_malloc,
		   "a static program");
	} else {
		skip(2, "no static libc");
	}
	if (run("gcc -static-pie a.c -o static")) {
		inspect("static");
		ok(facts.elf.is_static, "a static PIE");
	} else {
		skip(2, "no static PIE");
	}
	run("gcc a.c -o musl -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1");
	inspect("musl");
	is_int(facts.elf.libc, ELF_LIBC_MUSL, "musl by its interpreter");
	run("printf '\\177ELF\\2\\1\\1' > bad");
	inspect("bad");
	is_int(facts.kind, TARGET_OTHER, "a head of an ELF file is none");
	is_int(target_inspect("nowhere", &facts), -ENOENT, "a file that is not there");
}

static void test_malloc(void)
{
	write_file("m.c", "#include <stddef.h>\nvoid *malloc(size_t n) { (void)n; return 0; }\n"
			  "void free(void *p) { (void)p; }\nint arena;\n");
	write_file("u.c", "extern int arena;\nint main(void) { return arena; }\n");
	run("gcc -c m.c -o m.o && gcc b.c m.o -o own && gcc -shared -fPIC m.c -o libarena.so && "
	    "gcc u.c -o user -L. -larena -Wl,-rpath,'$ORIGIN'");
	inspect("own");
	ok(facts.own_malloc && facts.malloc_in[0] == '\0', "malloc in the program itself");
	ok(!facts.inner_malloc, "... which all others use, too");
	run("gcc -c -fvisibility=hidden -Dmalloc=malloc m.c -o h.o && gcc b.c h.o -o hidden && "
	    "gcc -c -Dmalloc=_rjem_malloc -Dfree=_rjem_free m.c -o r.o && gcc b.c r.o -o rust");
	inspect("hidden");
	ok(!facts.own_malloc, "a hidden malloc takes nothing away from libc's");
	is_string(facts.inner_malloc ? facts.inner_malloc : "", "malloc", "... but is told");
	inspect("rust");
	is_string(facts.inner_malloc ? facts.inner_malloc : "", "_rjem_malloc", "an allocator with names of its own");
	inspect("user");
	ok(facts.own_malloc, "malloc in a library");
	is_string(facts.malloc_in, "libarena.so", "... which is named");
	if (run("gcc -fsanitize=address b.c -o asan")) {
		inspect("asan");
		is_string(target_sanitizer_name(facts.sanitizer), "asan", "AddressSanitizer as a library");
	} else {
		skip(2, "no AddressSanitizer");
	}
	if (run("clang -fsanitize=address b.c -o asan")) {
		inspect("asan");
		is_string(target_sanitizer_name(facts.sanitizer), "asan", "AddressSanitizer linked in");
	} else {
		skip(2, "no clang, or no AddressSanitizer");
	}
}

static void test_scripts(void)
{
	char path[TARGET_PATH_MAX];

	write_file("script", "#! /bin/sh -e  -u \necho\n");
	inspect("script");
	is_int(facts.kind, TARGET_SCRIPT, "a script");
	is_string(facts.path, "/bin/sh", "its interpreter");
	is_string(facts.script_argument, "-e  -u", "its one argument");
	is_string(facts.script, "script", "its name");
	write_file("script", "#!/usr/bin/env -S LANG=C sh -e\n");
	inspect("script");
	ok(strstr(facts.path, "/sh"), "env is seen through: %s", facts.path);
	write_file("loop", "#!loop\n");
	is_int(target_inspect("loop", &facts), -ELOOP, "a script that is its own interpreter");
	write_file("text", "hello\n");
	inspect("text");
	is_int(facts.kind, TARGET_OTHER, "a text file");
	is_int(target_search("sh", path), 0, "sh is found: %s", path);
	is_int(target_search("./text", path), -EACCES, "a file without x is refused");
	is_int(target_search("no-such-command-here", path), -ENOENT, "a command that is not there");
	is_int(target_search("", path), -ENOENT, "an empty command");
}

static void test_rights(void)
{
	if (geteuid() != 0 || chown("own", 65534, 65534) < 0 || chmod("own", 04755) < 0) {
		skip(2, "only root can make a file of another user");
		return;
	}
	inspect("own");
	ok(facts.setuid && facts.secure, "setuid to another user");
}

/* Starts PATH with an argument, so that it prints work()'s address and waits. */
static pid_t start(const char *path, uint64_t *address)
{
	int ends[2];
	char text[64];
	ssize_t got;
	pid_t pid;

	if (pipe(ends) < 0 || (pid = fork()) < 0)
		abort();
	if (pid == 0) {
		dup2(ends[1], 1);
		execl(path, path, "wait", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	got = read(ends[0], text, sizeof(text) - 1);
	close(ends[0]);
	text[got > 0 ? got : 0] = '\0';
	*address = strtoull(text, NULL, 16);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Finds work through the code mapping of the program, and through its deleted file. */
static void test_live(const char *build, const char *what)
{
	static struct symbol_result result;
	struct symbol_source from = { .executable = true };
	const struct map_entry *e;
	struct symbol_module *m;
	size_t first, last, right = 0, tried = 0;
	uint64_t address, bias;
	struct maps maps;

	if (!run("%s", build)) {
		skip(5, what);
		return;
	}
	from.pid = start("./live", &address);
	run("rm live; cp /bin/true live");
	ok(maps_read(from.pid, &maps) == 0 && maps_object(&maps, address, &first, &last), "%s: found", what);
	e = maps_find(&maps, address);
	ok(e && e->deleted, "... its file is gone");
	from.path = e ? e->name : "";
	from.map_start = e ? e->start : 0;
	from.map_end = e ? e->end : 0;
	from.inode = e ? e->inode : 0;
	m = symbol_module_open(&from);
	for (size_t i = first; i <= last; i++) {
		const struct map_entry *one = &maps.items[i];

		if (one->inode == 0 || !one->execute)
			continue;
		tried++;
		if (symbol_module_bias(m, one->start, one->offset, one->execute, &bias) == 0 &&
		    symbol_resolve(m, address - bias, &result) == 0 &&
		    strcmp(result.symbol, "work") == 0 && result.offset == 0)
			right++;
	}
	ok(tried >= 1 && right == tried, "... work is found through %zu of %zu code mappings", right, tried);
	ok(target_inspect_process(from.pid, &facts) == 0 && facts.elf.libc == ELF_LIBC_GLIBC &&
	   !facts.own_malloc, "... the process can be inspected");
	symbol_module_close(m);
	from.map_start = from.map_end = 0;
	from.executable = false;
	m = symbol_module_open(&from);
	is_int(symbol_module_state(m), SYMBOL_MODULE_CHANGED, "... another file of its name is refused");
	symbol_module_close(m);
	maps_release(&maps);
	stop(from.pid);
}

/* A file without section headers still has its dynamic symbols. */
static void test_no_sections(void)
{
	struct elf_symbol a = { 0 }, b = { 0 };
	struct elf_file *f;
	FILE *file;

	run("gcc -O2 -shared -fPIC a.c -o whole.so && strip whole.so && cp whole.so bare.so");
	file = fopen("bare.so", "r+");
	for (long at = 0x28; file && at < 0x40; at += at == 0x28 ? 18 : 1) {
		static const char zeros[8];

		fseek(file, at, SEEK_SET);
		fwrite(zeros, 1, at == 0x28 ? 8 : 1, file);
	}
	if (file)
		fclose(file);
	if (elf_file_open("whole.so", &f) == 0) {
		elf_find_symbol(f, "work", &a);
		ok(elf_imports(f, "malloc") && !elf_imports(f, "work"), "imports");
		is_string(elf_needed(f, 0), "libc.so.6", "needed libraries");
		elf_file_close(f);
	}
	is_int(elf_file_open("bare.so", &f), 0, "no section headers");
	ok(elf_find_symbol(f, "work", &b) == 0 && a.vaddr == b.vaddr && a.size == b.size,
	   "a symbol without them");
	is_int(elf_find_symbol(f, "hidden", &b), -ENOENT, "one that is not there");
	elf_file_close(f);
}

/* mprotect may split a segment into mappings: each leads to the same bias. */
static void test_split_mapping(void)
{
	const struct map_entry *e;
	struct elf_symbol s = { 0 };
	uint64_t whole = 0, part = 1;
	struct elf_file *f;
	struct maps maps;

	maps_read(getpid(), &maps);
	e = maps_find(&maps, (uintptr_t)malloc);
	if (!e || elf_file_open(e->name, &f) < 0) {
		skip(3, "malloc is in no file");
		maps_release(&maps);
		return;
	}
	elf_bias(f, e->start, e->offset, true, &whole);
	elf_bias(f, e->start + 0x3000, e->offset + 0x3000, true, &part);
	ok(whole == part, "a part of a segment gives the bias of the whole");
	is_int(elf_find_symbol(f, "malloc", &s), 0, "malloc in libc");
	ok(s.vaddr + whole == (uintptr_t)malloc, "... where it really is");
	elf_file_close(f);
	maps_release(&maps);
}

int main(void)
{
	work_begin();
	write_file("a.c", source_c);
	write_file("b.c", "int main(void) { return 0; }\n");
	if (!run("gcc -O2 a.c -o program"))
		plan_skip_all("no compiler");
	test_linkage();
	test_malloc();
	test_scripts();
	test_rights();
	test_live("gcc -O2 -g a.c -o live", "gcc and ld");
	test_live("gcc -O2 -g -no-pie a.c -o live", "at a fixed address");
	test_live("clang -O2 -g -fuse-ld=lld a.c -o live", "clang and lld");
	test_live("gcc -O2 -g -Wl,-z,noseparate-code a.c -o live", "code in the first segment");
	test_no_sections();
	test_split_mapping();
	return done_testing();
}
