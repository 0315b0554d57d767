# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: host code allocates through base/alloc.h, hook code does not allocate, libraries do not exit.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || exit 1

# calls NAMES FILE...: where one of the functions is called; comments and strings do not count.
calls()
{
	names=$1
	shift
	for file; do
		[ -f "$file" ] || continue
		# shellcheck disable=SC2086
		${MEMTRACK_CC:-cc} -fpreprocessed -dD -E "$file" 2>/dev/null | sed 's/"\([^"\\]\|\\.\)*"/""/g' |
			awk -v f="$file" -v names="$names" '
				/^# [0-9]+ "/ { line = $2 - 1; next }
				{ line++ }
				$0 ~ "(^|[^A-Za-z0-9_>.])(" names ")[ \t]*\\(" { print f ":" line ": " $0 }'
	done
}

allocators='malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf|vasprintf|aligned_alloc|posix_memalign'

is "$(calls "$allocators" base/*.c symbols/*.c inject/*.c store/*.c wire/*.c launcher/*.c model/*.c memview/*.c |
	grep -v '^base/alloc\.c:' | head -n 20)" "" "host code uses x*alloc only"

hook=$(printf '%s\n' hook/*.c hook/*.h trace/*.c trace/*.h)
# shellcheck disable=SC2086
is "$(calls "$allocators|free|printf|fprintf|snprintf|exit|_exit|abort|pthread_mutex_[a-z]+|dlsym|dlopen|dl_iterate_phdr|getenv" $hook |
	grep -vE 'EXPORT|FUNCTION|HOOK_|REAL|^hook/(real|other|interpose_[a-z]+)\.[ch]:' | head -n 20)" "" \
	"hook code neither allocates nor calls stdio, exit, locks or the loader"
is "$(calls 'exit|_exit|printf|puts|perror|err|errx|warn|warnx' base/*.c symbols/*.c inject/*.c store/*.c wire/*.c model/*.c |
	grep -v '^base/\(alloc\|options\)\.c:' | head -n 20)" "" "libraries neither print nor exit"
is "$(calls 'gets|strtok|vsprintf' */*.c | head -n 20)" "" \
	"no unbounded string function"
done_testing
