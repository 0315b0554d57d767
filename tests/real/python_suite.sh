# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: python3's own tests of json, threads and processes; all of them with MEMTRACK_LONG=1.
. "${top_srcdir:-.}/tests/real/real.sh"
python=/usr/bin/python3
"$python" -c 'import test.test_json' 2>/dev/null ||
	skip_all "python3's tests are not installed (Debian: libpython3.11-testsuite)"

HOME=$work
export HOME
cd "$work" || exit 1
options='--no-report --follow'
processes='test.test_subprocess.ProcessTestCase.test_call_seq
	test.test_subprocess.ProcessTestCase.test_check_output
	test.test_subprocess.ProcessTestCase.test_communicate_pipe_fd_leak
	test.test_subprocess.POSIXProcessTestCase.test_preexec_errpipe_does_not_double_close_pipes
	test.test_subprocess.POSIXProcessTestCase.test_close_fds_after_preexec
	test.test_threading.ThreadTests.test_daemon_param
	test.test_threading.ThreadJoinOnShutdown.test_2_join_in_forked_process'
times='s/[0-9.]+ (sec|ms|s)\b/TIME/g; s/load avg: [0-9.]+//; s/^0:[0-9:]+ *//; s/in [0-9.]+s/in TIME/'

# suite NAME LEAST COMMAND...
suite()
{
	name=$1 least=$2
	shift 2
	run_plain "$@"
	run_traced "$@"
	is "$(cat "$work/traced.status")" 0 "$name: passes"
	same_runs "$name" "$times"
	check_family "$name" "$least"
}

suite "json" 1 "$python" -m unittest test.test_json.test_dump test.test_json.test_scanstring
# shellcheck disable=SC2086
suite "threads and processes" 5 "$python" -m unittest $processes
if [ -n "${MEMTRACK_LONG:-}" ]; then
	for module in test_json test_threading test_subprocess; do
		suite "$module, all" 1 "$python" -m test "$module"
	done
fi
done_testing
