# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Compares the documents with the sources: perl keys.pl SOURCE_FOLDER
#
# - docs/input-reference.md names every key that lib/io reads, and every value of a key with named values (a table of names in
#   lib/io/input/case.cpp, the strategies in lib/assembly);
# - docs/report.md names every phase of a run;
# - CONTRIBUTING.md names every option of the build.
use strict;
use warnings;
use File::Find;

my $root = shift;
my ($n, @missing) = (0);

sub text_of {
  my ($file) = @_;
  open(my $in, '<', $file) or die "$file: $!";
  local $/;
  return <$in>;
}

# Text set as code in the documents: blocks, indented lines and words in back quotes.
my $text = text_of("$root/docs/input-reference.md");
my $reference = '';
$reference .= "$1\n" while $text =~ /^```\w*\n(.*?)^```/msg;
$text =~ s/^```.*?^```//msg;
$reference .= "$1\n" while $text =~ /^    (.*)/mg;
$reference .= "$1\n" while $text =~ /`([^`]+)`/g;

sub expect {
  my ($what, $word, $file) = @_;
  ++$n;
  push(@missing, "the input reference does not name the $what '$word' ($file)") unless $reference =~ /(?<![\w-])\Q$word\E(?![\w-])/;
}

for my $file (glob("$root/lib/io/input/*.cpp"), glob("$root/lib/io/input/sections/*.cpp")) {
  my $name = substr($file, length($root) + 1);
  my $text = text_of($file);
  while ($text =~ /\.(?:number|integer|boolean|text|scalar|numbers|list|map|choice|find|require|has)\("([a-z_]+)"/g) {
    expect('key', $1, $name);
  }
  while ($text =~ /TESSERA_NAMES\(([^)]*)\)/g) {
    my $entries = $1;
    expect('value', $1, $name) while $entries =~ /\{"([\w.-]+)"/g;
  }
}
for my $file ('lib/assembly/strategy.hpp', 'lib/assembly/dg/strategy.hpp') {
  my $text = text_of("$root/$file");
  $text =~ /strategy_table\[\] = \{(.*?)\n\};/s or die "$file has no strategy_table\n";
  my $entries = $1;
  expect('value', $1, $file) while $entries =~ /\{Strategy::\w+, "([\w-]+)"/g;
}

my $report = text_of("$root/docs/report.md");
find({no_chdir => 1, wanted => sub {
  return unless /\.[ch]pp$/;
  my $source = text_of($_);
  while ($source =~ /"((?:mesh|memory|form|assembly|processes|solver|quantities|output): [a-zA-Z -]+)"/g) {
    ++$n;
    push(@missing, "docs/report.md does not name the phase '$1' (" . substr($_, length($root) + 1) . ')') unless $report =~ /`$1`/;
  }
}}, "$root/lib/driver");

my $contributing = text_of("$root/CONTRIBUTING.md");
my $build = text_of("$root/CMakeLists.txt") . text_of("$root/cmake/TesseraCompiler.cmake");
while ($build =~ /^\s*(?:option\((Tessera_\w+)|set\((Tessera_\w+) \S+ CACHE)/mg) {
  my $option = $1 // $2;
  ++$n;
  push(@missing, "CONTRIBUTING.md does not name the option $option") unless $contributing =~ /`$option`/;
}

print "$_\n" for @missing;
die "too few keys and values found: $n\n" unless $n > 150;
printf("%d keys, values, phases and options, %d of them not in the documents\n", $n, scalar(@missing));
exit(@missing > 0);
