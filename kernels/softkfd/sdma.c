// SPDX-License-Identifier: Apache-2.0
#include "kernels/softkfd/queue.h"
