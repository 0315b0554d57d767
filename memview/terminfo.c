/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Terminfo look-ups (<term.h> has a struct term of its own, so they stand apart from term.c). */
#include "memview/terminfo.h"

#include <curses.h>
#include <string.h>
#include <term.h>

/* Without padding marks ($<5>). */
static size_t append_text(char *out, size_t size, const char *text)
{
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

static size_t append(char *out, size_t size, const char *name)
{
	return append_text(out, size, tigetstr(name));
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

size_t terminfo_enter(char *out, size_t size, int rows)
{
	static const char *const names[] = { "sgr0", "rmir", "smam" };
	const char *scrolls = tigetstr("csr");
	size_t length = append(out, size, "smcup");

	if (scrolls && scrolls != (char *)-1)
		length += append_text(out + length, size - length, tiparm(scrolls, 0, rows - 1));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		length += append(out + length, size - length, names[i]);
	return length;
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
