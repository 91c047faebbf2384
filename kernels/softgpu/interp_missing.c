// SPDX-License-Identifier: Apache-2.0
/* Stands in for interp/ in a build without it: kernels are refused by name. */
#include "softgpu.h"

struct softgpu_run *softgpu_run_create(const struct softgpu_dispatch *dispatch)
{
	(void)dispatch;
	static char one;
	return (struct softgpu_run *)&one;
}
enum softgpu_status softgpu_run_step(struct softgpu_run *run, uint64_t budget)
{
	(void)run, (void)budget;
	return SOFTGPU_UNSUPPORTED;
}
uint64_t softgpu_run_fault_address(const struct softgpu_run *run)
{
	(void)run;
	return 0;
}
const char *softgpu_run_message(const struct softgpu_run *run)
{
	(void)run;
	return "interpreter not built in";
}
void softgpu_run_destroy(struct softgpu_run *run)
{
	(void)run;
}
void softgpu_code_invalidate(uint64_t base, uint64_t size)
{
	(void)base, (void)size;
}
