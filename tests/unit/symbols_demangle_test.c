/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Demangling: real names, clones, and names built to blow up. */
#include "config.h"

#include "symbols/demangle.h"
#include "symbols/names.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <time.h>

static char out[DEMANGLE_OUTPUT_MAX + 1];

static void is_demangled(const char *name, const char *want)
{
	bool changed = demangle(name, out, sizeof(out));

	is_string(out, want, "%.60s", name);
	is_int(changed, strcmp(name, want) != 0, "... and says whether it was mangled");
}

static void test_plain(void)
{
	is_demangled("main", "main");
	is_demangled("", "");
	is_demangled("_Z", "_Z");
	is_demangled("_Zebra", "_Zebra");
	is_demangled("_R", "_R");
	is_demangled("_ZN3foo3barIiE4quuxEv", "foo::bar<int>::quux()");
	is_demangled("_Znwm", "operator new(unsigned long)");
	is_demangled("_ZNSt6vectorIiSaIiEE9push_backERKi",
		     "std::vector<int, std::allocator<int> >::push_back(int const&)");
	is_demangled("_ZN1n4deepEi.cold", "n::deep(int) [clone .cold]");
}

static void test_rust(void)
{
#ifdef HAVE_LIBIBERTY
	is_demangled("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	is_demangled("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
		     "17h930b740aa94f1d3aE",
		     "<Test + 'static as foo::Bar<Test>>::bar");
	is_demangled("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	is_demangled("_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>");
#else
	skip(8, "no Rust demangler in the C++ runtime");
#endif
}

/* A name whose readable form doubles with each of `levels` levels. */
static void make_bomb(char *name, unsigned levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	name += sprintf(name, "_Z1fSt4pairIiiE");
	for (unsigned i = 1; i < levels; i++) {
		char sub[8];

		sprintf(sub, "S%c_", digits[i - 1]);
		name += sprintf(name, "S_I%s%sE", sub, sub);
	}
}

static double demangle_time(const char *name)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	demangle(name, out, sizeof(out));
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

static void test_bombs(void)
{
	static const char *const pieces[] = { "P", "N", "T_", "1gIXadL_Z", "S_I", "DpT_", "B_", "INvC1a" };
	char *name = malloc(300000);
	double slowest = 0;

	make_bomb(name, 30);
	slowest = demangle_time(name);
	is_int(strlen(out), DEMANGLE_OUTPUT_MAX, "a name that doubles 30 times is cut");
	ok(strncmp(out, "f(std::pair<", 12) == 0 && strcmp(out + strlen(out) - 3, "...") == 0, "... and says so");
	for (size_t i = 0; i < 2 * sizeof(pieces) / sizeof(pieces[0]); i++) {
		const char *piece = pieces[i / 2];
		char *at = name + sprintf(name, "%s", i % 2 ? "_Z1f" : "_RNvC1a");
		double took;

		while (at - name < 60000)
			at += sprintf(at, "%s", piece);
		took = demangle_time(name);
		slowest = took > slowest ? took : slowest;
	}
	ok(slowest < 1.0, "the slowest of the hostile names took %.3f s", slowest);
	memset(name, 'a', 200000);
	memcpy(name, "_Z", 2);
	name[200000] = '\0';
	ok(!demangle(name, out, sizeof(out)) && strlen(out) == sizeof(out) - 1,
	   "a huge name is cut and left as it is");
	ok(!demangle("_Znwm", out, 4) && strcmp(out, "_Zn") == 0, "a tiny buffer is respected");
	free(name);
}

static void test_random(void)
{
	static const char alphabet[] = "_ZNSEIL0123456789abRvCPKTXadFDpJBMstiij$.u";
	size_t longest = 0;
	char name[400];

	srand(7);
	for (int i = 0; i < 200000; i++) {
		size_t len = (size_t)rand() % 60;

		strcpy(name, i & 1 ? "_Z" : "_R");
		for (size_t j = 0; j < len; j++)
			name[2 + j] = alphabet[(size_t)rand() % (sizeof(alphabet) - 1)];
		name[2 + len] = '\0';
		demangle(name, out, sizeof(out));
		longest = strlen(out) > longest ? strlen(out) : longest;
	}
	ok(longest <= DEMANGLE_OUTPUT_MAX, "200,000 random names; the longest result has %zu bytes", longest);
}

static void test_names(void)
{
	struct names *n = names_new();
	uint32_t a = names_put(n, "_Znwm"), b = names_put(n, "plain");

	is_int(names_put(n, "_Znwm"), a, "a name has one id");
	is_int(names_put(n, NULL), 0, "no name, no id");
	is_string(names_readable(n, a), "operator new(unsigned long)", "readable");
	is_string(names_raw(n, a), "_Znwm", "raw");
	ok(names_readable(n, b) == names_raw(n, b) && !names_mangled(n, b), "plain names are shared");
	is_string(names_raw(n, names_put_path(n, "/src", "./a.c")), "/src/a.c", "paths are joined");
	is_string(names_raw(n, names_put_path(n, "/src", "/b.c")), "/b.c", "absolute ones stay");
	ok(!names_raw(n, 0), "id 0 has no text");
	names_free(n);
}

int main(void)
{
	test_plain();
	test_rust();
	test_bombs();
	test_random();
	test_names();
	return done_testing();
}
