/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of functions that nobody looks for. */
#include "model/library.h"

#include <stddef.h>
#include <string.h>

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Names; a trailing * means any that begin so. */
static bool listed(const char *const *names, size_t count, const char *function)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(names[i]);

		if (names[i][length - 1] == '*' ? !strncmp(function, names[i], length - 1)
						: !strcmp(function, names[i]))
			return true;
	}
	return false;
}

#define LISTED(names, function) listed(names, sizeof(names) / sizeof(names[0]), function)

/* One bracketed part, from its opening bracket on: what follows it.  "->" closes nothing. */
static const char *skip_brackets(const char *p)
{
	unsigned depth = 0;

	for (; *p; p++) {
		if (strchr("<([{", *p))
			depth++;
		else if (strchr(">)]}", *p) && !(*p == '>' && p[-1] == '-'))
			if (depth-- == 1)
				return p + 1;
	}
	return p;
}

/* Where the name begins behind a return type, and where its parameters do (NULL: there are
 * none, so it is no C++ function).  Only spaces outside brackets part the two; a bracket that
 * follows one is no parameter list: decltype (x), (anonymous namespace)::f(). */
static const char *name_start(const char *function, const char **parameters)
{
	const char *start = function, *p = function;

	*parameters = NULL;
	while (*p) {
		bool first = p == function || p[-1] == ' ';

		if (begins(p, "operator") && (first || p[-1] == ':')) {
			*parameters = strchr(p, '(');
			return start;
		}
		if (*p == '(' && !first) {
			*parameters = p;
			return start;
		}
		if (strchr("<([{", *p)) {
			p = skip_brackets(p);
		} else {
			if (*p == ' ')
				start = p + 1;
			p++;
		}
	}
	return start;
}

static bool in_std(const char *name)
{
	return begins(name, "std::") || begins(name, "__gnu_cxx::");
}

static bool in_rust_std(const char *name)
{
	return begins(name, "std::") || begins(name, "core::") || begins(name, "alloc::") ||
	       begins(name, "hashbrown::");
}

/* "<T as Trait>::f" belongs to whom T belongs, to Trait's crate when T is a plain type. */
static bool in_rust_impl(const char *type)
{
	const char *as = strstr(type, " as "), *path = strstr(type, "::");

	type += strspn(type, "&*[( ");
	while (begins(type, "mut ") || begins(type, "dyn ") || begins(type, "const "))
		type = strchr(type, ' ') + 1;
	return in_rust_std(type) || (as && path && as < path && in_rust_std(as + 4));
}

bool library_function(const char *function)
{
	static const char *const names[] = {
		"malloc", "calloc", "realloc", "reallocarray", "posix_memalign", "aligned_alloc", "memalign",
		"valloc", "strdup", "strndup", "__libc_malloc", "__libc_calloc", "__libc_realloc",
		"operator new*", "operator delete*", "__rust_alloc*", "__rust_realloc*", "__rdl_*", "__rg_*",
	};
	const char *parameters, *name = name_start(function, &parameters);

	if (LISTED(names, function) || in_std(name))
		return true;
	if (parameters)
		return false;
	return in_rust_std(function) || (*function == '<' && in_rust_impl(function + 1));
}

bool library_wrapper(const char *function)
{
	static const char *const names[] = {
		"xmalloc", "xcalloc", "xrealloc", "xreallocarray", "xzalloc", "xnmalloc", "xstrdup", "xstrndup",
		"xmemdup", "g_malloc*", "g_try_malloc*", "g_realloc*", "g_slice_alloc*", "g_strdup", "g_strndup",
		"zmalloc*", "zcalloc*", "zrealloc*", "ztrymalloc*", "ztrycalloc*", "ztryrealloc*", "zstrdup",
		"Perl_safesys*", "_PyMem_*", "PyMem_*", "_PyObject_Malloc", "PyObject_Malloc",
		"PyObject_Realloc", "_PyObject_Realloc", "PyObject_Calloc", "sqlite3MemMalloc",
		"sqlite3MemRealloc", "sqlite3Malloc", "sqlite3Realloc", "mallocWithAlarm", "CRYPTO_malloc", "CRYPTO_zalloc",
		"CRYPTO_realloc", "CRYPTO_strdup", "CRYPTO_memdup",
	};

	return LISTED(names, function);
}
