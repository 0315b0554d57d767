# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: all allocator calls after an attach are in the trace, and nothing else: compared, call for call
# and byte for byte, with what the kernel counts behind the patched bytes (counting.sh).
#
# MEMTRACK_LONG=1 does so with all programs that are here, by both forms of the hook.  MEMTRACK_TABLE=FILE
# appends the figures to FILE.
#
# Nothing is approximate: while memtrack comes and goes the program waits in a system call, or is stopped
# there.  What is compared: calls of malloc (with strdup and the operators, which come down to it), calloc,
# realloc, aligned allocations, frees of blocks, blocks given to realloc; and the bytes asked for.  A call that
# an allocator makes to itself is no call of the program's: the places of such calls are counted, too, and taken off.
. "${top_srcdir:-.}/tests/attach/counting.sh"
need nm objdump
[ "$(uname -m)" = x86_64 ] || skip_all "entries are patched on x86-64 only"

# in_read PID: it waits for its input; all its other threads, if any, wait as well.
in_read() { grep -q '^0 0x0 ' "/proc/$1/syscall"; }

# serve COMMAND...: starts a program; it says "ready" and then reads a line.  $target.
serve()
{
	rm -f "$work/in" "$work/out"
	mkfifo "$work/in"
	LD_LIBRARY_PATH=$work/lib "$@" <"$work/in" >"$work/out" 2>"$work/serve.err" &
	target=$!
	exec 6>"$work/in"
	until_ok grep -qs ready "$work/out" && until_ok in_read "$target"
}

dismiss()
{
	exec 6>&-
	wait "$target"
	dismissed=$?
}

# watch NAME COMMAND...: a program that works from one line that it reads to the next.
watch()
{
	program_name="$1, $inject"
	shift
	serve "$@"
	if ! window "$target" "$inject"; then
		not_ok "$program_name" "$(cat "$work/probes.err" "$work/memtrack.err" "$work/serve.err")"
		dismiss
		return 1
	fi
	echo >&6
	until_ok grep -q live "$work/out" && until_ok in_read "$target"
	close_window
	echo >&6
	dismiss
	is "$dismissed" 0 "$program_name: it ends as ever"
}

program() { watch "$@" && agree "$program_name"; }

# The caller has counted, too, and knows what is live.
caller_agrees()
{
	is "$(awk '/^(malloc|calloc|realloc|free|memalign) / { n[$1] = $2 } END { print n["malloc"], n["calloc"],
		n["realloc"], n["free"], n["memalign"] }' "$work/traced")" "$(sed -n 's/^counted //p' "$work/out")" \
		"$program_name: as it counts itself"
	is "$("$dump" "$trace" | awk '$1 == "event" && $7 == 0 { if ($4 == "free") delete size[$6]
		else if ($4 !~ /map|brk|EXIT/) size[$6] = $5 }
		END { for (a in size) { n++; bytes += size[a] } print n + 0, bytes + 0 }')" \
		"$(sed -n 's/^live //p' "$work/out")" "$program_name: what is live"
	is "$(awk '$1 == "older" { print $2 }' "$work/report")" 64 "$program_name: blocks from before"
}

caller() { places "$libc" && program "$@"; }
own() { places "$2" && program "$@"; }

# linked NAME LIBRARY: a program on another allocator.
linked()
{
	set -- "$1" "/usr/lib/x86_64-linux-gnu/$2"
	[ -e "$2" ] || { skip "$1" "$2 is not installed"; return; }
	linked_copy=$(private "$2")
	$compile -o "$work/linked" "$source" "$linked_copy" -pthread || { skip "$1" "cannot be linked"; return; }
	places "$libc" "$linked_copy"
	program "$1" "$work/linked" saved 100
	caller_agrees
	program "$1, threads" "$work/linked" threads 20
}

python() { places "$libc" && program "$1" "$2" "$top_srcdir/tests/attach/imports.py"; }

libc=$(private "$(ldd "$testbin/attach/caller" | awk '$1 == "libc.so.6" { print $3 }')")
source=$top_srcdir/tests/attach/caller.c
compile="${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O2 -fno-builtin"
options=--no-report
places "$libc"
start_probes || skip_all "calls cannot be counted here: $(cat "$work/probes.err")"
stop_probes

inject=dlopen
caller "saved pointers" "$testbin/attach/caller" saved 200
caller_agrees
like "$(tr -s '\n ' ' ' <"$work/report")" "Patched: [^.]*malloc, free[^.]* in libc\.so\.6" "the report names what is patched"

# A breakpoint where the jump would be: the function's slots are redirected, and the report tells.
echo "calloc $libc $(nm -D "$libc" | awk '$3 ~ /^calloc@/ { print $1 }') - -" >"$work/places"
watch "a breakpoint at calloc" "$testbin/attach/caller" saved 10
like "$(tr -s '\n ' ' ' <"$work/report")" "Not all is seen: calls of calloc in libc\.so\.6 by saved pointers .* are missed \(a breakpoint" \
	"the report says what is not patched"
is "$(awk '$1 == "calloc" { print $2 < 40 }' "$work/traced")$(awk '$1 == "free" { print $2 }' "$work/traced")" \
	"1$(awk '/^counted/ { print $5 }' "$work/out")" "and all else is seen"
places "$libc"

inject=map
program "ending threads" "$testbin/attach/caller" threads 20
options="--no-report --no-findings -d 0"
program "ending threads without findings" "$testbin/attach/caller" threads 20
options=--no-report
[ -z "${MEMTRACK_LONG:-}" ] || . "$top_srcdir/tests/attach/counts_long.sh"
done_testing
