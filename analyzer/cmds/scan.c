/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hipgrain scan: what the kernels in a file do atomically, without running anything.
 *
 * A file is mapped and taken apart (host ELF -> bundles -> code objects); each code object is
 * analysed on its own and printed (scan_print.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/cmds/cmds.h"
#include "analyzer/cmds/next_option.h"
#include "analyzer/cmds/scan.h"
#include "analyzer/cmds/scan_kept.h"
#include "analyzer/containers/containers.h"
#include "tracer/message.h"
#include "codeobj/text.h"

const char usage_scan[] =
    "Usage: hipgrain scan [OPTION]... FILE...\n"
    "       hipgrain scan [OPTION]... --pid PID\n"
    "List the kernels in executables, libraries, object files and archives of these, offload\n"
    "bundles and code objects, their atomic instructions, and the bytes of the kernel arguments\n"
    "that each one's address comes from.\n"
    "\n"
    "      --format=FORMAT   text (default) or json\n"
    "      --pretty          indent JSON also where it does not go to a terminal\n"
    "      --arch TARGET     only code for this GPU, such as gfx90a or gfx90a:xnack-\n"
    "      --kernel GLOB     only kernels whose name (demangled or not) matches\n"
    "      --disassemble GLOB  print the machine code of these kernels, and next to each atomic\n"
    "                        where its address comes from\n"
    "      --all             also list kernels without atomics, and what each argument is used "
    "for\n"
    "      --runtime         also list the atomics of the runtime's services (printf, malloc)\n"
    "      --fail-on=LIST    exit with status 1 if a listed kernel has a property in LIST\n"
    "                        (separated by commas): hw-fp-atomics (hardware floating-point\n"
    "                        atomics on memory other than LDS), incomplete (code that could not\n"
    "                        be followed); with hw-fp-atomics alone, status 5 if none is found\n"
    "                        but some code could not be followed\n"
    "      --pid PID         scan the files with device code that a running process has loaded,\n"
    "                        and the code objects in its memory\n"
    "      --no-cache        neither use nor keep results of earlier analyses\n"
    "  -j, --jobs N          analyse N code objects, or kernels of one, in parallel\n"
    "  -h, --help            print this help\n";

void scan_bad(struct scan *scan, const char *what)
{
	message_error("%s: %s", scan->path, what);
	scan->status = HG_EXIT_INPUT;
}

bool scan_wanted(const struct scan *scan, const struct isa_kernel *kernel)
{
	char base[256];
	size_t length;

	if (!scan->kernel)
		return true;
	length = strcspn(kernel->name, "(<");
	snprintf(base, sizeof(base), "%.*s", (int)(length < 255 ? length : 255), kernel->name);
	return !fnmatch(scan->kernel, kernel->name, 0) ||
	       !fnmatch(scan->kernel, kernel->symbol, 0) || !fnmatch(scan->kernel, base, 0);
}

/* Returns true if --arch leaves the code object in. */
static bool right_target(struct scan *scan, const void *elf, size_t size)
{
	struct codeobj_target target;

	/* SPIR-V may run on any. */
	if (codeobj_elf_target(elf, size, &target, NULL))
		return !scan->arch || codeobj_identify(elf, size) == CODEOBJ_SPIRV;
	if (!scan->arch)
		return true;
	/* A feature that --arch leaves open may be either way. */
	if (scan->device.sramecc == CODEOBJ_ANY)
		target.sramecc = CODEOBJ_ANY;
	if (scan->device.xnack == CODEOBJ_ANY)
		target.xnack = CODEOBJ_ANY;
	return codeobj_target_match(&target, &scan->device) >= 0;
}

static struct scan_counts count_kernels(const struct scan *scan,
					const struct isa_code_object *object)
{
	struct scan_counts counts = { 0 };

	for (size_t i = 0; i < object->kernel_count; i++) {
		const struct isa_kernel *kernel = &object->kernels[i];

		if (!scan_wanted(scan, kernel))
			continue;
		counts.matched++;
		counts.incomplete += kernel->unvisited != NULL;
		for (size_t k = 0; k < kernel->atomic_count; k++) {
			const struct isa_atomic *atomic = &kernel->atomics[k];

			if (atomic->fp && atomic->native && atomic->space != ISA_SPACE_LDS &&
			    atomic->origin.kind != ISA_ORIGIN_LDS)
				counts.hw_fp_atomics = true;
		}
	}
	return counts;
}

/* Remembers a code object, so that one that a process has in files and in memory is listed once. */
static void remember(struct scan *scan, const char *sha256)
{
	void *grown;

	if (!scan->process)
		return;
	grown = reallocarray(scan->reported, scan->reported_count + 1, sizeof(*scan->reported));
	if (!grown)
		return;
	scan->reported = grown;
	memcpy(scan->reported[scan->reported_count++], sha256, CODEOBJ_SHA256_SIZE);
}

/* Returns true if the code object lies in the file as it is, and stores its offset. */
static bool in_file(const struct scan *scan, const uint8_t *elf, uint64_t *offset)
{
	*offset = (uint64_t)(elf - scan->mapping);
	return scan->mapping && elf >= scan->mapping && *offset < scan->mapping_size;
}

/* A library's code objects are many times what is needed at once. The file has them still. */
static void let_go(const struct scan *scan, const uint8_t *elf, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), from, end;
	uint64_t offset;

	if (!in_file(scan, elf, &offset))
		return;
	from = (offset + page - 1) / page * page;
	end = (offset + size) / page * page;
	if (from < end)
		madvise((void *)(uintptr_t)(scan->mapping + from), end - from, MADV_DONTNEED);
}

