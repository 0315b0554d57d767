/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Remote calls: the scratch area, and the calls in it. */
#include "inject/remote.h"

#include "inject/call.h"
#include "inject/cave.h"
#include "inject/memory.h"
#include "inject/remote_end.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* For a system call that does not wait: to give up only leaves things behind. */
#define SYSTEM_MS	5000

struct request {
	struct thread *thread;
	enum call_kind kind;
	uint64_t target;
	const uint64_t *arguments;
	uint64_t result;
	int deadline_ms;
};

int remote_error(int64_t result)
{
	return result < 0 && result > -4096 ? (int)result : 0;
}

static int run(struct injection *i, struct request *r)
{
	struct thread *t = r->thread;
	int rc = cave_find(i);

	if (rc)
		return rc;
	t->call.kind = r->kind;
	t->call.target = r->target;
	memcpy(t->call.arguments, r->arguments, sizeof(t->call.arguments));
	rc = call_start(t);
	rc = rc ? rc : call_finish(t, r->deadline_ms);
	r->result = t->call.result;
	return rc;
}

static int make_scratch(struct injection *i, struct thread *t)
{
	const uint64_t arguments[6] = { 0, SCRATCH_SIZE, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uint64_t)-1, 0 };
	struct request r = { t, CALL_EARLY, SYS_mmap, arguments, 0, SYSTEM_MS };
	int rc;

	if (i->scratch.base)
		return 0;
	rc = run(i, &r);
	if (rc)
		return rc;
	rc = remote_error((int64_t)r.result);
	if (rc)
		return rc;
	i->scratch.base = r.result;
	i->scratch.used = 0;
	return 0;
}

static int perform(struct injection *i, void *argument)
{
	struct request *r = argument;
	int rc = make_scratch(i, r->thread);

	return rc ? rc : run(i, r);
}

struct system_request {
	struct thread *thread;
	struct remote_system *calls;
	size_t size;
};

static int perform_system(struct injection *i, void *argument)
{
	struct system_request *s = argument;
	uint64_t arguments[6] = { 0 };
	struct request r = { s->thread, CALL_SYSTEM, 0, arguments, 0, SYSTEM_MS };
	int rc = make_scratch(i, s->thread);

	arguments[0] = i->scratch.base + SCRATCH_DATA;
	arguments[1] = arguments[0] + s->size;
	rc = rc ? rc : memory_write(i, arguments[0], s->calls, s->size);
	rc = rc ? rc : run(i, &r);
	return rc ? rc : memory_read(i, arguments[0], s->calls, s->size);
}

int remote_syscalls(struct injection *i, struct thread *t, struct remote_system *calls, size_t count)
{
	struct system_request s = { t, calls, count * sizeof(*calls) };

	_Static_assert(sizeof(*calls) == 64, "the code in the cave knows the size");
	return count > REMOTE_SYSTEM_MAX ? -E2BIG : tracer_do(i, perform_system, &s);
}

int remote_syscall(struct injection *i, struct thread *t, long number, const uint64_t arguments[6],
		   int64_t *result)
{
	struct remote_system call = { .number = number };
	int rc;

	memcpy(call.arguments, arguments, sizeof(call.arguments));
	rc = remote_syscalls(i, t, &call, 1);
	*result = call.result;
	return rc;
}

int remote_ask(struct injection *i, struct thread *t, long number, const uint64_t arguments[6], uint64_t *value)
{
	int64_t result = 0;
	int rc = remote_syscall(i, t, number, arguments, &result);

	rc = rc ? rc : remote_error(result);
	if (rc == 0 && value)
		*value = (uint64_t)result;
	return rc;
}

int remote_call(struct injection *i, struct thread *t, uint64_t function, const uint64_t arguments[6],
		uint64_t *result, int deadline_ms)
{
	struct request r = { t, CALL_FUNCTION, function, arguments, 0, deadline_ms };
	int rc = tracer_do(i, perform, &r);

	*result = r.result;
	return rc;
}

static int want_scratch(struct injection *i, void *thread)
{
	return make_scratch(i, thread);
}

int remote_scratch(struct injection *i, struct thread *t, size_t size, uint64_t *address)
{
	int rc = tracer_do(i, want_scratch, t);

	if (rc)
		return rc;
	size = (size + 15) & ~(size_t)15;
	if (size > SCRATCH_DATA - i->scratch.used)
		return -ENOSPC;
	*address = i->scratch.base + i->scratch.used;
	i->scratch.used += size;
	return 0;
}

void remote_end(struct injection *i, struct thread *t)
{
	const uint64_t arguments[6] = { i->scratch.base, SCRATCH_SIZE };
	struct request r = { t, CALL_EARLY, SYS_munmap, arguments, 0, SYSTEM_MS };

	if (i->scratch.base && t && stop_is_plain(t) && run(i, &r) == 0)
		i->scratch.base = 0;
	if (t && t->state == THREAD_CALLING) {
		/* It goes on alone, on this stack and by that code; or by that code only, if that was the end of the stack. */
		i->scratch.base = 0;
		cave_abandon(i);
		return;
	}
	cave_restore(i);
}
