/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small programs built at test time, in a directory of their own that goes away with the test. */
#ifndef TESTS_UNIT_SYMBOLS_BUILD_H
#define TESTS_UNIT_SYMBOLS_BUILD_H

#include "tests/tap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static char work_dir[64];

static inline void work_remove(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf '%s'", work_dir);
	if (system(command) != 0)
		printf("# %s failed\n", command);
}

/* Makes the directory and goes there. */
static inline void work_begin(void)
{
	strcpy(work_dir, "/tmp/memtrack-symbols.XXXXXX");
	if (!mkdtemp(work_dir) || chdir(work_dir) < 0)
		abort();
	atexit(work_remove);
}

/* Runs a shell command, its output in the file log.  true: it succeeded. */
static inline bool __attribute__((format(printf, 1, 2))) run(const char *format, ...)
{
	char command[2048], whole[2100];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(whole, sizeof(whole), "{ %s; } >log 2>&1", command);
	return system(whole) == 0;
}

static inline bool have(const char *tool)
{
	return run("command -v %s", tool);
}

static inline const char *cc(void)
{
	const char *name = getenv("MEMTRACK_CC");

	return name && *name ? name : "cc";
}

static inline void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
}

/* A C program with two levels of inlining; prints the address of work() when asked, and waits. */
static const char source_c[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"#include <unistd.h>\n"
	"static inline void *leak(size_t n)\n"
	"{\n"
	"	void *p = malloc(n);\n"
	"	if (p)\n"
	"		memset(p, 1, n);\n"
	"	return p;\n"
	"}\n"
	"static inline void *twice(size_t n)\n"
	"{\n"
	"	leak(n);\n"
	"	return leak(n + 1);\n"
	"}\n"
	"__attribute__((noinline)) void *work(int n)\n"
	"{\n"
	"	void *p = 0;\n"
	"	for (int i = 0; i < n; i++)\n"
	"		p = twice(i);\n"
	"	return p;\n"
	"}\n"
	"static __attribute__((noinline)) int hidden(int n)\n"
	"{\n"
	"	return work(n) != 0;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	if (argc > 1) {\n"
	"		printf(\"%p\\n\", (void *)work);\n"
	"		fflush(stdout);\n"
	"		pause();\n"
	"	}\n"
	"	return hidden(argc) + (argv[0] == 0);\n"
	"}\n";

static const char source_cxx[] =
	"#include <algorithm>\n"
	"#include <map>\n"
	"#include <string>\n"
	"#include <vector>\n"
	"namespace shop {\n"
	"template <class T> struct box {\n"
	"	T value;\n"
	"	explicit box(T v) : value(v) {}\n"
	"	__attribute__((noinline)) T get() const { return value + 1; }\n"
	"};\n"
	"static inline int deep(int x)\n"
	"{\n"
	"	std::string s(x, 'a');\n"
	"	std::map<int, std::string> m;\n"
	"	m[x] = s;\n"
	"	return (int)m.size() + (int)s.size();\n"
	"}\n"
	"inline int deeper(int x) { return deep(x) + deep(x + 1); }\n"
	"}\n"
	"struct failure { int code; };\n"
	"__attribute__((noinline)) int worker(int n)\n"
	"{\n"
	"	std::vector<int> v;\n"
	"	for (int i = 0; i < n; i++)\n"
	"		v.push_back(shop::deeper(i));\n"
	"	std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });\n"
	"	if (n > 100)\n"
	"		throw failure{n};\n"
	"	return shop::box<int>(v.empty() ? 0 : v[0]).get();\n"
	"}\n"
	"int main(int argc, char **)\n"
	"{\n"
	"	try {\n"
	"		return worker(argc + 3);\n"
	"	} catch (failure &f) {\n"
	"		return f.code;\n"
	"	}\n"
	"}\n";

#endif
