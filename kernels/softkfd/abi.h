/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts of the requests of /dev/kfd, version 1.17 (linux/kfd_ioctl.h): under names of our own, as the headers of Debian 11 and 12
 * lack those of later releases. Sizes and offsets are the kernel's interface; a caller of an older one gives fewer bytes.
 */
#ifndef SOFTKFD_ABI_H
#define SOFTKFD_ABI_H

#include <stdint.h>

#define KFD_IOCTL_TYPE 'K'

/* Bits 62 and 63 of the offset of an mmap of /dev/kfd; bits 46 to 61 have the GPU's id. */
enum kfd_mmap_type { KFD_MMAP_MMIO, KFD_MMAP_RESERVED, KFD_MMAP_EVENTS, KFD_MMAP_DOORBELL };
#define KFD_MMAP_TYPE_SHIFT 62
#define KFD_MMAP_GPU_SHIFT  46

#endif
