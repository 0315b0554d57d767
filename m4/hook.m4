dnl SPDX-License-Identifier: LGPL-2.1-or-later
dnl The hook's own flags.  It runs inside other people's programs without a libc of its own, so
dnl the user's CFLAGS reach it only as -O and -g; hardening and instrumentation never do.

AC_DEFUN([MEMTRACK_HOOK_FLAGS], [
HOOK_OPTFLAGS=
for flag in $CFLAGS; do
	AS_CASE([$flag], [-O*|-g*], [HOOK_OPTFLAGS="$HOOK_OPTFLAGS $flag"])
done
HOOK_CFLAGS="-std=gnu11 -ffreestanding -fPIC -fvisibility=hidden"
MEMTRACK_TRY_FLAG([HOOK_CFLAGS], [-mgeneral-regs-only])
MEMTRACK_TRY_FLAG([HOOK_CFLAGS], [-fno-stack-protector])
MEMTRACK_TRY_FLAG([HOOK_CFLAGS], [-fno-stack-clash-protection])
MEMTRACK_TRY_FLAG([HOOK_CFLAGS], [-fno-omit-frame-pointer])
MEMTRACK_TRY_FLAG([HOOK_CFLAGS], [-fasynchronous-unwind-tables])
MEMTRACK_TRY_FLAG([HOOK_CFLAGS], [-fno-tree-slp-vectorize])
MEMTRACK_TRY_FLAG([HOOK_CFLAGS], [-fno-tree-loop-distribute-patterns])
MEMTRACK_TRY_FLAG([HOOK_CFLAGS], [-fcf-protection=none])
MEMTRACK_TRY_FLAG([HOOK_CFLAGS], [-fno-lto])
HOOK_CFLAGS="$HOOK_CFLAGS -U_FORTIFY_SOURCE"
AC_SUBST([HOOK_OPTFLAGS])
AC_SUBST([HOOK_CFLAGS])
])
