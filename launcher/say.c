/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One line on stderr.  Foreign names in it are made fit for a terminal here, once for all. */
#include "launcher/say.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"

static int level;

void say_set_level(int new_level)
{
	level = new_level;
}

static void speak(const char *format, va_list args)
{
	struct buffer line = BUFFER_INIT;
	char *text = xvasprintf(format, args);

	buffer_append_string(&line, "memtrack: ");
	text_sanitise(&line, text, strlen(text));
	buffer_append_char(&line, '\n');
	if (write(STDERR_FILENO, line.data, line.length) < 0) {
		/* nobody left to tell */
	}
	buffer_release(&line);
	free(text);
}

void say_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	speak(format, args);
	va_end(args);
}

void say(const char *format, ...)
{
	va_list args;

	if (level < 0)
		return;
	va_start(args, format);
	speak(format, args);
	va_end(args);
}

void say_verbose(const char *format, ...)
{
	va_list args;

	if (level < 1)
		return;
	va_start(args, format);
	speak(format, args);
	va_end(args);
}
