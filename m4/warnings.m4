dnl SPDX-License-Identifier: LGPL-2.1-or-later
dnl Warning flags, each one tried by itself.

dnl MEMTRACK_TRY_FLAG(VARIABLE, FLAG): append FLAG to VARIABLE when the compiler takes it.
AC_DEFUN([MEMTRACK_TRY_FLAG], [
AS_VAR_PUSHDEF([cached], [memtrack_cv_flag_$2])
AC_CACHE_CHECK([whether $CC takes $2], [cached], [
memtrack_saved_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror $2"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM()], [AS_VAR_SET([cached], [yes])],
	[AS_VAR_SET([cached], [no])])
CFLAGS=$memtrack_saved_CFLAGS])
AS_VAR_IF([cached], [yes], [$1="$$1 $2"])
AS_VAR_POPDEF([cached])
])

AC_DEFUN([MEMTRACK_WARNINGS], [
AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [make warnings errors])],
	[], [enable_werror=no])
WARN_CFLAGS=
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wall])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wextra])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wundef])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wshadow])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wmissing-prototypes])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wstrict-prototypes])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wold-style-definition])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wpointer-arith])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wvla])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wformat=2])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wno-format-nonliteral])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wimplicit-fallthrough])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wlogical-op])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wredundant-decls])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wno-unused-parameter])
MEMTRACK_TRY_FLAG([WARN_CFLAGS], [-Wno-missing-field-initializers])
WARN_ERROR=
AS_IF([test "$enable_werror" = yes], [WARN_ERROR=-Werror])
AC_SUBST([WARN_CFLAGS])
AC_SUBST([WARN_ERROR])
])
