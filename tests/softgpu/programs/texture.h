/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs with textures share. */
#ifndef SOFTGPU_TEXTURE_H
#define SOFTGPU_TEXTURE_H

#include "program.h"

static hipTextureDesc reading(hipTextureReadMode mode)
{
	hipTextureDesc texture = {};

	texture.readMode = mode;
	return texture;
}

template <class T> static bool same_bytes(const std::vector<T> &got, const std::vector<T> &want)
{
	for (size_t i = 0; i < want.size(); i++)
		if (memcmp(&got[i], &want[i], sizeof(T))) {
			printf("# element %zu differs\n", i);
			return false;
		}
	return true;
}

#endif
