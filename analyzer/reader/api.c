/* SPDX-License-Identifier: Apache-2.0 */
/* Names and classes of recorded functions. */
#include "event.h"

#include <stddef.h>

const char *hg_api_name_if_known(unsigned api)
{
	switch (api) {
#define HG_API(id, name, class, ...) \
	case id:                     \
		return #name;
#include "tracer/api.def"
#undef HG_API
	default:
		return NULL;
	}
}

const char *hg_api_name(unsigned api)
{
	const char *name = hg_api_name_if_known(api);

	return name ? name : "unknown function";
}

int hg_api_class(unsigned api)
{
	switch (api) {
#define HG_API(id, name, class, ...) \
	case id:                     \
		return HG_CLASS_##class;
#include "tracer/api.def"
#undef HG_API
	default:
		return -1;
	}
}
