/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Code without CFI, one file per CPU:
 *
 *   bare_call(function, fp)    calls function() with anything at all in the frame pointer register
 *   bare_framed[]              bytes of code that calls its argument, from a frame of its own
 *   bare_frameless[]           the same without touching the frame pointer
 */
#ifndef TESTS_UNWIND_BARE_H
#define TESTS_UNWIND_BARE_H

#include <stdint.h>

void bare_call(void (*function)(void), uintptr_t fp);

#if defined __x86_64__
#include "tests/unwind/bare_x86_64.h"
#elif defined __aarch64__
#include "tests/unwind/bare_aarch64.h"
#endif

#endif
