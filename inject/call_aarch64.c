/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 64-bit ARM: no remote calls yet; injection_open refuses before any of these is reached. */
#include "inject/cpu.h"

#include <errno.h>

void cpu_cave(uint8_t code[CAVE_SIZE], const struct call_saved *saved)
{
	(void)code, (void)saved;
}

void cpu_frame(uint8_t frame[CPU_FRAME_SIZE], uint64_t place, const struct call_saved *saved)
{
	(void)frame, (void)place, (void)saved;
}

void cpu_begin(struct user_regs_struct *r, const struct call *call, uint64_t cave, uint64_t place)
{
	(void)r, (void)call, (void)cave, (void)place;
}

int64_t cpu_system_result(const struct user_regs_struct *r)
{
	(void)r;
	return -ENOSYS;
}

struct user_regs_struct cpu_healed(const struct user_regs_struct *r)
{
	return *r;
}

void cpu_cave_return(uint8_t code[CAVE_SIZE], uint64_t onwards)
{
	(void)code, (void)onwards;
}

bool cpu_is_cave(const uint8_t code[CAVE_SIZE])
{
	(void)code;
	return false;
}

uint64_t cpu_return_into(uint64_t cave)
{
	return cave;
}

int cpu_returned(struct thread *t, uint64_t cave, uint64_t onwards, bool *returned)
{
	(void)t, (void)cave, (void)onwards;
	*returned = false;
	return -ENOSYS;
}

int cpu_save_extended(struct thread *t)
{
	(void)t;
	return -ENOSYS;
}

int cpu_restore_extended(struct thread *t)
{
	(void)t;
	return -ENOSYS;
}
