/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the stacks of a program under the verifying hook with those that libdw finds from outside.
 *
 *   compare [-n SAMPLES] [-e EVERY] [-v] COMMAND [ARG...]
 *
 * COMMAND starts memtrack, whose hook ($MEMTRACK_HOOK) is the verifying one.  About every EVERYth
 * capture of its processes waits to be looked at, up to SAMPLES of them; then the command runs on to
 * its end.  Lines on stdout:
 *   samples N frames N same N lacking N different N missed N
 *   lacking N REASON OBJECT+ADDRESS SYMBOL	unwinding ended there, in one way or another, for want of CFI
 *   captures N frames N unsure N skipped N	what the hook compared by itself
 *   different ... and the frames of both	(five at most)
 * Exits with 1 if any is different, else as COMMAND does. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hook/verify_page.h"
#include "tests/oracle/outside.h"
#include "trace/channel.h"

#define SHOWN_MAX	5u
#define REASONS_MAX	200u
#define NAP_NS		20000000

static struct verify_page *page;
static char path[] = "/tmp/memtrack-verify.XXXXXX";
static uint64_t samples, frames, equal, lacking, different, missed;
static uint64_t wanted = 1000, spacing = 100;
static bool verbose;

static struct reason {
	char text[400];
	unsigned count;
} reasons[REASONS_MAX];

static void open_page(void)
{
	int fd = mkstemp(path);

	if (fd < 0 || fchmod(fd, 0666) || ftruncate(fd, sizeof(*page))) {
		perror(path);
		exit(2);
	}
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	page->every = wanted ? spacing : 0;
	setenv(VERIFY_ENV, path, 1);
}

static uint64_t pc_of(uint64_t frame)
{
	return DEPOT_PC(frame);
}

static uint64_t look_up(uint64_t pc, bool exact)
{
	return exact ? pc : pc - 1;
}

/* Where frame i of the sample is looked up. */
static uint64_t at_of(unsigned i)
{
	return look_up(pc_of(page->stack[i]), page->stack[i] & VERIFY_EXACT);
}

static void show(const struct outside_stack *o, unsigned first, unsigned at, const char *why)
{
	char name[400];

	printf("different: %s at frame %u, process %u thread %u root %u, libdw: %s\n", why, at, page->pid,
	       page->sampler, page->root, o->end ? o->end : "outermost");
	for (unsigned i = 0; i < page->count || i + first < o->count; i++) {
		bool one = i < page->count, two = i + first < o->count;

		if (one) {
			outside_name(pc_of(page->stack[i]), name, sizeof(name));
			printf("  hook  #%u %#llx%s %s\n", i, (unsigned long long)pc_of(page->stack[i]),
			       page->stack[i] & VERIFY_EXACT ? " at" : "", name);
		}
		if (two && (!one || o->frames[i + first].pc != pc_of(page->stack[i]))) {
			outside_name(o->frames[i + first].pc, name, sizeof(name));
			printf("  libdw #%u %#llx%s %s\n", i, (unsigned long long)o->frames[i + first].pc,
			       o->frames[i + first].exact ? " at" : "", name);
		}
	}
}

static void count_reason(const char *why, uint64_t pc)
{
	char name[300], text[400];
	unsigned i = 0;

	outside_name(pc, name, sizeof(name));
	snprintf(text, sizeof(text), "%s %s", why, strncmp(name, "0x", 2) ? name : "-");
	while (i < REASONS_MAX - 1 && reasons[i].count && strcmp(reasons[i].text, text))
		i++;
	memcpy(reasons[i].text, text, sizeof(text));
	reasons[i].count++;
}

/* The first frame in which they differ, or the number of frames. */
static unsigned common(const struct outside_stack *o, unsigned first)
{
	unsigned i = 0;

	while (i < page->count && i + first < o->count && o->frames[i + first].pc == pc_of(page->stack[i]) &&
	       (page->stack[i] & VERIFY_EXACT || !o->frames[i + first].exact))
		i++;
	return i;
}

static void judge(const struct outside_stack *o)
{
	unsigned first = 0, n;
	bool ended, cut = page->root == STACK_CUT_DEPTH;
	const char *lack;

	while (first < o->count &&
	       outside_is_in(look_up(o->frames[first].pc, o->frames[first].exact), "memtrack.so"))
		first++;
	n = common(o, first);
	frames += n;
	ended = n == page->count && (cut || n + first == o->count);
	if (ended && (cut || (page->root == STACK_COMPLETE && !o->end))) {
		equal++;
		return;
	}
	lack = n ? outside_lacks(at_of(n - 1)) : NULL;
	if (!lack && n > 1 && n + first == o->count && outside_lost_rbx(at_of(n - 1), at_of(n - 2)))
		lack = "libdw loses rbx below";
	if (lack) {
		lacking++;
		count_reason(lack, pc_of(page->stack[n - 1]));
		return;
	}
	if (different++ < SHOWN_MAX || verbose)
		show(o, first, n, ended ? "the end" : "a frame");
}

static void answer(uint32_t asked)
{
	static struct outside_stack stack;
	uint32_t tid = page->sampler;

	if (outside_unwind((pid_t)page->pid, (pid_t)tid, &stack)) {
		missed++;
	} else {
		samples++;
		judge(&stack);
	}
	page->every = samples < wanted ? spacing / 2 + (uint64_t)random() % (spacing + 1) + 1 : 0;
	page->sampler = 0;
	page->answered = asked;
	syscall(SYS_futex, &page->answered, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static int watch(pid_t child)
{
	const struct timespec nap = { 0, NAP_NS };
	int status;

	for (;;) {
		uint32_t asked = page->asked;

		if (asked != page->answered)
			answer(asked);
		else if (waitpid(child, &status, WNOHANG) == child)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		else
			syscall(SYS_futex, &page->asked, FUTEX_WAIT, asked, &nap, NULL, 0);
	}
}

static void report(void)
{
	printf("samples %llu frames %llu same %llu lacking %llu different %llu missed %llu\n",
	       (unsigned long long)samples, (unsigned long long)frames, (unsigned long long)equal,
	       (unsigned long long)lacking, (unsigned long long)different, (unsigned long long)missed);
	for (unsigned i = 0; i < REASONS_MAX && reasons[i].count; i++)
		printf("lacking %u %s\n", reasons[i].count, reasons[i].text);
	printf("captures %llu frames %llu unsure %llu skipped %llu different %llu\n",
	       (unsigned long long)page->captures, (unsigned long long)page->frames,
	       (unsigned long long)page->unsure, (unsigned long long)page->skipped,
	       (unsigned long long)page->different);
}

int main(int argc, char **argv)
{
	pid_t child;
	int opt, status;

	while ((opt = getopt(argc, argv, "+n:e:v")) != -1) {
		switch (opt) {
		case 'n': wanted = strtoull(optarg, NULL, 0); break;
		case 'e': spacing = strtoull(optarg, NULL, 0); break;
		case 'v': verbose = true; break;
		default: return 2;
		}
	}
	if (optind == argc || !spacing)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	open_page();
	child = fork();
	if (!child) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(argv[optind], argv + optind);
		perror(argv[optind]);
		_exit(127);
	}
	status = watch(child);
	unlink(path);
	report();
	return different || page->different ? 1 : status;
}
