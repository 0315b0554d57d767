/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The user's symbol cache: answers come back whole or not at all, whatever happened to the file. */
#include "launcher/symbol_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "launcher/cache_file.h"
#include "tests/tap.h"

#define NAME	"00aaff"
#define SLOW	1000000000u	/* ns: worth keeping */
#define MANY	500u
#define WRITERS	6
#define ROUNDS	40

static const uint8_t id[] = { 0x00, 0xaa, 0xff };
static char home[] = "/tmp/symbol-cache-XXXXXX";

static struct symbol_result answer(uint64_t vaddr)
{
	static char name[2][64];
	struct symbol_result r = { .count = vaddr % 3, .offset = vaddr / 2 };

	snprintf(name[0], sizeof(name[0]), "function_%llu", (unsigned long long)vaddr);
	snprintf(name[1], sizeof(name[1]), "/source/%llu.c", (unsigned long long)vaddr % 7);
	for (size_t i = 0; i < r.count; i++)
		r.frames[i] = (struct symbol_frame){ .function = i ? NULL : name[0], .raw = "raw",
						     .file = name[1], .line = (unsigned)vaddr + (unsigned)i };
	return r;
}

static int same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* 1: as it was given; 0: unknown; -1: something else. */
static int look(struct symbol_cache *c, uint64_t vaddr)
{
	struct symbol_result want = answer(vaddr), got;

	if (!symbol_cache_find(c, vaddr, &got))
		return 0;
	if (got.count != want.count || got.offset != want.offset)
		return -1;
	for (size_t i = 0; i < got.count; i++)
		if (!same_text(got.frames[i].function, i ? "raw" : want.frames[i].function) ||
		    !same_text(got.frames[i].file, want.frames[i].file) || got.frames[i].line != want.frames[i].line)
			return -1;
	return 1;
}

static void fill(struct symbol_cache *c, uint64_t first, uint64_t count)
{
	for (uint64_t v = first; v < first + count; v++) {
		struct symbol_result r = answer(v), got;

		if (!symbol_cache_find(c, v, &got))
			symbol_cache_add(c, v, &r, SLOW);
	}
	symbol_cache_save(c);
}

/* Addresses first .. first + MANY - 1 that a new session finds; -1: one of them wrong. */
static int found(int directory, uint64_t identity, uint64_t first)
{
	struct symbol_cache *c = symbol_cache_new(directory, id, sizeof(id), identity);
	int n = 0;

	for (uint64_t v = first; v < first + MANY && n >= 0; v++) {
		int one = look(c, v);

		n = one < 0 ? -1 : n + one;
	}
	symbol_cache_free(c);
	return n;
}

static void write_some(int directory, uint64_t first)
{
	struct symbol_cache *c = symbol_cache_new(directory, id, sizeof(id), 1);

	fill(c, first, MANY);
	symbol_cache_free(c);
}

static void test_sessions(int d)
{
	write_some(d, 1);
	is_int(found(d, 1, 1), MANY, "the next session finds all, also what is known to be nothing");
	is_int(found(d, 1, MANY + 1), 0, "and no more");
	is_int(found(d, 2, 1), 0, "not when its debug information is another one");
	write_some(d, MANY + 1);
	is_int(found(d, 1, 1), MANY, "what is added stands beside what was there");
	is_int(found(d, 1, MANY + 1), MANY, "and is found");
}

static void test_cheap(int d)
{
	struct symbol_cache *c = symbol_cache_new(d, id, sizeof(id), 1);
	struct symbol_result r = answer(9000), got;
	struct stat before, after;

	fstatat(d, NAME, &before, 0);
	symbol_cache_find(c, 9000, &got);
	symbol_cache_add(c, 9000, &r, 1000);
	symbol_cache_save(c);
	symbol_cache_free(c);
	fstatat(d, NAME, &after, 0);
	ok(before.st_ino == after.st_ino, "a file is not replaced for what was cheap to find");
}

/* Changes one byte at a time, all over the file. */
static void test_damage(int d)
{
	int fd = openat(d, NAME, O_RDWR), wrong = 0, believed = 0;
	struct stat st;

	fstat(fd, &st);
	for (off_t at = 0; at < st.st_size; at += at < 64 ? 1 : 997) {
		unsigned char byte, other;
		int n;

		(void)!pread(fd, &byte, 1, at);
		other = byte ^ 0x41;
		(void)!pwrite(fd, &other, 1, at);
		n = found(d, 1, 1);
		wrong += n < 0;
		believed += n > 0;
		(void)!pwrite(fd, &byte, 1, at);
	}
	is_int(wrong, 0, "no damage gives a wrong answer");
	is_int(believed, 0, "a damaged file is as if it was not there");
	is_int(found(d, 1, 1), MANY, "(it was whole in between)");
	for (off_t cut = st.st_size - 1; cut > 0; cut = cut * 3 / 4) {
		(void)!ftruncate(fd, cut);
		believed += found(d, 1, 1) != 0;
	}
	(void)!ftruncate(fd, 0);
	is_int(believed + found(d, 1, 1), 0, "nor one that was cut");
	close(fd);
	write_some(d, 1);
	is_int(found(d, 1, 1), MANY, "and is replaced");
}

