/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one accessor of per-thread state, preload and dlopen form: 16 bytes of initial-exec TLS, so
 * that it never calls __tls_get_addr and fits into the loader's surplus. */
#ifndef HOOK_TLS_H
#define HOOK_TLS_H

#include <stdint.h>

struct channel_thread;

struct hook_tls {
	struct channel_thread *thread;	/* NULL before the thread's first event */
	uintptr_t claiming;		/* where the claim of a slot that is under way has its mark */
};

extern __thread struct hook_tls hook_tls_data
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline struct hook_tls *hook_tls(void)
{
	return &hook_tls_data;
}

#endif
