/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds, wraps and draws the lines of the detail pane. */
#include "memview/detail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/text.h"
#include "model/stacks.h"

#define LABEL_COLUMNS 10	/* "Lifetime: " */
#define HANGING 5		/* indent of the second line of a wrapped frame */
#define SOURCE_TAB 4		/* columns between the stops of a source line's indent */
#define WRAP_ROWS_MAX 12	/* of one text: names of megabytes exist */

void detail_clear(struct detail *detail)
{
	for (size_t i = 0; i < detail->lines.count; i++)
		free(detail->lines.items[i].text);
	vector_clear(&detail->lines);
}

void detail_release(struct detail *detail)
{
	detail_clear(detail);
	vector_release(&detail->lines);
	source_release(&detail->sources);
}

static void push(struct detail *detail, unsigned style, char *text, size_t label)
{
	vector_push(&detail->lines, (struct detail_line){ text, label, style, false });
}

void detail_title(struct detail *detail, unsigned style, const char *text)
{
	push(detail, style, xstrdup(text), 0);
	vector_last(&detail->lines).title = true;
}

/* Room that is left of the pane for text behind an indent. */
static size_t room(const struct detail *detail, size_t indent)
{
	size_t columns = detail->columns > 0 ? (size_t)detail->columns : 1;

	return columns > indent + 8 ? columns - indent : 8;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Behind a blank that is in no brackets, as far as that leaves no row half empty that need not be. */
static size_t break_outside(const char *text, size_t length, size_t fits, size_t next)
{
	size_t best = 0;
	int depth = 0;

	for (size_t at = 1; at <= fits; at++) {
		char c = text[at - 1];

		depth += c == '(' ? 1 : c == ')' && depth ? -1 : 0;
		if (c == ' ' && !depth &&
		    (at > fits / 2 || text_clip(text + at, length - at, next, NULL) == length - at))
			best = at;
	}
	return best;
}

/* Behind a blank, but not in "4.0 KiB"; behind a comma, but not in "4,096"; and where paths and scopes end. */
static bool may_break(const char *text, size_t at)
{
	char before = at > 1 ? text[at - 2] : '\0', c = text[at - 1];

	switch (c) {
	case ' ': return !is_digit(before) || !strchr("BKMGTPE", text[at]);
	case ',': return !is_digit(before) || !is_digit(text[at]);
	case ':': return before == ':';
	default: return c == '/';
	}
}

/* next: columns of the row after this one. */
static size_t break_at(const char *text, size_t length, size_t fits, size_t next)
{
	size_t outside = break_outside(text, length, fits, next);

	if (outside)
		return outside;
	for (size_t at = fits; at > fits / 2; at--) {
		if (may_break(text, at))
			return at;
	}
	return fits;
}

/* text is safe already; the first line begins with label, the others with blanks. */
static void wrap(struct detail *detail, unsigned style, const char *label, size_t label_bytes,
		 size_t hanging, const char *text)
{
	size_t length = strlen(text), indent = label_bytes;

	for (int row = 0; row < WRAP_ROWS_MAX; row++) {
		size_t width, fits = text_clip(text, length, room(detail, indent), &width);
		bool last = fits == length || row == WRAP_ROWS_MAX - 1;

		if (!last)
			fits = break_at(text, length, fits, room(detail, hanging));
		push(detail, style,
		     row == 0 ? xasprintf("%.*s%.*s", (int)label_bytes, label, (int)fits, text) :
		     xasprintf("%*s%.*s", (int)hanging, "", (int)fits, text),
		     row == 0 ? label_bytes : hanging);
		if (last)
			return;
		text += fits;
		length -= fits;
		indent = hanging;
	}
}

void detail_field(struct detail *detail, unsigned style, const char *label, const char *format, ...)
{
	struct buffer safe = BUFFER_INIT;
	char *value, head[64];
	va_list args;
	int n;

	va_start(args, format);
	value = xvasprintf(format, args);
	va_end(args);
	text_sanitise(&safe, value, strlen(value));
	n = snprintf(head, sizeof(head), "  %-*s: ", LABEL_COLUMNS - 2, label);
	wrap(detail, style, head, (size_t)n, (size_t)n, buffer_text(&safe));
	buffer_release(&safe);
	free(value);
}

void detail_text(struct detail *detail, unsigned style, const char *text)
{
	struct buffer safe = BUFFER_INIT;

	text_sanitise(&safe, text, strlen(text));
	wrap(detail, style, "  ", 2, 2, buffer_text(&safe));
	buffer_release(&safe);
}

static void frame_line(struct detail *detail, const struct stack_frame *frame, size_t number, bool lines,
		       bool user)
{
	struct buffer text = BUFFER_INIT;
	char head[32];
	int n = snprintf(head, sizeof(head), " #%-2zu ", number);

	stack_frame_print(frame, lines, &text);
	if (frame->inlined)
		buffer_append_string(&text, " [inlined]");
	wrap(detail, user ? STYLE_BOLD : frame->function ? STYLE_PLAIN : STYLE_FAINT, head, (size_t)n,
	     HANGING, buffer_text(&text));
	buffer_release(&text);
}

/* A line of source is not wrapped: what does not fit is cut. */
static void source_line(struct detail *detail, unsigned style, bool here, unsigned long number, const char *text)
{
	struct buffer line = BUFFER_INIT;
	size_t label, tabs = 0, at = 0;

	buffer_printf(&line, "%s%5lu  ", here ? ">" : " ", number);
	label = line.length;
	for (; text[at] == '\t' || text[at] == ' '; at++, tabs++) {
		if (text[at] == '\t')
			tabs = tabs / SOURCE_TAB * SOURCE_TAB + SOURCE_TAB - 1;
	}
	buffer_append_repeat(&line, ' ', tabs);
	while (text[at]) {
		size_t run = strcspn(text + at, "\t\r");

		text_sanitise(&line, text + at, run);
		at += run;
		if (text[at] && text[at++] == '\t')
			buffer_append_char(&line, ' ');
	}
	push(detail, style, buffer_detach(&line), label);
}

void detail_source(struct detail *detail, const struct stack_frame *frame)
{
	const struct source_excerpt *excerpt = source_look(&detail->sources, frame->file, frame->line, frame->module);
	const char *slash = strrchr(frame->file, '/');
	char *title;

	if (!excerpt->count)
		return;
	title = xasprintf("%s%s", slash && slash[1] ? slash + 1 : frame->file,
			  excerpt->newer ? ": newer than the program" : "");
	detail_title(detail, excerpt->newer ? STYLE_MIDDLE : STYLE_SOURCE, title);
	free(title);
	for (size_t i = 0; i < excerpt->count; i++) {
		bool here = excerpt->first + i == frame->line;

		source_line(detail, here ? STYLE_BOLD : STYLE_SOURCE, here, excerpt->first + i, excerpt->lines[i]);
	}
}

/* The source of the innermost frame from this one on that has any. */
static void source_of(struct detail *detail, const struct stack_frame *frames, size_t count, int from)
{
	for (size_t i = from > 0 ? (size_t)from : 0; i < count; i++) {
		if (frames[i].file && frames[i].line) {
			detail_source(detail, &frames[i]);
			return;
		}
	}
}

void detail_stack(struct detail *detail, const struct heap *heap, uint32_t stack, bool lines)
{
	struct stack_frame *frames;
	const char *cut;
	size_t count;
	int user;

	if (stack == HEAP_NONE) {
		detail_text(detail, STYLE_FAINT, "no stack was captured");
		return;
	}
	frames = xcalloc(STACK_FRAMES_MAX, sizeof(*frames));
	count = stack_frames(heap, stack, frames, STACK_FRAMES_MAX);
	user = stack_first_user_frame(heap, stack);
	if (count > STACK_FRAMES_MAX)
		count = STACK_FRAMES_MAX;
	for (size_t i = 0; i < count; i++)
		frame_line(detail, &frames[i], i, lines, (int)i == user);
	if (lines)
		source_of(detail, frames, count, user);
	free(frames);
	cut = stack_cut_reason(heap, stack);
	if (cut)
		detail_field(detail, STYLE_FAINT, "cut", "%s", cut);
	else if (!count)
		detail_text(detail, STYLE_FAINT, "no stack was captured");
}

void detail_draw(const struct detail *detail, struct pen *pen, size_t line)
{
	const struct detail_line *l = &detail->lines.items[line];

	if (l->title) {
		pen_repeat(pen, STYLE_RULE, GLYPH_ACROSS, 2);
		pen_space(pen, STYLE_PLAIN, 1);
		pen_text(pen, l->style, l->text);
		pen_space(pen, STYLE_PLAIN, 1);
		pen_repeat(pen, STYLE_RULE, GLYPH_ACROSS, pen_left(pen) - 1);
		return;
	}
	pen_bytes(pen, STYLE_FAINT, l->text, l->label);
	pen_text(pen, l->style, l->text + l->label);
}
