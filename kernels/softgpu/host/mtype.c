// SPDX-License-Identifier: Apache-2.0
/* The kind of caching (MTYPE) of a page for a GPU: mtype.def. */
#include "softgpu_host.h"

enum coherence { EXTENDED = SG_EXTENDED, UNCACHED = SG_UNCACHED, ANY };
enum place { LOCAL, PEER, HOST, ANYWHERE };
#define PLACE_ANY   ANYWHERE
#define PLACE_LOCAL LOCAL
#define PLACE_PEER  PEER
#define PLACE_HOST  HOST

static const struct row {
	enum coherence coherence;
	enum place place;
	unsigned type;
} rows[] = {
#define MTYPE(coherence, place, type) { coherence, PLACE_##place, SOFTGPU_PAGE_##type },
#include "mtype.def"
#undef MTYPE
};

unsigned sg_mtype(unsigned gpu, int node, enum sg_coherence coherence)
{
	enum place place = node == SG_NO_NODE ? HOST : node == (int)gpu ? LOCAL : PEER;

	if (!sg_settings.gfx942 || gpu == SOFTGPU_ANY_GPU)
		return SOFTGPU_PAGE_RW;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if ((rows[i].coherence == ANY ||
		     (unsigned)rows[i].coherence == (unsigned)coherence) &&
		    (rows[i].place == ANYWHERE || rows[i].place == place))
			/* svm_range_get_pte_flags() for GC 9.5.0 [KFD] */
			return place == HOST && coherence == SG_PRESET &&
				       softgpu_config.processor == SOFTGPU_GFX950
				   ? SOFTGPU_PAGE_NC
				   : rows[i].type;
	return SOFTGPU_PAGE_UC;
}
