# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: the median of v[1 .. n], which is sorted afterwards.
function sort(v, n,    i, j, t)
{
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] > v[j]; j--) {
			t = v[j]
			v[j] = v[j - 1]
			v[j - 1] = t
		}
}

function median(v, n)
{
	sort(v, n)
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
