# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the hook for 64-bit ARM and programs that test it, built beside the rest, run by qemu-user.  To be
# sourced:
#
#	cross TARGET...		made by cross.mk in $out; skips the whole test where that cannot be
#	arm PROGRAM [ARG...]	runs one of them, with the variables in $arm_env
#
# On an ARM machine the suite itself is this test.
. "${top_srcdir:-.}/tests/tap.sh"

arm_cc=${MEMTRACK_ARM_CC:-aarch64-linux-gnu-gcc}
arm_tools=${arm_cc%gcc}
out=$top_builddir/tests/aarch64/out
arm_env=

[ "$(uname -m)" != aarch64 ] || skip_all "this is such a machine"
need "$arm_cc" make flock
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || skip_all "qemu-aarch64 is not installed (qemu-user)"
arm_root=${MEMTRACK_ARM_ROOT:-/usr/aarch64-linux-gnu}
[ -f "$arm_root/lib/ld-linux-aarch64.so.1" ] || skip_all "no aarch64 libc in $arm_root (libc6-dev-arm64-cross)"

# Several tests want the same things at once.  A compiler that the suite is being measured with is not ours.
cross()
{
	mkdir -p "$out"
	if ! (cd "$out" && unset MAKEFLAGS MFLAGS MAKELEVEL &&
		flock .lock make -s -j2 -I "$top_srcdir" -f "$top_srcdir/tests/aarch64/cross.mk" top_srcdir="$top_srcdir" \
			CC="$arm_cc" CXX="${arm_tools}g++" "$@") >"$work/make.log" 2>&1; then
		not_ok "$* can be built" "$(tail -n 20 "$work/make.log")"
		done_testing
	fi
}

has_cxx() { command -v "${arm_tools}g++" >/dev/null && [ -f "$arm_root/lib/libstdc++.so.6" ]; }

arm()
{
	arm_options=
	for arm_variable in $arm_env; do
		arm_options="$arm_options -E $arm_variable"
	done
	# -cpu max: with pointer authentication.
	# shellcheck disable=SC2086
	timeout 100 "$qemu" -cpu max -L "$arm_root" $arm_options "$@"
}

# speaks_tap NAME PROGRAM [ARG...]: it passes all of its own assertions, of which there are some.
speaks_tap()
{
	name=$1
	shift
	arm "$@" >"$work/tap.out" 2>&1
	status=$?
	if [ $status -eq 0 ] && grep -q '^1\.\.[1-9]' "$work/tap.out"; then
		ok "$name: $(grep -c '^ok' "$work/tap.out") assertions"
	else
		not_ok "$name" "exit $status: $(grep -v '^ok' "$work/tap.out" | head -n 20)"
	fi
}
