/* SPDX-License-Identifier: Apache-2.0 */
/* Tells how long kernels ran, as recorded (--gpu-time), or by the databases of --with. */
#include "analyzer/times/gpu_times.h"
#include "analyzer/symbols/demangle.h"

#include <stdlib.h>

#include "json_values.h"
#include "printer.h"
#include "report.h"

#define SHOWN 5u

static double milliseconds(uint64_t ns)
{
	return (double)ns / 1e6;
}

static double percent(uint64_t ns, uint64_t of)
{
	return of ? 100 * (double)ns / (double)of : 0;
}

static void put_kernel_time(const struct printer *printer, const struct gpu_time *time,
			    uint64_t sum)
{
	char *name = demangled(time->symbol);

	put_words_owned(
	    printer, "",
	    g_strdup_printf("%.3f ms, %.1f %%, in %" G_GUINT64_FORMAT " dispatch%s of %s",
			    milliseconds(time->ns), percent(time->ns, sum), time->dispatches,
			    time->dispatches == 1 ? "" : "es", name ? name : time->symbol));
	free(name);
}

void put_gpu_times(const struct printer *printer)
{
	const struct gpu_times *times = printer->analysis->gpu_times;
	uint64_t sum = times ? gpu_times_sum(times) : 0;

	if (!times)
		return;
	fputs("Time on GPUs:\n", printer->stream);
	for (guint i = 0; i < times->files->len; i++)
		put_words(printer, i ? "" : "by", times->files->pdata[i]);
	put_row_owned(printer, "kernels",
		      g_strdup_printf("%.3f ms; copies %.3f ms", milliseconds(times->kernels_ns),
				      milliseconds(times->copies_ns)));
	for (guint i = 0; i < times->kernels->len && (i < SHOWN || printer->verbose); i++)
		put_kernel_time(printer, times->kernels->pdata[i], sum);
	for (guint i = 0; i < times->lines->len; i++)
		put_words(printer, i ? "" : "unmatched", times->lines->pdata[i]);
	fputc('\n', printer->stream);
}

struct json_object *json_gpu_time(const struct analysis *analysis, const struct finding *finding)
{
	const struct gpu_time *time =
	    gpu_time_of(analysis->gpu_times, finding->process, finding->kernel_symbol);
	struct json_object *object;

	if (!time)
		return NULL;
	object = json_object_new_object();
	put(object, "ns", json_object_new_int64((int64_t)time->ns));
	put(object, "dispatches", json_object_new_int64((int64_t)time->dispatches));
	put(object, "launches", json_object_new_int64((int64_t)time->launches));
	put(object, "percent",
	    json_object_new_double(percent(time->ns, gpu_times_sum(analysis->gpu_times))));
	put(object, "most_ns", json_object_new_int64((int64_t)time->most_ns));
	return object;
}

void put_gpu_time(const struct printer *printer, struct json_object *finding)
{
	struct json_object *time = get_member(finding, "gpu_time");
	int64_t dispatches = get_number(time, "dispatches");
	char *most;

	if (!time)
		return;
	most = dispatches > 1 ? g_strdup_printf(", at most %.3f ms each",
						(double)get_number(time, "most_ns") / 1e6)
			      : g_strdup("");
	put_row_owned(printer, "time",
		      g_strdup_printf("%.3f ms in %" G_GINT64_FORMAT
				      " dispatch%s of this kernel%s, %.1f %% of the time of "
				      "kernels and copies",
				      (double)get_number(time, "ns") / 1e6, dispatches,
				      dispatches == 1 ? "" : "es", most,
				      json_object_get_double(get_member(time, "percent"))));
	g_free(most);
}

static struct json_object *texts(const GPtrArray *lines)
{
	struct json_object *list = json_object_new_array();

	for (guint i = 0; i < lines->len; i++)
		json_object_array_add(list, text_value(lines->pdata[i]));
	return list;
}

struct json_object *json_gpu_times(const struct analysis *analysis)
{
	const struct gpu_times *times = analysis->gpu_times;
	struct json_object *object = json_object_new_object(), *list = json_object_new_array();

	put(object, "files", texts(times->files));
	put(object, "kernels_ns", json_object_new_int64((int64_t)times->kernels_ns));
	put(object, "copies_ns", json_object_new_int64((int64_t)times->copies_ns));
	put(object, "copies", json_object_new_int64((int64_t)times->copies));
	for (guint i = 0; i < times->kernels->len; i++) {
		const struct gpu_time *time = times->kernels->pdata[i];
		struct json_object *row = json_object_new_object();

		put(row, "pid", json_object_new_int(time->process->pid));
		put(row, "kernel_symbol", text_value(time->symbol));
		put(row, "ns", json_object_new_int64((int64_t)time->ns));
		put(row, "most_ns", json_object_new_int64((int64_t)time->most_ns));
		put(row, "dispatches", json_object_new_int64((int64_t)time->dispatches));
		put(row, "launches", json_object_new_int64((int64_t)time->launches));
		json_object_array_add(list, row);
	}
	put(object, "kernels", list);
	put(object, "unmatched", texts(times->lines));
	return object;
}
