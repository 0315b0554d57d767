# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: names and lines (group L), from memtrack to what memview shows.
. "${top_srcdir:-.}/tests/tap.sh"
. "$top_srcdir/tests/memview/screen.sh"

[ -x "$memtrack" ] || skip_all "memtrack is not built"
need objcopy strip readelf
h=$testbin/hazards
here=$top_srcdir/tests/hazards
cc=${MEMTRACK_CC:-cc}
export XDG_RUNTIME_DIR="$work"
cd "$work" || exit 1

# Nothing is kept of what has no build-id, so what was found before hides nothing.
build() { $cc -Wl,--build-id=none -std=gnu11 -D_GNU_SOURCE -fno-builtin "$@" 2>"$work/cc.err"; }
options=

# traced PROGRAM [ARG...]: its trace is t.mtk, the report in t.json.  The exit status of memtrack.
traced()
{
	# shellcheck disable=SC2086
	timeout -k 10 120 "$memtrack" -q --no-report --rss-interval 0 $options -o t.mtk "$@" >out 2>err
	traced_status=$?
	"$memview" --report --json t.mtk >t.json
	return $traced_status
}

# stack_of BYTES: the frames of the one call site that allocated so many, without those below main.
stack_of()
{
	grep -o "\"bytes\":$1}[^]]*\"stack\":\[[^]]*\]" t.json |
		sed 's/.*"stack":\[//; s/,"__libc_start.*//; s/\]$//; s/"//g'
}
notes() { "$memview" --report t.mtk | sed -n '/^Notes/,/^$/p' | tr -s ' \n' ' '; }
notes_of() { notes | grep -o "$1" | wc -l; }

leaves=$here/l113_leaves.c
lines="parent_leak (l113_leaves.c:11),main (l113_leaves.c:24) hidden_leak (l113_leaves.c:16),main (l113_leaves.c:25)"
build -g "$leaves" -o whole -Wl,--build-id=sha1 || skip_all "no compiler"
strip -o bare whole
both_stacks() { echo "$(stack_of 1131) $(stack_of 1132)"; }

# L113: of ld with an address chosen by hand, and whatever other linkers are there.
differs() { readelf -lW "$1" | awk '$1 == "LOAD" && / R E / && $2 != $3 { found = 1 } END { exit !found }'; }
linked()
{
	name=$1
	shift
	if ! build -g "$leaves" -o linked "$@"; then
		skip "L113 $name: the leak has its line" "$(head -n 1 "$work/cc.err")"
		return
	fi
	ok "L113 $name: p_offset is not p_vaddr" differs linked
	traced ./linked
	is "$(both_stacks)" "$lines" "L113 $name: the leak has its line"
}
linked ld -Wl,-z,noseparate-code -Wl,--section-start=.text=0x407000
linked lld -fuse-ld=lld
linked mold -fuse-ld=mold

# L114
traced "$h/l114_split"
is "$(cat out)" 3 "L114 the code lies in three mappings"
is "$(stack_of 1140) $(stack_of 1141) $(stack_of 1142)" \
	"before_cut (l114_split.c:16),main (l114_split.c:41) in_cut (l114_split.c:17),main (l114_split.c:42) behind_cut (l114_split.c:18),main (l114_split.c:43)" \
	"L114 three distinct, right symbols"

# L115: a library, with a build-id and without.
for id in sha1 none; do
	for which in old new; do
		build -g -fPIC -shared "-Wl,--build-id=$id" "-DNAME=${which}_leak" "$here/l115_library.c" -o $which.so || exit 1
	done
	for how in stays gone; do
		cp old.so library.so
		cp new.so other.so
		traced "$h/l115_replaced" $how ./library.so ./other.so
		is $? 0 "L115 build-id $id, $how: the program ends well"
		stack=$(stack_of 1150)
		if [ $how = stays ]; then
			[ "$(id -u)" = 0 ] || { skip "L115 build-id $id: read through the living process" "only root may"; continue; }
			like "$stack" '^old_leak \(l115_library.c:8\),leak ' "L115 build-id $id: read through the living process"
			continue
		fi
		like "$stack" '^library\.so\+0x[0-9a-f]+,library\.so\+0x[0-9a-f]+,main ' \
			"L115 build-id $id: never by another file: module and offset"
		like "$(notes)" 'library\.so changed since it was loaded' "L115 build-id $id: the change is told"
		[ $id = sha1 ] || continue
		hex=$(readelf -n old.so | sed -n 's/.*Build ID: //p')
		mkdir -p "debug/.build-id/$(echo "$hex" | cut -c1-2)"
		cp old.so "debug/.build-id/$(echo "$hex" | cut -c1-2)/$(echo "$hex" | cut -c3-).debug"
		cp old.so library.so
		cp new.so other.so
		options="--symbols-from $work/debug"
		traced "$h/l115_replaced" $how ./library.so ./other.so
		options=
		like "$(stack_of 1150)" '^old_leak \(l115_library.c:8\),leak ' "L115 an old copy is found by its build-id"
		is "$(notes)" "" "L115 and nothing is amiss then"
	done
