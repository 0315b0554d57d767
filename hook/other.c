/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real functions behind the wrapped ones that are no allocators. */
#include "hook/other.h"

#include <stddef.h>

#include "hook/raw.h"
#include "hook/resolve.h"

static const char *const names[OTHER_END] = {
#define X(symbol) #symbol,
	HOOK_OTHERS(X)
#undef X
};

static void *_Atomic reals[OTHER_END];

void *other_real(enum other which, uintptr_t pc)
{
	void *f = reals[which];

	if (unlikely(!f)) {
		resolve_init();
		f = resolve_real(names[which], pc);
		reals[which] = f;
	}
	return f;
}
