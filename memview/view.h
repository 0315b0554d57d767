/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of the viewer: the trace, what of it is selected, and where the cursors are.
 *
 * Invariants
 *  - record and site are what the cursors of the lists stand on; rows follow them, not the other
 *    way round, so a cursor stays on its record while rows come and go.
 *  - filter is what the selection was told last; view_filter() is the only way to change it.
 */
#ifndef MEMVIEW_VIEW_H
#define MEMVIEW_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/vector.h"
#include "memview/ahead.h"
#include "memview/commands.h"
#include "memview/connection.h"
#include "memview/detail.h"
#include "memview/export_file.h"
#include "memview/layout.h"
#include "memview/markers.h"
#include "memview/prompt.h"
#include "memview/input.h"
#include "memview/term.h"
#include "memview/target_output.h"
#include "memview/trees.h"
#include "model/scan.h"
#include "model/select.h"
#include "model/stacks.h"
#include "model/threads.h"
#include "model/timeline.h"
#include "wire/viewer.h"

struct report_job;
struct view;

struct cursor {
	size_t row, top;	/* selected row, first row on the screen */
};

/* A way to look at the selection: what the list pane shows.  Rows are only asked for below
 * count().  Without keep, is_set, holds and find the cursor stays on its row, without time
 * nothing is selected that has one, without sort the view sorts by itself. */
struct view_kind {
	const char *name;
	const char *rows;	/* what the header calls them; NULL: "shown", or groups */
	bool groups;		/* needs the selection's groups */
	bool cost;		/* is about view->cost, and in its order */
	bool wide;		/* takes the detail pane's room, too, unless that has the focus */
	bool one_row;		/* its rows are no lines that are counted */
	size_t (*count)(const struct view *view);
	void (*head)(const struct view *view, struct pen *pen);
	void (*row)(struct view *view, struct pen *pen, size_t row, unsigned extra);
	/* What the cursor stands on, remembered; whether it stands there still; and its row again
	 * after it moved (costs a search), SIZE_MAX when it is gone. */
	void (*keep)(struct view *view, size_t row);
	bool (*is_set)(const struct view *view);
	bool (*holds)(const struct view *view, size_t row);
	size_t (*find)(const struct view *view);
	size_t (*near)(const struct view *view);	/* the row next to one that is gone; or NULL */
	void (*detail)(struct view *view, struct detail *detail);
	void (*enter)(struct view *view);
	/* When the selected row happened; of one that stands for several allocations the first, or
	 * the last. */
	bool (*time)(const struct view *view, bool last, uint64_t *ns);
	const char *const *columns;	/* names of the sort columns, NULL at the end */
	void (*sort)(struct selection *selection, enum select_column column, bool reverse);
	void (*export)(const struct selection *selection, size_t first, size_t count, bool stacks,
		       struct buffer *out);
	/* Or what only the view knows; export_count is NULL when that is count. */
	void (*export_rows)(struct view *view, size_t first, size_t count, struct buffer *out);
	size_t (*export_count)(const struct view *view);
	/* A key in the list pane, before all others: false to leave it to them.  NULL: none. */
	bool (*key)(struct view *view, int action, int code);
	/* A click into the list pane, line 0 its head: false when it is like in any list.  The wheel. */
	bool (*click)(struct view *view, int line, int column);
	void (*wheel)(struct view *view, int by);
	/* All of the pane, instead of head and rows. */
	void (*draw)(struct view *view);
};

/* In the order of v; findings only when there are some. */
enum {
	VIEW_RECORDS, VIEW_SITES, VIEW_TREE, VIEW_CALLERS, VIEW_FLAME, VIEW_THREADS, VIEW_MODULES, VIEW_FINDINGS,
	VIEW_SUMMARY, VIEW_KINDS,
};
extern const struct view_kind view_records, view_sites, view_tree, view_callers, view_flame, view_threads,
	view_modules, view_findings, view_summary;

#define SESSION_ANY UINT64_MAX

struct view_order {
	unsigned column;
	bool reverse;
};

/* The order of the view of threads, as of a generation of the selection. */
struct thread_rows {
	bool made;
	uint64_t generation;
	struct view_order order;
	VECTOR(uint32_t) threads;
};
void thread_rows_release(struct thread_rows *rows);

