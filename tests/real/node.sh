# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: node: JIT code, worker threads, a binary whose segments have holes.
. "${top_srcdir:-.}/tests/real/real.sh"
need node
HOME=$work
export HOME
cat >"$work/program.js" <<'END'
const { Worker, isMainThread, parentPort } = require('worker_threads');
const zlib = require('zlib');
function sum(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s; }
if (!isMainThread) {
	parentPort.postMessage(sum(300000));
} else {
	const rows = [];
	for (let i = 0; i < 20000; i++) rows.push({ id: i, text: 'row ' + i });
	console.log(JSON.stringify(rows).length, sum(300000));
	console.log(zlib.inflateSync(zlib.deflateSync(Buffer.alloc(100000, 'x'))).length);
	console.error('to stderr');
	const worker = new Worker(__filename);
	worker.on('message', m => { console.log('worker', m); process.exitCode = 5; });
}
END
traced_as_untraced node node "$work/program.js"
report_names node 'v8::|node::' 'process .* exited with status 5'
whole_stacks node 30
[ -n "${MEMTRACK_LONG:-}" ] || done_testing
options='--no-report -d 0'
traced_as_untraced "node, no stacks" node "$work/program.js"
done_testing
