/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time-stamp counter of x86. */
#include "launcher/counter.h"

#ifdef __x86_64__

#include <cpuid.h>
#include <string.h>
#include <x86intrin.h>

uint64_t counter_read(void)
{
	return __rdtsc();
}

bool counter_invariant(void)
{
	unsigned eax, ebx, ecx, edx;

	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && edx & 1u << 8;
}

/* A guest of KVM may be offered kvm-clock alone; the counter under it is what it is built on. */
bool counter_trusted_with(const char *clocksources)
{
	return strstr(clocksources, "tsc") || strstr(clocksources, "kvm-clock") || strstr(clocksources, "hyperv");
}

#endif
