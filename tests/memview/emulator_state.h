/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two halves of the terminal in memory share: cells, and the sequences that change them. */
#ifndef TESTS_MEMVIEW_EMULATOR_STATE_H
#define TESTS_MEMVIEW_EMULATOR_STATE_H

#include "tests/memview/emulator.h"

struct emulator_cell *emulator_cell(const struct emulator *e, int row, int column);
void emulator_erase(struct emulator *e, int row, int from, int to);
void emulator_scroll(struct emulator *e, int top, int bottom, int count);
void emulator_shift(struct emulator *e, int count);
void emulator_down(struct emulator *e);
void emulator_put(struct emulator *e, uint32_t c);
void emulator_move(struct emulator *e, int row, int column);
void emulator_alternate(struct emulator *e, bool on);
void emulator_fault(struct emulator *e, const char *what);

#endif
