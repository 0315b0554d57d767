# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: from the hook to the file: full disks, readers that leave, descriptors, limits, deaths (group J).
# shellcheck disable=SC3045	# dash and bash know ulimit
. "${top_srcdir:-.}/tests/hazards/hazard.sh"

loads() { "$memview" --report "$1" >"$work/report" 2>&1; }
loads_part() { loads "$1" || [ $? -eq 1 ]; }	# it may have no end

# lives NAME STDERR-PATTERN: the last run was undisturbed but for one warning.
lives()
{
	is "$(cat "$work/status")" 0 "$1: the program is not disturbed"
	is "$(grep -c "$2" "$work/err"):$(grep -vc '^memtrack: ' "$work/err")" "1:0" "$1: one warning"
}
run() { "$memtrack" --no-report "$@" >"$work/out" 2>"$work/err"; echo $? >"$work/status"; }

mkdir "$work/small"
if mount -t tmpfs -o size=16k none "$work/small" 2>/dev/null; then
	for format in text mtk; do
		run --format $format -o "$work/small/t" "$h/j97_long" 200000
		lives "J88 a full disk, $format" 'No space left on device'
		ok "J88 a full disk, $format: what fitted loads" loads_part "$work/small/t"
		rm -f "$work/small/t"
	done
	umount "$work/small"
else
	by_hand J88 "a full disk" "cannot mount a tmpfs"
fi
(ulimit -f 64; run --format text -o "$trace" "$h/j97_long" 20000)
lives "J88 a limit of file size" 'File too large'

# A named pipe whose reader goes away.
mkfifo "$work/pipe"
head -c 1000 "$work/pipe" >/dev/null &
run --format text -o "$work/pipe" "$h/j97_long" 100000
wait
is "$(cat "$work/status" "$work/err")" 0 "J89 the reader of a pipe leaves"
by_hand J89 "a viewer is killed" "see tests/kill/viewer.sh"

hazard J90 "every descriptor closed, one by one" made::9000=20050 made::9001=20050 live::9000=0 \
	-- "$h/j90_closes"
modes="text/64 mtk/0"
hazard J90 "every descriptor closed at once" made::9000=20050 made::9001=20050 live::9000=0 \
	-- "$h/j90_closes" range
plain

in_folder native sh -c '"$@" <&- >&- 2>&-' - "$h/j91_no_stdio"
next_turn
for hazard_mode in $turn; do
	format=${hazard_mode%/*} depth=${hazard_mode#*/}
	rm -f "$trace"
	in_folder traced sh -c '"$@" <&- >&- 2>&-' - "$memtrack" -q --no-report --format "$format" -d "$depth" \
		-o "$trace" "$h/j91_no_stdio"
	is "$(differ; "$h/ledger" "$trace" made::9191=10000 live::9191=0)" "" \
		"J91 started without 0, 1 and 2, $format, $depth frames"
done
by_hand J92 "no descriptor is left to the program or its children" "is part of J90"

if [ "$(id -u)" = 0 ]; then
	deep="live_in:last_words=1 in:main>=50001"
	hazard J93 "confined before it begins" made:malloc:9393=50000 live::9393=0 live:malloc:12345=1 \
		-- "$h/j93_confined"
	plain
else
	by_hand J93 "confined before it begins" "needs root"
fi

for limit in as data fsize nofile stack nproc memlock; do
	hazard J94 "a limit lowered: $limit" "made:malloc:9494>=2000" live::9494=0 -- "$h/j94_limits" $limit
done
hazard J94 "all memory locked" "made:malloc:1048576=1" live::1048576=0 -- "$h/j94_locked"

hazard J95 "killed" live:malloc:9595=100 live::9596=0 made::9596=10000 -- "$h/j95_killed"
modes="mtk/0 mtk/64"
hazard J95 "killed" signal=9 blocks.peak=100 -- "$h/j95_killed"
plain
ok "J95 the file loads" loads "$trace"
like "$(cat "$work/report")" 'killed by signal 9' "J95 the report says what killed it"

for format in text mtk; do
	run -q --format $format -d 8 -o "$trace" "$h/j96_small"
	bytes=$(wc -c <"$trace")
	for length in 0 4 $((bytes / 3)) $((bytes - 1)); do
		head -c $length "$trace" >"$work/cut"
		loads "$work/cut"
		like "$?" '^[012]$' "J96 $length of a $format trace's bytes"
		[ "$format" = text ] || [ "$length" = $((bytes - 1)) ] ||
			like "$(cat "$work/report")" 'cut off|truncated|empty|not a trace|no trace|neither' "J96 ... and says so"
	done
done
if "$h/j96_damage" "$trace" >"$work/damage" 2>&1; then
	ok "J96 every cut and every byte turned over ($(head -n 1 "$work/damage" | tr -d '#'))"
else
	not_ok "J96 every cut and every byte turned over" "$(cat "$work/damage")"
fi

# rss TIMES: KiB that the report of a run so long needs
rss()
{
	"$memtrack" -q --no-report -d 0 -o "$trace" "$h/j97_long" "$1"
	"$h/peak_rss" "$work/rss" "$memview" --report "$trace" >/dev/null
	cat "$work/rss"
}
short=$(rss 20000)
long=$(rss 400000)
ok "J97 the report of 400000 allocations needs no more memory than that of 20000 ($long, $short KiB)" \
	[ $((long - short)) -lt 4096 ]

expect="damaged=0 complete=1"
modes="mtk/0 mtk/64"
everything="lost>0 inexact=1 events+lost>=400000 events+lost<400020"
options=--drop
# shellcheck disable=SC2086
hazard J98 "nobody drains, --drop" $everything -- "$h/j98_flood" stop
options=
# shellcheck disable=SC2086
hazard J98 "nobody drains for more than a second" $everything -- "$h/j98_flood" stop
plain
run -d 0 --drop -o "$trace" "$h/j98_flood" stop
like "$(cat "$work/err")" '^memtrack: [0-9,]+ of [0-9,]+ events were lost' "J98 losses are told"
options="--buffer-size 64K"
hazard J98 "waits in handlers and around forks" made:malloc:9898=200000 made:malloc:9899=5000 live::9898=0 \
	live::9899=0 unknown=0 -- "$h/j98_flood"
plain

hazard J99 "no mapping left" made:malloc:9999=2000 live::9999=0 -- "$h/j99_mappings"

expect=none
modes="text/0 mtk/64"
: >"$work/plain"
printf '#!/no/such/interpreter\n' >"$work/script"
chmod +x "$work/script"
hazard J100 "no such program" -- env "$work/none"
run -o "$trace" "$work/none"
is "$(cat "$work/status")" 127 "J100 no such program"
run -o "$trace" "$work/plain"
is "$(cat "$work/status")" 126 "J100 not executable"
run -o "$trace" "$work/script"
is "$(cat "$work/status")" 127 "J100 no such interpreter"
hazard J100 "ends before main" -- "$h/j100_early_exit"
done_testing
