/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The terminal through ncurses: start, stop, suspend, cells, colours. */
#include "memview/term.h"

#include <curses.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "memview/interrupts.h"
#include "memview/term_keys.h"
#include "memview/terminfo.h"

#define ESCAPE_DELAY_MS 25
#define RESTORE_MAX 256
#define ENTER_MAX 256

struct term {
	SCREEN *screen;
	FILE *input;		/* stdin, or /dev/tty opened by us */
	int row, column;	/* of the text cursor, row -1: hidden */
	bool unicode, colours, started;
	bool has_mouse, mouse;	/* there is one; it is listened to */
	struct term_mouse_event mouse_event;
	attr_t attributes[STYLE_COUNT];
	short pairs[STYLE_COUNT];
	struct termios shell_modes;
	char restore[RESTORE_MAX];	/* see terminfo_judge() */
	size_t restore_length;
};

static const struct {
	short c256, c8;
	const char *attributes;
} styles[] = {
#define X(id, c256, c8, attributes) { c256, c8, attributes },
	TERM_STYLES(X)
#undef X
};

static attr_t style_attributes(const char *letters, bool colours)
{
	attr_t attributes = A_NORMAL;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'b': attributes |= A_BOLD; break;
		case 'd': attributes |= A_DIM; break;
		case 'r': attributes |= A_REVERSE; break;
		case 'u': attributes |= A_UNDERLINE; break;
		case 'm': attributes |= colours ? A_NORMAL : A_BOLD; break;
		}
	}
	return attributes;
}

/* What a style is by itself on this terminal. */
static struct term_look look_of(const struct term *term, int style)
{
	struct term_look look = { .front = COLORS >= 256 ? styles[style].c256 : styles[style].c8, .back = -1 };
	const char *letters = styles[style].attributes;

	/* 256 colours have shades of their own; dim on top would be unreadable. */
	if (term->colours && COLORS >= 256 && strcmp(letters, "d") == 0)
		letters = "";
	snprintf(look.attributes, sizeof(look.attributes), "%s", letters);
	return look;
}

static void style_init(struct term *term, int style, const struct term_look *look)
{
	short front = look->front < COLORS ? look->front : -1, back = look->back < COLORS ? look->back : -1;

	term->attributes[style] = style_attributes(look->attributes, term->colours);
	if (!term->colours || (front < 0 && back < 0))
		return;
	if (init_pair((short)(style + 1), front, back) == OK)
		term->pairs[style] = (short)(style + 1);
}

/* Colours that this terminal has not are no reason to lose the style. */
static bool has_look(const struct term_look *look)
{
	return look->given && look->front < COLORS && look->back < COLORS;
}

static void styles_init(struct term *term, const struct term_options *options)
{
	const char *no_color = getenv("NO_COLOR");

	term->colours = !(no_color && *no_color) && has_colors() && start_color() == OK;
	if (term->colours)
		use_default_colors();
	for (int i = 0; i < STYLE_COUNT; i++) {
		struct term_look look = look_of(term, i);

		style_init(term, i, term->colours && has_look(&options->looks[i]) ? &options->looks[i] : &look);
	}
}

/* Not through curses: see term_keys.c. */
static void send_bytes(const char *bytes, size_t length)
{
	fflush(stdout);
	fwrite(bytes, 1, length, stdout);
	fflush(stdout);
}

static void send(const char *bytes)
{
	send_bytes(bytes, strlen(bytes));
}

static void mouse_send(bool on)
{
	send(on ? "\033[?1000h\033[?1006h" : TERMINFO_MOUSE_OFF);
}

static int fail(struct term *term, char *error, size_t size, const char *what)
{
	const char *name = getenv("TERM");
	char shown[32];
	size_t n = 0;

	for (; name && *name && n < sizeof(shown) - 1; name++)
		shown[n++] = *name > ' ' && *name < 0x7f ? *name : '?';
	shown[n] = 0;
	snprintf(error, size, what, shown);
	term_stop(term);
	return -1;
}

static FILE *open_input(void)
{
	if (isatty(STDIN_FILENO))
		return stdin;
	return fopen("/dev/tty", "re");
}

bool term_is_there(char *error, size_t size)
{
	if (isatty(STDOUT_FILENO))
		return true;
	snprintf(error, size, "standard output is not a terminal; memview --report FILE writes a report as text");
	return false;
}

/* Ctrl-s is a key: it must not stop the screen, and with it all that is read meanwhile. */
static void flow_control_off(void)
{
	struct termios modes;

	if (tcgetattr(STDOUT_FILENO, &modes) < 0)
		return;
	modes.c_iflag &= ~(tcflag_t)IXON;
	tcsetattr(STDOUT_FILENO, TCSANOW, &modes);
	def_prog_mode();
}

/* The screen that newterm() has just opened, as this viewer wants it. */
static void screen_init(struct term *term, const struct term_options *options)
{
	cbreak();
	noecho();
	nonl();
	flow_control_off();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	keyok(KEY_MOUSE, FALSE);
	curs_set(0);
	styles_init(term, options);
	term_resize(term);
	term->has_mouse = terminfo_has_mouse();
	term_mouse(term, options->mouse);
}