done
# The program itself.
cp "$h/l115_replaced" goes
cp old.so library.so
cp new.so other.so
printf '%s\n' 'rm goes' "cp $h/l114_split goes" >replace
traced sh -c 'exec 9<goes; sh replace; exec /proc/self/fd/9 stays ./library.so ./other.so'
is "$?:$(stack_of 1151)" "0:main (l115_replaced.c:67)" "L115 a program whose file is another one now is read through the process"

# L116: a program whose symbols debuginfod would be asked for.
"$h/l116_silent" >silent &
silent=$!
trap 'kill $silent; view_stop; tap_cleanup' EXIT
until_ok test -s silent
port=$(head -n 1 silent)
export DEBUGINFOD_URLS="http://127.0.0.1:$port" DEBUGINFOD_TIMEOUT=3600 MEMTRACK_SYMBOL_CACHE=0
traced sh -c 'echo "$DEBUGINFOD_URLS"; exec ./bare'
is "$?:$(cat out)" "0:$DEBUGINFOD_URLS" "L116 memtrack does not wait for debuginfod; the program's environment is as it was"
like "$(both_stacks)" '^bare\+0x' "L116 the report neither"
"$memtrack" -q --no-report --format text -d 8 -o bare.log ./bare
like "$("$memview" --report bare.log)" 'bare\+0x' "L116 nor that of a text log"
for file in t.mtk bare.log; do
	view_start 100 30 "$work/$file"
	shows '[1-9][0-9]* allocs' "L116 nor the viewer, $file"
	press v v v v v v v '?' x q
	ends 0 "L116 which ends as ever, $file"
done
is "$(grep -c connected silent)" 0 "L116 none of them connected"
"$memview" --report "127.0.0.1:$port" >/dev/null 2>&1 &
asks=$!
ok "L116 the server would have told" until_ok grep -q connected silent
kill $asks
unset DEBUGINFOD_URLS DEBUGINFOD_TIMEOUT MEMTRACK_SYMBOL_CACHE

# L117: names always, lines where there are some, one note.
split()
{
	traced split/leaves
	is "$(both_stacks)" "$lines" "L117 $1: functions and lines"
	is "$(notes_of "$work/split/leaves")" "$2" "L117 $1: $2 notes"
}
mkdir split
(cd split && build -g -gsplit-dwarf -c "$leaves" -o leaves.o && build leaves.o -o leaves) || exit 1
split ".dwo" 0
if command -v dwp >/dev/null && (cd split && build -g -gdwarf-4 -gsplit-dwarf -c "$leaves" -o old.o &&
	build old.o -o old && dwp -e old -o old.dwp) >/dev/null 2>&1; then
	mkdir packed
	mv split/old split/old.dwp packed/
	traced packed/old
	is "$(both_stacks)" "$lines" "L117 .dwp: functions and lines"
	ok "L117 .dwp: at most one note" test "$(notes_of "$work/packed/old")" -le 1
else
	skip "L117 .dwp: functions and lines" "no dwp"
