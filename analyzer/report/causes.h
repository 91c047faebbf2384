/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings of one cause, of a JSON report: what the same rule says of one line that allocates, or
 * of one line that calls, is mended once, and is one finding. The surest stands for all and holds
 * the complete others as its member `others`.
 */
#ifndef HIPGRAIN_REPORT_CAUSES_H
#define HIPGRAIN_REPORT_CAUSES_H

struct json_object;

/*
 * Returns `list`, an array of findings of which none has others, as an array of causes in the order
 * in which they are to be read: by proof, then by cost; advice by what it would save, as far as
 * that is known, then so. `processes` is that member of the report. The caller puts both.
 */
struct json_object *causes_of(struct json_object *list, struct json_object *processes);

/* Returns every finding of an array of causes, and of older reports; the caller puts it. */
struct json_object *causes_findings(struct json_object *causes);

/* Returns the fix for a finding and the others of its cause; NULL without others. To be freed. */
char *cause_fix(struct json_object *finding);

/*
 * Returns the edits of a finding and of the others of its cause, each once; NULL without others,
 * and if one of them has none, for the rest would not mend it. The caller puts it.
 */
struct json_object *cause_edits(struct json_object *finding);

#endif
