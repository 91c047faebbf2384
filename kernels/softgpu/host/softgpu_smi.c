// SPDX-License-Identifier: Apache-2.0
/*
 * Events as KFD tells them: lines of text (docs/memory-model.md#driver-events, kfd_smi_events.c),
 * one stream a client and GPU, which begins with a mask that the client writes.
 */
#include "host_pages.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BIT(event) (UINT64_C(1) << ((event)-1))
#define LINE       128

int sg_smi_pair(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) ? -errno
											: 0;
}

int sg_smi_add(struct sg_smi *smi, int fd, unsigned gpu)
{
	unsigned i = 0;

	if (fd < 0)
		return fd;
	while (i < smi->count && smi->clients[i].fd >= 0)
		i++;
	if (i == SG_SMI_CLIENTS)
		return -ENOSPC;
	if (i == smi->count)
		smi->count++;
	smi->clients[i].fd = fd;
	smi->clients[i].gpu = gpu;
	smi->clients[i].mask = 0;
	smi->clients[i].used = smi->clients[i].lost = 0;
	return 0;
}

static void flush(struct sg_smi *smi, unsigned i)
{
	while (smi->clients[i].used) {
		ssize_t sent = send(smi->clients[i].fd, smi->clients[i].pending,
				    smi->clients[i].used, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent <= 0) {
			if (sent < 0 && errno != EAGAIN && errno != EINTR) {
				close(smi->clients[i].fd);
				smi->clients[i].fd = -1;
				smi->clients[i].used = 0;
			}
			return;
		}
		smi->clients[i].used -= (uint32_t)sent;
		memmove(smi->clients[i].pending, smi->clients[i].pending + sent,
			smi->clients[i].used);
	}
}

void sg_smi_flush(struct sg_smi *smi)
{
	for (unsigned i = 0; i < smi->count; i++)
		if (smi->clients[i].fd >= 0)
			flush(smi, i);
}

bool sg_smi_pending(const struct sg_smi *smi)
{
	for (unsigned i = 0; i < smi->count; i++)
		if (smi->clients[i].fd >= 0 && smi->clients[i].used)
			return true;
	return false;
}

static long long boot_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void append(struct sg_smi *smi, unsigned i, const char *line, size_t length)
{
	char note[64];
	int size;

	/* Events that do not fit are counted, as the kernel does once its buffer is full. */
	if (smi->clients[i].lost) {
		size = snprintf(note, sizeof note, "%x %lld -%d %u\n", SG_SMI_DROPPED, boot_ns(),
				smi->pid, smi->clients[i].lost);
		if (smi->clients[i].used + (uint32_t)size + length > SG_SMI_PENDING) {
			smi->clients[i].lost++;
			return;
		}
		memcpy(smi->clients[i].pending + smi->clients[i].used, note, (size_t)size);
		smi->clients[i].used += (uint32_t)size;
		smi->clients[i].lost = 0;
	}
	if (smi->clients[i].used + length > SG_SMI_PENDING) {
		smi->clients[i].lost++;
		return;
	}
	memcpy(smi->clients[i].pending + smi->clients[i].used, line, length);
	smi->clients[i].used += (uint32_t)length;
}

void sg_smi_emit(struct sg_smi *smi, unsigned gpu, unsigned event, const char *format, ...)
{
	char line[LINE];
	va_list arguments;
	int length;

	length = snprintf(line, sizeof line, "%x %lld -%d ", event, boot_ns(), smi->pid);
	va_start(arguments, format);
	length += vsnprintf(line + length, sizeof line - (size_t)length, format, arguments);
	va_end(arguments);
	line[length++] = '\n';
	for (unsigned i = 0; i < smi->count; i++) {
		uint64_t mask;

		if (smi->clients[i].fd < 0 || smi->clients[i].gpu != gpu)
			continue;
		while (recv(smi->clients[i].fd, &mask, sizeof mask, MSG_DONTWAIT) == sizeof mask)
			smi->clients[i].mask = mask;
		if (!(smi->clients[i].mask & BIT(event)))
			continue;
		append(smi, i, line, (size_t)length);
		flush(smi, i);
	}
}

void sg_smi_log(struct sg_smi *smi, int from, int to, enum sg_trigger trigger, uint64_t start,
		uint64_t size)
{
	static const char *const names[] = { "prefetch", "gpu-fault", "cpu-fault", "eviction" };
	char line[LINE];
	int length;

	if (smi->log < 0)
		return;
	length = snprintf(line, sizeof line, "%d %d %d %s %#lx %lu\n", smi->pid, from, to,
			  names[trigger], start, size / SOFTGPU_PAGE_SIZE);
	if (write(smi->log, line, (size_t)length) != length)
		smi->log = -1;
}
