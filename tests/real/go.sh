# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: Go: a program of its own allocator is run and said to be one; what its C parts allocate is
# recorded.
. "${top_srcdir:-.}/tests/real/real.sh"
need go gcc
GOCACHE=$work/cache GOFLAGS=-mod=mod GO111MODULE=off HOME=$work
export GOCACHE GOFLAGS GO111MODULE HOME
cat >"$work/cgo.go" <<'END'
package main

/*
#include <stdlib.h>
static void *make_block(int n) { return malloc(n); }
*/
import "C"
import "fmt"

func main() {
	n := 0
	for i := 1; i <= 1000; i++ {
		p := C.make_block(C.int(i))
		n += i
		if i%10 != 0 {
			C.free(p)
		}
	}
	done := make(chan int)
	for g := 0; g < 4; g++ {
		go func() { s := ""; for i := 0; i < 1000; i++ { s = fmt.Sprint(i) }; done <- len(s) }()
	}
	for g := 0; g < 4; g++ {
		n += <-done
	}
	fmt.Println(n)
}
END
(cd "$work" && go build -o cgo cgo.go) >"$work/go.log" 2>&1 || skip_all "go cannot build with cgo: $(tail -n 1 "$work/go.log")"
options='--no-report -q'	# it says on stderr that Go has an allocator of its own
traced_as_untraced "go with C" "$work/cgo"
report_names "go with C" 'make_block' 'A Go program: its own heap is not visible'
is "$("$testbin/tools/trace_dump" "$work/traces/t.mtk" | grep -c 'make_block')" 1000 "go with C: each block has its stack"
done_testing
