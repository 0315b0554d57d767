/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call stacks: ids, and the frames they stand for, inlined functions included.
 *
 * Symbols may come after the stacks they name (usually at the end of a trace); until then frames
 * show module and offset.  stack_symbols_generation() moves when names arrive. */
#ifndef MODEL_STACKS_H
#define MODEL_STACKS_H

#include "model/heap.h"

struct buffer;

/* Strings live as long as the heap; raw bytes. */
struct stack_frame {
	const char *function;		/* demangled; NULL: unknown */
	const char *file;		/* NULL: unknown */
	uint32_t line;			/* 0: unknown */
	const char *module;		/* path; NULL: in no module (JIT code) */
	uint64_t pc;			/* return address */
	uint64_t module_offset;		/* address in the module's file view */
	uint64_t function_offset;	/* of pc in its function */
	bool inlined;			/* into the frame that follows */
};

#define STACK_FRAMES_MAX	1024u

/* Frames innermost first into out[max]; returns how many there are, which may be more than max.
 * 0 for HEAP_NONE and for stacks that were not captured. */
size_t stack_frames(const struct heap *heap, uint32_t stack, struct stack_frame *out, size_t max);

/* Frames of a text log carry no lines: find file and line of the first count frames (of the same
 * stack, from its innermost on) in the binaries of this machine, as far as those are there.  Does
 * nothing for a .mtk trace, which says all itself.  The first look into a binary takes time. */
void stack_locate(struct heap *heap, uint32_t stack, struct stack_frame *frames, size_t count);

/* Functions for the unnamed frames of a text log that come before the first one outside the C and C++
 * runtimes: a hook without the launcher knows exported names only. */
void stack_name_runtime(struct heap *heap, uint32_t stack, struct stack_frame *frames, size_t count);

/* Why the stack does not reach the thread's first frame: a few words, or NULL when it does. */
const char *stack_cut_reason(const struct heap *heap, uint32_t stack);

/* First frame worth showing for a call site: past wrappers of malloc (told by well-known names, or
 * by their many callers), operator new, the standard library's containers and libc, if there is
 * such a one.  Returns its index among stack_frames(); -1 when there are no frames. */
int stack_first_user_frame(const struct heap *heap, uint32_t stack);

/* Which functions are wrappers by their use is found out by whoever asks first, which takes a while
 * with many call sites; or in steps of about max sites by somebody who calls this again and again,
 * until then names alone tell.  Returns true when there is nothing to find out for now. */
bool stack_learn_step(struct heap *heap, size_t max);

/* Append "function (file.c:12)" or "function (libx.so)" or "libx.so+0x1234", sanitised, without
 * a newline.  lines: file and line where known; else the module. */
void stack_frame_print(const struct stack_frame *frame, bool lines, struct buffer *out);

/* The last part of a path. */
const char *stack_file_name(const char *path);

/* stack_frame_print() of the stack's first frame worth showing.  False: there is none, and nothing was appended. */
bool stack_print_place(const struct heap *heap, uint32_t stack, bool lines, struct buffer *out);

/* Does the function, file or module hold the text, in any case?  text must be lower case. */
bool stack_frame_matches(const struct stack_frame *frame, const char *text);

uint64_t stack_symbols_generation(const struct heap *heap);

#endif
