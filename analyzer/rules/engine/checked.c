/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what the latest launch with the same arguments led to. */
#include "checked.h"

static void clear_checked(void *data)
{
	struct checked_launch *checked = data;

	g_clear_pointer(&checked->hits, g_ptr_array_unref);
}

static const struct attachment_type checked_type = { sizeof(struct checked_launch), NULL,
						     clear_checked };

struct checked_launch *checked_launch_of(struct kernel_args *args)
{
	return attachment_get(&args->attachments, &checked_type);
}
