# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the workloads of bench/run and bench/profile, sourced by both: what to run, with which input,
# and in which size.
#
# A workload is NAME or NAME:NUMBER; the number is the threads of tight and crossing, and the frames of
# deep.  SCALE divides its work: 1 the whole, 10 for what slows a program a hundred times, 100 for
# valgrind.  $source, $build and $work (a folder for inputs) are the caller's.

workloads='tight deep crossing containers python perl sqlite cc1 cc1plus git pack xmllint jq gdb redis'

# workload_program NAME: what it runs; empty: ours.
workload_program()
{
	case ${1%:*} in
	tight | deep | crossing | containers) echo ;;
	python) echo /usr/bin/python3 ;;
	sqlite) echo sqlite3 ;;
	cc1 | cc1plus) gcc -print-prog-name="$1" ;;
	pack) echo git ;;
	redis) echo redis-server ;;
	true) echo /bin/true ;;
	*) echo "$1" ;;
	esac
}

# workload_there NAME: can it be run here?
workload_there()
{
	set -- "$(workload_program "$1")"
	[ -z "$1" ] || command -v "$1" >/dev/null
}

# workload NAME SCALE COMMAND...: runs COMMAND... followed by the workload.  Input is made once.
workload()
{
	base=${1%:*} number=${1#"${1%:*}"} number=${number#:} scale=$2
	shift 2
	input=$work/$base.$scale STOPWATCH_INPUT=
	export STOPWATCH_INPUT
	case $base in
	tight) "$@" "$build/bench/tight" $((2000000 / scale)) "${number:-1}" ;;
	deep) "$@" "$build/bench/deep" $((500000 / scale)) "${number:-30}" ;;
	crossing) "$@" "$build/bench/crossing" $((1000000 / scale)) "${number:-4}" ;;
	containers) "$@" "$build/bench/containers" $((300000 / scale)) ;;
	true) "$@" /bin/true ;;
	python)
		made "$input" python_program
		PYTHONMALLOC=malloc "$@" /usr/bin/python3 "$input" ;;
	perl)
		made "$input" perl_program
		"$@" perl "$input" ;;
	sqlite)
		made "$input" inserts
		STOPWATCH_INPUT=$input
		"$@" sqlite3 :memory: ;;
	cc1)
		made "$input" unit_c
		"$@" "$(gcc -print-prog-name=cc1)" -quiet -O2 -o "$work/out.s" "$input" ;;
	cc1plus)
		made "$input" unit_cxx
		"$@" "$(gcc -print-prog-name=cc1plus)" -quiet -O1 -std=gnu++17 -fpreprocessed -o "$work/out.s" "$input" ;;
	git)
		repository_made "$input"
		"$@" git -C "$input" log --stat ;;
	pack)
		repository_made "$input"
		"$@" git -C "$input" pack-objects --all --stdout -q --window=20 --no-reuse-delta ;;
	xmllint)
		made "$input" document_xml
		"$@" xmllint --format --noout "$input" ;;
	jq)
		made "$input" document_json
		"$@" jq -c 'group_by(.tags) | map(length)' "$input" ;;
	gdb) gdb_run "$@" ;;
	redis) redis_run "$@" ;;
	*) echo "no such workload: $base" >&2; exit 2 ;;
	esac
}

# made FILE FUNCTION: what FUNCTION prints, unless it is there.
made()
{
	[ -s "$1" ] || "$2" >"$1"
}

python_program()
{
	cat <<END
words = {}
for i in range($((70000 / scale))):
    words.setdefault("word%d" % (i * 7919 % 30011), []).append(str(i))
print(sum(len(w) for w in words.values()))
END
}

perl_program()
{
	cat <<END
my %h;
for my \$i (1 .. $((150000 / scale))) { push @{ \$h{"key" . \$i * 7919 % 30011} }, "value \$i"; }
print scalar(keys %h), "\n";
END
}

inserts()
{
	awk -v n=$((40000 / scale)) 'BEGIN {
		print "create table t (a integer primary key, b text); create index i on t (b); begin;"
		for (i = 0; i < n; i++)
			print "insert into t values (" i ", \x27row number " i * 7919 % 200003 "\x27);"
		print "commit; select count(*) from t;"
	}'
}

