/* SPDX-License-Identifier: Apache-2.0 */
/* Queries a GPU as the memory model takes it. */
#include "probed_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/codeobj.h"

/* hipDeviceAttribute_t (docs/memory-model.md#types-and-attributes) */
static const struct {
	size_t member;
	int attribute;
} attributes[] = {
	{ offsetof(struct model_environment, apu), 16 },
	{ offsetof(struct model_environment, hmm), 24 },
	{ offsetof(struct model_environment, large_bar), 10011 },
	{ offsetof(struct model_environment, fine_pool), 10016 },
};

void probe_machine(const struct hip *hip, int gpu, const char *arch, const struct host_link *link,
		   struct model_environment *environment)
{
	const char *coherent = getenv("HIP_HOST_COHERENT");
	const char *force_fine = getenv("HSA_FORCE_FINE_GRAIN_PCIE");

	memset(environment, 0, sizeof(*environment));
	environment->runtime_version = hip->version;
	environment->xnack = codeobj_device_xnack(arch);
	environment->host_coherent = coherent && strcmp(coherent, "0") != 0;
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		int *member = (int *)((char *)environment + attributes[i].member);
		int value = hip_attribute(hip, attributes[i].attribute, gpu);

		*member = value > 0 ? 1 : value;
	}
	/* HIP 5.7 answers no of an MI300A. */
	if (environment->apu <= 0 && link->apu == 1)
		environment->apu = 1;
	if (force_fine && strcmp(force_fine, "1") == 0)
		environment->fine_pool = 1;
	environment->no_extended_pool = model_lacks_extended_pool(arch, hip->version);
}
