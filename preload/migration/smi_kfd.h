/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This declares the kernel's interface to the events of smi_text.h, as far as it is used:
 * linux/kfd_ioctl.h, so that builds need no copy of it. tests/unit/preload/smi_text.c compares the
 * two.
 */
#ifndef HIPGRAIN_PRELOAD_MIGRATION_SMI_KFD_H
#define HIPGRAIN_PRELOAD_MIGRATION_SMI_KFD_H

#include <stdint.h>
#include <sys/ioctl.h>

#define HG_KFD_DEVICE   "/dev/kfd"
#define HG_KFD_TOPOLOGY "/sys/class/kfd/kfd/topology/nodes"

struct hg_kfd_version { /* struct kfd_ioctl_get_version_args */
	uint32_t major, minor;
};

struct hg_kfd_smi_events { /* struct kfd_ioctl_smi_events_args */
	uint32_t gpu_id;   /* of the topology */
	uint32_t anon_fd;  /* filled in by the kernel */
};

#define HG_KFD_GET_VERSION _IOR('K', 0x01, struct hg_kfd_version)
#define HG_KFD_SMI_EVENTS  _IOWR('K', 0x1F, struct hg_kfd_smi_events)

/*
 * From this version on the driver reports migrations, and only those of the process itself ("Add
 * SMI profiler event log").
 */
#define HG_KFD_MAJOR 1u
#define HG_KFD_MINOR 10u

/*
 * A mask that is written to the descriptor says which events are sent, with a bit for each (its
 * number less one). This bit, for the events of all processes, is never requested: without it the
 * kernel reports no other process.
 */
#define HG_KFD_ALL_PROCESSES 64u

#endif
