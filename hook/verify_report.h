/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Says on stderr how two walks of one stack differ, and ends the program. */
#ifndef HOOK_VERIFY_REPORT_H
#define HOOK_VERIFY_REPORT_H

struct verify_walk;

/* how: what made the second walk another one. */
void verify_differ(const struct verify_walk *interned, const struct verify_walk *other, const char *how)
	__attribute__((noreturn));

#endif
