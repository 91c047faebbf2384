/* SPDX-License-Identifier: Apache-2.0 */
/* Target ids and the choice of a bundle's entry for a device (docs/code-objects.md#target-ids). */
#include <errno.h>

#include "internal.h"

/* Set a feature by its name; false if it has no such name or sign. */
static bool set_feature(struct codeobj_target *target, const char *name, size_t length, char sign)
{
	int8_t value = sign == '+' ? CODEOBJ_ON : CODEOBJ_OFF;

	if (sign != '+' && sign != '-')
		return false;
	if (length == 7 && !memcmp(name, "sramecc", 7))
		target->sramecc = value;
	else if (length == 8 && !memcmp(name, "sram-ecc", 8)) /* code object V3 and older */
		target->sramecc = value;
	else if (length == 5 && !memcmp(name, "xnack", 5))
		target->xnack = value;
	else
		return false;
	return true;
}

int codeobj_target_parse(const char *text, struct codeobj_target *target)
{
	size_t length = strcspn(text, ":+");
	const char *p = text + length;

	memset(target, 0, sizeof(*target));
	target->sramecc = CODEOBJ_ANY;
	target->xnack = CODEOBJ_ANY;
	if (!length || length >= sizeof(target->processor) || strncmp(text, "gfx", 3))
		return -EINVAL;
	memcpy(target->processor, text, length);
	while (*p == '+') { /* "+xnack": V3 and older, where only "on" was written */
		size_t name = strcspn(p + 1, "+");

		if (!set_feature(target, p + 1, name, '+'))
			return -EINVAL;
		p += 1 + name;
	}
	while (*p == ':') {
		size_t name = strcspn(p + 1, "+:");

		/* "sramecc-" and "sram-ecc+": the sign is the last character of the part. */
		if (p[1 + name] == '+')
			name++;
		if (name < 2 || !set_feature(target, p + 1, name - 1, p[name]))
			return -EINVAL;
		p += 1 + name;
	}
	return *p ? -EINVAL : 0;
}

int codeobj_target_format(const struct codeobj_target *target, char text[64])
{
	static const char *const sramecc[] = { "", ":sramecc-", ":sramecc+" };
	static const char *const xnack[] = { "", ":xnack-", ":xnack+" };

	return snprintf(text, 64, "%.31s%s%s", target->processor, sramecc[target->sramecc + 1],
			xnack[target->xnack + 1]);
}

/* -1 incompatible, 0 the code runs with any setting, 1 it requires exactly this setting. */
static int match_feature(int code, int device)
{
	if (code == CODEOBJ_ANY)
		return 0;
	return code == device ? 1 : -1;
}

int8_t codeobj_device_xnack(const char *name)
{
	static const char *const without[] = { "gfx103", "gfx11", "gfx120" };
	const char *dashes = strstr(name, "--");
	struct codeobj_target target;

	if (codeobj_target_parse(dashes ? dashes + 2 : name, &target) ||
	    target.xnack != CODEOBJ_ANY)
		return target.xnack;
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		if (!strncmp(target.processor, without[i], strlen(without[i])))
			return CODEOBJ_OFF;
	return CODEOBJ_ANY;
}

/* Generic processors, and those that run their code (docs/code-objects.md#target-ids). */
static const struct {
	const char *generic, *members;
} generics[] = {
	{ "gfx9-generic", " gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c " },
	{ "gfx9-4-generic", " gfx940 gfx941 gfx942 gfx950 " },
	{ "gfx10-1-generic", " gfx1010 gfx1011 gfx1012 gfx1013 " },
	{ "gfx10-3-generic", " gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 " },
	{ "gfx11-generic", " gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 " },
	{ "gfx11-7-generic", " gfx1170 gfx1171 gfx1172 " },
	{ "gfx12-generic", " gfx1200 gfx1201 " },
	{ "gfx12-5-generic", " gfx1250 gfx1251 " },
};

bool codeobj_is_generic(const char *processor)
{
	return strstr(processor, "-generic") != NULL;
}

static bool is_member(const char *generic, const char *processor)
{
	char word[34];

	snprintf(word, sizeof(word), " %.31s ", processor);
	for (size_t i = 0; i < sizeof(generics) / sizeof(generics[0]); i++)
		if (!strcmp(generics[i].generic, generic))
			return strstr(generics[i].members, word) != NULL;
	return false;
}

int codeobj_target_match(const struct codeobj_target *code, const struct codeobj_target *device)
{
	int sramecc = match_feature(code->sramecc, device->sramecc);
	int xnack = match_feature(code->xnack, device->xnack);

	if (sramecc < 0 || xnack < 0)
		return -1;
	if (!strcmp(code->processor, device->processor))
		return CODEOBJ_MATCH_OWN + sramecc + xnack;
	return is_member(code->processor, device->processor) ? sramecc + xnack : -1;
}

int codeobj_bundle_select(const void *data, size_t size, const struct codeobj_target *device,
			  struct codeobj_entry *entry, struct codeobj_error *error)
{
	struct codeobj_bundle bundle;
	struct codeobj_entry candidate;
	char present[128] = "", wanted[64];
	size_t used = 0;
	int best = -1, rc = codeobj_bundle_open(&bundle, data, size, error);

	if (rc)
		return rc;
	while ((rc = codeobj_bundle_next(&bundle, &candidate, error)) > 0) {
		struct codeobj_target code;
		int score;

		if ((strcmp(candidate.kind, "hip") && strcmp(candidate.kind, "hipv4")) ||
		    !candidate.target[0])
			continue;
		if (used < sizeof(present))
			used += (size_t)snprintf(present + used, sizeof(present) - used, "%s%s",
						 used ? ", " : "", candidate.target);
		if (codeobj_target_parse(candidate.target, &code))
			continue;
		score = codeobj_target_match(&code, device);
		if (score > best) {
			best = score;
			*entry = candidate;
			entry->target = entry->id + (candidate.target - candidate.id);
		}
	}
	if (rc < 0)
		return rc;
	if (best >= 0)
		return 0;
	codeobj_target_format(device, wanted);
	return codeobj_fail(error, -ENOENT, "no code object for %s in the bundle (it has: %s)",
			    wanted, present[0] ? present : "none for a GPU");
}