/* The findings that the filters let through, as of a generation of heap and filter. */
struct finding_rows {
	bool made;
	uint64_t generation, filter;
	VECTOR(uint32_t) findings;
};

/* The text of the summary, as made last. */
struct summary {
	struct buffer text, next;	/* next: what job has of the one to come */
	struct report_job *job;		/* or NULL */
	VECTOR(size_t) lines;		/* where they begin */
	uint64_t made, took, working;	/* ms; 0: not yet */
	uint64_t generation, filter, selected; /* of heap, filter and selection when it was begun */
	int columns;
};
uint64_t summary_due(const struct view *view);
bool summary_step(struct view *view);	/* a slice; true when there is no more to do for now */
void summary_release(struct summary *summary);

enum question { ASK_NOTHING, ASK_SEARCH, ASK_AGE, ASK_EXPORT, ASK_OVERWRITE, ASK_OTHER, ASK_MARKER };

/* What the user had asked for when all of it had been done: cancel.h. */
struct view_look {
	bool known;
	struct select_filter filter;
	char search[PROMPT_MAX];
	double age;
	struct view_order order[VIEW_KINDS];
	struct cursor list[VIEW_KINDS];
	uint32_t record, site;
	bool range_from, range_to;
};

struct view {
	struct term *term;
	struct input *input;
	struct connection connection;
	struct commands commands;
	struct heap *root;		/* what is fed; owns the heaps of all processes */
	struct heap *heap;		/* of the process that is shown */
	size_t session;			/* its number */
	struct recorder *recorder;	/* the memtrack behind it, or NULL */
	uint64_t session_wanted;	/* pid or number of one that has not come yet; or SESSION_ANY */
	struct selection *selection;
	struct heap_options heap_options;
	const char *name;		/* of the trace */
	size_t notes;			/* that were shown */
	uint64_t settled;		/* heap generation at the last heap_settle() */

	unsigned kind;			/* index of view_kinds() */
	enum pane focus;
	struct layout layout;
	struct cursor list[VIEW_KINDS], threads;
	size_t detail_top;
	uint32_t record, site, thread, finding; /* under the cursors; HEAP_NONE */

	struct select_filter filter;
	char search[PROMPT_MAX];
	double age;			/* seconds, as asked for */
	struct view_order order[VIEW_KINDS], thread_order;
	enum cost cost;			/* of sites and trees */
	struct trees trees;
	struct thread_rows thread_rows;
	struct finding_rows finding_rows;
	struct summary summary;
	struct markers markers;
	bool range_from, range_to;	/* which ends are set; active with both */

	bool follow, show_timeline, lines, histogram, help;
	size_t help_top, histogram_top;
	struct prompt prompt;
	enum question question;
	char export_path[PROMPT_MAX];
	struct export_file export;
	char message[256];
	bool alert;			/* the message is about a failure */
	bool quit, redraw;
	bool launched;			/* by memtrack --view: the program's life hangs on ours */
	bool leaving;			/* it was asked what is to become of the program */
	enum viewer_wish wish;
	struct target_output output;
	bool ending;			/* what comes last is still followed */
	bool busy;			/* work that cannot wait is left over */
	struct ahead ahead;

	bool learnt;			/* which functions are wrappers, for now */
	uint64_t slice_until;		/* ms: what the model does is left then */
	bool loading;			/* bytes of the input are waiting to be read */
	uint64_t loading_since;		/* ms */

	struct {
		int column, cells;
		uint64_t end_ns;
	} strip;			/* the timeline as drawn last */
	struct timeline *timeline;	/* of timeline_thread and timeline_site, when not of all */
	uint32_t timeline_thread, timeline_site;
	struct selection *group_selection; /* of the selected group: its histogram */
	uint32_t group_site;
	uint64_t group_filter;		/* filter_generation it was made for */
	uint64_t filter_generation;
	struct scan_before before;	/* freed in the time shown, allocated before */
	uint64_t before_filter, before_generation; /* filter and heap that holds for */

