/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a finding that say in which of the program's ranges it occurred. */
#ifndef HIPGRAIN_REPORT_JSON_RANGES_H
#define HIPGRAIN_REPORT_JSON_RANGES_H

struct finding;
struct json_object;

/* Puts `ranges` and `in_ranges`, its text. */
void put_ranges(struct json_object *object, const struct finding *finding);

#endif
