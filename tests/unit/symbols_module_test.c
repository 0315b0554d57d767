/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses into functions, inlines and lines: compared with addr2line, on what compilers make. */
#include "symbols/module.h"

#include "symbols/elf.h"
#include "tests/unit/symbols_build.h"

#define LINES_MAX	65536
#define ADDRESSES_MAX	4096

/* addr2line's answer for one address: pairs of lines. */
struct answer {
	uint64_t address;
	char *lines[2 * SYMBOL_FRAMES_MAX];
	size_t count;
};

struct addresses {
	uint64_t items[ADDRESSES_MAX];
	size_t count;
};

static struct symbol_result result;

static struct symbol_module *open_path(const char *path)
{
	struct symbol_source from = { .path = path };
	char full[4200];

	snprintf(full, sizeof(full), "%s/%s", work_dir, path);
	from.path = full;
	return symbol_module_open(&from);
}

/* Every byte of sized functions, thinned out. */
static int take_function(const char *name, const struct elf_symbol *s, void *arg)
{
	struct addresses *a = arg;

	if (s->type != 2 || s->dynamic || name[0] == '_' ? name[1] != 'Z' : 0)
		return 0;
	for (uint64_t at = s->vaddr; at < s->vaddr + s->size && a->count < ADDRESSES_MAX; at += 3)
		a->items[a->count++] = at;
	return 0;
}

static void function_addresses(const char *path, struct addresses *a)
{
	struct elf_file *f;

	a->count = 0;
	if (elf_file_open(path, &f) == 0) {
		elf_each_symbol(f, take_function, a);
		elf_file_close(f);
	}
}

static bool read_answer(FILE *f, char *pending, struct answer *a)
{
	static char text[LINES_MAX];
	size_t used = 0;

	a->count = 0;
	if (!pending[0])
		return false;
	a->address = strtoull(pending, NULL, 16);
	while (fgets(text + used, (int)(sizeof(text) - used), f)) {
		char *line = text + used;

		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0x0", 3) == 0) {
			strcpy(pending, line);
			return true;
		}
		used += strlen(line) + 1;
		if (a->count < 2 * SYMBOL_FRAMES_MAX)
			a->lines[a->count++] = line;
	}
	pending[0] = '\0';
	return true;
}

/* "DIR/NAME:LINE (discriminator 3)"; '?' is line 0.  Only the file's last part is compared, and only
 * in inlined frames: binutils 2.40 confuses files of DWARF 5 units now and then. */
static bool same_place(const struct symbol_frame *ours, const char *theirs, bool outermost)
{
	const char *colon = strrchr(theirs, ':');
	const char *base = ours->file ? strrchr(ours->file, '/') : NULL;

	if (!colon || strtoul(colon + 1, NULL, 10) != ours->line)
		return false;
	return outermost || (base && strstr(theirs, base));
}

/* Names without arguments: addr2line prints them only where there is a linkage name. */
static bool same_name(const char *ours, const char *theirs)
{
	size_t len = strcspn(theirs, "(."), own = ours ? strcspn(ours, "(.") : 0;

	/* gcc gives static functions in namespaces no linkage name: ours is longer then. */
	return ours && own >= len && strncmp(ours + own - len, theirs, len) == 0;
}

static bool same_answer(const struct answer *a)
{
	if (result.count != a->count / 2)
		return false;
	for (size_t i = 0; i < result.count; i++)
		if (!same_name(result.frames[i].function, a->lines[2 * i]) ||
		    !same_place(&result.frames[i], a->lines[2 * i + 1], i + 1 == result.count))
			return false;
	return true;
}

static void tell_difference(const struct answer *a)
{
	printf("# 0x%llx:", (unsigned long long)a->address);
	for (size_t i = 0; i < result.count; i++)
		printf(" %s %s:%u", result.frames[i].function, result.frames[i].file, result.frames[i].line);
	printf(" <>");
	for (size_t i = 0; i < a->count; i++)
		printf(" %s", a->lines[i]);
	printf("\n");
}

