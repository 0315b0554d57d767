/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Voiding other threads' words.  Their memory may be gone with them, so the kernel looks at it: it says
 * "no such address" where we would fault. */
#include "hook/thread_words.h"

#include <linux/futex.h>
#include <stdatomic.h>

#include "hook/core.h"
#include "hook/thread.h"
#include "hook/tls.h"

#ifdef HOOK_MAPPED

void thread_word_note(uint32_t slot)
{
	(void)slot;
}

void thread_word_forget(uint32_t slot)
{
	(void)slot;
}

void thread_words_clear(void)
{
	tls_mapped_clear();
}

#else

__thread struct hook_tls hook_tls_data
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

struct noted {
	uintptr_t address, value;
};

static struct noted noted[CHANNEL_THREADS_MAX];
static _Atomic uint32_t noted_end;

void thread_word_forget(uint32_t slot)
{
	noted[slot] = (struct noted){ 0, 0 };
}

/* Whoever had its word here is gone: another thread has that memory now. */
static void predecessor_left(uintptr_t address)
{
	for (uint32_t i = 0; i < noted_end; i++) {
		if (noted[i].address != address)
			continue;
		thread_word_forget(i);
		thread_left(i);
	}
}

void thread_word_note(uint32_t slot)
{
	uint32_t end = noted_end;

	predecessor_left((uintptr_t)&hook_tls()->owned);
	noted[slot] = (struct noted){ (uintptr_t)&hook_tls()->owned, hook_tls()->owned };
	while (end <= slot && !atomic_compare_exchange_weak(&noted_end, &end, slot + 1))
		;
}

/* Does a word hold this, if it is there at all?  Nobody is woken or moved. */
static bool holds(uintptr_t address, uint32_t value)
{
	static _Atomic uint32_t nobody;

	return raw_call6(RAW_NR_futex, (long)address, FUTEX_CMP_REQUEUE | FUTEX_PRIVATE_FLAG, 0, 0,
			 (long)&nobody, (long)value) >= 0;
}

static void set_zero(uintptr_t address)
{
	static _Atomic uint32_t nobody;

	raw_call6(RAW_NR_futex, (long)&nobody, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0, (long)address,
		  FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 0));
}

/* The life stands in the lower half, so that goes last: an upper half alone would be taken for a slot
 * wherever the life is 0, in a fork child above all. */
static void clear(uintptr_t address)
{
	set_zero(address + 4);
	set_zero(address);
}

void thread_words_clear(void)
{
	for (uint32_t i = 0; i < noted_end; i++) {
		struct noted n = noted[i];

		noted[i] = (struct noted){ 0, 0 };
		if (n.address && holds(n.address, (uint32_t)n.value) &&
		    holds(n.address + 4, (uint32_t)(n.value >> 32)))
			clear(n.address);
	}
	noted_end = 0;
}

#endif
