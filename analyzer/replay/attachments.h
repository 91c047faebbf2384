/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What others keep with an object, each by a type of its own, freed with the object: the object's
 * owner need not know what it is. A list, because few have anything to keep with one object.
 */
#ifndef HIPGRAIN_ATTACHMENTS_H
#define HIPGRAIN_ATTACHMENTS_H

#include <glib.h>
#include <stddef.h>

/* One for each kind of thing that is kept; compared by address. */
struct attachment_type {
	size_t size;
	void (*init)(void *data);  /* of zeroed bytes; NULL: they need nothing more */
	void (*clear)(void *data); /* what the bytes refer to; NULL: nothing */
};

/* Describes a list of pointers that is kept with an object: ATTACHMENT_LIST(). */
struct attachment_list_type {
	struct attachment_type type;
	void (*free_row)(void *row);
};

#define ATTACHMENT_LIST(FREE_ROW)                                              \
	{                                                                      \
		{ sizeof(GPtrArray *), NULL, attachment_list_clear }, FREE_ROW \
	}

/* Zeroed at first. */
struct attachments {
	struct attachment *first;
};

/* That of the type, made if there is none. Valid until attachments_clear(). */
void *attachment_get(struct attachments *attachments, const struct attachment_type *type);
/* The same, NULL if there is none. */
void *attachment_find(const struct attachments *attachments, const struct attachment_type *type);
/* Returns the list of that type. */
GPtrArray *attachment_list(struct attachments *attachments,
			   const struct attachment_list_type *type);
void attachment_list_clear(void *data);
/* All of them. */
void attachments_clear(struct attachments *attachments);

#endif
