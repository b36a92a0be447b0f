# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Compares CITATION.cff with CMakeLists.txt and CHANGELOG.md: perl citation.pl SOURCE_FOLDER
#
# - its version is that of the project;
# - its date-released is that of this version in the changelog ("## [0.1.0] - 2026-01-31"), and absent while it is not released.
use strict;
use warnings;

my $root = shift;

sub text_of {
  my ($file) = @_;
  open(my $in, '<', "$root/$file") or die "$file: $!";
  local $/;
  return <$in>;
}

sub complaints {
  my ($citation, $project, $changelog) = @_;
  my ($version) = $project =~ /project\(\s*Tessera\s+VERSION ([\d.]+)/ or return 'CMakeLists.txt names no version';
  my ($cited) = $citation =~ /^version: "?([^\s"]+)"?$/m or return 'CITATION.cff names no version';
  my ($date) = $citation =~ /^date-released: "?([^\s"]+)"?$/m;
  my ($released) = $changelog =~ /^## \[\Q$version\E\] - (\d{4}-\d\d-\d\d)$/m;
  my @wrong;
  push(@wrong, "CITATION.cff has version $cited, CMakeLists.txt $version") if $cited ne $version;
  push(@wrong, "CITATION.cff lacks $_") for grep { $citation !~ /^$_: ?\S/m && $citation !~ /^$_:\n/m } qw(cff-version message title authors license);
  push(@wrong, 'CITATION.cff has the date ' . ($date // '(none)') . ", CHANGELOG.md for $version " . ($released // '(none)'))
    if ($date // '') ne ($released // '');
  return @wrong;
}

my ($citation, $project, $changelog) = map { text_of($_) } qw(CITATION.cff CMakeLists.txt CHANGELOG.md);
my @wrong = complaints($citation, $project, $changelog);
print "$_\n" for @wrong;
exit(1) if @wrong;

# Each of these errors has to be detected.
my ($version) = $project =~ /project\(\s*Tessera\s+VERSION ([\d.]+)/;
complaints($citation =~ s/^version: /version: 9/mr, $project, $changelog) or die "a wrong version passes\n";
complaints($citation =~ s/^(?:date-released: \S+\n)?/date-released: 1999-12-31\n/mr, $project, $changelog) or die "a wrong date passes\n";
complaints($citation =~ s/^date-released: \S+\n//mr, $project, "## [$version] - 1999-12-31\n") or die "a missing date passes\n";
complaints($citation =~ s/^authors:/writers:/mr, $project, $changelog) or die "a citation without authors passes\n";
print "CITATION.cff agrees with version $version\n";
