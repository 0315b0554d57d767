/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the C and C++ runtimes keep for themselves until the program ends: no leaks of anybody.
 *
 * The list follows what glibc's __libc_freeres and libstdc++'s __freeres would release. */
#include <string.h>

#include "model/stacks.h"
#include "model/state.h"

#define RUNTIME_FRAMES	24u

/* Function names; a trailing * means any that begin so. */
static const char *const names[] = {
	"_IO_file_doallocate", "_IO_wfile_doallocate", "_IO_default_doallocate", "_IO_doallocbuf",
	"_IO_wdoallocbuf", "_dl_*", "__tls_get_addr", "tls_get_addr_tail", "allocate_dtv*",
	"allocate_and_init", "update_get_addr", "_nl_*", "setlocale", "new_composite_name",
	"__gconv_*", "__nss_*", "nss_*", "__tz*", "tz*", "__new_exitfn", "__cxa_atexit",
	"__internal_atexit", "__cxa_thread_atexit*", "__cxa_get_globals*", "__dlerror*",
	"_dlerror_run", "bindtextdomain", "textdomain", "set_binding_values", "__dcigettext",
	"getpwnam", "getpwuid", "getpwent", "getgrnam", "getgrgid", "getgrent", "gethostby*",
	"getservby*", "getprotoby*", "__res_*", "__resolv_*", "__libc_res_*", "__add_to_environ",
	"setenv", "putenv", "strerror", "__strerror*", "strsignal", "__register_atfork",
	"pthread_atfork", "__register_frame*", "init_object", "__gthread_*", "std::locale::*",
	"std::ios_base::Init::*", "(anonymous namespace)::pool::*", "__gnu_cxx::__freeres*",
};

bool stack_in_runtime(const char *module)
{
	static const char *const libraries[] = {
		"libc.so", "libc-2", "ld-linux", "ld-2", "ld-musl", "ld.so", "ld64.so", "libstdc++.so",
		"libgcc_s.so", "libgcc_s-", "libpthread", "libdl.so", "libdl-", "libm.so", "libresolv",
		"memtrack.so", "memtrack-map.so", "libc++.so", "libc++abi.so",
	};
	const char *slash = strrchr(module, '/');
	const char *file = slash ? slash + 1 : module;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (!strncmp(file, libraries[i], strlen(libraries[i])))
			return true;
	return false;
}

static bool is_loader(const char *module)
{
	const char *slash = strrchr(module, '/');
	const char *file = slash ? slash + 1 : module;

	return !strncmp(file, "ld-", 3) || !strncmp(file, "ld.so", 5) || !strncmp(file, "ld64.so", 7);
}

static bool is_runtime_name(const char *function)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t length = strlen(names[i]);

		if (names[i][length - 1] == '*' ? !strncmp(function, names[i], length - 1)
						: !strcmp(function, names[i]))
			return true;
	}
	return false;
}

/* From the innermost frame to the first of the program's own code. */
static bool runtime_frames(const struct stack_frame *frames, size_t count, bool whole)
{
	for (size_t i = 0; i < count; i++) {
		bool ours = frames[i].module && !stack_in_runtime(frames[i].module);

		/* The program may have a tzread() or a pool of its own. */
		if (!ours && frames[i].function && is_runtime_name(frames[i].function))
			return true;
		if (ours || !frames[i].module)
			return false;
		if (i == 0 && is_loader(frames[i].module))
			return true;
	}
	return whole; /* nobody else was there: libraries setting themselves up */
}

/* libstdc++ takes a pool for exceptions that find no memory: 72704 bytes since GCC 5, 73728
 * since GCC 13. */
bool runtime_pool(uint8_t op, uint64_t size)
{
	return op == OP_MALLOC && (size == 72704 || size == 73728);
}

/* The same in a program that has libstdc++ inside of it. */
static bool is_own_pool(const struct heap *heap, const struct site *site, const struct stack_frame *frame)
{
	uint64_t count = heap_count(heap, site->allocs);

	return frame->function && (!strncmp(frame->function, "(anonymous namespace)::pool::", 29) ||
				   !strncmp(frame->function, "_GLOBAL__sub_I_eh_alloc", 23)) &&
	       count && runtime_pool(site->op, heap_bytes(heap, site->alloc_bytes) / count);
}

bool runtime_stack(struct heap *heap, const struct site *site)
{
	struct stack_frame frames[RUNTIME_FRAMES];
	size_t count;

	if (site->stack == HEAP_NONE)
		return site->bucket == BUCKET_RUNTIME;
	if (site->class != HEAP_BLOCKS)
		return false;
	count = stack_frames(heap, site->stack, frames, RUNTIME_FRAMES);
	stack_name_runtime(heap, site->stack, frames, count < RUNTIME_FRAMES ? count : RUNTIME_FRAMES);
	if (count && is_own_pool(heap, site, &frames[0]))
		return true;
	if (count > RUNTIME_FRAMES)
		return runtime_frames(frames, RUNTIME_FRAMES, false);
	return runtime_frames(frames, count, count && !stack_cut_reason(heap, site->stack));
}
