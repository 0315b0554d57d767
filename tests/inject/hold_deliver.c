/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An object is brought into all sorts of programs while they work, and nothing else of them changes. */
#include "inject/deliver.h"
#include "symbols/maps.h"
#include "tests/attach/true_code.h"
#include "tests/inject/hold_fixture.h"
#include "tests/inject/hold_hostile.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <sys/stat.h>

#define THREADS	4

static char folder[4096], library[4200], thread_local_library[4200];

static const char *in_folder(const char *name)
{
	static char path[4200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* What the delivered object's function says of 20 and 22; -1: it could not be called. */
static long ask(struct injection *i, const struct delivered *d)
{
	const uint64_t arguments[6] = { 20, 22 };
	char reason[INJECTION_REASON];
	uint64_t address, result = 0;
	struct thread *t;

	if (deliver_symbol(i, d, "hold_answer", &address) != 0 || threads_hold(i, 0, &t, reason) != 0)
		return -1;
	if (remote_call(i, t, address, arguments, &result, 5000) != 0)
		result = (uint64_t)-1;
	thread_release(t);
	return (long)result;
}

static int count_descriptors(pid_t pid)
{
	char path[32];
	int n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	d = opendir(path);
	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* Code mappings that are no file's and no memory file of ours. */
static int count_foreign_code(pid_t pid)
{
	struct maps maps;
	int n = 0;

	if (maps_read(pid, &maps) != 0)
		return -1;
	for (size_t k = 0; k < maps.count; k++)
		n += maps.items[k].execute && !maps.items[k].inode && maps.items[k].name[0] != '[';
	maps_release(&maps);
	return n;
}

static int errno_target(void)
{
	errno = 42;
	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop)) {
		if (errno != 42)
			return 1;
		atomic_fetch_add(&shared->progress, 1);
	}
	return 0;
}

static void test_traces(enum deliver_method method, const char *name)
{
	char first[TRUE_CODE_TEXT];
	pid_t pid = target_start(errno_target);
	char reason[INJECTION_REASON] = "";
	struct delivered d, again;
	struct injection *i;
	int before, rc, progress;

	target_ready();
	before = count_descriptors(pid);
	i = open_target(pid, 0);
	rc = deliver_hook(i, library, library, method, &d, reason);
	if (!is_int(rc, 0, "%s: delivers", name))
		printf("# %s\n", reason);
	is_int(d.mapped_form, method == DELIVER_MAP, "%s: this way", name);
	is_int(ask(i, &d), method == DELIVER_MAP ? 42 : 1042, "%s: works, and knows which way it came", name);
	is_int(count_descriptors(pid), before, "%s: no descriptor is left", name);
	is_int(true_code(pid, first), 0, "%s: all code is as in the files %s", name, first);
	is_int(count_foreign_code(pid), 0, "%s: there is no other", name);
	is_int(deliver_find(pid, &again), 0, "%s: it can be found", name);
	is_int(again.base, d.base, "%s: where it is", name);
	is_int(deliver_hook(i, library, library, DELIVER_AUTO, &again, reason), 0, "%s: a second time", name);
	ok(again.was_there && again.base == d.base, "%s: is the first", name);
	injection_close(i);
	progress = atomic_load(&shared->progress);
	ok(wait_until(atomic_load(&shared->progress) != progress), "%s: the program works on", name);
	is_int(target_end(pid), 0, "%s: and has kept its errno", name);
}

static int bare_target(void)
{
	char directory[] = "/tmp/memtrack-hold.XXXXXX";

	if (!mkdtemp(directory) || chroot(directory) != 0 || chdir("/") != 0)
		return 1;
	errno = 42;
	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop))
		nap_ms(2);
	return errno != 42;
}