	struct detail detail;
	struct scan_free_site free_sites[8];
	size_t free_site_count;
	struct scan_lifetimes lifetimes;
	uint32_t free_sites_of;		/* site they are of */
	uint64_t free_sites_generation;	/* of the heap when they were found */
	uint64_t scanned;		/* ms of the last scan */
	struct scan *scan;		/* under way, or NULL */
	enum view_scan { SCAN_BEFORE, SCAN_FREE_SITES, SCAN_TOTAL } scan_what;
	uint32_t scan_site, scan_record; /* what it is for */
	uint64_t scan_filter, scan_generation;
	uint64_t thread_total;		/* of thread_total_of, a record */
	uint32_t thread_total_of;
	uint64_t moved;			/* ms of the last key */

	struct view_look look;
	uint64_t work_since, work_until; /* ms: of work the user asked for; 0: none */
	uint64_t clicked;		/* ms of the last click on a row, 0 after a double one */
	enum pane clicked_pane;
	size_t clicked_row;		/* line of the pane */
};

/* input is taken over; term may come later (view->term).  growing: the end of the bytes is not
 * the end of the program, as with a file that is still being written. */
struct view *view_new(struct input *input, const char *name, bool growing);
void view_free(struct view *view);

/* The trace starts anew: all that was known of it is void. */
void view_restart(struct view *view);

/* Another process of the trace: what was selected of the one before is void. */
void view_show_heap(struct view *view, struct heap *heap);

/* The next process, or the one before; the one that was asked for, as soon as it is there. */
void view_session_step(struct view *view, int by);
void view_session_settle(struct view *view);

/* All about a finding, for the detail pane. */
struct finding;
void findings_detail(struct view *view, struct detail *detail, const struct finding *finding);

const struct view_kind *view_kind(const struct view *view);
void view_set_kind(struct view *view, unsigned kind);

/* Tells the selection about view->filter. */
void view_filter(struct view *view);
/* Shows the records of the thread pane's thread alone, or all again. */
void view_pick_thread(struct view *view);
/* What a call site is called: its first frame worth showing, or op and size without stacks. */
void view_site_name(const struct view *view, const struct heap_site *site, struct buffer *out);
void view_sort(struct view *view);

/* The next cost, or that one, for all views that show one. */
void view_cost_next(struct view *view);
void view_cost_to(struct view *view, enum cost cost);

/* Time-limited work on the selection and its companions; true when all is up to date but for what
 * waits until the user rests. */
bool view_step(struct view *view);

/* Milliseconds until what waits for that can be done by view_step(), -1 when nothing waits. */
int view_rest(const struct view *view);

/* Puts cursors back on their records after rows changed. */
void view_settle_cursors(struct view *view);

/* Whether there may be more to come. */
bool view_is_live(const struct view *view);

/* A line for the user; alert: something failed. */
void view_say(struct view *view, bool alert, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* When the selected row happened; of several allocations the first, or the last. */
bool view_selected_time(const struct view *view, bool last, uint64_t *ns);

/* The order of the thread pane: count entries, the caller frees. */
uint32_t *view_thread_order(const struct view *view, size_t *count);

/* "worker-1", or its tid when it has no name, or "-"; raw bytes, lives as long as out. */
const char *view_thread_name(const struct view *view, uint32_t thread, char *out, size_t size);

/* A key while no question is open; an answer. */
void view_key(struct view *view, int key);
void view_act(struct view *view, int action);
void view_do(struct view *view, int action, int key);	/* whatever is open or told */
void view_move(struct view *view, int action);

/* Moves what a pane shows by so many lines; its cursor stays in sight. */
void view_scroll(struct view *view, enum pane pane, int by);

/* The cursor of a pane goes to a line of it (0: the first below the heading).  Returns whether
 * there is something on that line. */
bool view_select(struct view *view, enum pane pane, size_t line);

/* The cursor of the records goes to the first from that time on. */
void view_select_time(struct view *view, uint64_t ns);

/* The names of the columns that the focused pane can be sorted by, NULL at the end. */
const char *const *view_columns(const struct view *view);

/* Sorts it by that one, or turns the order round when it is sorted by it already. */
void view_sort_to(struct view *view, unsigned column);
void view_answer(struct view *view);

/* Draws all of it. */
void view_draw(struct view *view);

#endif
