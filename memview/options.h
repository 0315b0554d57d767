/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of memview, once: the command line, --help and the manual come from these rows
 * (base/options.h says what the columns are). */
#ifndef MEMVIEW_OPTIONS_H
#define MEMVIEW_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"

#define MEMVIEW_OPTIONS(X) \
	X(FOLLOW,  "follow",  'f', FLAG,   0, 0, NULL, NULL, NULL, \
	  "follow a growing file (or -, standard input), looked at every 250 ms") \
	X(SAVE,    "save",    'o', STRING, 1, 4095, NULL, "FILE", NULL, \
	  "write every byte received to FILE too, which can be viewed later") \
	X(REPORT,  "report",  'r', FLAG,   0, 0, NULL, NULL, NULL, \
	  "write a report as text instead of opening the viewer") \
	X(TOP,     "top",     0,   NUMBER, 1, 1000, "5", "N", NULL, \
	  "call sites in each table of the report") \
	X(FRAMES,  "frames",  0,   NUMBER, 1, 256, "4", "N", NULL, \
	  "frames of each call site in the report") \
	X(JSON,    "json",    0,   FLAG,   0, 0, NULL, NULL, NULL, \
	  "write the report as JSON") \
	X(ALL,     "all",     0,   FLAG,   0, 0, NULL, NULL, NULL, \
	  "list all findings and all processes in the report, not only the first ones") \
	X(SESSION, "session", 's', STRING, 1, 20, NULL, "N", NULL, \
	  "of a trace with several processes show the one with this number (from 0) or pid") \
	X(PID,     "pid",     'p', NUMBER, 1, 4194304, NULL, "PID", NULL, \
	  "trace the running process PID and show it live") \
	X(STREAM,  "stream",  0,   NUMBER, 3, 1048576, NULL, "FD", NULL, NULL) \
	X(READY,   "ready",   0,   NUMBER, 3, 1048576, NULL, "FD", NULL, NULL) \
	X(TARGET_OUTPUT, "target-output", 0, STRING, 1, 4095, NULL, "FILE", NULL, NULL) \
	X(HELP,    "help",    'h', FLAG,   0, 0, NULL, NULL, NULL, \
	  "show this help and exit") \
	X(VERSION, "version", 'V', FLAG,   0, 0, NULL, NULL, NULL, \
	  "show the version and exit")

/* What the command line asks for. */
struct viewer_options {
	const char *where;	/* FILE, - or [HOST]:PORT; NULL with pid and command */
	const char *save;
	bool follow, report, help, version, all, json, top_given;
	unsigned top, frames;
	char **command;		/* to be run, ended by NULL; or NULL */
	const char *target_output; /* what memtrack --view says (wire/viewer.h): file, descriptors */
	int stream, ready;	/* 0: none */
	uint64_t pid;		/* of the process to be traced and shown; 0: none */
	uint64_t session;	/* number or pid; UINT64_MAX: none was asked for */
};

extern const struct option_table viewer_option_table;

/* Options may stand before and behind the operand.  0, or -1 with a line in *error (the caller
 * frees it).  Strings belong to argv. */
int viewer_options_parse(struct viewer_options *options, int argc, char **argv, char **error);

#endif
