/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file that somebody still writes: whether it is still the same one, and whether he lives. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memview/input_kinds.h"

/* Of a trace that is the facts of its run: process, command, time. */
static void keep_head(struct input *input, const void *data, size_t n)
{
	size_t room = INPUT_HEAD - input->head_length;

	if (input->position != input->head_length)
		return;
	memcpy(input->head + input->head_length, data, n < room ? n : room);
	input->head_length += n < room ? n : room;
}

/* Writers begin at the front, so what stands there tells what was read before it was looked at. */
static bool head_differs(const struct input *input)
{
	char now[INPUT_HEAD];
	ssize_t n = pread(input->fd, now, input->head_length, 0);

	if (n < 0)
		return false;		/* a pipe; of a broken disk reading tells */
	return (size_t)n != input->head_length || memcmp(now, input->head, input->head_length) != 0;
}

/* A target that starts again truncates its log, or makes a new one under the same name. */
static bool name_moved(const struct input *input)
{
	struct stat st;

	if (stat(input->where, &st) < 0)
		return false;
	if (!S_ISREG(st.st_mode))
		return false;
	return st.st_dev != input->device || st.st_ino != input->inode ||
	       (uint64_t)st.st_size < input->position;
}

/* Whether he was ever there is known by having seen him, or by what the trace says of itself.  What he wrote last may
 * have come between reading and looking, so he has to be gone twice. */
static void look_at_writer(struct input *input)
{
	enum hold_state state = hold_look(input->fd);

	input->held |= state == HOLD_HELD;
	if (state != HOLD_NONE || !input->held)
		input->gone = 0;
	else if (input->gone < INPUT_GONE)
		input->gone++;
}

static ssize_t replaced(struct input *input)
{
	input_say(input, "%s was written anew; what was read is kept; r loads it", input->where);
	input->state = INPUT_REPLACED;
	return 0;
}

static ssize_t growing_read(struct input *input, void *data, size_t size)
{
	ssize_t n;

	if (input->fd < 0 && (input_file_open(input) < 0 || input->fd < 0))
		return 0;
	n = input_file_read(input, data, size);
	if (input->state == INPUT_FAILED)
		return n;
	if (head_differs(input) || (n == 0 && name_moved(input)))
		return replaced(input);
	if (n > 0) {
		keep_head(input, data, (size_t)n);
		input->gone = 0;
	} else {
		look_at_writer(input);
	}
	return n;
}

void input_expect_writer(struct input *input, const char *mark)
{
	char own[HOLD_MARK];

	if (input->held || input->kind != &input_growing || input->fd < 0)
		return;
	input->held = hold_mark(input->fd, own) && strcmp(own, mark) == 0;
}

bool input_is_abandoned(const struct input *input)
{
	return input->gone >= INPUT_GONE;
}

const struct input_kind input_growing = { input_file_open, growing_read };