/* At least 97 in 100 answers are addr2line's: each release of binutils has its own slips. */
static void compare(struct symbol_module *m, const char *reference, const char *what)
{
	static struct addresses addresses;
	static struct answer a;
	static char pending[LINES_MAX];
	size_t same = 0, compared = 0, inlined = 0;
	FILE *f;

	function_addresses(reference, &addresses);
	f = fopen("addresses", "w");
	for (size_t i = 0; f && i < addresses.count; i++)
		fprintf(f, "0x%llx\n", (unsigned long long)addresses.items[i]);
	if (f)
		fclose(f);
	run("addr2line -a -i -f -C -e %s < addresses > answers", reference);
	f = fopen("answers", "r");
	if (!f || !fgets(pending, sizeof(pending), f))
		pending[0] = '\0';
	while (f && read_answer(f, pending, &a)) {
		/* Start-up code of libc has no lines; addr2line names its files all the same. */
		if (a.count < 2 || strchr(a.lines[a.count - 1], '?'))
			continue;
		symbol_resolve(m, a.address, &result);
		compared++;
		inlined += result.count > 1;
		if (same_answer(&a))
			same++;
		else if (compared - same < 3)
			tell_difference(&a);
	}
	if (f)
		fclose(f);
	ok(compared > 30 && inlined > 3 && same * 100 >= compared * 97,
	   "%s: %zu of %zu addresses as addr2line says, %zu of them inlined", what, same, compared, inlined);
}

static void build_and_compare(const char *command, const char *what)
{
	struct symbol_module *m;

	if (!run("%s", command)) {
		skip(1, what);
		return;
	}
	m = open_path("program");
	compare(m, "program", what);
	symbol_module_close(m);
}

static void test_compilers(void)
{
	char command[200];

	snprintf(command, sizeof(command), "%s -O2 -g a.c -o program", cc());
	build_and_compare(command, "C");
	build_and_compare("gcc -O2 -g -gdwarf-4 a.c -o program", "C, DWARF 4");
	build_and_compare("gcc -O2 -g -gz a.c -o program", "C, compressed debug sections");
	build_and_compare("gcc -O2 -g -no-pie a.c -o program", "C, at a fixed address");
	build_and_compare("g++ -O2 -g -ffunction-sections -Wl,--gc-sections b.cc -o program",
			  "C++ with sections discarded");
	build_and_compare("clang -O2 -g -gdwarf-4 a.c -o program", "C by clang");
	build_and_compare("clang++ -O2 -g -gdwarf-4 -fuse-ld=lld b.cc -o program", "C++ by clang and lld");
}

static void is_leak(struct symbol_module *m, uint64_t work, const char *what)
{
	bool leak = false;
	unsigned line = 0;

	for (uint64_t at = work; at < work + 200 && !leak; at++) {
		if (symbol_resolve(m, at, &result) < 0 || result.count != 3)
			continue;
		leak = strcmp(result.frames[0].function, "leak") == 0 &&
		       strcmp(result.frames[1].function, "twice") == 0 &&
		       strcmp(result.frames[2].function, "work") == 0;
		line = result.frames[2].line;
	}
	ok(leak && line == 21, "%s: leak in twice in work, called at line %u", what, line);
}

static uint64_t address_of(const char *path, const char *name)
{
	struct elf_symbol s = { 0 };
	struct elf_file *f;

	if (elf_file_open(path, &f) == 0) {
		elf_find_symbol(f, name, &s);
		elf_file_close(f);
	}
	return s.vaddr;
}

