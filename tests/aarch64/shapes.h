/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of shapes.c, in each of its variants. */
#ifndef TESTS_AARCH64_SHAPES_H
#define TESTS_AARCH64_SHAPES_H

#define SHAPES(X) \
	X(leaf) X(leaf_array) X(calls) X(keeps) X(large) X(grows) X(aligned) X(aligned_grows) X(tail) X(early) \
	X(numbers) X(ten_arguments) X(variadic)

/* Optimised or not, with frame pointers and without, return addresses signed with either key. */
#define VARIANTS(X) X(plain) X(slow) X(frameless) X(small) X(signed) X(signed_b)

typedef long callback(long n);
typedef long shape_function(long n, callback *g);

struct shape {
	const char *name;
	shape_function *function;
};

#define X(variant) extern const struct shape shapes_##variant[];
VARIANTS(X)
#undef X

#endif
