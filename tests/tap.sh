# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: a TAP harness for shell tests; POSIX sh, to be sourced:
#
#	. "${top_srcdir:-.}/tests/tap.sh"
#	ok "true is true" true
#	is "$(echo a)" a "echo says a"
#	done_testing
#
# Gives the test $top_srcdir, $top_builddir, $memtrack, $memview, $hook, $testbin (where the
# programs of tests/ are) and $work, a directory of its own that is removed at exit
# (MEMTRACK_KEEP=1 keeps it).

: "${top_srcdir:=.}" "${top_builddir:=.}"
# Whole paths: tests change their folder.
top_srcdir=$(cd "$top_srcdir" && pwd) top_builddir=$(cd "$top_builddir" && pwd)
memtrack=$top_builddir/memtrack
memview=$top_builddir/memview/memview
hook=$top_builddir/memtrack.so
testbin=$top_builddir/tests
tap_count=0
tap_failed=0

work=$(mktemp -d "${TMPDIR:-/tmp}/memtrack-test.XXXXXX") || exit 1
export XDG_CACHE_HOME="$work/.cache"	# never the user's own
tap_cleanup() { [ -n "${MEMTRACK_KEEP:-}" ] || rm -rf "$work"; }
trap tap_cleanup EXIT
trap 'exit 1' HUP INT TERM

# diag TEXT...: a remark for people.
diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

# ok NAME [COMMAND...]: passes when COMMAND succeeds; its output shows when it does not.
ok()
{
	tap_name=$1
	shift
	tap_count=$((tap_count + 1))
	if [ $# -eq 0 ] || "$@" >"$work/.tap" 2>&1; then
		echo "ok $tap_count - $tap_name"
		return 0
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $tap_name"
	diag "failed: $*"
	head -n 20 "$work/.tap" | sed 's/^/#   /'
	return 1
}

# not_ok NAME [WHY]: fails.
not_ok()
{
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
	[ $# -lt 2 ] || diag "$2"
	return 1
}

# is GOT WANT NAME: two strings are the same.
is()
{
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3" "got  '$1'
want '$2'"
	fi
}

# like TEXT PATTERN NAME: some line of TEXT matches the extended regular expression.
like()
{
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		ok "$3"
	else
		not_ok "$3" "no line matches '$2' in:
$(printf '%s\n' "$1" | head -n 20)"
	fi
}

# unlike TEXT PATTERN NAME: no line of TEXT matches.
unlike()
{
	if printf '%s\n' "$1" | grep -Eq -e "$2"; then
		not_ok "$3" "'$2' matches: $(printf '%s\n' "$1" | grep -E -e "$2" | head -n 5)"
	else
		ok "$3"
	fi
}

# until_ok COMMAND...: waits for it, 20 s or $patience twentieths of a second; what it said last is in $work/try.
until_ok()
{
	tries=0
	until "$@" >"$work/try" 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt "${patience:-400}" ] || return 1
		sleep 0.05
	done
}

# skip NAME WHY: an assertion that cannot be made here.
skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# skip_all WHY: nothing of this test can run here.
skip_all()
{
	echo "1..0 # SKIP $*"
	exit 0
}

# need PROGRAM...: skips all of the test when one is not installed.
need()
{
	for tap_program; do
		command -v "$tap_program" >/dev/null || skip_all "$tap_program is not installed"
	done
}

# asan_build: the host programs are built with AddressSanitizer.
asan_build() { grep -q '^INSTRUMENT_CFLAGS = .*sanitize=address' "$top_builddir/Makefile" 2>/dev/null; }

# Some tests preload a library into memtrack, which AddressSanitizer refuses unless told otherwise.
if asan_build; then
	ASAN_OPTIONS=verify_asan_link_order=0
	export ASAN_OPTIONS
fi

# needs_plain_build WHY: skips all of the test in such a build.
needs_plain_build()
{
	! asan_build || skip_all "AddressSanitizer: $*"
}

# done_testing: the plan, and the exit status.
done_testing()
{
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ] && [ "$tap_count" -gt 0 ]
	exit $?
}
