dnl SPDX-License-Identifier: LGPL-2.1-or-later
dnl Sanitizers, coverage and fuzz targets for the host programs; never for the hook.

dnl MEMTRACK_INSTRUMENT(NAME, HELP, CFLAGS)
AC_DEFUN([MEMTRACK_INSTRUMENT], [
AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1], [$2])], [], [enable_$1=no])
AS_IF([test "$enable_$1" = yes], [
	INSTRUMENT_CFLAGS="$INSTRUMENT_CFLAGS $3"
	memtrack_instrumentation="$memtrack_instrumentation $1"])
])

AC_DEFUN([MEMTRACK_INSTRUMENTATION], [
INSTRUMENT_CFLAGS=
# Without them a fuzzer finds crashes only.
AS_IF([test "$enable_fuzz" = yes], [
	AS_IF([test -z "$enable_asan" && test "$enable_tsan" != yes], [enable_asan=yes])
	AS_IF([test -z "$enable_ubsan"], [enable_ubsan=yes])])
MEMTRACK_INSTRUMENT([asan], [build the host programs with AddressSanitizer],
	[-fsanitize=address -fno-omit-frame-pointer])
MEMTRACK_INSTRUMENT([ubsan], [build the host programs with UBSan],
	[-fsanitize=undefined -fno-sanitize-recover=undefined])
MEMTRACK_INSTRUMENT([tsan], [build the host programs with ThreadSanitizer],
	[-fsanitize=thread])
MEMTRACK_INSTRUMENT([coverage], [build the host programs for gcov], [--coverage])
MEMTRACK_INSTRUMENT([fuzz], [build the libFuzzer targets, with asan and ubsan (needs clang)],
	[-fsanitize=fuzzer-no-link])
AS_IF([test "$enable_asan:$enable_tsan" = yes:yes],
	[AC_MSG_ERROR([--enable-asan and --enable-tsan exclude each other])])
AS_IF([test -n "$INSTRUMENT_CFLAGS"], [
	memtrack_saved_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS $INSTRUMENT_CFLAGS"
	AC_MSG_CHECKING([whether $CC links with$INSTRUMENT_CFLAGS])
	AC_LINK_IFELSE([AC_LANG_PROGRAM()], [AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		AC_MSG_ERROR([$CC cannot build with$INSTRUMENT_CFLAGS])])
	CFLAGS=$memtrack_saved_CFLAGS])
AM_CONDITIONAL([FUZZ], [test "$enable_fuzz" = yes])
AM_CONDITIONAL([INSTRUMENTED], [test -n "$INSTRUMENT_CFLAGS"])
AC_SUBST([INSTRUMENT_CFLAGS])
])