static void test_chroot(void)
{
	pid_t pid = target_start(bare_target);
	char reason[INJECTION_REASON] = "", path[64], root[256] = "";
	struct injection *i;
	struct delivered d;

	target_ready();
	i = open_target(pid, 0);
	is_int(deliver_hook(i, library, library, DELIVER_DLOPEN, &d, reason), -ENOEXEC, "dlopen in a root without /proc fails");
	ok(strstr(reason, "its dlopen says: /proc"), "which is said: %s", reason);
	is_int(deliver_hook(i, library, library, DELIVER_AUTO, &d, reason), 0, "but it is mapped then");
	ok(d.mapped_form && strstr(d.note, "dlopen says"), "with a note: %s", d.note);
	is_int(ask(i, &d), 42, "and works");
	injection_close(i);
	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	if (readlink(path, root, sizeof(root) - 1) < 0)
		*root = '\0';
	is_int(target_end(pid), 0, "the program ends well");
	is_int(rmdir(root), 0, "and nothing was put into its root");
}

static void test_refused(void)
{
	pid_t pid = target_start(errno_target);
	char reason[INJECTION_REASON] = "";
	struct injection *i;
	struct delivered d;

	target_ready();
	i = open_target(pid, 0);
	is_int(deliver_hook(i, NULL, thread_local_library, DELIVER_MAP, &d, reason), -ENOEXEC, "an object with thread-local variables cannot be mapped");
	ok(strstr(reason, "thread-local"), "which is said: %s", reason);
	is_int(deliver_hook(i, NULL, "/nowhere", DELIVER_MAP, &d, reason), -ENOENT, "nor one that is not there");
	is_int(deliver_hook(i, "/etc/passwd", NULL, DELIVER_DLOPEN, &d, reason), -ENOEXEC, "what is no object is not loaded");
	ok(strstr(reason, "its dlopen says"), "which dlopen says: %s", reason);
	is_int(deliver_find(pid, &d), -ENOENT, "nothing is left of them");
	injection_close(i);
	is_int(target_end(pid), 0, "the program ends well");
}

/* A program that has the preloaded hook; or any object of its name. */
static int preloaded_target(void)
{
	char copy[64], command[4400];
	int rc;

	snprintf(copy, sizeof(copy), "/tmp/memtrack-hold-%d/memtrack.so", (int)getpid());
	snprintf(command, sizeof(command), "mkdir -p $(dirname %s) && cp '%s' %s", copy, library, copy);
	rc = system(command) != 0 || !dlopen(copy, RTLD_NOW);
	snprintf(command, sizeof(command), "rm -r $(dirname %s)", copy);
	rc |= system(command) != 0;
	return rc ? 1 : errno_target();
}

static void test_preloaded(void)
{
	pid_t pid = target_start(preloaded_target);
	char reason[INJECTION_REASON] = "";
	struct injection *i;

	target_ready();
	is_int(injection_open(&i, pid, NULL, reason), -EBUSY, "a program that has the hook from its start is refused");
	ok(strstr(reason, "from its start"), "which is said: %s", reason);
	is_int(target_end(pid), 0, "the program ends well");
}

/* A hostile program at work. */
struct hostile_run {
	pid_t pid;
	struct hostile *shared;
	char file[64];
};

static bool all_count(const struct hostile *h, const uint64_t before[THREADS], unsigned threads)
{
	for (unsigned k = 0; k < threads; k++)
		if (atomic_load(&h->count[k]) <= before[k])
			return false;
	return true;
}

