dnl SPDX-License-Identifier: LGPL-2.1-or-later
dnl Libraries and features of the build, and the summary that tells what was found.

dnl MEMTRACK_LIBRARY(PREFIX, MODULE, DEBIAN-PACKAGE)
dnl A library that memtrack cannot do without; sets PREFIX_CFLAGS and PREFIX_LIBS.
AC_DEFUN([MEMTRACK_LIBRARY], [
PKG_CHECK_MODULES([$1], [$2], [],
	[AC_MSG_ERROR([$2 is missing: install its development files (Debian: $3)])])
])

dnl pkg-config of the build machine finds its own libraries even in a cross build, whose linker then does
dnl not.  The hook needs none of them.
AC_DEFUN([MEMTRACK_CHECK_LINKING], [
memtrack_builds="all of it"
AS_IF([test "$cross_compiling" = yes], [
	AC_MSG_CHECKING([whether libelf, libdw, libzstd and libxxhash are there for $host])
	memtrack_saved_LIBS=$LIBS
	LIBS="$DW_LIBS $ELF_LIBS $ZSTD_LIBS $XXHASH_LIBS $LIBS"
	AC_LINK_IFELSE([AC_LANG_PROGRAM()],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		memtrack_builds="memtrack.so alone (make memtrack.so)"
		AC_MSG_WARN([the libraries of memtrack and memview are missing for $host: only memtrack.so can be built, by "make memtrack.so"])])
	LIBS=$memtrack_saved_LIBS
])
])

dnl Zydis decodes what attaching to a running program patches.  It has no pkg-config file everywhere, and
dnl decodes x86 only; elsewhere memtrack cannot attach.
AC_DEFUN([MEMTRACK_CHECK_ZYDIS], [
ZYDIS_LIBS=
memtrack_zydis="not needed"
AS_CASE([$host], [x86_64-*], [
	memtrack_zydis=yes
	AC_CHECK_HEADER([Zydis/Zydis.h], [],
		[AC_MSG_ERROR([Zydis/Zydis.h is missing: install the development files of Zydis 4 (Debian: libzydis-dev)])])
	AC_MSG_CHECKING([for Zydis 4])
	memtrack_saved_LIBS=$LIBS
	LIBS="-lZydis $LIBS"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <Zydis/Zydis.h>]],
		[[ZydisDecoder d;
		ZydisDecodedInstruction i;
		ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
		return ZYAN_FAILED(ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
			ZYAN_FAILED(ZydisDecoderDecodeFull(&d, "\xc3", 1, &i, o));]])],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		AC_MSG_ERROR([Zydis is missing or older than 4.0: install its development files (Debian: libzydis-dev)])])
	LIBS=$memtrack_saved_LIBS
	ZYDIS_LIBS=-lZydis])
AC_SUBST([ZYDIS_LIBS])
AM_CONDITIONAL([HOST_X86_64], [test "$memtrack_zydis" = yes])
])

dnl MEMTRACK_FEATURE(NAME, HELP, CHECK)
dnl --enable-NAME=yes|no|check.  CHECK sets have_NAME; "yes" makes a failed check an error.
AC_DEFUN([MEMTRACK_FEATURE], [
AC_ARG_ENABLE([$1], [AS_HELP_STRING([--enable-$1], [$2 @<:@yes/no/check, default check@:>@])],
	[], [enable_$1=check])
have_$1=no
AS_CASE([$enable_$1],
	[yes|check], [$3],
	[no], [],
	[AC_MSG_ERROR([--enable-$1 takes yes, no or check, not "$enable_$1"])])
AS_IF([test "$enable_$1:$have_$1" = yes:no],
	[AC_MSG_ERROR([--enable-$1: what it needs was not found])])
AM_CONDITIONAL(m4_toupper([HAVE_$1]), [test "$have_$1" = yes])
])

dnl Prints "name ......... value" rows.
AC_DEFUN([MEMTRACK_SUMMARY], [
memtrack_row() { printf '  %-18s %s\n' "[$]1" "[$]2"; }
echo
echo "memtrack $PACKAGE_VERSION for $host"
memtrack_row "prefix" "$prefix"
memtrack_row "compiler" "$CC $CFLAGS"
memtrack_row "can be built" "$memtrack_builds"
memtrack_row "warnings as errors" "$enable_werror"
memtrack_row "libelf" "`$PKG_CONFIG --modversion libelf`"
memtrack_row "libdw" "`$PKG_CONFIG --modversion libdw`"
memtrack_row "libzstd" "`$PKG_CONFIG --modversion libzstd`"
memtrack_row "libxxhash" "`$PKG_CONFIG --modversion libxxhash`"
memtrack_row "zydis" "$memtrack_zydis"
memtrack_row "memview" "$have_memview"
memtrack_row "demangler" "$memtrack_demangler"
memtrack_row "instrumentation" "${memtrack_instrumentation:-none}"
echo
])
