/* SPDX-License-Identifier: Apache-2.0 */
/* A list of what is kept with an object, the oldest first. */
#include "attachments.h"

struct attachment {
	struct attachment *next;
	const struct attachment_type *type;
	max_align_t data[];
};

void *attachment_find(const struct attachments *attachments, const struct attachment_type *type)
{
	for (struct attachment *at = attachments->first; at; at = at->next)
		if (at->type == type)
			return at->data;
	return NULL;
}

void *attachment_get(struct attachments *attachments, const struct attachment_type *type)
{
	struct attachment **at = &attachments->first;

	for (; *at; at = &(*at)->next)
		if ((*at)->type == type)
			return (*at)->data;
	*at = g_malloc0(sizeof(**at) + type->size);
	(*at)->type = type;
	if (type->init)
		type->init((*at)->data);
	return (*at)->data;
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
	while (attachments->first) {
		struct attachment *at = attachments->first;

		attachments->first = at->next;
		if (at->type->clear)
			at->type->clear(at->data);
		g_free(at);
	}
}
