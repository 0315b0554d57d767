/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A question on the bottom line and the text that is being typed as its answer, or yes or no at one key. */
#ifndef MEMVIEW_PROMPT_H
#define MEMVIEW_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "memview/pen.h"

#define PROMPT_MAX 1024

struct prompt {
	const char *question;	/* static; NULL: nothing is asked */
	char text[PROMPT_MAX];	/* UTF-8, terminated */
	size_t length, cursor;	/* bytes */
	bool selected;		/* the text is an old answer as a whole: typing replaces it */
	bool choice;		/* y or n is the answer, nothing is typed */
	bool yes;		/* it was y */
};

enum prompt_outcome { PROMPT_GOES_ON, PROMPT_DONE, PROMPT_GIVEN_UP };

/* Asks; question must be static.  text (may be NULL) is the answer so far: Enter keeps it, a
 * character or an eraser replaces it, a movement starts to edit it. */
void prompt_ask(struct prompt *prompt, const char *question, const char *text);

/* Asks for yes or no: y and n are answers, Esc is no, other keys do nothing. */
void prompt_choose(struct prompt *prompt, const char *question);
bool prompt_is_open(const struct prompt *prompt);
void prompt_close(struct prompt *prompt);

/* A key; printable ones go into the text. */
enum prompt_outcome prompt_key(struct prompt *prompt, int key);

void prompt_draw(const struct prompt *prompt, struct pen *pen);

#endif
