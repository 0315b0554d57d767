dnl SPDX-License-Identifier: LGPL-2.1-or-later
dnl Flags of the hook that not every compiler takes; all others stand in hook/local.mk.  The
dnl hook runs inside other people's programs without a libc of its own.

AC_DEFUN([MEMTRACK_HOOK_FLAGS], [
HOOK_CC_ONLY=
MEMTRACK_TRY_FLAG([HOOK_CC_ONLY], [-fno-tree-loop-distribute-patterns])
MEMTRACK_TRY_FLAG([HOOK_CC_ONLY], [-fno-stack-clash-protection])
MEMTRACK_TRY_FLAG([HOOK_CC_ONLY], [-fno-lto])
HOOK_WERROR=$WARN_ERROR
AC_SUBST([HOOK_CC_ONLY])
AC_SUBST([HOOK_WERROR])
])
