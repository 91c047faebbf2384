/* SPDX-License-Identifier: Apache-2.0 */
/* Searches the list of loaded objects. */
#include "preload/core/objects.h"

struct search {
	uintptr_t address;
	struct hg_object *object;
};

static int find_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	uintptr_t start = UINTPTR_MAX, end = 0;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		start = from < start ? from : start;
		end = from + segment->p_memsz > end ? from + segment->p_memsz : end;
	}
	if (search->address < start || search->address >= end)
		return 0;
	*search->object = (struct hg_object){ start, end };
	return 1;
}

bool hg_object_of(__typeof__(&dl_iterate_phdr) iterate, const void *address,
		  struct hg_object *object)
{
	struct search search = { (uintptr_t)address, object };

	return iterate(find_object, &search);
}
