/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of analyses, for the verbs that have it. */
#include "analyzer/cache/cache.h"
#include "analyzer/cmds/cmds.h"
#include "tracer/message.h"

void cmds_use_cache(void)
{
	const char *problem = cache_open();

	if (problem)
		message_warning("%s", problem);
}
