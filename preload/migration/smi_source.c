/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the sources of the driver's events: the kernel's, the software GPU's, or a file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"
#include "preload/gpu/gpu.h"
#include "preload/migration/smi.h"
#include "preload/migration/smi_kfd.h"
#include "preload/migration/smi_text.h"

static bool subscribe(int fd, uint64_t mask)
{
	ssize_t done;

	do {
		done = write(fd, &mask, sizeof(mask));
	} while (done < 0 && errno == EINTR);
	return done == (ssize_t)sizeof(mask);
}

void hg_smi_ask(const struct hg_smi_source *source, bool wanted)
{
	if (source->asks)
		(void)subscribe(source->fd, wanted ? HG_SMI_MASK : 0);
}

/*
 * ---- the kernel's ----
 *
 * Asked by the system calls themselves: a driver in user space, which catches functions of libc,
 * is asked by its own.
 */

/* The whole of a small file with a 0 behind it; its length, -1: it can't be read. */
static ssize_t node_file(unsigned node, const char *name, char *text, size_t size)
{
	char path[128];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), HG_KFD_TOPOLOGY "/%u/%s", node, name);
	do {
		fd = (int)hg_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return -1;
	do {
		got = read(fd, text, size - 1);
	} while (got < 0 && errno == EINTR);
	hg_libc.close(fd);
	text[got > 0 ? got : 0] = 0;
	return got > 0 ? got : 0;
}

/* Returns the number that follows `name` in the lines of `text`, or 0 if there is none. */
static uint64_t property(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, length) && line[length] == ' ')
			return strtoull(line + length, NULL, 10);
	}
	return 0;
}

/*
 * The node's GPU into *source: 1; 0: it has none, or not for this process (the file then can't be
 * read); -1: there is no such node.
 */
static int look_at(unsigned node, struct hg_smi_source *source)
{
	char text[4096];
	uint64_t location;

	if (node_file(node, "gpu_id", text, sizeof(text)) < 0)
		return -1;
	*source = (struct hg_smi_source){ .fd = -1, .device = -1, .place = -1, .asks = true };
	source->gpu_id = (uint32_t)strtoul(text, NULL, 10);
	if (!source->gpu_id)
		return 0;
	if (node_file(node, "properties", text, sizeof(text)) > 0) {
		/* Its upper bits number the partitions of one GPU. */
		location = property(text, "location_id");
		source->place =
		    hg_smi_place((unsigned)property(text, "domain"), location >> 8 & 0xff,
				 location >> 3 & 0x1f, location & 7);
	}
	return 1;
}

static int ask_kernel(int kfd, unsigned long request, void *argument)
{
	int rc;

	do {
		rc = (int)hg_syscall(SYS_ioctl, kfd, request, argument);
	} while (rc < 0 && errno == EINTR);
	return rc;
}

static void take_on(int kfd, struct hg_smi_source *source, const char **problem)
{
	struct hg_kfd_smi_events request = { .gpu_id = source->gpu_id };

	if (ask_kernel(kfd, HG_KFD_SMI_EVENTS, &request)) {
		/* If the driver doesn't know a number, it says EINVAL. */
		*problem = errno == ENOTTY || errno == ENOSYS
			       ? "this kernel's driver does not report migrations"
			   : errno == EINVAL
			       ? "the driver does not know a GPU of the topology, or these events"
			   : errno == EPERM || errno == EACCES
			       ? "no permission to receive migration events"
			       : "the driver refused to report migrations";
		return;
	}
	source->fd = (int)request.anon_fd;
	fcntl(source->fd, F_SETFD, FD_CLOEXEC);
	fcntl(source->fd, F_SETFL, O_NONBLOCK);
	if (!subscribe(source->fd, HG_SMI_MASK)) {
		*problem = "the driver refused the requested kinds of events";
		hg_libc.close(source->fd);
		source->fd = -1;
	}
}

/* Sets each source's device to HIP's number of it, where the place on the bus tells that. */
static void number_by_place(struct hg_smi_source *sources, unsigned count, const int64_t *places,
			    int device_count)
{
	for (unsigned i = 0; i < count; i++) {
		unsigned before = 0, sharing = 0, shown = 0;

		for (unsigned k = 0; k < count; k++) {
			sharing += sources[k].place == sources[i].place;
			before += k < i && sources[k].place == sources[i].place;
		}
		for (int k = 0; k < device_count; k++)
			shown += places[k] >= 0 && places[k] == sources[i].place;
		/* Partitions of a GPU are at one place; which of them are hidden isn't known. */
		if (shown != sharing)
			continue;
		for (int k = 0; k < device_count; k++)
			if (places[k] == sources[i].place && !before--)
				sources[i].device = k;
	}
}

