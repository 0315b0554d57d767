/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a wrapper was called from, and how its call is recognised later.  One file per CPU gives
 *
 *   CALLER()          the struct caller of the wrapper that says it; wrappers have frame pointers
 *   caller_pc(c)      the return address
 *   caller_fp(c), caller_sp(c)    the caller's frame and stack pointer behind the call
 *   caller_place(c)   where on the stack the call is: the same for every wrapper that is called with
 *                     this stack pointer, lower for calls further in, a multiple of 16
 *   caller_mark(c)    goes with the place:
 *   caller_runs(place, mark, inner, low, high)    is the wrapper's call at this place still under way, so
 *                     far as `inner`, which is further in, can tell?  low, high: the stack of `place`.
 */
#ifndef HOOK_CALLER_H
#define HOOK_CALLER_H

#include <stdbool.h>
#include <stdint.h>

#if defined __x86_64__
#include "hook/caller_x86_64.h"
#elif defined __aarch64__
#include "hook/caller_aarch64.h"
#else
#error "no hook/caller_CPU.h for this CPU"
#endif

#endif