fi
rm split/*.dwo
split "no .dwo" 1
like "$(notes)" 'split DWARF file .*\.dwo not found' "L117 the note says what is missing"

# L118: a stripped program and its debug file.
mkdir -p linked_to/.debug "sysroot/usr/lib/debug$work/linked_to" flat wrong
build -g -Wl,--build-id=none "$leaves" -o unlinked || exit 1
objcopy --only-keep-debug unlinked leaves.debug
strip -o linked_to/leaves unlinked
objcopy --add-gnu-debuglink=leaves.debug linked_to/leaves
placed()
{
	cp "${3:-leaves.debug}" "$2/leaves.debug"
	traced linked_to/leaves
	rm "$2/leaves.debug"
	is "$(both_stacks)" "$lines" "L118 .gnu_debuglink $1"
}
placed "beside the program" linked_to
placed "in .debug" linked_to/.debug
options="--symbols-from $work/sysroot"
placed "in another system's /usr/lib/debug" "sysroot/usr/lib/debug$work/linked_to"
options="--symbols-from /nowhere:$work/flat"
placed "in a directory of --symbols-from" flat
MEMTRACK_SYMBOLS_FROM=$work/flat
export MEMTRACK_SYMBOLS_FROM
options=
placed "and of its variable" flat
unset MEMTRACK_SYMBOLS_FROM
cp leaves.debug linked_to/
printf x >>linked_to/leaves.debug
traced linked_to/leaves
like "$(both_stacks)" '^leaves\+0x[0-9a-f]+,leaves\+0x' "L118 another checksum is refused"

# with_id FILE DIRECTORY: as its debug file by build-id
id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
place_of() { id_of "$1" | sed 's|^\(..\)\(.*\)|.build-id/\1/\2.debug|'; }
objcopy --only-keep-debug whole whole.debug
mkdir -p "$(dirname "flat/$(place_of whole)")"
cp whole.debug "flat/$(place_of whole)"
options="--symbols-from $work/flat"
traced ./bare
is "$(both_stacks)" "$lines" "L118 a build-id directory"
build -O1 -g "$leaves" -Wl,--build-id=0x0123456789 -o other_build && cp other_build "flat/$(place_of whole)"
traced ./bare
like "$(both_stacks)" '^bare\+0x' "L118 another build-id is refused"
options=
if command -v dwz >/dev/null; then
	mkdir dwz
	cp whole dwz/one
	build -g -O1 "$leaves" -o dwz/two || exit 1
	(cd dwz && dwz -m common one two) >/dev/null 2>&1
	readelf -SW dwz/one >sections
	if grep -q gnu_debugaltlink sections; then
		traced dwz/one
		is "$(both_stacks)" "$lines" "L118 a dwz file"
		rm dwz/common
		traced dwz/one
		like "$(both_stacks)" '^parent_leak .*hidden_leak' "L118 without it the functions are known"
		is "$(notes_of "$work/dwz/one")" 1 "L118 and it is said"
	else
		skip "L118 a dwz file" "dwz found nothing in common"
	fi
else
	skip "L118 a dwz file" "dwz is not installed"
fi

# L119
build -g -rdynamic "$leaves" -o exported || exit 1
strip exported
traced ./exported
like "$(stack_of 1131)" '^parent_leak \(exported\),main \(exported\)$' "L119 only .dynsym: what is exported has its name"
like "$(stack_of 1132)" '^exported\+0x[0-9a-f]+,main ' "L119 what is not has not its neighbour's"
objcopy --strip-all --keep-section='.debug_*' whole dwarf_only
traced ./dwarf_only
is "$(both_stacks)" "$lines" "L119 only DWARF"
traced ./bare again
like "$(stack_of 1131)" '^bare\+0x[0-9a-f]+,bare\+0x[0-9a-f]+$' "L119 nothing: module and offset"
is "$(grep -o '"allocated":{"count":[0-9]*' t.json | head -n 1)" '"allocated":{"count":2' \
	"L119 every allocation is there"
is "$(notes_of 'no symbols for .*/bare')" 1 "L119 and one hint, though it ran twice"
where=$(stack_of 1131 | sed 's/^bare+0x\([0-9a-f]*\).*/\1/')
line=$(addr2line -fe whole "$where" 2>/dev/null | tr '\n' ' ')
like "$line" 'parent_leak .*l113_leaves.c:1[12]' "L119 the offset is one addr2line understands"

# L120
build -O1 -g "$here/l120_lines.c" -o lines || exit 1
traced ./lines
like "$(stack_of 1201)" '^calls \(l120_lines.c:9\),' "L120 the line of the call"
like "$(stack_of 1202)" '^calls \(l120_lines.c:10\),' "L120 of the next one"
like "$(stack_of 360)" '^calls \(l120_lines.c:13\),' "L120 in a loop that ends with it"
like "$(stack_of 1203)" '^last \(l120_lines.c:19\),' "L120 and of one at the end"

