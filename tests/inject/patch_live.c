/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of running programs are redirected and given back: all calls are counted, nothing else changes. */
#include "inject/code.h"
#include "inject/memory.h"
#include "inject/patch.h"
#include "tests/tap.h"

#include "symbols/maps.h"
#include "tests/attach/true_code.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MALLOC, CALLOC, REALLOC, FREE, STRDUP, POSIX_MEMALIGN, KINDS };
static const char *const names[] = {
	"malloc", "calloc", "realloc", "free", "strdup", "posix_memalign", "aligned_alloc", "memalign", "valloc",
	"pvalloc", "cfree", "reallocarray", "strndup", "mmap", "munmap", "sbrk", "target_slow",
};
#define NAMES	(sizeof(names) / sizeof(*names))

struct live {
	pid_t pid;
	FILE *in, *out;
	uint64_t entries;		/* target_entries */
	struct injection *injection;
	struct definitions found;
	struct patch_plan *plan;
	size_t wants;
};

static char line[512];

static const char *answer(struct live *l)
{
	if (!fgets(line, sizeof(line), l->out))
		strcpy(line, "(nothing)\n");
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static const char *ask(struct live *l, const char *what)
{
	fprintf(l->in, "%s\n", what);
	return answer(l);
}

static uint64_t find_entries(pid_t pid)
{
	char path[64];
	struct elf_file *f;
	struct elf_symbol s;
	struct maps maps;
	uint64_t bias = 0, result = 0;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (elf_file_open(path, &f) || maps_read(pid, &maps))
		return 0;
	for (size_t i = 0; i < maps.count; i++)
		if (maps.items[i].execute && !result && strstr(maps.items[i].name, "patch_target") &&
		    elf_find_symbol(f, "target_entries", &s) == 0 &&
		    elf_bias(f, maps.items[i].start, maps.items[i].offset, true, &bias) == 0)
			result = s.vaddr + bias;
	maps_release(&maps);
	elf_file_close(f);
	return result;
}

/* false: cannot be run here. */
static bool start(struct live *l, const char *program, const char *mode, const char *preload)
{
	char path[512], variable[300], *argv[] = { path, (char *)mode, NULL }, *env[] = { variable, NULL };
	posix_spawn_file_actions_t actions;
	int in[2], out[2], rc;

	memset(l, 0, sizeof(*l));
	snprintf(path, sizeof(path), "%s/tests/inject/%s", getenv("top_builddir"), program);
	snprintf(variable, sizeof(variable), "LD_PRELOAD=%s", preload ? preload : "");
	if (access(path, X_OK) || (preload && access(preload, R_OK)) || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return false;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	rc = posix_spawn(&l->pid, path, &actions, NULL, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	close(in[0]);
	close(out[1]);
	l->in = fdopen(in[1], "w");
	l->out = fdopen(out[0], "r");
	setvbuf(l->in, NULL, _IONBF, 0);
	if (rc == 0 && strcmp(answer(l), "ready") == 0)
		l->entries = find_entries(l->pid);
	return l->entries != 0;
}

static bool check(int rc, const char *what, const char *reason)
{
	if (rc)
		printf("# %s: %d %s\n", what, rc, reason);
	return rc == 0;
}

static bool enter(struct live *l)
{
	char reason[INJECTION_REASON] = "";

	return check(injection_open(&l->injection, l->pid, NULL, reason), "open", reason);
}

static void leave(struct live *l)
{
	injection_close(l->injection);
	patch_plan_free(l->plan);
	definitions_release(&l->found);
	l->injection = NULL;
	l->plan = NULL;
}

static bool make_plan(struct live *l)
{
	char reason[INJECTION_REASON] = "";
	struct patch_want *wants;
	int rc = definitions_find(l->injection, names, NAMES, &l->found, reason);

	if (!check(rc, "definitions", reason))
		return false;
	wants = calloc(l->found.count, sizeof(*wants));
	l->wants = l->found.count;
	for (size_t i = 0; i < l->found.count; i++)
		wants[i] = (struct patch_want){ .definition = &l->found.items[i],
						.entry = l->entries + 16 * l->found.items[i].names[0],
						.symbol = names[l->found.items[i].names[0]] };
	rc = patch_plan_make(l->injection, wants, l->found.count, &l->plan, reason);
	free(wants);
	return check(rc, "plan", reason);
}

/* From outside to planted. */
static bool plant(struct live *l)
{
	char reason[INJECTION_REASON] = "";
	struct thread *t;
	bool done;

	if (!enter(l))
		return false;
	done = make_plan(l) && check(threads_hold(l->injection, 0, &t, reason), "hold", reason);
	if (done) {
		done = check(patch_prepare(l->plan, l->injection, t, reason), "prepare", reason);
		thread_release(t);
	}
	done = done && check(threads_hold_all(l->injection, reason), "hold all", reason) &&
	       check(patch_plant(l->plan, l->injection, reason), "plant", reason);
	threads_release_all(l->injection);
	return done;
}

/* By somebody who knows nothing but the process. */
static int unplant(pid_t pid)
{
	char reason[INJECTION_REASON] = "";
	struct injection *in;
	unsigned removed = 0;
	bool done;

	if (!check(injection_open(&in, pid, NULL, reason), "open", reason))
		return -1;
	done = check(threads_hold_all(in, reason), "hold all", reason) &&
	       check(patch_remove(in, &removed, reason), "remove", reason);
	threads_release_all(in);
	injection_close(in);
	return done ? (int)removed : -1;
}

static unsigned count_how(const struct live *l, enum patch_how how)
{
	unsigned n = 0;

	for (size_t i = 0; i < l->wants; i++)
		n += patch_plan_row(l->plan, i)->how == how;
	return n;
}

static void tell_refused(const struct live *l)
{
	for (size_t i = 0; i < l->wants; i++) {
		const struct patch_row *row = patch_plan_row(l->plan, i);

		if (row->how != PATCH_ENTRY)
			printf("# %s in %s: %s (%u slots)\n", names[row->definition->names[0]], row->definition->object,
			       row->reason, row->slots);
	}
}

/* Pages of code that differ from their file. */
static unsigned changed_code(pid_t pid)
{
	char first[TRUE_CODE_TEXT];

	return true_code(pid, first);
}

static unsigned areas(pid_t pid)
{
	struct maps maps;
	unsigned n = 0;

	if (maps_read(pid, &maps))
		return 0;
	for (size_t i = 0; i < maps.count; i++)
		n += strcmp(maps.items[i].name, "/memfd:" PATCH_AREA_NAME) == 0;
	maps_release(&maps);
	return n;
}

static void end(struct live *l, const char *what)
{
	int status = -1;

	fclose(l->in);
	while (strcmp(answer(l), "done") != 0 && strcmp(line, "(nothing)") != 0)
		printf("# %s\n", line);
	fclose(l->out);
	waitpid(l->pid, &status, 0);
	is_int(status, 0, "%s: it ends as it should", what);
}

/* Counts of an answer: what it called and what came by the entries. */
static void read_counts(unsigned long called[KINDS], unsigned long hits[KINDS])
{
	memset(called, 0xff, KINDS * sizeof(*called));
	sscanf(line, "called %lu %lu %lu %lu %lu %lu hits %lu %lu %lu %lu %lu %lu", &called[0], &called[1], &called[2],
	       &called[3], &called[4], &called[5], &hits[0], &hits[1], &hits[2], &hits[3], &hits[4], &hits[5]);
}

/* exact: no function of the list calls another one but strdup. */
static void test_quiet(const char *program, const char *preload, bool exact)
{
	const char *what = preload ? preload : program;
	unsigned long called[KINDS], hits[KINDS], before[KINDS], now[KINDS];
	struct live l;
	unsigned bad = 0;

	if (!start(&l, program, "quiet", preload)) {
		if (exact && !preload && strcmp(program, "patch_target") == 0)
			ok(false, "the target runs");
		skip(1, "this target cannot be run here");
		return;
	}
	ask(&l, "3");
	read_counts(before, hits);
	is_int(hits[MALLOC] + hits[FREE] + changed_code(l.pid), 0, "%s: nothing is counted before", what);
	if (!ok(plant(&l), "%s: its functions are redirected", what)) {
		end(&l, what);
		return;
	}
	is_int(count_how(&l, PATCH_ENTRY), l.wants, "... all %zu", l.wants);
	tell_refused(&l);
	ok(patch_count(l.injection) == (int)l.wants && changed_code(l.pid) > 0, "... as can be seen");
	leave(&l);
	ask(&l, "100");
	read_counts(called, hits);
	for (int k = 0; k < KINDS; k++) {
		now[k] = called[k] - before[k];
		bad += exact ? hits[k] != now[k] : hits[k] < now[k];
	}
	is_int(bad, 0, "... every call is counted");
	if (bad)
		printf("# %s\n", line);
	ok(unplant(l.pid) == (int)l.wants, "... they are given back");
	is_int(changed_code(l.pid), 0, "... the code is that of the files again");
	memcpy(before, hits, sizeof(before));
	ask(&l, "100");
	read_counts(called, hits);
	is_int(memcmp(hits, before, sizeof(hits)), 0, "... nothing is counted any more");
	is_int(unplant(l.pid), 0, "... and there is nothing to give back");
	end(&l, what);
}

/* Again and again while it is busy; stubs are made once. */
static void test_cycles(const char *program, const char *mode, unsigned cycles)
{
	unsigned failed = 0, n;
	struct live l;

	if (!start(&l, program, mode, NULL)) {
		skip(1, "this target cannot be run here");
		return;
	}
	for (n = 0; n < cycles && !failed; n++) {
		failed += !plant(&l);
		leave(&l);
		if (n % 10 == 0)
			failed += strcmp(ask(&l, "x"), "alive") != 0;
		failed += unplant(l.pid) <= 0 || changed_code(l.pid) != 0;
	}
	is_int(failed, 0, "%s %s: %u times there and back", program, mode, n);
	ok(areas(l.pid) >= 1 && areas(l.pid) <= 3, "... by %u areas", areas(l.pid));
	is_string(ask(&l, "x"), "alive", "... and all threads get on");
	end(&l, mode);
}

/* Threads and signal frames are inside the bytes that are overwritten, and below a jump afterwards. */
static void test_slow(const char *program, unsigned times)
{
	unsigned failed = 0, n;
	unsigned long hits = 0, before;
	struct live l;

	if (!start(&l, program, "slow", NULL)) {
		skip(1, "this target cannot be run here");
		return;
	}
	for (n = 0; n < times && !failed; n++) {
		before = hits;
		failed += strcmp(ask(&l, "in"), "inside") != 0 || !plant(&l);
		leave(&l);
		failed += sscanf(ask(&l, "out"), "alive %lu", &hits) != 1 || hits <= before;
		failed += strcmp(ask(&l, "in"), "inside") != 0 || unplant(l.pid) <= 0;
		failed += sscanf(ask(&l, "out"), "alive %lu", &hits) != 1;
	}
	is_int(failed, 0, "%s: %u times with threads and signal frames inside the bytes", program, n);
	end(&l, "slow");
}

/* Children have the patches too. */
static void test_forks(void)
{
	unsigned long called[KINDS], hits[KINDS];
	struct live l;
	int child = 0;

	if (!start(&l, "patch_target", "forks", NULL)) {
		skip(1, "this target cannot be run here");
		return;
	}
	ok(plant(&l), "a program that forks is redirected");
	leave(&l);
	sscanf(ask(&l, "3"), "child %d", &child);
	ok(child > 0 && changed_code(child) > 0, "... its child is, too");
	is_int(unplant(child), (int)l.wants, "... which can be freed alone");
	ok(changed_code(child) == 0 && changed_code(l.pid) > 0, "... without freeing the parent");
	read_counts(called, hits);
	ask(&l, "x");
	read_counts(called, hits);
	ok(called[MALLOC] == 15 && hits[MALLOC] == 0, "... and then counts no more");
	is_int(unplant(l.pid), (int)l.wants, "... the parent is freed");
	is_int(changed_code(l.pid), 0, "... completely");
	end(&l, "forks");
}

static bool poke(struct live *l, const char *name, const uint8_t *bytes, size_t length)
{
	bool done = enter(l) && make_plan(l);

	for (size_t i = 0; done && i < l->found.count; i++)
		if (strcmp(names[l->found.items[i].names[0]], name) == 0)
			done = memory_write(l->injection, l->found.items[i].address, bytes, length) == 0;
	leave(l);
	return done;
}

/* malloc begins with a breakpoint of somebody else's: its slots are taken. */
static void test_slots(void)
{
	/* What it was is put back before anybody can come by. */
	static const uint8_t other[] = { 0xcc };
	uint8_t first = 0;
	unsigned long called[KINDS], hits[KINDS];
	const struct patch_row *row = NULL;
	struct live l;
	char reason[INJECTION_REASON] = "";
	struct thread *t;

	if (!start(&l, "patch_target", "quiet", NULL)) {
		skip(1, "this target cannot be run here");
		return;
	}
	ok(enter(&l) && make_plan(&l), "a program with a breakpoint in malloc");
	for (size_t i = 0; i < l.found.count; i++)
		if (l.found.items[i].names[0] == MALLOC)
			first = l.found.items[i].code[0];
	leave(&l);
	ok(poke(&l, "malloc", other, 1) && enter(&l) && make_plan(&l), "... is looked at");
	for (size_t i = 0; i < l.wants; i++)
		if (l.found.items[i].names[0] == MALLOC)
			row = patch_plan_row(l.plan, i);
	ok(row && row->how == PATCH_SLOTS && row->slots >= 2 && strstr(row->reason, "breakpoint"),
	   "... and only its slots are taken: %s, %u slots", row ? row->reason : "", row ? row->slots : 0);
	ok(threads_hold(l.injection, 0, &t, reason) == 0 && patch_prepare(l.plan, l.injection, t, reason) == 0,
	   "... the stubs are there");
	ok(threads_hold_all(l.injection, reason) == 0 && patch_plant(l.plan, l.injection, reason) == 0,
	   "... the slots are set");
	threads_release_all(l.injection);
	leave(&l);
	poke(&l, "malloc", &first, 1);
	ask(&l, "10");
	read_counts(called, hits);
	ok(hits[MALLOC] == called[MALLOC] - 10 && hits[FREE] == called[FREE] && hits[STRDUP] == 10,
	   "... all calls are counted but those by a saved pointer: %s", line);
	ok(unplant(l.pid) > (int)l.wants, "... all is given back");
	is_int(changed_code(l.pid), 0, "... completely");
	ask(&l, "10");
	read_counts(called, hits);
	ok(called[MALLOC] == 60 && hits[MALLOC] == 20, "... and nothing is counted any more");
	end(&l, "slots");
}

int main(void)
{
	bool more = getenv("MEMTRACK_LONG") != NULL;

	if (!code_cpu_supported())
		plan_skip_all("code of this CPU cannot be patched");
	signal(SIGPIPE, SIG_IGN);
	alarm(more ? 900 : 120);
	test_quiet("patch_target", NULL, true);
	test_quiet("patch_target_static", NULL, true);
	test_quiet("patch_target_musl", NULL, false);
	test_quiet("patch_target_fixed", NULL, true);
	test_quiet("patch_target", "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2", true);
	test_quiet("patch_target", "/usr/lib/x86_64-linux-gnu/libtcmalloc.so.4", true);
	test_quiet("patch_target", "/usr/lib/x86_64-linux-gnu/libmimalloc.so.2", false);
	test_forks();
	test_slots();
	test_slow("patch_target", more ? 50 : 5);
	test_slow("patch_target_static", more ? 50 : 3);
	test_cycles("patch_target", "busy", more ? 300 : 10);
	test_cycles("patch_target", "storm", more ? 300 : 15);
	test_cycles("patch_target_static", "storm", more ? 100 : 6);
	test_cycles("patch_target_musl", "storm", more ? 100 : 6);
	return done_testing();
}
