/* SPDX-License-Identifier: Apache-2.0 */
/* Between the program of test `late` and its stand-in for the provider. */
#ifndef LATE_PROVIDER_H
#define LATE_PROVIDER_H

struct late_control {
	int recording;        /* as hg_provider's */
	void (*wanted)(void); /* the preload library's: somebody wants the state */
	/* Every event, of whatever thread. */
	void (*record)(const char *name, const void *event);
};

extern struct late_control late_control;

#endif
