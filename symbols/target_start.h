/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the kernel would start a file: through which interpreter, with which rights. */
#ifndef SYMBOLS_TARGET_START_H
#define SYMBOLS_TARGET_START_H

#include "symbols/target.h"

/* Follows #! lines from path to the program that is really run, through env(1) too.  Sets kind
 * (TARGET_OTHER until the file is known to be ELF), path, script, script_argument. */
int target_follow_scripts(const char *path, struct target_facts *);

/* Sets setuid, setgid, capabilities, secure for the file facts->path. */
void target_read_rights(struct target_facts *);

#endif
