/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of a recording: one row each, and nothing else in the tree lists them.
 *
 *   X(ID, name, letter, TYPE, least, most, launched, standalone, argument, variable, help)
 *
 * name, letter   the launcher's option
 * TYPE           enum option_type of base/options.h
 * least, most    bounds of numbers and sizes, or of a string's length (most 0: any)
 * launched       the default under the launcher; NULL: none
 * standalone     the default when the hook runs alone; NULL: the hook does not know it
 * argument       how help names the value; for choices the words
 * variable       the same setting as an environment variable; the command line wins
 * help           one line
 *
 * Under the launcher the settings travel in the segment (struct channel_settings) and the hook
 * ignores the variables.  The launcher makes its option table with
 *
 *   static const struct option_row rows[] = { TRACE_SETTINGS(SETTING_ROW) };
 */
#ifndef TRACE_SETTINGS_H
#define TRACE_SETTINGS_H

#define TRACE_SETTINGS(X) \
	X(OUTPUT, "output", 'o', STRING, 1, 4095, NULL, "", "FILE", "MEMTRACK_OUTPUT", \
	  "write the trace to FILE; %p, %c and %t stand for the pid, the command's name and the time, " \
	  "- is stdout (default: memtrack.%c.%p.mtk)") \
	X(FORMAT, "format", 0, CHOICE, 0, 0, "mtk", NULL, "mtk|text", "MEMTRACK_FORMAT", \
	  "the compact trace, or a log with one line per event and frame") \
	X(PORT, "port", 0, STRING, 1, 300, NULL, "", "[ADDR:]PORT", "MEMTRACK_PORT", \
	  "serve the trace over TCP, on the loopback interface unless ADDR says otherwise; the " \
	  "command waits until a viewer connects") \
	X(NO_WAIT, "no-wait", 0, FLAG, 0, 1, NULL, NULL, NULL, "MEMTRACK_NO_WAIT", \
	  "with --port, start the command without waiting for a viewer") \
	X(VIEW, "view", 0, FLAG, 0, 1, NULL, NULL, NULL, "MEMTRACK_VIEW", \
	  "show the trace in memview as it comes, in this terminal; what the command prints on the terminal " \
	  "goes to FILE.out") \
	X(STACK_DEPTH, "stack-depth", 'd', NUMBER, 0, 256, "64", "0", "N", "MEMTRACK_STACK_DEPTH", \
	  "record up to N frames of an event's call stack; 0 records none") \
	X(FREE_STACKS, "free-stacks", 0, FLAG, 0, 1, NULL, NULL, NULL, "MEMTRACK_FREE_STACKS", \
	  "record the call stacks of frees as well") \
	X(STACK_THREADS, "stack-threads", 0, STRING, 0, 511, NULL, "", "LIST", \
	  "MEMTRACK_STACK_THREADS", \
	  "record stacks only in threads whose name holds one of these comma-separated texts") \
	X(TRACK_THREADS, "track-threads", 0, STRING, 0, 511, NULL, "", "LIST", \
	  "MEMTRACK_TRACK_THREADS", \
	  "record events only in threads whose name holds one of these comma-separated texts") \
	X(MIN_SIZE, "min-size", 0, SIZE, 0, 0xffffffffffff, "0", "0", "SIZE", "MEMTRACK_MIN_SIZE", \
	  "leave out allocations below SIZE bytes") \
	X(SAMPLE, "sample", 0, SIZE, 0, 1ull << 40, "0", NULL, "BYTES", "MEMTRACK_SAMPLE", \
	  "record about one allocation in BYTES allocated, chosen at random by size; totals stay " \
	  "exact, other figures are estimates") \
	X(FINDINGS, "findings", 0, SWITCH, 0, 1, "1", NULL, NULL, "MEMTRACK_FINDINGS", \
	  "watch for mismatched, double and wild frees (the default)") \
	X(BUFFER_SIZE, "buffer-size", 0, SIZE, 0, 64 << 20, "4M", "4096", "SIZE", \
	  "MEMTRACK_BUFFER_SIZE", \
	  "buffer up to SIZE bytes of events of a thread before it has to wait") \
	X(FOLLOW, "follow", 'f', FLAG, 0, 1, NULL, NULL, NULL, "MEMTRACK_FOLLOW", \
	  "trace child processes too, each into a trace of its own") \
	X(PID, "pid", 'p', NUMBER, 1, 4194304, NULL, NULL, "PID", NULL, \
	  "trace the process PID, which runs already; then detach ends that, from anywhere, and status tells of it") \
	X(DURATION, "duration", 0, STRING, 1, 32, NULL, NULL, "SECONDS", "MEMTRACK_DURATION", \
	  "with --pid, detach after so long (fractions are allowed)") \
	X(INJECT, "inject", 0, CHOICE, 0, 0, "auto", NULL, "auto|dlopen|map", "MEMTRACK_INJECT", \
	  "with --pid, how the recording library gets in: by the process's own dlopen, or mapped from outside") \
	X(METHOD, "method", 0, CHOICE, 0, 0, "auto", NULL, "auto|preload", "MEMTRACK_METHOD", \
	  "how the events are obtained") \
	X(RSS_INTERVAL, "rss-interval", 0, NUMBER, 0, 3600000, "100", NULL, "MS", \
	  "MEMTRACK_RSS_INTERVAL", \
	  "sample the resident memory every MS milliseconds; 0 does not") \
	X(REPORT, "report", 0, SWITCH, 0, 1, NULL, NULL, NULL, "MEMTRACK_REPORT", \
	  "print a summary on stderr when the command ends (default: if stderr is a terminal)") \
	X(SYMBOL_CACHE, "symbol-cache", 0, SWITCH, 0, 1, "1", NULL, NULL, "MEMTRACK_SYMBOL_CACHE", \
	  "keep the names of functions and lines for the next session in ~/.cache/memtrack (the default)") \
	X(SYMBOLS_FROM, "symbols-from", 0, STRING, 1, 4095, NULL, NULL, "DIR", "MEMTRACK_SYMBOLS_FROM", \
	  "look for debug files in DIR as well, by build-id and by name, and for programs and libraries as in " \
	  "the root of another system; more directories follow behind colons") \
	X(DROP, "drop", 0, FLAG, 0, 1, NULL, NULL, NULL, "MEMTRACK_DROP", \
	  "let a full buffer lose events, which are counted, instead of making the command wait") \
	X(QUIET, "quiet", 'q', FLAG, 0, 1, NULL, NULL, NULL, "MEMTRACK_QUIET", \
	  "print errors only") \
	X(VERBOSE, "verbose", 'v', FLAG, 0, 1, NULL, NULL, NULL, "MEMTRACK_VERBOSE", \
	  "say what is being done") \
	X(HELP, "help", 'h', MAYBE, 0, 0, NULL, NULL, "text|man|bash", NULL, \
	  "show this help and exit; man and bash make a manual page section and a completion script") \
	X(VERSION, "version", 'V', FLAG, 0, 1, NULL, NULL, NULL, NULL, "show the version and exit")

enum setting {
#define X(id, ...) SETTING_##id,
	TRACE_SETTINGS(X)
#undef X
	SETTING_COUNT
};

/* A row of base/options.h, without the hook's column. */
#define SETTING_ROW(id, name, letter, type, least, most, launched, standalone, argument, variable, \
		    help) \
	OPTION_ROW(id, name, letter, type, least, most, launched, argument, variable, help)

#endif
