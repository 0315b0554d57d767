/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which functions of running programs are taken for an allocator's, and which are not. */
#include "inject/definitions.h"

#include "tests/unit/symbols_build.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

enum { MALLOC, FREE, CALLOC, LIBC_MALLOC, MI_MALLOC, MI_FREE, SBRK, NEW };
static const char *const names[] = {
	"malloc", "free", "calloc", "__libc_malloc", "mi_malloc", "mi_free", "sbrk", "_Znwm",
};
#define NAMES	(sizeof(names) / sizeof(*names))

static struct definitions found;
static struct injection *injection;
static pid_t pid;

/* Runs it, and looks at it once it says so. */
static bool look(char *program)
{
	char reason[INJECTION_REASON] = "", byte, *argv[] = { program, NULL };
	posix_spawn_file_actions_t actions;
	bool done = false;
	int out[2];

	if (pipe2(out, O_CLOEXEC))
		return false;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	if (posix_spawn(&pid, program, &actions, NULL, argv, environ))
		pid = 0;
	posix_spawn_file_actions_destroy(&actions);
	close(out[1]);
	if (pid && read(out[0], &byte, 1) == 1)
		done = injection_open(&injection, pid, NULL, reason) == 0 &&
		       definitions_find(injection, names, NAMES, &found, reason) == 0;
	if (!done)
		printf("# %s: %s\n", program, reason);
	close(out[0]);
	return done;
}

