/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Damaged ELF files: real programs with bytes changed, in a child so that a crash is a failed test.
 *
 *	symbols_fuzz_test [SECONDS [SEED [PROGRAM...]]]
 */
#include "symbols/module.h"
#include "symbols/target.h"
#include "tests/unit/symbols_build.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define FILE_MAX	(1u << 20)
#define RUNS		20		/* in one child */

static uint64_t state;

static unsigned next(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33);
}

static void put(unsigned char *data, size_t length, size_t at, const void *from, size_t count)
{
	memcpy(data + at, from, count < length - at ? count : length - at);
}

/* Half of the changes hit the headers, where the lengths are. */
static void damage(unsigned char *data, size_t length)
{
	uint64_t sections, near_end = length - next() % 64, ones = ~0ull;
	uint64_t noise = (uint64_t)next() << 31 ^ next();
	unsigned where = next() % 4;
	size_t at = next() % length;

	memcpy(&sections, data + 0x28, 8);
	if (where == 0)
		at = next() % 0x400;
	else if (where == 1 && sections < length)
		at = sections + next() % (length - sections);
	switch (next() % 5) {
	case 0:
		data[at] = (unsigned char)next();
		break;
	case 1:
		data[at] ^= (unsigned char)(1u << next() % 8);
		break;
	case 2:
		put(data, length, at, &ones, 8);
		break;
	case 3:
		put(data, length, at, &near_end, 8);
		break;
	default:
		put(data, length, at, &noise, 8);
		break;
	}
}

static void write_damaged(const unsigned char *base, size_t length)
{
	static unsigned char data[FILE_MAX];
	FILE *f = fopen("damaged", "wb");

	memcpy(data, base, length);
	for (unsigned n = 1 + next() % 8; n > 0; n--)
		damage(data, length);
	if (next() % 10 == 0)
		length = next() % length;
	if (!f || fwrite(data, 1, length, f) != length || fclose(f) != 0)
		abort();
}

static int take(const char *name, const struct elf_symbol *s, void *arg)
{
	*(size_t *)arg += strlen(name) + s->vaddr;
	return 0;
}

static size_t use_all(void)
{
	static struct symbol_result result;
	static struct target_facts facts;
	struct symbol_source from = { .path = "damaged" };
	struct symbol_module *m;
	struct elf_symbol s;
	struct elf_file *f;
	uint64_t bias;
	size_t sum = 0;

	if (elf_file_open("damaged", &f) == 0) {
		elf_find_symbol(f, "main", &s);
		elf_imports(f, "malloc");
		elf_each_symbol(f, take, &sum);
		elf_bias(f, 0x1000, 0, true, &bias);
		sum += elf_soname(f) ? strlen(elf_soname(f)) : 0;
		elf_file_close(f);
	}
	target_inspect("damaged", &facts);
	m = symbol_module_open(&from);
	for (uint64_t at = 0x1000; at < 0x3000; at += 23) {
		symbol_resolve(m, at, &result);
		for (size_t i = 0; i < result.count; i++) {
			sum += result.frames[i].function ? strlen(result.frames[i].function) : 0;
			sum += result.frames[i].file ? strlen(result.frames[i].file) : 0;
		}
	}
	symbol_module_hint(m);
	symbol_module_close(m);
	return sum;
}

/* 0 or the child's wait status. */
static int fuzz_in_child(const char *program, uint64_t seed)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		static unsigned char base[FILE_MAX];
		FILE *f = fopen(program, "rb");
		size_t length = f ? fread(base, 1, sizeof(base), f) : 0, sum = 0;

		alarm(60);
		for (uint64_t run_number = 0; length > 0x400 && run_number < RUNS; run_number++) {
			state = seed * 1000 + run_number;
			next();
			write_damaged(base, length);
			sum += use_all();
		}
		_exit(sum == 1);
	}
	waitpid(pid, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	static char *built[] = { "c", "cxx", "stripped", "compressed", "dwarf4" };
	double seconds = argc > 1 ? atof(argv[1]) : 3;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	char **programs = argc > 3 ? argv + 3 : built;
	size_t count = argc > 3 ? (size_t)argc - 3 : sizeof(built) / sizeof(built[0]), runs = 0;
	time_t end;
	int status = 0;

	work_begin();
	write_file("a.c", source_c);
	write_file("b.cc", source_cxx);
	if (argc <= 3 && !run("gcc -O2 -g a.c -o c && g++ -O2 -g b.cc -o cxx && cp cxx stripped && "
			      "strip stripped && gcc -O2 -g -gz a.c -o compressed && "
			      "gcc -O2 -gdwarf-4 a.c -o dwarf4"))
		plan_skip_all("no compilers");
	end = time(NULL) + (time_t)seconds;
	for (; time(NULL) <= end && status == 0; seed++, runs += RUNS)
		status = fuzz_in_child(programs[seed % count], seed);
	ok(status == 0, "%zu damaged files were read; at seed %llu", runs, (unsigned long long)seed - 1);
	if (status)
		printf("# wait status 0x%x, program %s\n", status, programs[(seed - 1) % count]);
	return done_testing();
}
