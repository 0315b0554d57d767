/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answering clients. */
#include "launcher/control.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int control_open(struct control *c, pid_t target)
{
	memset(c, 0, sizeof(*c));
	c->listener = wire_control_listen(target, getenv("XDG_RUNTIME_DIR"), c->path);
	return c->listener < 0 ? c->listener : 0;
}

static void answer(int fd, bool good, const char *text)
{
	struct buffer b = BUFFER_INIT;

	buffer_append_string(&b, good ? "ok\n" : "no\n");
	buffer_append_string(&b, text);
	buffer_append_char(&b, '\n');
	wire_control_write(fd, buffer_text(&b), b.length);
	buffer_release(&b);
	close(fd);
}

bool control_answer(struct control *c, void (*status)(void *owner, struct buffer *out), void *owner)
{
	struct buffer text = BUFFER_INIT;
	char word[WIRE_CONTROL_WORD];
	struct wire_peer peer;
	int fd = wire_control_accept(c->listener, &peer);
	bool end = false;

	if (fd < 0)
		return false;
	if (peer.uid != 0 && peer.uid != geteuid()) {
		answer(fd, false, "another user's memtrack");
	} else if (wire_control_read(fd, word)) {
		close(fd);
	} else if (strcmp(word, "status") == 0) {
		status(owner, &text);
		answer(fd, true, buffer_text(&text));
	} else if (strcmp(word, "detach") == 0) {
		vector_push(&c->waiting, fd);
		end = true;
	} else {
		answer(fd, false, "this memtrack does not know that command");
	}
	buffer_release(&text);
	return end;
}

void control_tell(struct control *c, bool good, const char *text)
{
	for (size_t i = 0; i < c->waiting.count; i++)
		answer(c->waiting.items[i], good, text);
	vector_clear(&c->waiting);
}

void control_close(struct control *c)
{
	for (size_t i = 0; i < c->waiting.count; i++)
		close(c->waiting.items[i]);
	vector_release(&c->waiting);
	if (c->listener >= 0) {
		unlink(c->path);
		close(c->listener);
	}
	c->listener = -1;
}
