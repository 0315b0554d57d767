/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The drain on a segment that a hostile target has written: whatever stands there, the trace that
 * comes out is whole and obeys the rules of the format.
 *
 * The input is a list of steps: proper ones, as the hook does them, and pokes anywhere, with
 * passes of the drain between them. */
#include "tests/fuzz/target.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "launcher/drain.h"
#include "tests/fuzz/hostile.h"
#include "tests/unit/collect.h"

#define STEPS_MAX	3000u
#define PASSES_MAX	40u
#define PASS_NS		130000000u
#define TEXT		1u
#define HIDDEN		2u
#define SAMPLED		4u
#define VISIBLE		8u

enum { EVENTS, STACKS, MODULES, TALLIES, BROKEN, LOST, NOTES, LINES, MARKS };

static struct fuzz_mark marks[MARKS + 1] = {
	[EVENTS] = { "events", 0 }, [STACKS] = { "stacks", 0 }, [MODULES] = { "modules", 0 },
	[TALLIES] = { "counters", 0 }, [BROKEN] = { "chains that make no sense", 0 }, [LOST] = { "losses", 0 },
	[NOTES] = { "a reason to stop", 0 }, [LINES] = { "lines of a text log", 0 },
};

static struct clock ticks;
static struct drain drain;
static struct hostile hostile;

static void start(void)
{
	clock_begin(&ticks, false);
	clock_settle(&ticks);
	drain.clock = &ticks;
	drain.now_ns = 1000000000;
	pthread_mutex_init(&drain.lock, NULL);
	pthread_cond_init(&drain.finished, NULL);
	batch_init(&drain.batch);
	drain.files = symbol_files_new(false);
	hostile_map(&hostile);
}

static void pass(struct session *s)
{
	drain.now_ns += PASS_NS;
	drain.now_ticks = hostile.now;
	drain.bound_ticks = drain.now_ticks - 1000;
	session_pass(s);
	session_commands(s);
}

static struct session *open_session(int fd, unsigned flags)
{
	struct session_config config = {
		/* Nobody has this pid: then all its threads are gone, and there are no maps to read. */
		.pid = flags & VISIBLE ? getpid() : 0x7ffffff0, .exe = "/nonexistent/program",
		.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3), .format = flags & TEXT ? SESSION_TEXT : SESSION_MTK,
		.channel = hostile.channel, .no_symbols = true,
	};
	struct session *s;

	config.channel.settings.min_size = flags & HIDDEN ? 100 : 0;
	config.channel.settings.sample = flags & SAMPLED ? 4096 : 0;
	s = session_new(&drain, &config);
	hostile.now = clock_ticks(&ticks);
	hostile.region->start_stamp = hostile.now;
	drain.incoming = NULL;
	drain.now_ticks = hostile.now;
	session_open(s);
	return s;
}

static void end_session(struct session *s)
{
	bool over = false;

	session_close(s, TRACE_END_EXIT, 0);
	for (unsigned i = 0; i < 20 && !over; i++) {
		pass(s);
		over = session_finish(s);
	}
	fuzz_rule(over);
	marks[BROKEN].count += s->region.broken > 0;
	session_free(s);
}

static void check_trace(int fd)
{
	static struct collected c;

	collect(&c, fd);
	fuzz_rule(!c.damaged && c.ended);
	fuzz_rule(!c.foreign_stacks && !c.orphans && !c.nameless);
	fuzz_rule(c.end.events == c.events);
	marks[EVENTS].count += c.events;
	marks[STACKS].count += c.nodes;
	marks[MODULES].count += c.modules;
	marks[LOST].count += c.lost > 0;
	marks[NOTES].count += c.notes;
	marks[TALLIES].count += c.counters;
	collect_release(&c);
}

/* No name or path breaks a line. */
static void check_log(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = xmalloc((size_t)size + 1), *line = text, *end;

	fuzz_rule(pread(fd, text, (size_t)size, 0) == size);
	text[size] = '\0';
	for (; (end = memchr(line, '\n', (size_t)(text + size - line))); line = end + 1) {
		fuzz_rule(!strncmp(line, "[memtrack] tid=", 15) || !strncmp(line, "[memtrack]   #", 14));
		for (const char *c = line; c < end; c++)
			fuzz_rule((unsigned char)*c >= 0x20 && *c != 0x7f);
		marks[LINES].count++;
	}
	fuzz_rule(line == text + size);
	free(text);
}

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size, 0 };
	unsigned flags = (unsigned)fuzz_take(&in, 1), passes = 0;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct session *s;

	hostile.now = clock_ticks(&ticks);
	hostile_clear(&hostile);
	s = open_session(fd, flags);
	for (unsigned i = 0; i < STEPS_MAX && in.at < in.size; i++) {
		switch (hostile_step(&hostile, &in)) {
		case HOSTILE_PASS:
			if (++passes <= PASSES_MAX)
				pass(s);
			break;
		case HOSTILE_GONE:
			session_thread_gone(s, (pid_t)fuzz_take(&in, 2));
			break;
		case HOSTILE_EXEC:
			session_exec(s, fuzz_take(&in, 1) % 2 ? &hostile.channel : NULL, "/nonexistent/other");
			pass(s);
			break;
		default:
			break;
		}
	}
	end_session(s);
	if (flags & TEXT)
		check_log(fd);
	else
		check_trace(fd);
	close(fd);
}

const struct fuzz_target fuzz_segment = { "segment", marks, start, run };
