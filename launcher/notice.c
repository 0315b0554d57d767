/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words for what preloading cannot do. */
#include "launcher/notice.h"

#include <stddef.h>

#include "base/alloc.h"

static const char *secure_word(const struct target_facts *f)
{
	return f->setuid ? "setuid" : f->setgid ? "setgid" : "privileged by file capabilities";
}

enum notice_verdict notice_before(const struct target_facts *f, char **reason)
{
	const char *name = target_sanitizer_name(f->sanitizer);

	*reason = NULL;
	if (f->kind == TARGET_OTHER)
		return NOTICE_FINE;	/* whoever runs it may well load the hook */
	if (!f->elf.native) {
		*reason = f->elf.bits == 32 ?
			xstrdup("it is a 32-bit program") :
			xstrdup("it is for another kind of processor");
		return NOTICE_HARMFUL;
	}
	if (name) {
		*reason = xasprintf("it is instrumented (%s), which tolerates no other library before it", name);
		return NOTICE_HARMFUL;
	}
	if (f->elf.is_static) {
		*reason = xstrdup("it is statically linked");
		return NOTICE_IGNORED;
	}
	if (f->secure) {
		*reason = xasprintf("it is %s, so that nothing can be preloaded", secure_word(f));
		return NOTICE_IGNORED;
	}
	return NOTICE_FINE;
}

char *notice_silent(const struct target_facts *f, bool known)
{
	char *reason = NULL;

	if (known && notice_before(f, &reason) != NOTICE_FINE)
		return reason;
	return xstrdup("the hook was not heard of: its environment was cleared, or it cannot reach "
		       "the launcher's socket (another network namespace)");
}