/* Print what was found in a code object, or what was printed of it before. */
static struct scan_counts print_code_object(struct scan *scan, const struct scan_item *item)
{
	struct scan_counts counts;

	if (item->kept) {
		if (scan->json)
			json_stream_element(&scan->stream, item->kept->text, item->kept->size);
		else
			fwrite(item->kept->text, 1, item->kept->size, scan->out);
		return item->kept->counts;
	}
	counts = count_kernels(scan, item->object);
	scan_kept_print(scan, item, &counts);
	return counts;
}

static const char *note_of(const struct scan_item *item)
{
	if (item->kept)
		return item->kept->note;
	return item->status ? NULL : item->object->note;
}

static void report_found(struct scan *scan, const struct scan_item *item)
{
	const char *sha256 = item->kept ? item->sha256 : item->object->sha256;
	struct scan_counts counts;
	uint64_t offset;

	scan->analysed++;
	if (!item->kept && item->object->debug_problem)
		message_warning("%s: code object %.12s: %s; its source lines are unknown",
				scan->path, sha256, item->object->debug_problem);
	remember(scan, sha256);
	if (in_file(scan, item->elf, &offset))
		scan_sums_add(&scan->sums, offset, item->size, sha256);
	counts = print_code_object(scan, item);
	scan->matched += counts.matched;
	scan->incomplete += counts.incomplete;
	scan->has_hw_fp_atomics |= counts.hw_fp_atomics;
}

static void report_code_object(void *user, struct scan_item *item)
{
	struct scan *scan = user;

	scan->disagreement_count = 0;
	scan_check_target(scan, item->elf, item->size, item->target, note_of(item));
	if (item->kept && scan->disagreement_count) /* that is printed, too */
		scan_queue_analyse(&scan->queue, item);
	if (item->status == -ENOTSUP) {
		/* Others in the file may be of a kind that is known. */
		scan_refusals_add(&scan->refusals,
				  item->error ? item->error : strerror(-item->status));
		scan->refused++;
		scan->unknown++;
	} else if (item->status) {
		scan_bad(scan, item->error ? item->error : strerror(-item->status));
	} else {
		report_found(scan, item);
	}
	let_go(scan, item->elf, item->size);
}

static struct scan_kept *recall(const void *user, struct scan_item *item)
{
	return scan_kept_find(user, item);
}

static void problem(void *user, const char *text)
{
	struct scan *scan = user;

	/* Code objects found before the problem are reported before it. */
	scan_queue_flush(&scan->queue);
	scan_bad(scan, text);
}

static void found(void *user, const void *elf, size_t size, const char *target)
{
	struct scan *scan = user;
	const char *sha256 = NULL;
	uint64_t offset;

	if (in_file(scan, elf, &offset))
		sha256 = scan_sums_find(&scan->sums, offset, size);
	if (!right_target(scan, elf, size))
		scan->passed_over++;
	else if (scan_queue_add(&scan->queue, elf, size, target, sha256))
		scan_bad(scan, "out of memory");
}

static void keep(void *user, void *buffer, size_t size)
{
	struct scan *scan = user;

	if (scan_queue_keep(&scan->queue, buffer, size))
		scan_bad(scan, "out of memory");
}

static void scan_bytes(struct scan *scan, const void *data, size_t size)
{
	const struct container_sink sink = { found, problem, scan, keep };

	scan->queue = (struct scan_queue){
		.options = { .atomics_only = !scan->all },
		.jobs = scan->jobs ? scan->jobs : 1,
		.recall = recall,
		.report = report_code_object,
		.user = scan,
	};
	containers_walk(data, size, &sink);
	scan_queue_flush(&scan->queue);
	scan_queue_free(&scan->queue);
}

