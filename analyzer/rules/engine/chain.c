/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the links of a finding's chain, each in one function. */
#include "chain.h"

#include <string.h>

/* Holds the reason why a link is weak. */
struct weakness {
	enum confidence at_most;
	const char *doubt; /* NULL: it is not weak */
	char *made;        /* `doubt`, where it had to be made */
	bool maybe_harmless;
};

static void weak(struct weakness *weakness, enum confidence at_most, const char *doubt)
{
	weakness->at_most = at_most;
	weakness->doubt = doubt;
}

static void check_address(const struct chain *chain, struct weakness *weakness)
{
	if (chain->pointer && chain->pointer->doubt) {
		weak(weakness, chain->pointer->at_most, chain->pointer->doubt);
		weakness->maybe_harmless = chain->pointer->maybe_harmless;
	} else if (chain->use && !chain->use->certain) {
		weak(weakness, CONFIDENCE_POSSIBLE,
		     "the access goes through one of several arguments, and nothing recorded says "
		     "which");
		weakness->maybe_harmless = true;
	}
}

static void check_granularity(const struct chain *chain, struct weakness *weakness)
{
	if (chain->grain && !chain->grain->certain)
		weak(weakness, CONFIDENCE_LIKELY,
		     "the granularity depends on a property of the machine that could not be "
		     "queried");
}

static void check_device(const struct chain *chain, struct weakness *weakness)
{
	if (chain->launch && !chain->launch->device)
		weak(weakness, CONFIDENCE_LIKELY, "the GPU was not recorded");
}

static void check_model(const struct chain *chain, struct weakness *weakness)
{
	if (chain->outcome && chain->outcome->doubt)
		weak(weakness, CONFIDENCE_POSSIBLE, chain->outcome->doubt);
	else if (chain->outcome && !chain->outcome->certain)
		weak(weakness, CONFIDENCE_LIKELY,
		     "what the GPU does there depends on a property of the machine that could not "
		     "be queried");
}

static void check_pages(const struct chain *chain, struct weakness *weakness)
{
	if (chain->pages)
		weak(weakness, chain->pages_at_most, chain->pages);
}

static void check_executed(const struct chain *chain, struct weakness *weakness)
{
	if (chain->needs_use && (!chain->use || chain->use->certain)) {
		weak(weakness, CONFIDENCE_LIKELY,
		     "the code dereferences the pointer; whether this launch executed that code is "
		     "not recorded");
	} else if (chain->atomic && !chain->atomic->executes) {
		weakness->made = g_strdup_printf(
		    "it is not certain that the kernel reaches this instruction: %s",
		    chain->atomic->unsure ? chain->atomic->unsure : "its conditions are not known");
		weak(weakness, chain->atomic->by_word ? CONFIDENCE_POSSIBLE : CONFIDENCE_LIKELY,
		     weakness->made);
		weakness->maybe_harmless = chain->atomic->by_word;
	}
}

void finding_weigh(struct finding *finding, const struct chain *chain)
{
	static void (*const links[])(const struct chain *, struct weakness *) = {
#define LINK(name, what) check_##name,
#include "chain_links.def"
#undef LINK
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(links); i++) {
		struct weakness weakness = { 0 };

		links[i](chain, &weakness);
		finding->maybe_harmless |= weakness.maybe_harmless;
		if (weakness.doubt)
			finding_at_most(finding, weakness.at_most, weakness.doubt);
		g_free(weakness.made);
	}
}

void finding_at_most(struct finding *finding, enum confidence confidence, const char *doubt)
{
	char *before = finding->doubts;

	if (finding->confidence > confidence)
		finding->confidence = confidence;
	finding->doubts = before ? g_strdup_printf("%s; %s", before, doubt) : g_strdup(doubt);
	g_free(before);
}

void finding_confirm(struct finding *finding)
{
	finding->confidence = CONFIDENCE_PROVEN;
	g_clear_pointer(&finding->doubts, g_free);
}

void finding_was_measured(struct finding *finding)
{
	if (finding->confidence == CONFIDENCE_PROVEN)
		finding->confidence = CONFIDENCE_MEASURED;
}
