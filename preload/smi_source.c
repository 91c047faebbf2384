/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "hip.h"
#include "smi.h"
#include "smi_text.h"

#define TOPOLOGY "/sys/class/kfd/kfd/topology/nodes"

/* struct kfd_ioctl_smi_events_args and AMDKFD_IOC_SMI_EVENTS of linux/kfd_ioctl.h */
struct smi_events {
	uint32_t gpu_id;
	uint32_t anon_fd;
};
#define IOC_SMI_EVENTS _IOWR('K', 0x1F, struct smi_events)

static bool subscribe(int fd)
{
	uint64_t mask = HG_SMI_MASK;

	return write(fd, &mask, sizeof(mask)) == (ssize_t)sizeof(mask);
}

/* The id of the topology's node `node`; 0: it has no GPU, -1: there is no such node. */
static int64_t node_gpu_id(unsigned node)
{
	char path[128], text[32] = "";
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), TOPOLOGY "/%u/gpu_id", node);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	return got > 0 ? strtoll(text, NULL, 10) : 0;
}

static unsigned open_kernel(struct hg_smi_source *sources, const char **problem)
{
	int kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	unsigned count = 0;
	int64_t id;

	if (kfd < 0) {
		*problem = "/dev/kfd can't be opened";
		return 0;
	}
	for (unsigned node = 0; count < HG_SMI_SOURCES && (id = node_gpu_id(node)) >= 0; node++) {
		struct smi_events request = { .gpu_id = (uint32_t)id };

		if (!id)
			continue;
		if (ioctl(kfd, IOC_SMI_EVENTS, &request)) {
			*problem = errno == ENOTTY || errno == EINVAL
				       ? "this kernel's driver does not tell of migrations"
				       : strerror(errno);
			break;
		}
		fcntl((int)request.anon_fd, F_SETFD, FD_CLOEXEC);
		fcntl((int)request.anon_fd, F_SETFL, O_NONBLOCK);
		if (!subscribe((int)request.anon_fd)) {
			*problem = "the driver refused to tell of migrations";
			close((int)request.anon_fd);
			break;
		}
		sources[count].fd = (int)request.anon_fd;
		sources[count].gpu_id = request.gpu_id;
		sources[count++].device = -1;
	}
	close(kfd);
	if (!count && !**problem)
		*problem = "the kernel's topology has no GPU";
	return count;
}

static unsigned open_softgpu(int (*get)(unsigned, uint32_t *), struct hg_smi_source *sources,
			     const char **problem)
{
	unsigned count = 0;
	int fd = -1;

	while (count < HG_SMI_SOURCES && (fd = get(count, &sources[count].gpu_id)) >= 0) {
		if (!subscribe(fd)) {
			close(fd);
			break;
		}
		sources[count].fd = fd;
		sources[count++].device = -1;
	}
	if (!count)
		*problem = "the software GPU moves no pages (SOFTGPU_MIGRATION=0)";
	return count;
}

unsigned hg_smi_open(struct hg_smi_source sources[HG_SMI_SOURCES], int devices,
		     const char **problem)
{
	const char *path = getenv("HIPGRAIN_SMI");
	int (*softgpu)(unsigned, uint32_t *);
	unsigned count;

	*problem = "";
	if (path && *path) {
		sources[0].fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		sources[0].gpu_id = 0; /* whatever it names */
		sources[0].device = 0;
		if (sources[0].fd < 0)
			*problem = "HIPGRAIN_SMI can't be opened";
		return sources[0].fd >= 0;
	}
	softgpu = (int (*)(unsigned, uint32_t *))hg_hsa_query("softgpu_smi_open");
	count = softgpu ? open_softgpu(softgpu, sources, problem) : open_kernel(sources, problem);
	/* HIP counts in the topology's order, unless some are hidden from it. */
	for (unsigned i = 0; i < count && (int)count == devices; i++)
		sources[i].device = (int32_t)i;
	return count;
}
