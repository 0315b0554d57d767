/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entries of functions on CPUs whose code memtrack cannot move: it is refused. */
#include "inject/code.h"

#include <errno.h>

bool code_cpu_supported(void)
{
	return false;
}

int code_entry_decode(uint64_t address, const uint8_t *bytes, size_t length, uint64_t size,
		      struct code_entry *entry, const char **reason)
{
	*reason = "memtrack cannot patch code of this CPU";
	return -ENOTSUP;
}

int code_entry_move(const struct code_entry *entry, uint64_t at, struct code_copy *copy)
{
	return -ENOTSUP;
}

uint64_t code_reach(void)
{
	return 0;
}

bool code_reaches(uint64_t from, uint64_t to)
{
	return false;
}

void code_jump(uint64_t from, uint64_t to, uint8_t *bytes)
{
}

bool code_is_jump(uint64_t from, const uint8_t *bytes, uint64_t *to)
{
	return false;
}

void code_stub(uint64_t real, uint64_t entry, uint8_t *bytes)
{
}

bool code_is_stub(const uint8_t *bytes, uint64_t *real, uint64_t *entry)
{
	return false;
}

bool code_is_context(const uint64_t words[CODE_CONTEXT_WORDS], struct code_context *context)
{
	return false;
}
