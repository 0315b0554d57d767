dnl SPDX-License-Identifier: LGPL-2.1-or-later
dnl The demangler: libiberty where it is, else the C++ runtime (then Rust v0 names stay as they are).

AC_DEFUN([MEMTRACK_CHECK_LIBIBERTY], [
memtrack_saved_LIBS=$LIBS
LIBS="-liberty $LIBS"
AC_CACHE_CHECK([for rust_demangle in libiberty], [memtrack_cv_libiberty],
	[AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <libiberty/demangle.h>]],
		[[return rust_demangle("_R", 0) != 0;]])],
		[memtrack_cv_libiberty=yes], [memtrack_cv_libiberty=no])])
LIBS=$memtrack_saved_LIBS
have_libiberty=$memtrack_cv_libiberty
])

AC_DEFUN([MEMTRACK_CHECK_DEMANGLER], [
AS_IF([test "$have_libiberty" = yes],
	[AC_DEFINE([HAVE_LIBIBERTY], [1], [libiberty demangles])
	DEMANGLE_LIBS=-liberty
	memtrack_demangler="libiberty (C++, Rust)"],
	[memtrack_saved_LIBS=$LIBS
	LIBS="-lstdc++ $LIBS"
	AC_LINK_IFELSE([AC_LANG_PROGRAM(
		[[extern char *__cxa_demangle(const char *, char *, unsigned long *, int *);]],
		[[return __cxa_demangle("_Z1fv", 0, 0, 0) == 0;]])], [],
		[AC_MSG_ERROR([no demangler: install libiberty-dev or the C++ runtime])])
	LIBS=$memtrack_saved_LIBS
	DEMANGLE_LIBS=-lstdc++
	memtrack_demangler="C++ runtime"])
AC_SUBST([DEMANGLE_LIBS])
])
