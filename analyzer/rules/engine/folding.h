/* SPDX-License-Identifier: Apache-2.0 */
/* Unites findings that say the same of one cause, once all events were seen. */
#ifndef HIPGRAIN_RULES_FOLDING_H
#define HIPGRAIN_RULES_FOLDING_H

#include <glib.h>

/* Removes from a list of struct finding those that others of it tell better; see folding.c. */
void findings_fold(GPtrArray *list);

#endif
