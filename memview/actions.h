/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the user can do: one row each.  Key handling, the key line, the help screen and the
 * key table of memview(1) (checked by tests/memview/manual.sh) come from these rows.
 *
 *   X(id, keys, brief, help, key1, key2, key3)
 *
 * keys   how people write them (ASCII, arrows spelled out).
 * brief  the word on the key line, "" for keys that are not shown there.
 * help   one line of the help screen.
 * key1.. codes of memview/keys.h; 0 where there are fewer.
 */
#ifndef MEMVIEW_ACTIONS_H
#define MEMVIEW_ACTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "memview/keys.h"

#define MEMVIEW_ACTIONS(X) \
	X(UP,         "Up k",       "",        "move up a line, or scroll the detail pane", KEYS_UP, 'k', 0) \
	X(DOWN,       "Down j",     "",        "move down a line", KEYS_DOWN, 'j', 0) \
	X(PAGE_UP,    "PgUp Ctrl-b", "",       "move up a page", KEYS_PAGE_UP, KEYS_CTRL('b'), 0) \
	X(PAGE_DOWN,  "PgDn Ctrl-f", "",       "move down a page", KEYS_PAGE_DOWN, KEYS_CTRL('f'), 0) \
	X(FIRST,      "Home g",     "",        "go to the first line", KEYS_HOME, 'g', 0) \
	X(LAST,       "End G",      "",        "go to the last line", KEYS_END, 'G', 0) \
	X(FILTER,     "f",          "filter",  "show all, leaks, active or freed allocations", 'f', 0, 0) \
	X(GROUP,      "\\",         "group",   "one row for each call stack, and back", '\\', 0, 0) \
	X(VIEW,       "v",          "view",    "next view: records, call sites, call tree, callers, flame graph, threads, modules, findings if any, summary", 'v', 0, 0) \
	X(VIEW_PREV,  "V",          "",        "previous view", 'V', 0, 0) \
	X(ENTER,      "Enter",      "open",    "from a record to its group, from a group to its example record; in a tree: zoom in, from a leaf to its group", KEYS_ENTER, 0, 0) \
	X(FOLD_TOGGLE, "Space",     "",        "in a tree: fold or unfold the selected row", ' ', 0, 0) \
	X(UNFOLD,     "+",          "",        "in a tree: unfold; in the flame graph: zoom in", '+', 0, 0) \
	X(FOLD,       "-",          "",        "in a tree: fold, or go to the parent and fold that; in the flame graph: zoom out", '-', 0, 0) \
	X(UNFOLD_ALL, "*",          "",        "in a tree: unfold all below the selected row", '*', 0, 0) \
	X(ZOOM_OUT,   "Backspace u", "",       "in a tree or flame graph: zoom out again", KEYS_BACKSPACE, 'u', 0) \
	X(COLOURS,    "C",          "",        "colours of the flame graph: by module, by cost", 'C', 0, 0) \
	X(SEARCH,     "/",          "search",  "search frames (as they are shown), threads, operations, pointers; empty clears", '/', 0, 0) \
	X(FOCUS_NEXT, "Tab Right l", "pane",   "next pane: list, detail, threads", KEYS_TAB, KEYS_RIGHT, 'l') \
	X(FOCUS_PREV, "Left h",     "",        "previous pane", KEYS_LEFT, 'h', KEYS_BACK_TAB) \
	X(SORT,       "s",          "sort",    "sort by the next column of the list, groups or threads; in a tree: the next cost", 's', 0, 0) \
	X(REVERSE,    "S",          "",        "reverse the order", 'S', 0, 0) \
	X(COST,       "c",          "cost",    "next cost of call sites and trees: allocated, count, temporary, peak, leaked, live", 'c', 0, 0) \
	X(BY_TIME,    "1",          "",        "sort the list by time", '1', 0, 0) \
	X(BY_SIZE,    "2",          "",        "sort the list by size", '2', 0, 0) \
	X(BY_THREAD,  "3",          "",        "sort the list by thread", '3', 0, 0) \
	X(THREAD,     "t",          "thread",  "show one thread: the next", 't', 0, 0) \
	X(THREAD_PREV, "T",         "",        "show one thread: the previous", 'T', 0, 0) \
	X(AGE,        "a",          "age",     "show what lived at least so many seconds; 0 shows all", 'a', 0, 0) \
	X(DELTA,      "m",          "delta",   "show only what was allocated after the selected record, and back", 'm', 0, 0) \
	X(MARK,       "M",          "mark",    "drop a marker, M1 to M9, at the selected record's time", 'M', 0, 0) \
	X(UNMARK,     "D",          "",        "delete the nearest marker", 'D', 0, 0) \
	X(RANGE_FROM, "[",          "range",   "start of the time range: the (first) allocation of the selected row, or a marker just before", '[', 0, 0) \
	X(RANGE_TO,   "]",          "",        "end of the time range: the (last) allocation of the selected row, or a marker just after", ']', 0, 0) \
	X(RANGE_CLEAR, "R",         "",        "clear the time range", 'R', 0, 0) \
	X(HISTOGRAM,  "H",          "sizes",   "sizes of the visible allocations as a histogram, and back", 'H', 0, 0) \
	X(EXPORT,     "W",          "export",  "write the visible rows to a text file", 'W', 0, 0) \
	X(TIMELINE,   "Z",          "",        "timeline on or off", 'Z', 0, 0) \
	X(LINES,      "L",          "",        "source lines in the detail pane on or off", 'L', 0, 0) \
	X(FOLLOW,     "F",          "follow",  "stay at the newest record of a live trace", 'F', 0, 0) \
	X(PAUSE,      "z",          "",        "of a live stream: pause the recording, and go on", 'z', 0, 0) \
	X(NAME_MARK,  "N",          "",        "of a live stream: mark this moment in the trace, with a name", 'N', 0, 0) \
	X(SNAPSHOT,   "w",          "",        "of a live stream: have memtrack write the live heap into a file", 'w', 0, 0) \
	X(PROCESS,    "p",          "",        "another process, where the trace has several: the next", 'p', 0, 0) \
	X(PROCESS_PREV, "P",        "",        "another process: the previous", 'P', 0, 0) \
	X(OUTPUT,     "o",          "",        "what the program printed, where that is kept, and back", 'o', 0, 0) \
	X(RECONNECT,  "r",          "",        "connect again when the connection was lost; load a file that was replaced", 'r', 0, 0) \
	X(MOUSE,      "X",          "",        "mouse on or off; off, the terminal itself can select text", 'X', 0, 0) \
	X(REDRAW,     "Ctrl-l",     "",        "draw the screen anew", KEYS_CTRL('l'), 0, 0) \
	X(HELP,       "?",          "help",    "this help", '?', 0, 0) \
	X(QUIT,       "q Esc",      "quit",    "quit", 'q', KEYS_ESCAPE, 0)

enum action {
	ACTION_NONE,
#define X(id, keys, brief, help, key1, key2, key3) ACTION_##id,
	MEMVIEW_ACTIONS(X)
#undef X
	ACTION_END,
};

#define ACTION_KEYS_MAX 3

struct action_row {
	enum action action;
	const char *id;			/* as in enum action: "PAGE_UP" */
	const char *keys, *brief, *help;
	int codes[ACTION_KEYS_MAX];
};

/* The rows in table order; *count is set.  Static data. */
const struct action_row *actions_table(int *count);

/* The name of an action in the config file and in manuals, "page-up"; returns out. */
#define ACTION_NAME_MAX 24
const char *actions_name(const struct action_row *row, char out[ACTION_NAME_MAX]);

/* The action of that name; ACTION_NONE when there is none. */
enum action actions_named(const char *name);

/* Gives an action other keys (count of them, 0 to ACTION_KEYS_MAX), which are taken away from
 * whatever had them; whether that would leave another action, of, none at all. */
bool actions_takes_all(enum action of, enum action to, const int *codes, size_t count);
void actions_bind(enum action action, const int *codes, size_t count);

/* What a key does; ACTION_NONE when nothing. */
enum action actions_find(int key);

#endif