static unsigned open_kernel(struct hg_smi_source *sources, const int64_t *places, int device_count,
			    const char **problem)
{
	static char old[96];
	struct hg_kfd_version version = { 0, 0 };
	unsigned count = 0, seen = 0;
	int kfd, found;

	do {
		kfd = (int)hg_syscall(SYS_openat, AT_FDCWD, HG_KFD_DEVICE, O_RDWR | O_CLOEXEC);
	} while (kfd < 0 && errno == EINTR);
	if (kfd < 0) {
		*problem = errno == ENOENT                     ? "there is no /dev/kfd"
			   : errno == EACCES || errno == EPERM ? "no permission for /dev/kfd"
							       : "/dev/kfd can't be opened";
		return 0;
	}
	if (!ask_kernel(kfd, HG_KFD_GET_VERSION, &version) &&
	    (version.major < HG_KFD_MAJOR ||
	     (version.major == HG_KFD_MAJOR && version.minor < HG_KFD_MINOR))) {
		snprintf(
		    old, sizeof(old),
		    "this kernel's driver does not report migrations: KFD %u.%u, it takes %u.%u",
		    version.major, version.minor, HG_KFD_MAJOR, HG_KFD_MINOR);
		*problem = old;
		goto out;
	}
	for (unsigned node = 0;
	     count < HG_SMI_SOURCES && (found = look_at(node, &sources[count])) >= 0; node++) {
		if (!found)
			continue;
		seen++;
		take_on(kfd, &sources[count], problem);
		count += sources[count].fd >= 0;
	}
	if (!seen)
		*problem = "the kernel's topology has no GPU";
	number_by_place(sources, count, places, device_count);
out:
	hg_libc.close(kfd);
	return count;
}

/* ---- others ---- */

static unsigned open_softgpu(int (*get)(unsigned, uint32_t *), struct hg_smi_source *sources,
			     const char **problem)
{
	unsigned count = 0;
	int fd = -1;

	while (count < HG_SMI_SOURCES && (fd = get(count, &sources[count].gpu_id)) >= 0) {
		if (!subscribe(fd, HG_SMI_MASK)) {
			hg_libc.close(fd);
			break;
		}
		sources[count].fd = fd;
		sources[count].place = -1;
		sources[count].asks = true;
		sources[count++].device = -1;
	}
	if (!count)
		*problem = "the software GPU moves no pages (SOFTGPU_MIGRATION=0)";
	return count;
}

static unsigned open_file(const char *path, struct hg_smi_source *source, const char **problem)
{
	*source = (struct hg_smi_source){
		.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC),
		.place = -1,
		.others = true, /* it has whatever somebody put there */
	};
	if (source->fd < 0)
		*problem = "HIPGRAIN_SMI can't be opened";
	return source->fd >= 0;
}

unsigned hg_smi_open(struct hg_smi_source sources[HG_SMI_SOURCES], const int64_t *places,
		     int device_count, const char **problem)
{
	const char *path = getenv("HIPGRAIN_SMI");
	bool kernel = path && !strcmp(path, HG_KFD_DEVICE);
	int (*softgpu)(unsigned, uint32_t *);
	unsigned count, placed = 0;

	*problem = "";
	memset(sources, 0, HG_SMI_SOURCES * sizeof(*sources));
	if (path && *path && !kernel)
		return open_file(path, &sources[0], problem);
	softgpu = kernel ? NULL : (int (*)(unsigned, uint32_t *))hg_hsa_query("softgpu_smi_open");
	count = softgpu ? open_softgpu(softgpu, sources, problem)
			: open_kernel(sources, places, device_count, problem);
	for (unsigned i = 0; i < count; i++)
		placed += sources[i].device >= 0;
	/* HIP counts in the topology's order, unless some are hidden from it. */
	for (unsigned i = 0; i < count && !placed && (int)count == device_count; i++)
		sources[i].device = (int32_t)i;
	return count;
}
