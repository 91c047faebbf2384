/* SPDX-License-Identifier: Apache-2.0 */
/* All that linux/kfd_ioctl.h takes of this header, which Debian has in another package. */
#include <linux/types.h>
