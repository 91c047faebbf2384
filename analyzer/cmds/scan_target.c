/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that everything that names a code object's target says the same
 * (docs/code-objects.md#target-ids). */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/cmds/scan.h"
#include "tracer/message.h"

/*
 * Features that a code object of version 3 and older does not state: its header cannot express
 * "any".
 */
static bool old_header(const void *elf, size_t size)
{
	enum { ABI_VERSION_HSA_V3 = 1 };

	return size <= EI_ABIVERSION || ((const uint8_t *)elf)[EI_ABIVERSION] <= ABI_VERSION_HSA_V3;
}

static bool feature_differs(int claimed, int actual, bool old, bool partial)
{
	/* "Any" means on if a compiler was given no setting, on processors that have the
	 * feature. */
	if ((old && (actual == CODEOBJ_ANY || claimed == CODEOBJ_ANY)) ||
	    (partial && claimed == CODEOBJ_ANY))
		return false;
	return claimed != actual;
}

/* Stores the target in a name such as "kernels-gfx90a-xnack+.hsaco". Returns false if it has
 * none. */
static bool from_file_name(const char *path, char text[64])
{
	static const char *const features[] = { "sramecc", "xnack" };
	const char *base = strrchr(path, '/'), *at, *next;
	size_t length;

	base = base ? base + 1 : path;
	for (at = NULL, next = strstr(base, "gfx"); next; next = strstr(next + 3, "gfx"))
		at = next;
	length = at ? 3 + strspn(at + 3, "0123456789abcdef") : 0;
	if (length < 6 || length > 24)
		return false;
	memcpy(text, at, length);
	text[length] = 0;
	for (at += length; *at == '-' || *at == ':' || *at == '_';) {
		size_t i, name = strcspn(++at, "+-:_.");

		for (i = 0; i < 2; i++)
			if (name == strlen(features[i]) && !strncmp(at, features[i], name))
				break;
		if (i == 2 || (at[name] != '+' && at[name] != '-'))
			break;
		snprintf(text + strlen(text), 64 - strlen(text), ":%s%c", features[i], at[name]);
		at += name + 1;
	}
	return true;
}

static void check(struct scan *scan, const struct codeobj_target *actual, bool old, const char *who,
		  const char *claim, bool partial)
{
	struct codeobj_target claimed;
	const char *name = strstr(claim, "gfx");
	char text[64], line[256];

	if (!name || codeobj_target_parse(name, &claimed))
		return;
	if (!strcmp(claimed.processor, actual->processor) &&
	    !feature_differs(claimed.xnack, actual->xnack, old, partial) &&
	    !feature_differs(claimed.sramecc, actual->sramecc, old, partial))
		return;
	codeobj_target_format(actual, text);
	snprintf(line, sizeof(line), "%s says %.64s, but the code object is for %s", who, name,
		 text);
	message_warning("%s: %s", scan->path, line);
	if (scan->disagreement_count < SCAN_DISAGREEMENTS)
		strcpy(scan->disagreement[scan->disagreement_count++], line);
}

void scan_check_target(struct scan *scan, const void *elf, size_t size, const char *bundle,
		       const char *note)
{
	bool old = old_header(elf, size);
	struct codeobj_target actual;
	char name[64];

	if (codeobj_elf_target(elf, size, &actual, NULL))
		return;
	if (bundle && *bundle)
		check(scan, &actual, old, "the bundle", bundle, false);
	else if (from_file_name(scan->path, name))
		check(scan, &actual, old, "the file's name", name, true);
	if (note)
		check(scan, &actual, old, "the metadata note", note, false);
}
