# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Prints the commands of a Markdown file, a script per block: perl commands.pl FILE.md FOLDER
#
# Every indented block with a line that starts with "tessera" becomes FOLDER/<file>-<line>.sh, unless it shows only the
# syntax ("[--set ...]", "CASE.yaml"); scripts sort by their lines. Every fenced block whose first line names a file in a comment
# ("// plates.geo", "# case.yaml") becomes that file in FOLDER, and one with "continued" there ("# case.yaml, continued") its next part.
use strict;
use warnings;

my ($source, $folder) = @ARGV;
my ($base) = $source =~ m{([^/]+)\.md$};
open(my $in, '<', $source) or die "$source: $!";
my (@block, $first, @fence, $in_fence);

sub write_file {
  my ($name, @lines) = @_;
  open(my $out, $lines[0] =~ /^\S+ \S+, continued$/ ? '>>' : '>', "$folder/$name") or die "$folder/$name: $!";
  print $out @lines;
  close($out);
}

sub end_of_block {
  my $text = join('', @block);
  write_file(sprintf('%s-%04d.sh', $base, $first), @block) if $text =~ /^\s*tessera /m && $text !~ /\[--|\b[A-Z]+\.yaml|\bbash cmake\//;
  @block = ();
}

while (my $line = <$in>) {
  if ($line =~ /^```/) {
    if ($in_fence && @fence && $fence[0] =~ m{^(?://|#) ([\w-]+\.\w+)}) {
      write_file($1, @fence);
    }
    $in_fence = !$in_fence;
    @fence = ();
  } elsif ($in_fence) {
    push(@fence, $line);
  } elsif ($line =~ /^    (\S.*|  .*)$/) {
    $first = $. unless @block;
    push(@block, "$1\n");
  } else {
    end_of_block() if @block;
  }
}
end_of_block() if @block;
