/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attachments are what others keep with an object, each by a type of its own, freed with the
 * object: the object's owner need not know what it is. They are a list, because few have anything
 * to keep with one object; a long one has a table of those that were looked up last.
 */
#ifndef HIPGRAIN_ATTACHMENTS_H
#define HIPGRAIN_ATTACHMENTS_H

#include <glib.h>
#include <stddef.h>

/* There is one for each kind of thing that is kept; types are compared by address. */
struct attachment_type {
	size_t size;
	void (*init)(void *data);  /* begins with zeroed bytes; NULL: they need nothing more */
	void (*clear)(void *data); /* frees what the bytes refer to; NULL: nothing */
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
	struct attachment **recent; /* NULL: the list is short */
};

/* Returns that of the type, and makes it if there is none. It is valid until attachments_clear().
 */
void *attachment_get(struct attachments *attachments, const struct attachment_type *type);
/* Returns that of the type, or NULL if there is none. */
void *attachment_find(const struct attachments *attachments, const struct attachment_type *type);
/* Returns the list of that type. */
GPtrArray *attachment_list(struct attachments *attachments,
			   const struct attachment_list_type *type);
void attachment_list_clear(void *data);
/* Frees all of them. */
void attachments_clear(struct attachments *attachments);

#endif
