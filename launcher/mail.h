/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the drain thread tells the main thread: callbacks that leave a letter and ring a bell. */
#ifndef LAUNCHER_MAIL_H
#define LAUNCHER_MAIL_H

#include "launcher/session.h"
#include "launcher/tracer.h"

/* The callbacks for drain_new; tracer must outlive the drain. */
struct drain_events mail_events(struct tracer *tracer);

#endif
