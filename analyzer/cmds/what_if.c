/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and checks --what-if KEY=VALUE. */
#include "analyzer/cmds/what_if.h"

#include <errno.h>
#include <string.h>

#include "analyzer/model/releases.h"
#include "codeobj/processor.h"
#include "tracer/message.h"

/* Returns 0, 1, or -1 for another text. */
static int parse_bit(const char *value)
{
	return strcmp(value, "0") == 0 ? 0 : strcmp(value, "1") == 0 ? 1 : -1;
}

/* Returns false after a message if a GPU of this name has no such state of XNACK. */
static bool can_have_xnack(const char *gpu, int xnack)
{
	const struct codeobj_processor *processor = codeobj_processor(gpu);

	if (processor && xnack == 1 && processor->xnack == CODEOBJ_XNACK_NONE)
		message_error("--what-if: %s has no XNACK", gpu);
	else if (processor && xnack == 0 && processor->xnack == CODEOBJ_XNACK_ALWAYS)
		message_error("--what-if: XNACK of %s is always on", gpu);
	else
		return true;
	return false;
}

/* Takes one KEY=VALUE. Returns false after a message. */
static bool parse_one(const char *key, const char *value, struct supposed *supposed)
{
	if (strcmp(key, "hip") == 0) {
		supposed->version = model_release(value);
		if (supposed->version > 0)
			return true;
		if (supposed->version < 0)
			message_error(
			    "--what-if: HIP's behaviour changed within %s: name its patch, "
			    "as in %s.0",
			    value, value);
		else
			message_error("--what-if: '%s' is no release of HIP that the memory model "
				      "knows, as 5.2 to 7.2 are",
				      value);
	} else if (strcmp(key, "gpu") == 0) {
		const struct codeobj_processor *processor =
		    strchr(value, ':') ? NULL : codeobj_processor(value);

		if (processor) {
			supposed->gpu = processor->name;
			return true;
		}
		message_error(
		    "--what-if: '%s' is no GPU that hipgrain knows (docs/SUPPORT.md lists them)",
		    value);
	} else if (strcmp(key, "xnack") == 0 || strcmp(key, "apu") == 0) {
		int bit = parse_bit(value);

		if (bit >= 0) {
			*(key[0] == 'x' ? &supposed->xnack : &supposed->apu) = bit;
			return true;
		}
		message_error("--what-if: %s is '%s', not 0 or 1", key, value);
	} else {
		message_error("--what-if: '%s' is not hip, gpu, xnack or apu", key);
	}
	return false;
}

int supposed_parse(const char *text, struct supposed *supposed)
{
	char **words = g_strsplit(text, ",", -1);
	bool valid = true;

	*supposed = (struct supposed){ 0, NULL, -1, -1 };
	for (char **word = words; *word && valid; word++) {
		char *equals = strchr(*word, '=');

		if (equals) {
			*equals = '\0';
			valid = parse_one(*word, equals + 1, supposed);
		} else {
			message_error("--what-if: '%s' is not of the form KEY=VALUE", *word);
			valid = false;
		}
	}
	g_strfreev(words);
	if (valid && supposed->gpu && supposed->xnack >= 0)
		valid = can_have_xnack(supposed->gpu, supposed->xnack);
	return valid ? 0 : -EINVAL;
}

int supposed_check(const struct supposed *supposed, const struct analysis *analysis, char **error)
{
	const GPtrArray *processes = analysis->replay.processes;
	bool runtime = false;

	for (guint i = 0; i < processes->len; i++) {
		const struct process *process = processes->pdata[i];

		runtime |= process->runtime_version != 0;
		for (guint j = 0; j < process->devices->len && supposed->xnack >= 0; j++) {
			const struct device *device = process->devices->pdata[j];
			const struct codeobj_processor *processor =
			    supposed->gpu || !device->arch ? NULL : codeobj_processor(device->arch);

			if (processor && processor->xnack != CODEOBJ_XNACK_SWITCHED &&
			    device->xnack != supposed->xnack) {
				*error =
				    g_strdup_printf("--what-if: a process cannot switch XNACK of "
						    "its %s",
						    processor->name);
				return -EINVAL;
			}
		}
	}
	if (supposed->version && !runtime) {
		*error =
		    g_strdup("--what-if: which release of HIP it was recorded with is not known");
		return -EINVAL;
	}
	return 0;
}
