# SPDX-License-Identifier: Apache-2.0
# fast
# needs perl
perl -e 'my %h; $h{$_ % 1000} .= chr(65 + $_ % 26) for 1 .. 200000; print join(",", map { length $h{$_} } sort keys %h), "\n"'
perl -e 'if (my $p = fork) { waitpid $p, 0; print $? >> 8, "\n" } else { my @a = map { "x" x $_ } 1 .. 1000; exit 9 }'
perl -e 'local $SIG{ALRM} = sub { die "alarm\n" }; eval { alarm 1; my @a; push @a, "x" x 1000, splice @a, 0 while 1 }; print $@; kill 9, $$'
