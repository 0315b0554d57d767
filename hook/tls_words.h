/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a thread has of the hook's, wherever that is (hook/tls.h). */
#ifndef HOOK_TLS_WORDS_H
#define HOOK_TLS_WORDS_H

#include <stdint.h>

struct hook_tls {
	uintptr_t owned;		/* slot | life; 0 before the thread's first event */
	uintptr_t settling;		/* where the settling of a fork child that is under way has its mark */
};

#endif
