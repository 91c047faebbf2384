/* SPDX-License-Identifier: Apache-2.0 */
/*
 * These environment variables are recorded: those that change what the program's memory is or what
 * the GPU runtimes do, and those that say which rank it is. The manifest has them of the command,
 * the trace of each process.
 */
#ifndef HIPGRAIN_TRACER_VARIABLES_H
#define HIPGRAIN_TRACER_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Names are recorded that begin so; with '=' these are whole names. */
static const char *const variables_recorded[] = {
	/* HIP, HSA and the drivers below them */
	"AMDGPU_",
	"AMD_",
	"CUDA_VISIBLE_DEVICES=",
	"DEBUG_HIP_",
	"GPU_",
	"HCC_",
	"HIP_",
	"HIPGRAIN_",
	"HSA_",
	"ROCM_",
	"ROCPROFILER_",
	"ROCR_",
	"ROC_",
	/* OpenMP offload */
	"LIBOMPTARGET_",
	"OMP_",
	/* MPI's handling of GPU memory: cray-mpich, and its GPU transport layer */
	"GTL_",
	"MPICH_GPU_",
	/* ranks and places */
	"FLUX_JOB_ID=",
	"FLUX_TASK_",
	"MPI_LOCALRANKID=",
	"MV2_COMM_WORLD_",
	"OMPI_COMM_WORLD_",
	"PALS_LOCAL_RANKID=",
	"PALS_NODEID=",
	"PALS_RANKID=",
	"PMIX_RANK=",
	"PMI_RANK=",
	"PMI_SIZE=",
	"SLURM_JOB_ID=",
	"SLURM_LOCALID=",
	"SLURM_NODEID=",
	"SLURM_PROCID=",
	"SLURM_STEP_ID=",
	/* the loader and the allocator */
	"GLIBC_TUNABLES=",
	"LD_LIBRARY_PATH=",
	"LD_PRELOAD=",
	"MALLOC_",
	/* the software GPU */
	"SOFTGPU_",
};

/* Names with one of these are not recorded in any case. */
static const char *const variables_secret[] = { "TOKEN", "SECRET",     "PASS",
						"AUTH",  "CREDENTIAL", "KEY" };

/* Returns true if an entry of the environment, "NAME=VALUE", is recorded. */
static inline bool variables_records(const char *entry)
{
	const char *equals;
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(variables_recorded) / sizeof(char *); i++)
		found = *entry == *variables_recorded[i] &&
			!strncmp(entry, variables_recorded[i], strlen(variables_recorded[i]));
	equals = found ? strchr(entry, '=') : NULL;
	found = equals != NULL;
	for (size_t i = 0; found && i < sizeof(variables_secret) / sizeof(char *); i++) {
		const char *word = strstr(entry, variables_secret[i]);

		found = !word || word > equals;
	}
	return found;
}

#endif