/* Scans the contents of a file, or what stands for one. */
static void scan_contents(struct scan *scan, const void *data, size_t size)
{
	scan->analysed = scan->refused = scan->passed_over = 0;
	if (scan->json) {
		json_stream_begin(&scan->stream, NULL, '{');
		json_stream_text(&scan->stream, "path", scan->path);
		json_stream_begin(&scan->stream, "code_objects", '[');
	} else {
		char *path = text_one_line(scan->path);

		fprintf(scan->out, "%s\n", path ? path : "?");
		free(path);
	}
	scan_bytes(scan, data, size);
	scan_refusals_report(&scan->refusals, scan->path);
	if (scan->refused && !scan->analysed)
		scan->status = HG_EXIT_INPUT;
	if (scan->passed_over && !scan->analysed && !scan->refused)
		scan_bad(scan, "it has no code for this GPU");
	if (scan->json) {
		json_stream_end(&scan->stream, ']');
		json_stream_end(&scan->stream, '}');
	}
}

static void scan_file(struct scan *scan)
{
	int file = open(scan->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat stat;
	void *data;

	if (file < 0 || fstat(file, &stat)) {
		scan_bad(scan, strerror(errno));
	} else if (!S_ISREG(stat.st_mode)) {
		scan_bad(scan, S_ISDIR(stat.st_mode)
				   ? "is a directory; name programs, libraries or code objects"
				   : "not a regular file");
	} else if (!stat.st_size) {
		scan_bad(scan, "empty file");
	} else if ((data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, file, 0)) ==
		   MAP_FAILED) {
		scan_bad(scan, strerror(errno));
	} else {
		scan->mapping = data;
		scan->mapping_size = (size_t)stat.st_size;
		scan_sums_begin(&scan->sums, file);
		scan_contents(scan, data, (size_t)stat.st_size);
		scan_sums_end(&scan->sums, file);
		scan->mapping = NULL;
		munmap(data, (size_t)stat.st_size);
	}
	if (file >= 0)
		close(file);
}

static void scan_loaded(const char *path, void *user)
{
	struct scan *scan = user;

	scan->path = path;
	scan_file(scan);
}

static void scan_found(const char *name, const void *elf, size_t size, void *user)
{
	char sha256[CODEOBJ_SHA256_SIZE];
	struct scan *scan = user;

	/* Without a hash it may be listed twice. */
	(void)containers_sha256(elf, size, sha256);
	for (size_t i = 0; i < scan->reported_count; i++)
		if (!strcmp(scan->reported[i], sha256))
			return;
	if (!right_target(scan, elf, size))
		return;
	scan->path = name;
	scan_contents(scan, elf, size);
}

static void scan_pid(struct scan *scan, const char *pid)
{
	int count, memory;

	scan->process = true;
	count = scan_process(pid, scan_loaded, scan);
	memory = count < 0 ? 0 : scan_memory(pid, scan_found, scan);
	free(scan->reported);
	if (memory < 0)
		message_warning("process %s: its memory cannot be read (%s); code objects that are "
				"in no file are not listed",
				pid, strerror(-memory));
	if (count > 0 || memory > 0)
		return;
	if (count)
		message_error("--pid %s: %s", pid, strerror(-count));
	else
		message_error("process %s has loaded no file with device code%s", pid,
			      memory < 0 ? "" : ", and has none in its memory");
	scan->status = HG_EXIT_INPUT;
}

/* Returns 0, or -EINVAL if `list` is no list of words that --fail-on knows. */
static int parse_fail_on(struct scan *scan, const char *list)
{
	const struct {
		const char *word;
		bool *flag;
	} words[] = {
		{ "hw-fp-atomics", &scan->fail_on_hw_fp_atomics },
		{ "incomplete", &scan->fail_on_incomplete },
	};
	const size_t count = sizeof(words) / sizeof(words[0]);

	for (;; list++) {
		size_t length = strcspn(list, ","), i;

		for (i = 0; i < count; i++)
			if (strlen(words[i].word) == length &&
			    !strncmp(list, words[i].word, length))
				break;
		if (i == count)
			return -EINVAL;
		*words[i].flag = true;
		list += length;
		if (!*list)
			return 0;
	}
}

