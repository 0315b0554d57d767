/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Terminfo look-ups (<term.h> has a struct term of its own, so they stand apart from term.c). */
#include "memview/terminfo.h"

#include <curses.h>
#include <string.h>
#include <term.h>

/* A capability without its padding marks ($<5>). */
static size_t append(char *out, size_t size, const char *name)
{
	const char *text = tigetstr(name);
	size_t length = 0;

	if (!text || text == (char *)-1)
		return 0;
	while (*text && length < size) {
		if (text[0] == '$' && text[1] == '<') {
			while (*text && *text++ != '>')
				;
			continue;
		}
		out[length++] = *text++;
	}
	return length;
}

static size_t restore_bytes(char *out, size_t size)
{
	static const char *const names[] = { "sgr0", "op", "rmkx", "rmcup", "cnorm" };
	size_t length = 0, off = strlen(TERMINFO_MOUSE_OFF);

	if (terminfo_has_mouse() && off <= size) {
		memcpy(out, TERMINFO_MOUSE_OFF, off);
		length = off;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		length += append(out + length, size - length, names[i]);
	return length;
}

const char *terminfo_judge(int fd, char *restore, size_t size, size_t *length)
{
	const char *problem = NULL, *move;
	int found = 0;

	if (setupterm(NULL, fd, &found) != OK)
		return found < 0 ? "no terminfo database was found (TERM=%s); memview --report FILE needs none" :
		       "terminal type \"%s\" is unknown here: set TERM (say, to xterm), or use memview --report FILE";
	move = tigetstr("cup");
	if (!move || move == (char *)-1)
		problem = "a terminal of type \"%s\" cannot move its cursor; memview --report FILE needs no terminal";
	*length = restore_bytes(restore, size);
	/* curses makes one of its own. */
	del_curterm(cur_term);
	return problem;
}

bool terminfo_has_mouse(void)
{
	const char *key = tigetstr("kmous");

	return key && key != (char *)-1 && *key;
}

bool terminfo_has_shell_screen(void)
{
	const char *leave = tigetstr("rmcup");

	return leave && leave != (char *)-1 && *leave;
}
