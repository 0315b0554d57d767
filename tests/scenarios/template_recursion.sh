# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: sixty template instances with long names.
. "${top_srcdir:-.}/tests/scenarios/scenario.sh"

check()
{
	[ "$depth" != 0 ] || return 0
	ptr=$(awk '$1 == "did" && $3 == "malloc" { print $5 }' "$out")
	stack=$(stack_of "$ptr" | tr ';' '\n')
	is "$(printf '%s\n' "$stack" | grep -c 'descent_through_templates')" "$(say levels)" \
		"all sixty levels ($v)"
	like "$(printf '%s\n' "$stack" | head -n 1)" 'a_type_with_a_rather_long_name<1>, 0>::level' \
		"the innermost ($v)"
	like "$(printf '%s\n' "$stack" | sed -n 30p)" 'a_type_with_a_rather_long_name<30>, 29>::level' \
		"the thirtieth ($v)"
	like "$(printf '%s\n' "$stack" | sed -n 60p)" 'a_type_with_a_rather_long_name<60>, 59>::level' \
		"the outermost ($v)"
	is "$(printf '%s\n' "$stack" | sed -n 61p | sed 's/(.*//')" scenario_template_recursion "its caller ($v)"
}

each_variant template_recursion
done_testing
