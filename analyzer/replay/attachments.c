/* SPDX-License-Identifier: Apache-2.0 */
/* A list of what is kept with an object, the oldest first. */
#include <stdint.h>

#include "attachments.h"

struct attachment {
	struct attachment *next;
	const struct attachment_type *type;
	max_align_t data[];
};

/* A list that is longer has a table of RECENT rows. */
#define SHORT  8u
#define RECENT 32u

static struct attachment **recent_of(const struct attachments *attachments,
				     const struct attachment_type *type)
{
	return &attachments->recent[(uintptr_t)type / sizeof(*type) % RECENT];
}

void *attachment_find(const struct attachments *attachments, const struct attachment_type *type)
{
	struct attachment **recent = attachments->recent ? recent_of(attachments, type) : NULL;

	if (recent && *recent && (*recent)->type == type)
		return (*recent)->data;
	for (struct attachment *at = attachments->first; at; at = at->next) {
		if (at->type != type)
			continue;
		if (recent)
			*recent = at;
		return at->data;
	}
	return NULL;
}

void *attachment_get(struct attachments *attachments, const struct attachment_type *type)
{
	void *found = attachment_find(attachments, type);
	struct attachment **at = &attachments->first;
	unsigned count = 0;

	if (found)
		return found;
	for (; *at; at = &(*at)->next)
		count++;
	if (count == SHORT)
		attachments->recent = g_new0(struct attachment *, RECENT);
	*at = g_malloc0(sizeof(**at) + type->size);
	(*at)->type = type;
	found = (*at)->data;
	if (type->init)
		type->init(found);
	return found;
}

GPtrArray *attachment_list(struct attachments *attachments, const struct attachment_list_type *type)
{
	GPtrArray **list = attachment_get(attachments, &type->type);

	if (!*list)
		*list = g_ptr_array_new_with_free_func(type->free_row);
	return *list;
}

void attachment_list_clear(void *data)
{
	g_ptr_array_free(*(GPtrArray **)data, TRUE);
}

void attachments_clear(struct attachments *attachments)
{
	g_clear_pointer(&attachments->recent, g_free);
	while (attachments->first) {
		struct attachment *at = attachments->first;

		attachments->first = at->next;
		if (at->type->clear)
			at->type->clear(at->data);
		g_free(at);
	}
}