/* Returns the exit status by --fail-on. */
static int judge(const struct scan *scan)
{
	bool incomplete = scan->incomplete || scan->unknown;

	if (scan->status)
		return scan->status;
	if ((scan->fail_on_hw_fp_atomics && scan->has_hw_fp_atomics) ||
	    (scan->fail_on_incomplete && incomplete))
		return HG_EXIT_FINDINGS;
	if (scan->fail_on_hw_fp_atomics && incomplete) {
		message_warning(
		    "no hardware floating-point atomic was found, but %u kernel%s could "
		    "not be followed to the end, and %u code object%s not analysed",
		    scan->incomplete, scan->incomplete == 1 ? "" : "s", scan->unknown,
		    scan->unknown == 1 ? "" : "s");
		return HG_EXIT_INCOMPLETE;
	}
	return HG_EXIT_OK;
}

/* Parses the options into *scan. Returns 0, or the exit status with which to end. */
static int parse_options(struct scan *scan, int argc, char **argv, const char **pid)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "kernel", required_argument, NULL, 'k' },
		{ "arch", required_argument, NULL, 'A' },
		{ "disassemble", required_argument, NULL, 'd' },
		{ "fail-on", required_argument, NULL, 'F' },
		{ "pid", required_argument, NULL, 'p' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "no-cache", no_argument, NULL, 'n' },
		{ "pretty", no_argument, NULL, 'P' },
		{ "all", no_argument, NULL, 'a' },
		{ "runtime", no_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool cached = true;
	char *end;
	long jobs;
	int code;

	while ((code = next_option(argc, argv, "hj:", options)) != -1) {
		switch (code) {
		case 'f':
			scan->json = !strcmp(optarg, "json");
			if (!scan->json && strcmp(optarg, "text")) {
				message_error("--format: '%s' is not text or json", optarg);
				return HG_EXIT_USAGE;
			}
			break;
		case 'd':
			scan->disassemble = true;
			scan->kernel = optarg;
			break;
		case 'k':
			scan->kernel = optarg;
			break;
		case 'A':
			scan->arch = optarg;
			if (codeobj_target_parse(optarg, &scan->device)) {
				message_error("--arch: '%s' is not a target such as gfx90a:xnack-",
					      optarg);
				return HG_EXIT_USAGE;
			}
			break;
		case 'F':
			if (parse_fail_on(scan, optarg)) {
				message_error(
				    "--fail-on: '%s' is not a list of hw-fp-atomics and incomplete",
				    optarg);
				return HG_EXIT_USAGE;
			}
			break;
		case 'p':
			*pid = optarg;
			break;
		case 'j':
			jobs = strtol(optarg, &end, 10);
			if (*end || end == optarg || jobs < 1 || jobs > 256) {
				message_error("--jobs: '%s' is not a number from 1 to 256", optarg);
				return HG_EXIT_USAGE;
			}
			scan->jobs = (unsigned)jobs;
			break;
		case 'n':
			cached = false;
			break;
		case 'P':
			scan->stream.indent = true;
			break;
		case 'a':
			scan->all = true;
			break;
		case 'r':
			scan->runtime = true;
			break;
		case 'h':
			fputs(usage_scan, stdout);
			exit(HG_EXIT_OK);
		default:
			return HG_EXIT_USAGE;
		}
	}
	if (scan->disassemble && scan->json) {
		message_error("--disassemble prints text only");
		return HG_EXIT_USAGE;
	}
	if ((optind == argc) == !*pid) {
		message_error(*pid ? "files and --pid are mutually exclusive"
				   : "no file given (try 'hipgrain scan --help')");
		return HG_EXIT_USAGE;
	}
	if (cached)
		cmds_use_cache();
	return HG_EXIT_OK;
}

int cmd_scan(int argc, char **argv)
{
	struct scan scan = { .status = HG_EXIT_OK,
			     .stream = { .file = stdout, .indent = isatty(STDOUT_FILENO) },
			     .out = stdout };
	const char *pid = NULL;
	int status = parse_options(&scan, argc, argv, &pid);

	if (status)
		return status;
	if (scan.json) {
		json_stream_begin(&scan.stream, NULL, '{');
		json_stream_text(&scan.stream, "schema", "hipgrain-scan/1");
		json_stream_begin(&scan.stream, "files", '[');
	}
	if (pid)
		scan_pid(&scan, pid);
	for (; optind < argc; optind++) {
		scan.path = argv[optind];
		scan_file(&scan);
	}
	if (scan.disassemble && !scan.matched && !scan.status) {
		message_error("no kernel matches '%s'", scan.kernel);
		scan.status = HG_EXIT_INPUT;
	}
	if (scan.json) {
		json_stream_end(&scan.stream, ']');
		json_stream_end(&scan.stream, '}');
	}
	return judge(&scan);
}