static void test_others(int d)
{
	fchmodat(d, NAME, 0660, 0);
	is_int(found(d, 1, 1), 0, "a file that a group may write is not believed");
	fchmodat(d, NAME, 0600, 0);
	is_int(found(d, 1, 1), MANY, "(it is otherwise)");
	renameat(d, NAME, d, "elsewhere");
	(void)!symlinkat("elsewhere", d, NAME);
	is_int(found(d, 1, 1), 0, "nor a symbolic link");
	unlinkat(d, NAME, 0);
	mkfifoat(d, NAME, 0600);
	is_int(found(d, 1, 1), 0, "nor a pipe, which holds nobody up");
	unlinkat(d, NAME, 0);
	renameat(d, "elsewhere", d, NAME);
	if (geteuid()) {
		skip(1, "only root can give a file away");
		return;
	}
	(void)!fchownat(d, NAME, 12345, 12345, 0);
	is_int(found(d, 1, 1), 0, "a stranger's file is not believed");
	(void)!fchownat(d, NAME, 0, 0, 0);
}

static void test_directory(void)
{
	char *path = xasprintf("%s/memtrack", home);
	struct stat st;

	is_int(stat(path, &st) < 0 ? 0 : st.st_mode & 07777, 0700, "the directory is its owner's alone");
	chmod(path, 0777);
	is_int(symbol_cache_directory(), -1, "one that others may write is not used");
	chmod(path, 0700);
	if (geteuid() == 0) {
		(void)!chown(path, 12345, 12345);
		is_int(symbol_cache_directory(), -1, "nor a stranger's");
		(void)!chown(path, 0, 0);
	} else {
		skip(1, "only root can give a directory away");
	}
	setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1);
	is_int(symbol_cache_directory(), -1, "none where none can be made");
	setenv("XDG_CACHE_HOME", "relative", 1);
	unsetenv("HOME");
	is_int(symbol_cache_directory(), -1, "none without a home");
	setenv("HOME", home, 1);
	free(path);
	path = xasprintf("%s/.cache/memtrack", home);
	close(symbol_cache_directory());
	ok(stat(path, &st) == 0 && S_ISDIR(st.st_mode), "~/.cache/memtrack where XDG_CACHE_HOME says nothing");
	setenv("XDG_CACHE_HOME", home, 1);
	free(path);
}

/* Sessions that write the same file at the same time, and one that reads it. */
static void test_crowd(int d)
{
	int wrong = 0, seen = 0, running = WRITERS, status, failed = 0;

	for (int w = 0; w < WRITERS; w++) {
		if (fork() == 0) {
			for (int i = 0; i < ROUNDS; i++)
				write_some(d, 1 + (uint64_t)(w % 2) * MANY);
			_exit(0);
		}
	}
	while (running) {
		int n = found(d, 1, 1);

		wrong += n < 0 || (n > 0 && n < (int)MANY);
		seen += n > 0;
		while (running && waitpid(-1, &status, WNOHANG) > 0) {
			running--;
			failed += status != 0;
		}
	}
	is_int(failed, 0, "sessions that write at the same time end well");
	is_int(wrong, 0, "one that reads meanwhile finds a whole file");
	ok(seen, "and finds one");
}

static uint64_t total(int d, unsigned *count)
{
	uint64_t bytes = 0;
	struct stat st;
	char name[16];

	*count = 0;
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "file%d", i);
		if (fstatat(d, name, &st, 0) == 0) {
			bytes += (uint64_t)st.st_size;
			(*count)++;
		}
	}
	return bytes;
}

static void test_bound(int d)
{
	struct buffer data = BUFFER_INIT;
	unsigned count;

	unlinkat(d, NAME, 0);
	buffer_append_repeat(&data, 'x', 1000);
	for (int i = 0; i < 20; i++) {
		struct timespec when[2] = { { 0, UTIME_OMIT }, { 1000000 + (i * 7 % 20) * 100, 0 } };
		char name[16];

		snprintf(name, sizeof(name), "file%d", i);
		cache_file_write(d, name, &data);
		utimensat(d, name, when, 0);
	}
	cache_file_bound(d, 7500);
	is_int(total(d, &count), 7000, "what is too much goes");
	ok(faccessat(d, "file17", F_OK, 0) == 0 && faccessat(d, "file0", F_OK, 0) < 0,
	   "what was not used for longest first");
	buffer_release(&data);
}

int main(void)
{
	char *clean;
	int d;

	if (!mkdtemp(home))
		return 1;
	setenv("XDG_CACHE_HOME", home, 1);
	d = symbol_cache_directory();
	ok(d >= 0, "the directory is made");
	test_sessions(d);
	test_cheap(d);
	test_damage(d);
	test_others(d);
	test_crowd(d);
	test_directory();
	test_bound(d);
	close(d);
	clean = xasprintf("rm -rf %s", home);
	(void)!system(clean);
	free(clean);
	return done_testing();
}
