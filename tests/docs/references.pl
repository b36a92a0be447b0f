# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the references of the documents: perl references.pl SOURCE_FOLDER
#
# - every link between documents: its file and its heading exist;
# - every source file that a document names with its folder (`core/algorithms/reduce.hpp`), relative to the root or to lib/; the
#   notebook and the changelog may name files of the past;
# - every document that a source file names (docs/performance.md);
# - lines of prose have 140 characters at most.
use strict;
use warnings;
use Encode;
use File::Basename;
use File::Find;

my $root = shift;
my $n = 0;
my @missing;

sub text_of {
  my ($file) = @_;
  open(my $in, '<', $file) or die "$file: $!";
  local $/;
  return <$in>;
}

# Headings of a document as links spell them.
sub headings {
  my ($file) = @_;
  my %found;
  my $in_code = 0;
  for my $line (split(/\n/, text_of($file))) {
    $in_code = !$in_code if $line =~ /^```/;
    next if $in_code || $line !~ /^#+ (.*)/;
    my $heading = lc($1);
    $heading =~ s/[^\w\- ]//g;
    $heading =~ tr/ /-/;
    $found{$heading} = 1;
  }
  return \%found;
}

my @documents = map { "$root/$_" } qw(README.md CONTRIBUTING.md CHANGELOG.md);
find({no_chdir => 1, wanted => sub { push(@documents, $_) if /\.md$/ }}, "$root/docs");
for my $document (sort @documents) {
  my $name = substr($document, length($root) + 1);
  my $text = text_of($document);
  $text =~ s/^```.*?^```//msg;
  for my $line (split(/\n/, decode('UTF-8', $text))) {
    next if $name =~ m{^docs/notebook/} || $line =~ /^\||^    |^!\[|^#/;
    push(@missing, "$name has a line of " . length($line) . " characters: " . substr($line, 0, 60)) if length($line) > 140;
  }
  while ($text =~ /\]\(([^)\s]+)\)/g) {
    my ($file, $heading) = split(/#/, $1, 2);
    next if $file =~ /^https?:/;
    ++$n;
    my $target = $file eq '' ? $document : dirname($document) . "/$file";
    if (!-e $target) {
      push(@missing, "$name links to $file, which does not exist");
    } elsif (defined $heading && !headings($target)->{$heading}) {
      push(@missing, "$name links to the heading '$heading' of " . basename($target) . ", which does not exist");
    }
  }
  next if $name =~ m{^docs/notebook/|^CHANGELOG};
  while ($text =~ m{`((?:[\w.-]+/)+[\w.-]+\.(?:hpp|cpp|in|sh|cmake|pl|txt|md|yaml))`}g) {
    my $file = $1;
    next if $file =~ /^results\//;
    ++$n;
    push(@missing, "$name names $file, which does not exist") unless -e "$root/$file" || -e "$root/lib/$file";
  }
}

my %ending = map { $_ => 1 } qw(hpp cpp in sh cmake pl txt yaml);
find({no_chdir => 1, wanted => sub {
  return unless -f && /\.(\w+)$/ && $ending{$1};
  my $name = substr($_, length($root) + 1);
  my $text = text_of($_);
  while ($text =~ m{\bdocs/([\w/-]+\.md)\b}g) {
    ++$n;
    push(@missing, "$name names docs/$1, which does not exist") unless -e "$root/docs/$1";
  }
}}, map { "$root/$_" } qw(lib apps cmake inputs tests));

print "$_\n" for @missing;
die "no references found\n" unless $n > 100;
printf("%d references, %d findings\n", $n, scalar(@missing));
exit(@missing > 0);