# A translation unit of some size: the generated functions keep the optimiser busy.
unit_c()
{
	awk -v n=$((80 / scale + 4)) 'BEGIN {
		print "struct s { int a[16]; struct s *next; double d; };"
		for (i = 0; i < n; i++) {
			print "int f" i "(struct s *p, int n) { int sum = 0; for (int i = 0; i < n; i++) {"
			print "switch (p->a[i & 15] % 7) { case 0: sum += i * " i "; break; case 1: sum ^= p->a[(i + 3) & 15]; break;"
			print "case 2: if (p->next) p = p->next; break; case 3: p->d *= sum; break; default: p->a[i & 15] = sum + " i "; } }"
			print "return sum + (int)p->d; }"
		}
	}'
}

# Headers of the standard library and templates instantiated from them.
unit_cxx()
{
	awk -v n=$((2 / scale + 1)) 'BEGIN {
		print "#include <algorithm>\n#include <functional>\n#include <map>\n#include <string>\n#include <vector>"
		for (i = 0; i < n; i++) {
			print "struct s" i " { int a; std::string b; bool operator<(const s" i " &o) const { return a < o.a; } };"
			print "int f" i "(std::map<s" i ", std::vector<std::string>> &m, std::function<int(int)> g) {"
			print "std::vector<s" i "> v; for (auto &e : m) if (g(e.first.a)) v.push_back(e.first);"
			print "std::sort(v.begin(), v.end()); m.erase(v.at(0)); return v.empty() ? 0 : v.back().a; }"
		}
	}' | g++ -E -P -std=gnu++17 -x c++ -
}

document_xml()
{
	awk -v n=$((50000 / scale)) 'BEGIN {
		print "<?xml version=\"1.0\"?>\n<list>"
		for (i = 0; i < n; i++)
			print "<item id=\"n" i "\"><name>item " i "</name><text a=\"b\">" i * i "</text></item>"
		print "</list>"
	}'
}

document_json()
{
	awk -v n=$((50000 / scale)) 'BEGIN {
		print "["
		for (i = 0; i < n; i++)
			print "{\"id\":" i ",\"name\":\"item " i "\",\"tags\":[\"a\",\"b" i % 10 "\"]},"
		print "{}]"
	}'
}

# A repository of generated files, always the same one.
repository_made()
{
	[ ! -d "$1" ] || return 0
	git init -q --bare -b main "$1"
	awk -v n=$((200 / scale + 5)) '
		function numbers(from, step, to,    text) {
			for (; from <= to; from += step)
				text = text from "\n"
			return text
		}
		BEGIN {
			for (i = 1; i <= n; i++) {
				print "commit refs/heads/main\ncommitter A U Thor <author@example.org> " 1700000000 + i " +0000"
				print "data <<END\nChange number " i "\nEND"
				for (f = 0; f < 10; f++)
					print "M 644 inline file" (i + f) % 40 "\ndata <<END\n" numbers(i, f + 3, i * 20 + 400) "END"
			}
		}' | git -C "$1" fast-import --quiet
}

# All debug information of the launcher, which is of some size.
gdb_run()
{
	what='info types mod'
	[ "$scale" = 1 ] || what='info line main'
	HOME=$work "$@" gdb -nx -batch -readnow -ex "$what" "$build/memtrack"
}

# The server is the workload; its client comes when the socket is there, and ends it.
redis_run()
{
	rm -f "$work/redis.sock"
	(
		until [ -S "$work/redis.sock" ]; do sleep 0.05; done
		redis-benchmark -s "$work/redis.sock" -n $((100000 / scale)) -c 20 -P 16 -q -r 10000 -t set,lpush,hset,zadd
		redis-cli -s "$work/redis.sock" shutdown nosave
	) >/dev/null 2>&1 &
	"$@" redis-server --port 0 --unixsocket "$work/redis.sock" --save '' --appendonly no --dir "$work"
	wait "$!"
}
