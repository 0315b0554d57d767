/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes into the model, and every question that a viewer or a report asks of it. */
#ifndef TESTS_FUZZ_QUERIES_H
#define TESTS_FUZZ_QUERIES_H

#include "model/heap.h"

/* Feeds in pieces of `piece` bytes (0: all at once), asks in the middle and at the end. */
void fuzz_model(const uint8_t *data, size_t size, size_t piece, struct heap_status *status);

#endif