static void leave(void)
{
	injection_close(injection);
	definitions_release(&found);
	injection = NULL;
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

static bool has_name(const struct definition *d, size_t name)
{
	for (size_t i = 0; i < d->name_count; i++)
		if (d->names[i] == name)
			return true;
	return false;
}

/* How many definitions of a name there are in files whose name ends so. */
static unsigned in(const char *object, size_t name)
{
	unsigned n = 0;

	for (size_t i = 0; i < found.count; i++) {
		const struct definition *d = &found.items[i];
		size_t length = strlen(d->object), want = strlen(object);

		n += has_name(d, name) && length >= want && strcmp(d->object + length - want, object) == 0;
	}
	return n;
}

static const struct definition *of(const char *object, size_t name)
{
	for (size_t i = 0; i < found.count; i++)
		if (has_name(&found.items[i], name) && strstr(found.items[i].object, object))
			return &found.items[i];
	return NULL;
}

static const char wait_c[] =
	"#include <unistd.h>\n"
	"int more(void);\n"
	"int main(void) { more(); if (write(1, \"x\", 1) != 1) return 1; pause(); return 0; }\n";

static void test_plain(void)
{
	const struct definition *d;
	struct elf_file *libc;
	struct elf_symbol s;
	uint8_t code[16];

	write_file("none.c", "int more(void) { return 0; }\n");
	if (!ok(run("%s wait.c none.c -o plain", cc()) && look((char *)"./plain"), "a plain program")) {
		leave();
		return;
	}
	ok(in("libc.so.6", MALLOC) == 1 && in("libc.so.6", FREE) == 1 && in("libc.so.6", SBRK) == 1, "... has libc's");
	ok(in("ld-linux-x86-64.so.2", MALLOC) + in("/plain", MALLOC) == 0, "... and no others'");
	d = of("libc.so.6", MALLOC);
	ok(d && d->name_count == 2 && d->names[0] == MALLOC && d->names[1] == LIBC_MALLOC,
	   "... two names of one address are one definition");
	if (d && elf_file_open(d->object, &libc) == 0) {
		ok(elf_find_symbol(libc, "malloc", &s) == 0 && s.vaddr + d->bias == d->address && s.size == d->size &&
		   elf_read(libc, s.vaddr, code, sizeof(code)) == sizeof(code) &&
		   memcmp(code, d->code, sizeof(code)) == 0 && d->build_id_len > 0, "... it is described");
		elf_file_close(libc);
	} else {
		skip(1, "libc cannot be read");
	}
	leave();
}

static void test_hidden(void)
{
	write_file("own.c", "#include <stddef.h>\nstatic char pool[1 << 20]; static size_t used;\n"
			    "void *HIDE(malloc)(size_t n) { void *p = pool + used; used += (n + 15) & ~15ul; return p; }\n"
			    "void HIDE(free)(void *p) { (void)p; }\n"
			    "void *HIDE(calloc)(size_t n, size_t m) { return HIDE(malloc)(n * m); }\n"
			    "int more(void) { return HIDE(calloc)(1, 2) == HIDE(malloc)(3); }\n");
	write_file("static.c", "static int freed;\nstatic void __attribute__((noinline)) free(void *p) { freed += p != 0; }\n"
			       "static void __attribute__((noinline)) *sbrk(long n) { return (char *)&freed + n; }\n"
			       "int more(void) { free(sbrk(1)); return freed; }\n");
	ok(run("%s -fno-builtin '-DHIDE(x)=x' wait.c own.c -o own", cc()) && look((char *)"./own"), "a malloc of its own");
	ok(in("/own", MALLOC) == 1 && in("/own", FREE) == 1 && in("libc.so.6", MALLOC) == 1, "... is found, and libc's");
	leave();
	ok(run("%s -fno-builtin -fvisibility=hidden '-DHIDE(x)=x' wait.c own.c -o hidden", cc()) &&
	   look((char *)"./hidden"), "a hidden one");
	ok(in("/hidden", MALLOC) == 1 && in("/hidden", CALLOC) == 1, "... is found");
	leave();
	ok(run("%s -fno-builtin -fvisibility=hidden '-DHIDE(x)=mi_ ## x' wait.c own.c -o prefixed", cc()) &&
	   look((char *)"./prefixed"), "one with names of its own");
	ok(in("/prefixed", MI_MALLOC) == 1 && in("/prefixed", MI_FREE) == 1, "... is found");
	leave();
	ok(run("%s -fno-builtin -O1 wait.c static.c -o static", cc()) && look((char *)"./static"),
	   "a static function called free");
	ok(in("/static", FREE) == 0 && in("/static", SBRK) == 0, "... is none");
	leave();
}

static void test_indirect(void)
{
	const struct definition *used, *unused;

	write_file("indirect.c",
		   "static void *real(unsigned long n) { return (void *)n; }\n"
		   "static void real_free(void *p) { (void)p; }\n"
		   "static void *choose(void) { return (void *)real; }\n"
		   "static void *choose_free(void) { return (void *)real_free; }\n"
		   "void *mi_malloc(unsigned long) __attribute__((ifunc(\"choose\")));\n"
		   "void mi_free(void *) __attribute__((ifunc(\"choose_free\")));\n");
	write_file("user.c", "void *mi_malloc(unsigned long);\nint more(void) { return mi_malloc(5) == 0; }\n");
	if (!run("%s -shared -fPIC indirect.c -o libindirect.so", cc()) ||
	    !run("%s -Wl,-z,now wait.c user.c -o indirect -L. -lindirect -Wl,-rpath,'$ORIGIN'", cc())) {
		skip(3, "no indirect functions");
		return;
	}
	ok(look((char *)"./indirect"), "indirect functions");
	used = of("libindirect", MI_MALLOC);
	unused = of("libindirect", MI_FREE);
	ok(used && !used->skip && used->code_length > 8, "... are found where they lead");
	ok(unused && unused->skip && strstr(unused->skip, "indirect"), "... or told not to be: %s",
	   unused && unused->skip ? unused->skip : "");
	leave();
}

static void test_namespaces(void)
{
	write_file("second.c", "#include <dlfcn.h>\nint more(void) { return dlmopen(LM_ID_NEWLM, \"libc.so.6\", RTLD_NOW) != 0; }\n");
	if (!run("%s -D_GNU_SOURCE wait.c second.c -o second -ldl", cc())) {
		skip(2, "no dlmopen");
		return;
	}
	ok(look((char *)"./second"), "a second libc");
	is_int(in("libc.so.6", MALLOC), 2, "... has a malloc of its own");
	leave();
}

/* Deleted files, and another one under the same name. */
static void test_files(void)
{
	bool found_it;

	if (geteuid() != 0) {
		skip(4, "only root can read deleted files");
		return;
	}
	ok(run("cp own gone") && look((char *)"./gone"), "a program");
	leave();
	write_file("remove.c", "#include <stdio.h>\n#include <unistd.h>\nint more2(void);\n"
			       "int main(void) { unlink(\"gone2\"); if (rename(\"plain\", \"gone2\")) return 1;\n"
			       "if (write(1, \"x\", 1) != 1) return 1; pause(); return 0; }\n");
	ok(run("sed s/more/more2/ own.c >own2.c && %s -fno-builtin '-DHIDE(x)=x' remove.c own2.c -o gone2", cc()) &&
	   look((char *)"./gone2"), "a program that is replaced while it runs");
	found_it = in("/gone2", MALLOC) == 1;
	ok(found_it, "... is read as it is");
	ok(found_it && of("/gone2", MALLOC)->code_length > 8, "... with its code");
	leave();
}

int main(void)
{
	work_begin();
	write_file("wait.c", wait_c);
	test_plain();
	test_hidden();
	test_indirect();
	test_namespaces();
	test_files();
	return done_testing();
}
