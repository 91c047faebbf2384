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

int codeobj_target_match(const struct codeobj_target *code, const struct codeobj_target *device)
{
	int sramecc = match_feature(code->sramecc, device->sramecc);
	int xnack = match_feature(code->xnack, device->xnack);

	if (strcmp(code->processor, device->processor) || sramecc < 0 || xnack < 0)
		return -1;
	return sramecc + xnack;
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
		    codeobj_target_parse(candidate.target, &code))
			continue;
		if (used < sizeof(present))
			used += (size_t)snprintf(present + used, sizeof(present) - used, "%s%s",
						 used ? ", " : "", candidate.target);
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
