# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the commands of docs/examples.md and docs/tutorial.md and compares what they print:
# perl examples.pl PROGRAM SOURCE_FOLDER [--update] [--pictures]
#
# An example is an indented "tessera run ..." and, after an empty line, all or some of the quantities that it prints. They have
# to be printed in this order. With the Gmsh that the examples name, numbers agree to 1e-5 of the largest one with the same unit, errors to
# 0.1 %, rows of a sweep to 1e-4; other versions make other meshes. --update writes the numbers of this run into the pages. Every case
# under inputs/ has to be in the examples, and every command there has to show its quantities.
#
# An image above a command of the examples is drawn by "tessera plot" of its results, with the options of the line "Picture:" below the
# numbers; its shape is compared if the program can draw. A command without an image has a text that says where its picture is.
# --pictures draws missing images of docs/pictures, with few colours if pngquant is installed: to redraw one, delete it, and check the result.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Temp qw(tempdir);

my ($program, $root, @options) = @ARGV;
($program, $root) = map { abs_path($_) // die("$_ does not exist\n") } $program, $root;
my ($update, $draws) = map { my $option = $_; scalar grep { $_ eq $option } @options } '--update', '--pictures';
my @pages = ("$root/docs/examples.md", "$root/docs/tutorial.md");
my $same_mesh = 1;
my $number = qr/^[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/;

# Lines in columns: a name with numbers and their unit, or the heading of a matrix ("maxwell [F/m] wire_1 wire_2"), which has the
# unit of the rows below it. Numbers without a unit are errors or the like.
sub parsed {
  my @parts;
  my ($unit, $n_columns) = ('', 0);
  for my $line (@_) {
    my ($name, @words) = split(' ', $line);
    my %part = (line => $line, name => $name, numbers => [], unit => '');
    if ("@words" =~ /^\[(.*?)\] (.*)/) {
      $unit = $1;
      $n_columns = split(' ', $2);
      $part{name} = "$name @words";
    } else {
      push(@{$part{numbers}}, shift(@words)) while @words && $words[0] =~ $number;
      $part{unit} = @words ? "@words" : @{$part{numbers}} == $n_columns && $name !~ /^(?:asymmetry$|error\.)/ ? $unit : '';
    }
    push(@parts, \%part);
  }
  return @parts;
}

# Differences between the shown lines and the printed ones; the lines that belong to them go into the third list.
sub differences {
  my ($shown, $printed, $belonging) = @_;
  my @printed = parsed(@$printed);
  my %largest;
  for my $part (@printed) {
    for my $size (map { abs } @{$part->{numbers}}) {
      $largest{$part->{unit}} = $size if $size >= ($largest{$part->{unit}} // 0);
    }
  }
  my @found;
  my $next = 0;
  for my $part (parsed(@$shown)) {
    my ($at) = grep { $printed[$_]{name} eq $part->{name} } $next .. $#printed;
    if (!defined $at) {
      push(@found, "'$part->{line}' is shown, but not printed there");
      next;
    }
    my $other = $printed[$at];
    $next = $at + 1;
    push(@$belonging, $other->{line});
    my ($a, $b, $unit) = ($part->{numbers}, $other->{numbers}, $part->{unit});
    my $agree = @$a == @$b && $unit eq $other->{unit};
    for my $i ($agree ? 0 .. $#$a : ()) {
      my $allowed = $unit ne '' ? ($same_mesh ? 1e-5 : 1e-2) * $largest{$unit} : !$same_mesh ? 1e9
        : $part->{name} =~ /^\d+$/ ? 1e-4 * abs($a->[$i]) : 1e-3 * abs($a->[$i]) + 1e-8;
      $agree &&= abs($a->[$i] - $b->[$i]) <= $allowed;
    }
    push(@found, "'$part->{line}' is shown, '$other->{line}' is printed") unless $agree;
  }
  return @found;
}

# Checks that the comparison detects differences.
my @shown = ('energy 1.5 J', 'charge.a 2e-12 C', 'charge.b -1e-25 C', 'maxwell [F] a b', 'a 1 -2', 'b -2 3', 'asymmetry 0', 'error.l2 1e-3', '1 2 5 3e-10');
for my $good ('energy 1.5000001 J', 'charge.b 3e-25 C', "maxwell [F] a b\na 1.00001 -2", 'error.l2 0.0010001', 'asymmetry 1e-10', '1 2 5 3.0001e-10') {
  die "'$good' does not pass\n" if differences([split(/\n/, $good)], \@shown, []);
}
for my $bad ('energy 1.501 J', 'energy 1.5 V', 'energie 1.5 J', 'charge.a 3e-12 C', 'maxwell [F] b a', "maxwell [F] a b\na 1 -2.1", 'a 1', 'error.l2 2e-3', '1 2 5 3.001e-10') {
  die "'$bad' passes\n" unless differences([split(/\n/, $bad)], \@shown, []);
}
die "another order passes\n" unless differences([@shown[1, 0]], \@shown, []);

my (@lines, @examples, @wrong);
for my $page (0, 1) {
  open(my $in, '<', $pages[$page]) or die "$pages[$page]: $!";
  my @text = <$in>;
  $lines[$page] = \@text;
  my ($image, $says_where) = ('', 0);
  for my $i (0 .. $#text) {
    ($image, $says_where) = ('', 0) if $text[$i] =~ /^#/;
    $image = $1 if $text[$i] =~ m{^!\[.+\]\((pictures/\S+\.png)\)$};
    if ($text[$i] =~ /^Picture: `tessera plot results\/(\S+)(.*)`$/) {
      my ($case, $options) = ($1, $2);
      $examples[-1]{plot} = $options;
      push(@wrong, sprintf('line %d: a picture of %s below a run of another case', $i + 1, $case)) unless $examples[-1]{command} =~ m{/\Q$case\E\.yaml};
    }
    $says_where = 1 if $text[$i] =~ /^[^!].*\bpicture\b/;
    next unless $text[$i] =~ /^    (tessera \S.*)/;
    my ($command, $end) = ($1, $i); # its last line: it may continue behind a backslash
    $command = ($command =~ s/\s*\\$//r) . ' ' . ($text[++$end] =~ s/^\s+|\s+$//gr) while $command =~ /\\$/;
    my %example = (page => $page, command => $command, line => $i + 1, first => $end + 2, last => $end + 1, image => $image, plot => '');
    push(@wrong, sprintf('line %d: no picture, and no word on it', $i + 1)) if $page == 0 && $image eq '' && !$says_where;
    ($image, $says_where) = ('', 0);
    ++$example{last} while ($text[$example{last} + 1] // '') =~ /^      \S/;
    if ($example{last} >= $example{first} && $text[$end + 1] !~ /\S/) {
      push(@examples, \%example);
    } elsif ($page == 0) {
      push(@wrong, sprintf('line %d: no quantities below the command', $i + 1));
    }
  }
}
my $text = join('', @{$lines[0]});
my ($gmsh) = $text =~ /meshes by Gmsh ([\d.]+\d)/ or die "$pages[0] does not name a version of Gmsh\n";
$same_mesh = `$program info` =~ /^\s*Gmsh\s+yes \(\Q$gmsh\E\b/m;
my $has_cairo = `$program info` =~ /^\s*Cairo\s+yes/m;
for my $page (0, 1) {
  die "$pages[$page] has hardly an example\n" unless grep({ $_->{page} == $page } @examples) > ($page == 0 ? 10 : 2);
}
for my $file (glob("$root/inputs/*/*.yaml")) {
  my ($path, $name) = $file =~ m{(inputs/.*/(.*)\.yaml)$};
  push(@wrong, "$path is not in the examples") unless $text =~ /tessera run \Q$path\E\b/ || $text =~ /^\| `\Q$name\E` \|/m;
}

# Two at a time, with one thread each.
my $work = tempdir(CLEANUP => 1);
system('cp', '-r', "$root/inputs", "$work/inputs") == 0 or die "cannot copy inputs\n";
mkdir("$work/tutorial") or die "$work/tutorial: $!";
system($^X, "$root/tests/docs/commands.pl", $pages[1], "$work/tutorial") == 0 or die "no files of the tutorial\n";
my ($folder) = $program =~ m{^(.*)/} or die "$program: name the program with its folder\n";
for my $k (0 .. $#examples) {
  open(my $out, '>', "$work/$k.sh") or die "$work/$k.sh: $!";
  my $place = $examples[$k]{page} ? "$work/tutorial" : $work;
  my $command = $examples[$k]{command} =~ s/ --output \S+//r . " --output out-$k";
  print $out "cd '$place' && export PATH='$folder':\$PATH OMP_NUM_THREADS=1 && $command >'$work/$k.log' 2>&1\n",
    "echo exit code \$? >>'$work/$k.log'\n";
  my ($image, $plot) = @{$examples[$k]}{qw(image plot)};
  if ($image ne '' && $examples[$k]{page} == 0 && $has_cairo) {
    $plot .= ' --width 480' unless $plot =~ /--width/;
    print $out "tessera plot out-$k $plot -o '$work/$k.png' >'$work/$k.plot' 2>&1\n";
  }
  close($out);
}
system("printf '%s\\n' '$work'/*.sh | xargs -n 1 -P 2 sh");

# Width and height of a PNG; nothing without the file.
sub size_of {
  my ($file) = @_;
  open(my $in, '<:raw', $file) or return;
  read($in, my $head, 24);
  return unpack('x16 N N', $head);
}

for my $k (grep { $has_cairo && $examples[$_]{page} == 0 && $examples[$_]{image} ne '' } 0 .. $#examples) {
  my $file = "$root/docs/$examples[$k]{image}";
  my ($width, $height) = size_of("$work/$k.png");
  if (!defined $width) {
    open(my $log, '<', "$work/$k.plot") or die "$work/$k.plot: $!";
    push(@wrong, "examples.md line $examples[$k]{line}: no picture: " . join('', <$log>));
    next;
  }
  if ($draws && !-e $file) {
    system('cp', "$work/$k.png", $file) == 0 or die "$file cannot be written\n";
    system("pngquant --force --skip-if-larger --output '$file' 64 '$file' 2>/dev/null");
  }
  my ($stored_width, $stored_height) = size_of($file);
  my $is_alike = defined $stored_width && abs($stored_height / $stored_width - $height / $width) <= 2 / $width;
  push(@wrong, "examples.md line $examples[$k]{line}: $examples[$k]{image} is not what 'tessera plot results/...$examples[$k]{plot}' draws") unless $is_alike;
}

# Follows the times of a run, or the head of a sweep's table.
my $results = qr/^  (?:total|point) .*?\n(.*?)^(?:Results lie in|\d+ of \d+ points done)/ms;
my $n_shown = 0;
for my $k (0 .. $#examples) {
  my $example = $examples[$k];
  my $at = $pages[$example->{page}] =~ s{.*/}{}r . " line $example->{line}:";
  my $text = $lines[$example->{page}];
  open(my $log, '<', "$work/$k.log") or die "$work/$k.log: $!";
  my $printed = do { local $/; <$log> };
  if ($printed !~ /^exit code 0$/m || $printed !~ $results) {
    push(@wrong, "$at $example->{command}\n$printed");
    next;
  }
  my @printed = map { s/^  //r } split(/\n/, ($printed =~ $results)[0]);
  my @range = $example->{first} .. $example->{last};
  my @shown = map { s/^      |\n//gr } @$text[@range];
  my @belonging;
  my @found = differences(\@shown, \@printed, \@belonging);
  @$text[@range] = map { "      $_\n" } @belonging if @belonging == @shown;
  push(@wrong, map { "$at $_" } @found) unless $update && @belonging == @shown;
  $n_shown += @shown;
}
for my $page ($update ? (0, 1) : ()) {
  open(my $out, '>', $pages[$page]) or die "$pages[$page]: $!";
  print $out @{$lines[$page]};
}
print "$_\n" for @wrong;
printf("%d examples, %d lines%s\n", scalar(@examples), $n_shown, $same_mesh ? '' : ", but Gmsh is not $gmsh: numbers within 1 %, no errors");
exit(@wrong > 0);