static void hostile_start(struct hostile_run *r, const char *program, const char *mode, unsigned threads)
{
	static const uint64_t none[THREADS];
	char number[16];
	int fd;

	strcpy(r->file, "/tmp/memtrack-hold.XXXXXX");
	fd = mkstemp(r->file);
	if (fd < 0 || ftruncate(fd, sizeof(*r->shared)) != 0)
		exit(1);
	r->shared = mmap(NULL, sizeof(*r->shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	snprintf(number, sizeof(number), "%u", threads);
	fflush(stdout);
	r->pid = fork();
	if (r->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(program, program, mode, number, r->file, (char *)NULL);
		_exit(127);
	}
	wait_until(all_count(r->shared, none, threads));
}

/* Its status; -1: a thread of it does not work any more, or it does not end. */
static int hostile_end(struct hostile_run *r, unsigned threads)
{
	uint64_t before[THREADS];
	int status = -1;
	bool alive;

	for (unsigned k = 0; k < threads; k++)
		before[k] = atomic_load(&r->shared->count[k]);
	alive = wait_until(all_count(r->shared, before, threads));
	atomic_store(&r->shared->stop, 1);
	if (!wait_until(waitpid(r->pid, &status, WNOHANG) == r->pid)) {
		kill(r->pid, SIGKILL);
		waitpid(r->pid, &status, 0);
		status = -1;
	}
	munmap(r->shared, sizeof(*r->shared));
	unlink(r->file);
	return alive ? status : -1;
}

struct cell {
	const char *program, *mode;
	unsigned threads;
	enum deliver_method method;
	bool mapped;			/* the form that is to come of it */
};

/* Fresh programs, each entered once while it works. */
static void test_cell(const struct cell *c, int attempts)
{
	int failed = 0, wrong = 0, hurt = 0;
	char reason[INJECTION_REASON] = "";
	struct stat st;

	if (stat(in_folder(c->program), &st) != 0 || st.st_size < 1000) {
		skip(3, "this kind of program cannot be built here");
		return;
	}
	for (int k = 0; k < attempts; k++) {
		struct delivered d = { 0 };
		struct hostile_run r;
		struct injection *i;
		int rc;

		hostile_start(&r, in_folder(c->program), c->mode, c->threads);
		rc = injection_open(&i, r.pid, NULL, reason);
		rc = rc ? rc : deliver_hook(i, library, library, c->method, &d, reason);
		if (rc)
			printf("# %s: %s\n", c->mode, reason);
		failed += rc != 0;
		wrong += rc == 0 && (d.mapped_form != c->mapped || ask(i, &d) != (d.mapped_form ? 42 : 1042));
		injection_close(i);
		rc = hostile_end(&r, c->threads);
		if (rc)
			printf("# %s: ended with %d\n", c->mode, rc);
		hurt += rc != 0;
	}
	is_int(failed, 0, "%s, %s, %u threads, %s: delivered %d times", c->program, c->mode, c->threads,
	       c->mapped ? "mapped" : "dlopen", attempts);
	is_int(wrong, 0, "it works");
	is_int(hurt, 0, "and the program is unharmed");
}

static const struct cell cells[] = {
	{ "hold_hostile", "malloc", 4, DELIVER_AUTO, false },
	{ "hold_hostile", "dl", 4, DELIVER_AUTO, false },
	{ "hold_hostile", "mix", 4, DELIVER_AUTO, false },
	{ "hold_hostile", "churn", 3, DELIVER_AUTO, false },
	{ "hold_hostile", "sig", 4, DELIVER_AUTO, false },
	{ "hold_hostile", "fork", 2, DELIVER_AUTO, false },
	{ "hold_hostile", "sleep", 2, DELIVER_AUTO, false },
	{ "hold_hostile", "malloc", 1, DELIVER_AUTO, false },
	{ "hold_hostile", "dl", 1, DELIVER_AUTO, false },
	{ "hold_hostile", "sig", 1, DELIVER_AUTO, false },
	{ "hold_hostile", "mix", 4, DELIVER_MAP, true },
	{ "hold_hostile", "sig", 1, DELIVER_MAP, true },
	{ "hold_hostile_static", "malloc", 2, DELIVER_AUTO, true },
	{ "hold_hostile_static", "churn", 2, DELIVER_AUTO, true },
	{ "hold_hostile_musl", "malloc", 2, DELIVER_AUTO, true },
	{ "hold_hostile_musl", "sig", 1, DELIVER_AUTO, true },
};

int main(int argc, char **argv)
{
	const char *build = getenv("top_builddir");
	int attempts = getenv("MEMTRACK_LONG") ? 200 : 2;

	(void)argc, (void)argv;
	snprintf(folder, sizeof(folder), "%s/tests/inject", build ? build : ".");
	snprintf(library, sizeof(library), "%s", in_folder("hold_library.so"));
	snprintf(thread_local_library, sizeof(thread_local_library), "%s", in_folder("hold_tls.so"));
	shared_init();
	test_traces(DELIVER_DLOPEN, "dlopen");
	test_traces(DELIVER_MAP, "mapped");
	if (geteuid() == 0)
		test_chroot();
	else
		skip(1, "only root can change its root");
	test_refused();
	test_preloaded();
	for (size_t k = 0; k < sizeof(cells) / sizeof(*cells); k++)
		test_cell(&cells[k], attempts);
	return done_testing();
}
