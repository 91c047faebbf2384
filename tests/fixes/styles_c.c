/* SPDX-License-Identifier: Apache-2.0 */
/* An allocation in C, for styles.hip. */
#include <hip/hip_runtime_api.h>

double *of_c_memory(void)
{
	double *memory;

	if (hipMallocManaged((void **)&memory, sizeof(*memory), hipMemAttachGlobal) != hipSuccess)
		return NULL;
	return memory;
}
