# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: libraries opened with RTLD_DEEPBIND are seen from their first allocation, whatever way they
# are linked; one that brings its own malloc keeps it; read-only pages are read-only again.
. "${top_srcdir:-.}/tests/loader/expect.sh"

cc=${MEMTRACK_CC:-cc}

# plugin NAME [FLAG...]: builds it; fails where the linker cannot.
plugin()
{
	plugin=$work/$1.so
	shift
	# shellcheck disable=SC2086
	$cc -O1 -g -fPIC -fno-builtin -shared -o "$plugin" "$@" "$top_srcdir/tests/loader/plugin.c" 2>"$work/.ld"
}

variant()
{
	name=$1
	shift
	if plugin "$name" "$@"; then
		behaves "$name" "$testbin/loader/deepbind" "$plugin"
	else
		skip "$name" "the linker has no $*"
	fi
}

variant now -Wl,-z,relro -Wl,-z,now
variant lazy -Wl,-z,relro -Wl,-z,lazy
variant norelro -Wl,-z,norelro -Wl,-z,now
variant noplt -fno-plt -Wl,-z,relro -Wl,-z,now
variant separate -Wl,-z,separate-code -Wl,-z,pack-relative-relocs -Wl,-z,now
variant packed -Wl,-z,noseparate-code -Wl,-z,now -Wl,--hash-style=sysv
variant lld -fuse-ld=lld -Wl,-z,now
plugin own -DPLUGIN_OWN -Wl,-z,now
behaves "own malloc" "$testbin/loader/deepbind" "$plugin" own
plugin ownlazy -DPLUGIN_OWN -Wl,-z,lazy
behaves "own malloc, bound late" "$testbin/loader/deepbind" "$plugin" own
done_testing
