/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work of the selection that takes long: what of it is told, and how Esc ends it.
 *
 * What the user had asked for when the selection was last up to date is remembered; that is what it
 * goes back to. */
#ifndef MEMVIEW_CANCEL_H
#define MEMVIEW_CANCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/select.h"

struct view;

/* At each step of the selection. */
void cancel_watch(struct view *view);
void cancel_forget(struct view *view);

/* Esc: true when something was cancelled, or has ended so short a time ago that this is what the key
 * was meant for. */
bool cancel_work(struct view *view);

/* What is under way for longer than people take for at once, as a word, or NULL. */
const char *cancel_what(const struct view *view, unsigned *permille);

#endif
