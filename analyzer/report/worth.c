/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what advice would save: by measured times (--with), else by bytes and published bandwidths.
 */
#include "analyzer/model/links.h"
#include "analyzer/times/gpu_times.h"

#include <string.h>

#include "json_values.h"
#include "printer.h"
#include "report.h"

#define HSA_LINK_PCIE 2 /* hsa_amd_link_info_type_t [HSAH] */

/*
 * Returns the time that the copies of unneeded bytes took at least, or NULL: there are none, or
 * what carried them is not known to be PCIe.
 */
static struct json_object *by_bytes(const struct finding *finding)
{
	const struct device *device = process_device(finding->process, 0);
	struct json_object *object;
	struct model_speed speed;

	if (!finding->unneeded || !device || device->host_link != HSA_LINK_PCIE)
		return NULL;
	speed = model_pcie(device->arch ? device->arch : "");
	object = json_object_new_object();
	put(object, "by", text_value("bytes"));
	put(object, "ns",
	    json_object_new_int64((int64_t)((double)finding->unneeded / speed.bytes * 1e9)));
	put(object, "bytes", json_object_new_int64((int64_t)finding->unneeded));
	put(object, "link", text_value(speed.name));
	put(object, "sources", text_value(speed.sources));
	return object;
}

struct json_object *json_worth(const struct analysis *analysis, const struct finding *finding)
{
	const struct gpu_time *time;
	struct json_object *object;

	if (finding->rule->severity != SEVERITY_ADVICE)
		return NULL; /* it is about what is right */
	time = gpu_time_of(analysis->gpu_times, finding->process, finding->kernel_symbol);
	if (!time)
		return by_bytes(finding);
	object = json_object_new_object();
	put(object, "by", text_value("measured"));
	put(object, "ns", json_object_new_int64((int64_t)time->ns));
	put(object, "percent",
	    json_object_new_double(100 * (double)time->ns /
				   (double)MAX(gpu_times_sum(analysis->gpu_times), 1)));
	return object;
}

static bool is_measured(struct json_object *worth)
{
	return worth && strcmp(get_text(worth, "by"), "measured") == 0;
}

static double percent_of(struct json_object *worth)
{
	return json_object_get_double(get_member(worth, "percent"));
}

/* Adds what a finding saves, the time of a kernel once. `kernels` has those that are counted. */
static void add_finding(struct cause_worth *sum, GHashTable *kernels, struct json_object *finding)
{
	struct json_object *worth = get_member(finding, "worth");
	char *kernel = g_strdup_printf("%" G_GINT64_FORMAT " %s", get_number(finding, "pid"),
				       get_text(finding, "kernel_symbol"));

	if (worth && !is_measured(worth)) {
		sum->bytes += get_number(worth, "bytes");
		sum->bytes_ns += get_number(worth, "ns");
	} else if (worth && g_hash_table_add(kernels, g_strdup(kernel))) {
		sum->kernels++;
		sum->kernels_ns += get_number(worth, "ns");
		sum->percent += percent_of(worth);
	}
	g_free(kernel);
}

static void add_cause(struct cause_worth *sum, GHashTable *kernels, struct json_object *cause)
{
	struct json_object *others = get_array(cause, "others");

	add_finding(sum, kernels, cause);
	for (size_t i = 0; i < array_length(others); i++)
		add_finding(sum, kernels, json_object_array_get_idx(others, i));
}

struct cause_worth cause_worth(struct json_object *cause)
{
	GHashTable *kernels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct cause_worth sum = { 0 };

	add_cause(&sum, kernels, cause);
	g_hash_table_destroy(kernels);
	return sum;
}

bool is_worth_less(struct json_object *cause, double percent)
{
	struct cause_worth worth = cause_worth(cause);

	return worth.kernels && !worth.bytes && worth.percent < percent;
}

void put_worth(const struct printer *printer, struct json_object *cause)
{
	struct cause_worth worth = cause_worth(cause);
	struct json_object *first = get_member(cause, "worth");

	if (worth.kernels) {
		put_row_owned(
		    printer, "worth",
		    g_strdup_printf(
			"at most %.3f ms, %.1f %% of the time of kernels and copies: what "
			"%u kernel%s take%s",
			(double)worth.kernels_ns / 1e6, worth.percent, worth.kernels,
			worth.kernels == 1 ? "" : "s", worth.kernels == 1 ? "s" : ""));
	}
	if (worth.bytes) {
		put_words_owned(printer, "worth",
				g_strdup_printf("at least %.3f ms: %" G_GINT64_FORMAT
						" bytes over the link to the "
						"host, if that is %s or slower [%s]",
						(double)worth.bytes_ns / 1e6, worth.bytes,
						get_text(first, "link"),
						get_text(first, "sources")));
	}
}

void put_worth_first(const struct printer *printer, struct json_object *causes)
{
	GHashTable *kernels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	unsigned measured = 0, by_bytes = 0, less = 0;
	struct cause_worth sum = { 0 };

	for (size_t i = 0; i < array_length(causes); i++) {
		struct json_object *cause = json_object_array_get_idx(causes, i);
		struct cause_worth worth = cause_worth(cause);

		if (is_worth_less(cause, printer->worth)) {
			less++;
			continue;
		}
		measured += worth.kernels > 0;
		by_bytes += worth.bytes > 0;
		add_cause(&sum, kernels, cause);
	}
	if (measured) {
		fprintf(printer->stream,
			"hipgrain: %u thing%s worth at most %.1f %% of the time of kernels and "
			"copies\n",
			measured, measured == 1 ? " is" : "s are", sum.percent);
	}
	if (by_bytes) {
		fprintf(printer->stream,
			"hipgrain: %u thing%s worth at least %.3f ms of copies, by their bytes\n",
			by_bytes, by_bytes == 1 ? " is" : "s are", (double)sum.bytes_ns / 1e6);
	}
	if (less) {
		fprintf(printer->stream,
			"hipgrain: %u worth less than %g %% %s not shown: '--worth 0' shows %s\n",
			less, printer->worth, less == 1 ? "is" : "are", less == 1 ? "it" : "them");
	}
	if (measured || by_bytes || less)
		fputc('\n', printer->stream);
	g_hash_table_destroy(kernels);
}
