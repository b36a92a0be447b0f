# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Looks in the sources for the messages that "Troubleshooting" in docs/running.md quotes: perl quoted_messages.pl SOURCE_FOLDER
#
# A quotation ("- `message`: what to do") is split at placeholders (names in quotes, numbers, "..."). As messages are
# composed, each piece has to be contained in the literals of one file, in at most three pieces.
use strict;
use warnings;
use File::Find;

my $root = shift;
my @files; # the string literals of each source file
find({no_chdir => 1, wanted => sub {
  return unless /\.(cpp|hpp)$/;
  open(my $in, '<', $_) or die "$_: $!";
  my $code = do { local $/; <$in> };
  $code =~ s/\\"/\x02/g;
  $code =~ s/"\s*(?:<<)?\s*"//g; # literals that continue
  push(@files, join("\n", map { tr/\x02/"/r } $code =~ /"([^"\n]*)"/g));
}}, "$root/lib", "$root/apps");

sub is_in {
  my ($literals, $words, $n_parts) = @_;
  return 1 unless @$words;
  return 0 if $n_parts == 0;
  for my $n (reverse 1 .. @$words) {
    my $part = join(' ', @$words[0 .. $n - 1]);
    next if index($literals, $part) < 0;
    return 1 if is_in($literals, [@$words[$n .. $#$words]], $n_parts - 1);
  }
  return 0;
}

open(my $in, '<', "$root/docs/running.md") or die "docs/running.md: $!";
my $text = do { local $/; <$in> };
$text =~ s/.*^## Troubleshooting//ms or die "docs/running.md has no section Troubleshooting";
my ($n, $n_missing) = (0, 0);
while ($text =~ /^- ((?:`[^`]+`,? ?(?:or )?)+)/msg) {
  my $quotes = $1;
  while ($quotes =~ /`([^`]+)`/g) {
    my $message = $1 =~ s/\s+/ /gr;
    ++$n;
    for my $piece (split(/\.\.\.|'[^']*'|"[^"]*"|\b\d[\d.e-]*|\bplates\.geo\b|[:()]/, $message)) {
      $piece =~ s/^[\s.;,]+|[\s.;,]+$//g;
      next if ($piece =~ tr/a-zA-Z//) < 6 || grep { is_in($_, [split(' ', $piece)], 3) } @files;
      print "docs/running.md quotes \"$message\", but no source holds \"$piece\"\n";
      ++$n_missing;
    }
  }
}
die "docs/running.md: no quoted messages found\n" unless $n > 10;
print "$n quoted messages, $n_missing pieces that no source holds\n";
exit($n_missing > 0);