static void test_debuglink(void)
{
	uint64_t work;
	struct symbol_module *m;

	run("gcc -O2 -g a.c -o program -Wl,--build-id=none && objcopy --only-keep-debug program p.debug && "
	    "strip program && objcopy --add-gnu-debuglink=p.debug program");
	work = address_of("p.debug", "work");
	m = open_path("program");
	is_leak(m, work, ".gnu_debuglink beside the program");
	is_int(symbol_module_state(m), SYMBOL_MODULE_OK, "a stripped program with its debug file is whole");
	symbol_module_close(m);
	run("mkdir -p .debug && mv p.debug .debug/");
	m = open_path("program");
	is_leak(m, work, ".gnu_debuglink in .debug");
	symbol_module_close(m);
	run("printf x >> .debug/p.debug");
	m = open_path("program");
	ok(symbol_resolve(m, work, &result) < 0 && result.count == 0, "another checksum is refused");
	is_int(symbol_module_state(m), SYMBOL_MODULE_STRIPPED, "... and the program counts as stripped");
	ok(symbol_module_hint(m) && strstr(symbol_module_hint(m), "no symbols for"), "... and says so");
	symbol_module_close(m);
}

static void test_build_id(void)
{
	struct symbol_source from = { 0 };
	struct symbol_module *m;
	const uint8_t *id;
	uint8_t copy[64];
	char path[128], debug_dir[128], text[129];
	uint64_t work;
	size_t len;

	run("gcc -O2 -g a.c -o program -Wl,--build-id && cp program whole && strip program");
	work = address_of("whole", "work");
	m = open_path("whole");
	len = symbol_module_build_id(m, &id);
	memcpy(copy, id, len);
	symbol_module_close(m);
	is_int(len, 20, "a build-id");
	elf_build_id_text(copy, len, text);
	run("mkdir -p dbg/.build-id/%.2s && objcopy --only-keep-debug whole dbg/.build-id/%.2s/%s.debug",
	    text, text, text + 2);
	snprintf(path, sizeof(path), "%s/program", work_dir);
	snprintf(debug_dir, sizeof(debug_dir), "/nowhere:%s/dbg", work_dir);
	from = (struct symbol_source){ .path = path, .build_id = copy, .build_id_len = len,
				       .symbols_from = debug_dir };
	m = symbol_module_open(&from);
	is_leak(m, work, "build-id directory");
	symbol_module_close(m);
	/* The program was built anew while it ran. */
	run("gcc -O1 -g b.c -o program -Wl,--build-id");
	m = symbol_module_open(&from);
	is_leak(m, work, "replaced file, the old one's debug file");
	symbol_module_close(m);
	from.symbols_from = NULL;
	m = symbol_module_open(&from);
	is_int(symbol_module_state(m), SYMBOL_MODULE_CHANGED, "a file with another build-id is refused");
	ok(symbol_resolve(m, work, &result) < 0, "... and names nothing");
	symbol_module_close(m);
	from.path = "/nowhere/at/all";
	m = symbol_module_open(&from);
	is_int(symbol_module_state(m), SYMBOL_MODULE_MISSING, "a file that is not there");
	symbol_module_close(m);
}

static void test_stripped(void)
{
	struct symbol_module *m;
	uint64_t hidden, work;

	run("gcc -O2 -shared -fPIC a.c -o program");
	hidden = address_of("program", "hidden");
	work = address_of("program", "work");
	run("strip program");
	m = open_path("program");
	ok(symbol_resolve(m, work + 3, &result) == 0 && strcmp(result.frames[0].function, "work") == 0 &&
	   result.offset == 3 && !result.guess, "exported functions are known");
	ok(symbol_resolve(m, hidden + 1, &result) < 0, "a hidden one does not get its neighbour's name");
	symbol_module_close(m);
}

/* big and two aliases; bare has no size; tail lies behind all. */
static const char source_asm[] =
	".text\n.globl big\n.type big,@function\n.type aaa,@function\n.weak weak\n.type weak,@function\n"
	"big:\naaa:\nweak:\n.skip 16,0x90\n.size big,16\n.size aaa,16\n.size weak,16\n"
	".globl bare\nbare:\n.skip 16,0x90\n"
	".type inner,@function\n.globl outer\n.type outer,@function\nouter:\n.skip 4,0x90\ninner:\n"
	".skip 4,0x90\n.size inner,4\n.skip 8,0x90\n.size outer,16\nlabel:\n"
	".skip 4,0x90\n.section .note.GNU-stack,\"\",@progbits\n";

