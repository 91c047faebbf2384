#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs an example of StarPU with a folder of its own for what StarPU measures of the machine, so that each run measures.
# usage: starpu.sh PROGRAM [ARGUMENT]...    STARPU_NCPU: how many processors are workers
# Performance figures are left out of the output. Exit status: the program's; 77 if it has nothing to do here.

STARPU_HOME=$(mktemp -d "${TMPDIR:-/tmp}/starpu.XXXXXX") || exit 2
trap 'rm -rf "$STARPU_HOME"' EXIT
export STARPU_HOME
"$@" >"$STARPU_HOME/out"
status=$?
# Numbers with a unit of speed or time, and the rows of mult's table: size, milliseconds, GFlop/s.
sed -E -e 's/[0-9.]+ *(GFlop|MB|GB|ms|us|s)\b[^ ]*/NUMBER/g' -e 's/^([0-9]+\t[0-9]+\t[0-9]+)\t.*/\1/' "$STARPU_HOME/out"
exit $status