# L121: names that blow up, nest deeply, are Rust's, or nobody's.  many: so many more, never called.
awk 'BEGIN {
	digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for (i = 1; i < 16; i++) {
		sub_ = "S" substr(digits, i, 1) "_"
		bomb = bomb "S_I" sub_ sub_ "E"
	}
	for (i = 0; i < 20000; i++) {
		deep = deep "P"
		rust = rust "B_"
	}
	names["1"] = "_Z1fSt4pairIiiE" bomb
	names["2"] = "_Z1f" deep "i"
	names["3"] = "_RNvC1a" rust
	names["4"] = "_RNvNtCs1234_7mycrate3foo3bar"
	names["5"] = "_RINvNtC3std3mem8align_ofjE"
	names["6"] = "_ZN99999999999999999999xEv"
	print "#include <stdio.h>\n#include <stdlib.h>\nvoid *volatile kept;"
	for (n in names) {
		printf "void f%d(void) __asm__(\"%s\");\nvoid f%d(void) { kept = malloc(%d); }\n", n, names[n], n, 12100 + n
		calls = calls "f" n "(); "
	}
	print "int main(int n, char **arg) { " calls "if (n > 1) (void)!fopen(arg[1], \"r\"); return 0; }"
	for (i = 0; i < 100000; i++) {
		printf "_Z6x%05dSt4pairIiiE%.90s: .skip 16\n", i, bomb >"many.s"
	}
}' >names.c
build names.c -o names || exit 1
traced ./names
is $? 0 "L121 memtrack survives"
like "$(stack_of 12101)" '^f\(std::pair<int, int>, std::pair<.*\.\.\. \(names\),' "L121 a name that doubles fifteen times is cut"
ok "L121 at a length that can be shown" test "$(stack_of 12101 | wc -c)" -lt 4200
like "$(stack_of 12102)" '^_Z1fPPP*i \(names\),' "L121 one nested too deeply stays raw"
like "$(stack_of 12103)" '^_RNvC1a(B_)+ \(names\),' "L121 of Rust, too"
if grep -q 'define HAVE_LIBIBERTY 1' "$top_builddir/config.h"; then
	like "$(stack_of 12104) $(stack_of 12105)" '^mycrate::foo::bar \(names\),.* std::mem::align_of::<usize> \(names\)' "L121 names of Rust's v0"
else
	skip "L121 names of Rust's v0" "libiberty is not there"
fi
like "$(stack_of 12106)" '^_ZN99999999999999999999xEv \(names\),' "L121 one that is none stays as it is"
"$memtrack" -q --no-report --format text -d 8 -o names.log ./names
for file in t.mtk names.log; do
	view_start 100 30 "$work/$file"
	shows '6 allocs' "L121 the viewer survives, too, $file"
	press g j j j '\\' G k k k v v v v v '?' x /
	type_text mycrate
	press Enter v q
	ends 0 "L121 and ends as ever, $file"
done

# A hundred thousand of them, as little work for us as for nm.
cp names.c many.c
printf '__asm__(".include \"many.s\"");\n' >>many.c
build many.c -o many || exit 1
seconds() { bash -c 'TIMEFORMAT="%U"; time "$@" >/dev/null 2>&1' - "$@" 2>&1 | tail -n 1; }
if command -v bash nm >/dev/null; then
	echo "$(seconds nm many) $(seconds "$memtrack" -q --no-report -o many.mtk ./many)" >took
	ok "L121 names nobody asks for are left alone" awk '{ exit !($2 < 3 * $1 + 0.5) }' took
	diag "seconds of CPU of nm and of memtrack: $(cat took)"
fi

# L122: which of the names of one function.
cat >pick.c <<'EOF'
#include <stdlib.h>
void *volatile kept;
__asm__(".section .text.pick,\"ax\",%progbits\n.globl bare\nbare:\n.text");
#define PICK __attribute__((section(".text.pick")))
PICK void a_global_one(void) { kept = malloc(1221); }
static void local(void) __attribute__((alias("a_global_one"), used));
void weak(void) __attribute__((alias("a_global_one"), weak));
void mangled_short(void) __asm__("_ZN1a4pickEv");
void mangled_short(void) { kept = malloc(1222); }
void mangled_long(void) __asm__("_ZN1a4pickIiiiEEiv") __attribute__((alias("_ZN1a4pickEv")));
int main(void) { a_global_one(); mangled_short(); return 0; }
EOF
build -O1 -fno-toplevel-reorder pick.c -o pick || exit 1
is "$(nm pick | sort | awk '/a_global_one|bare$|local$|weak$/ { print $1 }' | uniq -c | awk '{ print $1 }')" 4 "L122 four names of one address"
traced ./pick
like "$(stack_of 1221)" '^a_global_one \(pick\),' "L122 global before weak and local, sized before unsized"
like "$(stack_of 1222)" '^a::pick\(\) \(pick\),' "L122 the shorter of two mangled names, readable"

# The screen does not wait for a hundred thousand symbols; names come when they are found.
mkfifo go
view_start 100 30 -o many.mtk -- ./many go
shows '● LIVE .* [1-9][0-9]* allocs' "L122 the first screen"
press g
shows '#0 +(f\(std::pair|_Z|_RN|mycrate|std::mem)' "L122 a name is filled in while the program runs"
press /
type_text mycrate
press Enter
shows ' 1 shown' "L122 and is found"
: >go
shows '✕ DONE' "L122 it goes on to its end"
press q
ends 0 "L122 and ends well"
done_testing
