/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who asks is looked at in the main loops. */
#include "launcher/requests.h"

#include "launcher/orders.h"

void requests_watch(const struct requests *r, struct pollfd fds[REQUEST_FDS])
{
	const int sources[REQUEST_FDS] = {
		r->server ? server_orders_fd(r->server) : -1, r->control->poller, r->tracer->snapshot.pipe,
		near_fd(r->near),
	};

	for (int i = 0; i < REQUEST_FDS; i++)
		fds[i] = (struct pollfd){ .fd = sources[i], .events = POLLIN };
}

static void tell_snapshot(struct requests *r)
{
	struct buffer text = BUFFER_INIT;
	bool good;

	if (orders_snapshot_over(r->tracer, &good, &text))
		control_tell_later(r->control, good, buffer_text(&text));
	buffer_release(&text);
}

bool requests_answer(struct requests *r, const struct pollfd fds[REQUEST_FDS])
{
	struct wire_command command;
	bool end = false;

	if (fds[2].revents)
		tell_snapshot(r);
	if (fds[3].revents)
		near_read(r->near);
	while (fds[3].revents && near_take(r->near, &command))
		orders_obey_viewer(r->tracer, &command);
	while (fds[0].revents && server_take_order(r->server, &command))
		orders_obey_viewer(r->tracer, &command);
	if (fds[1].revents)
		end = control_answer(r->control, &r->answers);
	return end;
}
