/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an injector does, done to itself: describes the process, begins and ends sessions, makes stubs; and looks
 * what a session holds. */
#ifndef TESTS_HOOK_ATTACH_HOST_H
#define TESTS_HOOK_ATTACH_HOST_H

#include <sys/auxv.h>
#include <sys/syscall.h>

#include "tests/hook/attach_load.h"
#include "tests/hook/attach_session.h"

#define TID_OFFSET	0x2d0	/* of glibc */

static struct loaded hook;
static struct attach_request request;
static struct session session;
static struct seen seen[SESSION_EVENTS];

/* What a patch would jump to: push *real; jmp *entry. */
static inline void *stub(const char *symbol, void *real)
{
	static unsigned char *area;
	static size_t used;
	const struct attach_entry *e = hook.entries;
	unsigned char *s;

	while (e->op && strcmp(e->symbol, symbol))
		e++;
	if (!e->op || e->argument != ATTACH_PUSHED)
		return NULL;
	if (!area)
		area = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	s = area + used;
	used += 32;
	memcpy(s, "\xff\x35\x0a\0\0\0\xff\x25\x0c\0\0\0", 12);
	memcpy(s + 16, &real, sizeof(real));
	memcpy(s + 24, &e->function, sizeof(e->function));
	return s;
}

static inline uint32_t tid(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static void find_stack(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned long low, high;

	while (f && fgets(line, sizeof(line), f)) {
		if (strstr(line, "[stack]") && sscanf(line, "%lx-%lx", &low, &high) == 2) {
			request.stack_low = high - (8ul << 20);
			request.stack_high = high;
		}
	}
	if (f)
		fclose(f);
}

#ifdef ATTACH_STATIC
extern const char __ehdr_start[];

/* Of itself, as an injector finds it in the file. */
static void find_program(void)
{
	size_t size;
	const char *image = load_file("/proc/self/exe", &size);
	const Elf64_Ehdr *e = (const void *)image;
	const Elf64_Shdr *s = (const void *)(image + e->e_shoff);

	request.program = (uint64_t)__ehdr_start;
	for (unsigned i = 0; i < e->e_shnum; i++) {
		if (strcmp(image + s[e->e_shstrndx].sh_offset + s[i].sh_name, ".eh_frame"))
			continue;
		request.frames = s[i].sh_addr;
		request.frames_bytes = s[i].sh_size;
	}
}
#else
static void find_program(void)
{
}
#endif

static void describe(void)
{
	request = (struct attach_request){
		.version = ATTACH_VERSION, .bytes = sizeof(request), .tid_offset = TID_OFFSET,
		.pid = (uint64_t)getpid(), .vdso = getauxval(AT_SYSINFO_EHDR),
	};
	find_stack();
	find_program();
}

static long begin(uint32_t clock)
{
	session = session_open(session.header, clock);
	request.segment = (uint64_t)session.header;
	request.segment_bytes = session.bytes;
	return hook.attach(&request);
}

static void end(void)
{
	hook.state->recording = 0;
	*(volatile uint32_t *)(uintptr_t)hook.state->life = 0;
}

/* Events of one thread with one address, as "op op ..." */
static const char *story(uint32_t thread, const void *ptr)
{
	static char text[256];
	unsigned n = session_events(&session, seen);

	text[0] = 0;
	for (unsigned i = 0; i < n; i++)
		if (seen[i].tid == thread && seen[i].ptr == (uintptr_t)ptr && strlen(text) < 200)
			sprintf(text + strlen(text), "%s%u", *text ? " " : "", seen[i].op);
	return text;
}

static const char *ops(unsigned a, unsigned b, unsigned c)
{
	static char text[2][64];
	static unsigned turn;
	char *t = text[turn ^= 1];

	sprintf(t, c ? "%u %u %u" : b ? "%u %u" : a ? "%u" : "", a, b, c);
	return t;
}

static unsigned events_of(uint32_t thread)
{
	unsigned n = session_events(&session, seen), count = 0;

	for (unsigned i = 0; i < n; i++)
		count += seen[i].tid == thread;
	return count;
}

static const struct seen *find(const void *ptr, unsigned op)
{
	unsigned n = session_events(&session, seen);

	for (unsigned i = 0; i < n; i++)
		if (seen[i].ptr == (uintptr_t)ptr && seen[i].op == op)
			return &seen[i];
	return NULL;
}

#endif
