/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where threads keep which slot is theirs (hook/tls.h), so that a later session can void it: the lives of
 * sessions come round, and a thread that was silent for 63 of them would take its old slot for its own. */
#ifndef HOOK_THREAD_WORDS_H
#define HOOK_THREAD_WORDS_H

#include <stdint.h>

/* The calling thread has taken this slot. */
void thread_word_note(uint32_t slot);

/* The slot is about to be another thread's. */
void thread_word_forget(uint32_t slot);

/* No thread has a slot. */
void thread_words_clear(void);

#endif
