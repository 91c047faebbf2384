#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Starts two ranks on this host, as any user. ucx.sh says why UCX has no cache of kinds of memory.
# usage: openmpi.sh [OPTION OF MPIRUN]... PROGRAM [ARGUMENT]...

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export UCX_MEMTYPE_CACHE=n UCX_NET_DEVICES=lo UCX_LOG_FILE=stderr
exec mpirun.openmpi --oversubscribe -np 2 "$@"
