# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Compares the manual page with the output of --help: perl manual.pl PROGRAM PAGE
#
# - every command and every option of the program is in the page, a command's options in its section;
# - every option in the page is one of the program.
# Then it removes each option and each command from the page in turn and checks that this is detected.
use strict;
use warnings;

my ($program, $page) = @ARGV;

sub help_of {
  my @command = @_;
  open(my $in, '-|', $program, @command, '--help') or die "$program: $!";
  local $/;
  my $text = <$in>;
  close($in) or die "$program @command --help failed\n";
  return $text;
}

# Options in the list of a help text: the line begins with them.
sub options_of {
  my ($text) = @_;
  return map { my $line = $_; $line =~ /(?<![\w-])(--?[a-z][\w-]*)/g } map { /^  (-\S+)/ ? $1 : () } split(/\n/, $text);
}

my $global = help_of();
my ($list) = $global =~ /^Subcommands:\n(.*)/ms or die "the help of the program lists no commands\n";
my %options = ('' => [options_of($global)]);
$options{$_} = [grep { !/^(-h|--help)$/ } options_of(help_of($_))] for $list =~ /^  (\w+)/mg;

# Errors in a page, one per line.
sub complaints {
  my ($text) = @_;
  $text =~ s/\\-/-/g;
  my ($all) = $text =~ /^\.SH OPTIONS\n(.*?)^\.SH /ms or return 'the page has no section OPTIONS';
  my %section = map { /^\.SS Of (?:tessera )?(\w+).*?\n(.*)/s ? ($1 eq 'all' ? '' : $1, $2) : () } split(/^(?=\.SS )/m, $all);
  my @wrong;
  for my $command (sort keys %options) {
    push(@wrong, "the page does not describe 'tessera $command'")
      if $command ne '' && $text !~ /^\.(?:BR? )"?tessera $command\b/m;
    # Only headings of entries count, not what their text mentions.
    my $heads = join("\n", ($section{$command} // '') =~ /^\.TP\n(.*)/mg);
    my %there = map { $_ => 1 } $heads =~ /(?<![\w-])(--?[a-z][\w-]*)/g;
    for my $option (@{$options{$command}}) {
      push(@wrong, "the page lacks the option $option of 'tessera $command'") unless delete $there{$option};
    }
    push(@wrong, "the page tells of $_, which 'tessera $command' does not have") for sort keys %there;
  }
  return @wrong;
}

open(my $in, '<', $page) or die "$page: $!";
my $text = do { local $/; <$in> };
my @wrong = complaints($text);
print "$_\n" for @wrong;
exit(1) if @wrong;

my $n = 0;
for my $command (sort keys %options) {
  for my $option (@{$options{$command}}) {
    my $roff = $option =~ s/-/\\-/gr;
    my $heading = $command eq '' ? 'all commands' : "tessera $command";
    my $changed = $text =~ s/(^\.SS Of \Q$heading\E\n(?:(?!^\.SS ).)*?^\.TP\n[^\n]*?)\Q$roff\E(?![\w\\])/$1\\-\\-other/msr;
    my @seen = complaints($changed);
    die "the page without $option of 'tessera $command' passes: @seen\n" unless grep { /lacks the option \Q$option\E / } @seen;
    ++$n;
  }
  next if $command eq '';
  my $changed = $text =~ s/tessera $command\b/tessera other/gr;
  die "the page without 'tessera $command' passes\n" unless grep { /not describe 'tessera $command'/ } complaints($changed);
}
die "the help of the program has hardly an option\n" unless $n > 20;
printf("%d commands, %d options\n", scalar(keys %options) - 1, $n);
