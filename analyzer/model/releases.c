/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a release in releases.def. */
#include "releases.h"

#include <stddef.h>
#include <stdio.h>

enum { ANY = -1 };

/* HIP's own numbers have five digits where ROCm's patches have one. */
#define HIP_PATCHES    10000
#define HIP_PATCH_MOST 99999

static const struct release {
	int major, minor, patch, version;
} releases[] = {
#define RELEASE(major, minor, patch, version) { major, minor, patch, version },
#include "releases.def"
#undef RELEASE
};

int model_release(const char *text)
{
	int major, minor, patch = ANY, end = 0, found = 0;

	/* "7" alone, signs and blanks are no release. */
	if (sscanf(text, "%1d.%2d%n", &major, &minor, &end) != 2)
		return 0;
	if (text[end] == '.' && sscanf(text + end, ".%5d%n", &patch, &found) == 1)
		end += found;
	if (text[end] || (patch < 0 && patch != ANY))
		return 0;
	for (const char *c = text; *c; c++)
		if ((*c < '0' || *c > '9') && *c != '.')
			return 0;
	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		const struct release *row = &releases[i];

		if (row->major != major || row->minor != minor)
			continue;
		if (patch >= HIP_PATCHES && patch <= HIP_PATCH_MOST)
			return row->major * 10000000 + row->minor * 100000 + patch;
		if (row->patch == ANY)
			return patch < 10 ? row->version : 0;
		if (patch == ANY)
			return -1;
		if (row->patch == patch)
			return row->version;
	}
	return 0;
}
