# SPDX-License-Identifier: LGPL-2.1-or-later
# Purpose: perl: hashes, strings, regular expressions.
. "${top_srcdir:-.}/tests/real/real.sh"
need perl

cat >"$work/program.pl" <<'END'
my (%count, @lines);
open my $in, '<', $ARGV[0] or die;
while (<$in>) { push @lines, $_; $count{lc $_}++ for /(\w+)/g }
my %by_length;
push @{ $by_length{length $_} }, $_ for keys %count;
print "$_ ", scalar @{ $by_length{$_} }, "\n" for sort { $a <=> $b } keys %by_length;
print STDERR scalar(@lines), " lines\n";
exit 4;
END
traced_as_untraced perl perl "$work/program.pl" "$top_srcdir/COPYING"
done_testing