static void is_symbol(struct symbol_module *m, uint64_t at, const char *want, bool guess, const char *what)
{
	symbol_resolve(m, at, &result);
	is_string(result.symbol, want, "%s", what);
	is_int(result.guess, guess, "... %s", guess ? "a guess" : "for sure");
}

static void test_preferences(void)
{
	struct symbol_module *m;
	uint64_t big, outer;

	write_file("s.s", source_asm);
	run("gcc -nostdlib -shared s.s -o program");
	big = address_of("program", "big");
	outer = address_of("program", "outer");
	m = open_path("program");
	is_symbol(m, big + 5, "big", false, "global before weak and local");
	is_symbol(m, big + 16, "bare", true, "an unsized symbol where there is no other");
	is_symbol(m, big + 31, "bare", true, "... up to the next");
	is_symbol(m, outer + 3, "outer", false, "before a nested symbol");
	is_symbol(m, outer + 5, "inner", false, "in a nested symbol");
	is_symbol(m, outer + 8, "outer", false, "behind a nested symbol");
	is_symbol(m, outer + 17, "label", true, "a local label");
	symbol_module_close(m);
}

static void test_dwz(void)
{
	struct symbol_module *m;

	if (!have("dwz")) {
		skip(2, "dwz is not installed");
		return;
	}
	run("g++ -O2 -g b.cc -o program && cp program plain && g++ -O1 -g b.cc -o other && "
	    "dwz -m common.dwz program other");
	m = open_path("program");
	compare(m, "plain", "dwz");
	symbol_module_close(m);
	run("rm common.dwz");
	m = open_path("program");
	ok(symbol_module_hint(m) && strstr(symbol_module_hint(m), "dwz"), "a missing dwz file is said");
	symbol_resolve(m, address_of("plain", "main"), &result);
	symbol_module_close(m);
}

static void test_split(void)
{
	struct symbol_module *m;
	uint64_t work;

	if (!run("gcc -O2 -g -gsplit-dwarf a.c -o program")) {
		skip(4, "no split DWARF");
		return;
	}
	work = address_of("program", "work");
	m = open_path("program");
	is_leak(m, work, "split DWARF");
	symbol_module_close(m);
	run("rm -f *.dwo");
	m = open_path("program");
	ok(symbol_resolve(m, work, &result) == 0 && strcmp(result.frames[0].function, "work") == 0,
	   "without the .dwo file: the function");
	ok(result.frames[0].line >= 18 && result.frames[0].line <= 22, "... and the line");
	ok(symbol_module_hint(m) && strstr(symbol_module_hint(m), ".dwo not found"), "... and a hint");
	symbol_module_close(m);
	run("mkfifo program-a.dwo");
	m = open_path("program");
	ok(symbol_resolve(m, work, &result) == 0, "a FIFO in its place does not hold us up");
	symbol_module_close(m);
}

static void test_cut(void)
{
	struct symbol_module *m;
	uint64_t work;

	run("g++ -O2 -g b.cc -o program");
	work = address_of("program", "_Z6workeri");
	m = open_path("program");
	symbol_resolve(m, work, &result);
	ok(result.count > 0 && result.frames[0].line > 0, "a whole file");
	run(": > program");
	symbol_resolve(m, work + 8, &result);
	ok(result.count > 0 && result.frames[0].line == 0 && strcmp(result.symbol, "_Z6workeri") == 0,
	   "the file is cut while in use: functions, no lines, no crash");
	symbol_module_close(m);
	m = open_path("program");
	is_int(symbol_module_state(m), SYMBOL_MODULE_DAMAGED, "an empty file");
	symbol_module_close(m);
}

int main(void)
{
	work_begin();
	write_file("a.c", source_c);
	write_file("b.cc", source_cxx);
	write_file("b.c", "int main(void) { return 0; }\n");
	if (!run("%s -O2 -g a.c -o program", cc()) || !have("addr2line") || !have("objcopy"))
		plan_skip_all("no compiler or binutils");
	test_compilers();
	test_debuglink();
	test_build_id();
	test_stripped();
	test_preferences();
	test_dwz();
	test_split();
	test_cut();
	return done_testing();
}
