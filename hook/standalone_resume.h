/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handing the log to the next image of the same process: a descriptor that survives the exec and
 * a variable that says what it is. */
#ifndef HOOK_STANDALONE_RESUME_H
#define HOOK_STANDALONE_RESUME_H

#include <stdbool.h>

struct standalone_settings;

/* Makes the variable's entry, NAME=VALUE, from log_state and the settings. */
void standalone_resume_prepare(const struct standalone_settings *settings);
const char *standalone_resume_text(void);

/* Lets the descriptor survive an exec, or not. */
void standalone_resume_keep(bool keep);

/* Takes the log over from a variable's value. False: it is not for this process, or the descriptor
 * is not there any more. */
bool standalone_resume(const char *value, struct standalone_settings *settings);

#endif
