#!/usr/bin/env bash
# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
#
# One process of several fails: the disk of the first one is full, or the memory of the second one is short. The run ends within seconds
# with the exit code and one message, though the other process waits or has its own error.
program=$1 inputs=$2 mpirun=$3 backend=${4:-openmp}
# shellcheck source=tests/cli/several_processes.sh
. "$(dirname "$0")/several_processes.sh"
export OMPI_MCA_btl=self,tcp # messages in shared memory need a file
square=$inputs/mms-2d/mms-2d.yaml
arguments=(run "$square" --quiet --backend "$backend" --set execution.mesh=parts --set solver.preconditioner=multigrid)

cat >limited <<END
#!/bin/bash
case \$OMPI_COMM_WORLD_RANK in
0) ulimit -f "\${of_files:-unlimited}" ;;
1) ulimit -v "\${of_memory:-unlimited}" ;;
esac
exec "$program" "\$@"
END
cat >watched <<END
#!/bin/bash
[ "\$OMPI_COMM_WORLD_RANK" = 1 ] || exec "$program" "\$@"
"$program" "\$@" &
process=\$!
while grep VmPeak /proc/\$process/status >peak.new 2>/dev/null; do
  mv peak.new peak
  sleep 0.02
done
wait \$process
END
chmod +x limited watched
fails() { # fails TEXT ARGUMENTS...: exit code 3 and the text in the only error message, soon, and no half-written file
  local text=$1 begin=$SECONDS
  shift
  program=$folder/limited start 2 "${arguments[@]}" "$@"
  say 3 "tessera: error: $text"
  [ "$(grep -c "tessera: error:" log)" = 1 ] || fail "several error messages"
  [ $((SECONDS - begin)) -lt 40 ] || fail "ended after $((SECONDS - begin)) s only: $*"
  [ -z "$(find . -name '*.part')" ] || fail "left: $(find . -name '*.part')"
}

# The disk of the process that writes is full: in the file of fields, and in a table that it writes at the end of collective work.
lines=
for y in 1 2 3 4 5 6 7 8 9; do
  lines+="line_across_the_square_at_a_height_of_0.$y: {points: [[0.1, 0.$y], [0.9, 0.$y]]}, "
done
of_files=100 fails "Cannot write .*fields.vtkhdf.*too large" --set "mesh.box.cells=[100, 100]" --output disk
of_files=1 fails "Cannot write .*lines.csv.*too large" --set "output.fields=[]" --set "output.lines={${lines%, }}" --output table

if [ "$backend" = openmp ]; then # device drivers reserve any amount of virtual memory
  program=$folder/watched start 2 "${arguments[@]}" --output little
  [ $code = 0 ] || fail "the run that is measured ends with exit code $code"
  peak=$(awk '{print $2}' peak)
  large=(--set "mesh.box.cells=[700, 700]")
  # Both processes plan for the memory that the second one has.
  of_memory=$((peak + 20000)) fails "No strategy fits" "${large[@]}" --output plan
  # Without a plan that suits, an allocation fails while the first process waits, whose disk is full as well.
  of_memory=$((peak + 20000)) fails "process 1: .*failed to allocate" "${large[@]}" --set execution.memory_limit=unlimited --output allocation
  of_memory=$((peak + 20000)) of_files=100 fails "process 1: .*failed to allocate" "${large[@]}" --set execution.memory_limit=unlimited --output both
fi
all_passed process_errors