int term_start(struct term **out, const struct term_options *options, char *error, size_t size)
{
	struct term *term = xcalloc(1, sizeof(*term));
	const char *type = getenv("TERM"), *problem;

	*out = NULL;
	term->row = -1;
	term->input = open_input();
	if (!term->input)
		return fail(term, error, size, "no terminal to read keys from; memview --report FILE needs none");
	if (!type || !*type)
		return fail(term, error, size,
			    "TERM is not set: set it to the type of the terminal (say, xterm), or use memview --report FILE");
	problem = terminfo_judge(STDOUT_FILENO, term->restore, sizeof(term->restore), &term->restore_length);
	if (problem)
		return fail(term, error, size, problem);
	term->unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 && strcmp(type, "linux") != 0;
	tcgetattr(STDOUT_FILENO, &term->shell_modes);
	/* The window has a real size; what the environment says of it is stale. */
	unsetenv("LINES");
	unsetenv("COLUMNS");
	use_env(FALSE);
	use_tioctl(TRUE);
	set_escdelay(ESCAPE_DELAY_MS);
	term->screen = newterm(NULL, stdout, term->input);
	if (!term->screen)
		return fail(term, error, size, "cannot use the terminal (TERM=%s); memview --report FILE needs none");
	term->started = true;
	interrupts_guard(STDOUT_FILENO, &term->shell_modes, term->restore, term->restore_length);
	screen_init(term, options);
	*out = term;
	return 0;
}

/* Where the picture stays behind, the shell writes on its last line. */
static void leave_screen(const struct term *term)
{
	if (term->mouse)
		mouse_send(false);
	if (!terminfo_has_shell_screen()) {
		move(LINES - 1, 0);
		clrtoeol();
		refresh();
	}
}

void term_stop(struct term *term)
{
	if (!term)
		return;
	if (term->started) {
		leave_screen(term);
		endwin();
		interrupts_guard(-1, NULL, NULL, 0);
		delscreen(term->screen);
	}
	if (term->input && term->input != stdin)
		fclose(term->input);
	free(term);
}

/* Not by endwin(): coming back from that, curses sets the palette to the terminal's own, which may not be
 * what its owner had set. */
void term_suspend(struct term *term)
{
	curs_set(1);
	leave_screen(term);
	reset_shell_mode();
	send_bytes(term->restore, term->restore_length);
}

void term_resume(struct term *term)
{
	char enter[ENTER_MAX];

	reset_prog_mode();
	if (term->mouse)
		mouse_send(true);
	curs_set(term->row >= 0);
	term_resize(term);
	send_bytes(enter, terminfo_enter(enter, sizeof(enter), LINES));
	clearok(curscr, TRUE);
}

void term_resize(struct term *term)
{
	struct winsize window;

	(void)term;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) < 0 || !window.ws_row || !window.ws_col)
		return;
	if (window.ws_row == LINES && window.ws_col == COLS)
		return;
	resizeterm(window.ws_row, window.ws_col);
	clearok(curscr, TRUE);
}

int term_rows(const struct term *term)
{
	(void)term;
	return LINES;
}

int term_columns(const struct term *term)
{
	(void)term;
	return COLS;
}

bool term_unicode(const struct term *term)
{
	return term->unicode;
}

int term_key(struct term *term)
{
	return term_keys_read(&term->mouse_event);
}

void term_key_came(struct term *term)
{
	(void)term;
	term_keys_came();
}

const struct term_mouse_event *term_mouse_event(const struct term *term)
{
	return &term->mouse_event;
}

bool term_mouse(struct term *term, bool on)
{
	if (on && !term->has_mouse)
		return false;
	if (on != term->mouse)
		mouse_send(on);
	term->mouse = on;
	return true;
}

bool term_mouse_is_on(const struct term *term)
{
	return term->mouse;
}

/* The character of a cell when it is ASCII, else 0x7f. */
static char ascii_at(int row, int column)
{
	wchar_t text[CCHARW_MAX + 1] = L"";
	attr_t attributes;
	cchar_t cell;
	short pair;

	if (mvin_wch(row, column, &cell) == ERR || getcchar(&cell, text, &attributes, &pair, NULL) == ERR)
		return ' ';
	return text[0] >= ' ' && text[0] < 0x7f ? (char)text[0] : 0x7f;
}

void term_word(struct term *term, int row, int column, char *out, size_t size)
{
	size_t length = 0;

	(void)term;
	out[0] = 0;
	if (row < 0 || row >= LINES || column < 0 || column >= COLS || ascii_at(row, column) == ' ')
		return;
	while (column > 0 && ascii_at(row, column - 1) != ' ')
		column--;
	for (; column < COLS && length < size - 1 && ascii_at(row, column) != ' '; column++)
		out[length++] = ascii_at(row, column);
	out[length] = 0;
}

bool term_waits(const struct term *term)
{
	struct pollfd keys = { .events = POLLIN };

	if (!term)
		return false;
	keys.fd = fileno(term->input);
	return poll(&keys, 1, 0) > 0;
}

int term_input(const struct term *term)
{
	return fileno(term->input);
}

void term_clear(struct term *term)
{
	term->row = -1;
	erase();
}

void term_write(struct term *term, int row, int column, unsigned style, const wchar_t *text,
		size_t count)
{
	unsigned which = style & STYLE_MASK;
	attr_t attributes = which < STYLE_COUNT ? term->attributes[which] : A_NORMAL;
	short pair = which < STYLE_COUNT ? term->pairs[which] : 0;

	if (style & STYLE_SELECTED)
		attributes |= A_REVERSE;
	if (style & STYLE_SHADED)
		attributes |= A_UNDERLINE;
	attr_set(attributes, pair, NULL);
	mvaddnwstr(row, column, text, (int)count);
	attr_set(A_NORMAL, 0, NULL);
}

void term_show(struct term *term, bool everything)
{
	if (everything)
		clearok(curscr, TRUE);
	curs_set(term->row >= 0);
	if (term->row >= 0)
		move(term->row, term->column);
	refresh();
}

void term_cursor(struct term *term, int row, int column)
{
	term->row = row;
	term->column = column;
}
