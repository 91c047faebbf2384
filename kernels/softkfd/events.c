// SPDX-License-Identifier: Apache-2.0
/* Events: what KFD's interrupts become in user space. */
#include "kernels/softkfd/kfd.h"
