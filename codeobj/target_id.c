/* SPDX-License-Identifier: Apache-2.0 */
/* Target ids and the choice of a bundle's entry for a device (docs/code-objects.md#target-ids). */
#include <errno.h>

#include "codeobj_internal.h"
#include "processor.h"

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
	const struct codeobj_processor *processor = codeobj_processor(target->processor);
	bool always =
	    processor && processor->xnack == CODEOBJ_XNACK_ALWAYS && target->xnack == CODEOBJ_ON;

	return snprintf(text, 64, "%.31s%s%s", target->processor, sramecc[target->sramecc + 1],
			always ? "" : xnack[target->xnack + 1]);
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
	const char *dashes = strstr(name, "--");
	const struct codeobj_processor *processor;
	struct codeobj_target target;

	if (codeobj_target_parse(dashes ? dashes + 2 : name, &target) ||
	    target.xnack != CODEOBJ_ANY)
		return target.xnack;
	processor = codeobj_processor(target.processor);
	if (!processor)
		return CODEOBJ_ANY;
	return processor->xnack == CODEOBJ_XNACK_NONE     ? CODEOBJ_OFF
	       : processor->xnack == CODEOBJ_XNACK_ALWAYS ? CODEOBJ_ON
							  : CODEOBJ_ANY;
}

bool codeobj_is_generic(const char *processor)
{
	return strstr(processor, "-generic") != NULL;
}

int codeobj_target_match(const struct codeobj_target *code, const struct codeobj_target *device)
{
	const struct codeobj_processor *processor = codeobj_processor(device->processor);
	bool always = processor && processor->xnack == CODEOBJ_XNACK_ALWAYS;
	int sramecc = match_feature(code->sramecc, device->sramecc);
	int xnack = match_feature(code->xnack, always ? CODEOBJ_ON : device->xnack);

	if (sramecc < 0 || xnack < 0)
		return -1;
	if (!strcmp(code->processor, device->processor))
		return CODEOBJ_MATCH_OWN + sramecc + xnack;
	return processor && processor->generic && !strcmp(code->processor, processor->generic)
		   ? sramecc + xnack
		   : -1;
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
