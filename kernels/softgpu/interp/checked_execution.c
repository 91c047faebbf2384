/* SPDX-License-Identifier: Apache-2.0 */
/* The executor of instructions that access memory while checks are on, and who hears of it. */
#include <stdlib.h>

#include "check.h"
#include "defined.h"
#include "endless.h"

/* Pairs of instructions that were reported; further ones are left out, which is said once. */
#define REPORTS 1024u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static softgpu_check_watcher *watcher;
static void *watcher_data;
static struct report {
	uint64_t first, second; /* instructions of a race; else the one, and the entry */
	enum softgpu_check_kind kind;
} reports[REPORTS];
static unsigned nreports;

uint64_t softgpu_watch_checks(softgpu_check_watcher *function, void *data)
{
	pthread_mutex_lock(&lock);
	watcher = function;
	watcher_data = data;
	pthread_mutex_unlock(&lock);
	return softgpu_config.check;
}

/* Returns true the first time. */
static bool is_new(uint64_t first, uint64_t second, enum softgpu_check_kind kind)
{
	for (unsigned i = 0; i < nreports; i++)
		if (reports[i].first == first && reports[i].second == second &&
		    reports[i].kind == kind)
			return false;
	if (nreports == REPORTS)
		return false;
	reports[nreports++] = (struct report){ first, second, kind };
	if (nreports == REPORTS)
		fprintf(stderr,
			"softgpu: %u kinds of wrong accesses are reported, further ones "
			"are left out\n",
			REPORTS);
	return true;
}

/* Turns a group's number in the grid into its three indices there. */
static void find_group(const struct softgpu_run *run, uint64_t number, uint32_t group[3])
{
	for (unsigned i = 0; i < 3; i++) {
		group[i] = (uint32_t)(number % run->groups[i]);
		number /= run->groups[i];
	}
}

/* Turns a work-item's number in the group into its three indices there. */
static void find_item(const struct softgpu_run *run, const uint32_t group[3], unsigned number,
		      uint32_t item[3])
{
	for (unsigned i = 0; i < 3; i++) {
		uint32_t begin = group[i] * run->group_size[i];
		uint32_t left = run->grid[i] - begin;
		uint32_t size = left < run->group_size[i] ? left : run->group_size[i];

		item[i] = number % size;
		number /= size;
	}
}

/* Tells the watcher, unless it knows. */
static void tell(const struct softgpu_checked *checked, uint64_t first, uint64_t second,
		 enum softgpu_check_kind kind)
{
	pthread_mutex_lock(&lock);
	if (is_new(first, second, kind)) {
		if (watcher)
			watcher(checked, watcher_data);
		else
			fprintf(stderr,
				"softgpu: kernel %s, entry+0x%llx: access to 0x%llx is wrong\n",
				checked->kernel, (unsigned long long)checked->offset,
				(unsigned long long)checked->address);
	}
	pthread_mutex_unlock(&lock);
}

/* Returns the mnemonic of the instruction at `pc`. */
static const char *name_of(struct sg_wave *wave, uint64_t pc)
{
	uint64_t fault;
	const struct sg_insn *in = sg_fetch(wave, pc, &fault);

	return in && in->op ? in->op->name : "-";
}

static bool is_race(enum softgpu_check_kind kind)
{
	return kind == SOFTGPU_CHECK_RACE || kind == SOFTGPU_CHECK_GLOBAL_RACE;
}

void sg_check_report(struct sg_wave *wave, const char *name, uint64_t pc,
		     const struct sg_touched *touched, const struct sg_suspicion *suspicion)
{
	const struct softgpu_run *run = wave->run;
	uint64_t other = run->entry + (uint64_t)suspicion->other_offset;
	struct softgpu_checked checked = {
		.kernel = run->dispatch.kernel_name ? run->dispatch.kernel_name : "?",
		.instruction = name,
		.other_instruction = is_race(suspicion->kind) ? name_of(wave, other) : "-",
		.offset = (int64_t)(pc - run->entry),
		.other_offset = suspicion->other_offset,
		.address = suspicion->address,
		.size = touched->size,
		.lds_size = wave->group->lds_size,
		.kind = suspicion->kind,
		.writes = touched->kind != SG_READ,
		.doubtful = suspicion->doubtful,
		.gpu = run->dispatch.gpu,
	};

	memcpy(checked.group, wave->group->id, sizeof(checked.group));
	memcpy(checked.other_group, wave->group->id, sizeof(checked.group));
	if (suspicion->kind == SOFTGPU_CHECK_GLOBAL_RACE)
		find_group(run, suspicion->other_group, checked.other_group);
	find_item(run, checked.group, wave->index * SG_LANES + suspicion->lane, checked.item);
	find_item(run, checked.other_group, suspicion->other_item, checked.other_item);
	tell(&checked, pc < other ? pc : other, pc < other ? other : pc, suspicion->kind);
}

void sg_check_use(struct sg_wave *wave, const struct sg_use *use,
		  const struct sg_suspicion *suspicion)
{
	const struct softgpu_run *run = wave->run;
	struct softgpu_checked checked = {
		.kernel = run->dispatch.kernel_name ? run->dispatch.kernel_name : "?",
		.instruction = use->name,
		.other_instruction = "-",
		.offset = (int64_t)(use->pc - run->entry),
		.other_offset = (int64_t)(use->use - run->entry),
		.address = suspicion->address,
		.size = use->size,
		.lds_size = wave->group->lds_size,
		.kind = suspicion->kind,
		.doubtful = suspicion->doubtful,
		.gpu = run->dispatch.gpu,
	};

	memcpy(checked.group, wave->group->id, sizeof(checked.group));
	find_item(run, checked.group, wave->index * SG_LANES + suspicion->lane, checked.item);
	/* It suffices to tell one use of what an instruction loads. */
	tell(&checked, use->pc, 0, SOFTGPU_CHECK_UNWRITTEN_BRANCH);
}

void sg_check_endless(const struct sg_endless *place, uint64_t ended)
{
	struct sg_wave *wave = place->wave;
	const struct softgpu_run *run = wave->run;
	uint64_t pc = place->load ? place->load->pc : wave->pc;
	uint64_t begun = run->started < run->ngroups ? run->started : run->ngroups;
	struct softgpu_checked checked = {
		.kernel = run->dispatch.kernel_name ? run->dispatch.kernel_name : "?",
		.instruction = name_of(wave, pc),
		.other_instruction = "-",
		.offset = (int64_t)(pc - run->entry),
		.other_offset = (int64_t)place->seconds,
		.address = place->lds ? (uint64_t)SG_SHARED_BASE_HI << 32 | place->address
				      : place->address,
		.size = place->size,
		.lds_size = wave->group->lds_size,
		.kind = SOFTGPU_CHECK_ENDLESS,
		.other_group = { (uint32_t)ended, (uint32_t)(begun - ended),
				 (uint32_t)(run->ngroups - begun) },
		.doubtful = !place->sure,
		.gpu = run->dispatch.gpu,
	};

	memcpy(checked.group, wave->group->id, sizeof(checked.group));
	find_item(run, checked.group, wave->index * SG_LANES + place->lane, checked.item);
	tell(&checked, pc, run->entry, SOFTGPU_CHECK_ENDLESS);
}

/* Returns true, with what is wrong, if nothing leads to the allocation that has the address. */
static bool is_foreign(struct sg_wave *wave, const struct sg_live *live,
		       struct sg_suspicion *suspicion)
{
	if (!sg_origin_missing(wave, live))
		return false;
	suspicion->kind = SOFTGPU_CHECK_FOREIGN;
	suspicion->doubtful = true;
	return true;
}

/* Gives the least and the greatest address of the active lanes, of which there are some. */
static void find_bounds(const uint64_t address[SG_LANES], uint64_t active, uint64_t *least,
			uint64_t *greatest)
{
	uint64_t low = UINT64_MAX, high = 0;

	if (active == UINT64_MAX) { /* a loop that compilers vectorize */
		for (unsigned l = 0; l < SG_LANES; l++) {
			low = address[l] < low ? address[l] : low;
			high = address[l] > high ? address[l] : high;
		}
	} else {
		for (uint64_t m = active; m; m &= m - 1) {
			uint64_t at = address[__builtin_ctzll(m)];

			low = at < low ? at : low;
			high = at > high ? at : high;
		}
	}
	*least = low;
	*greatest = high;
}

/* Returns true with the allocation if all lanes' accesses are in one. */
static bool is_in_one(const struct sg_touched *touched, struct sg_live *live)
{
	uint64_t least, greatest;

	find_bounds(touched->address[0], touched->active, &least, &greatest);
	return greatest <= UINT64_MAX - touched->size &&
	       sg_shadow_live(least, greatest + touched->size, live);
}

/* Returns true if all lanes' accesses are in the group's LDS. */
static bool is_in_lds(const struct sg_wave *wave, const struct sg_touched *touched)
{
	uint64_t least, greatest;

	for (unsigned e = 0; e < touched->elements; e++) {
		find_bounds(touched->address[e], touched->active, &least, &greatest);
		if (greatest + touched->size > wave->group->lds_size)
			return false;
	}
	return true;
}

/* Returns true if bytes are behind the code object, which has its last page alone. */
static bool is_behind_code(const struct softgpu_dispatch *dispatch, uint64_t address, unsigned size)
{
	uint64_t end = dispatch->code_base + dispatch->code_size;
	uint64_t last = (end + SOFTGPU_PAGE_SIZE - 1) & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);

	return dispatch->code_size && address >= dispatch->code_base && address < last &&
	       address + size > end;
}

static void report(struct sg_wave *wave, const struct sg_insn *in, const struct sg_touched *touched,
		   const struct sg_suspicion *suspicion)
{
	sg_check_report(wave, in->op->name, in->pc, touched, suspicion);
}

/* Returns true, with what is wrong, if memory-checking objects to a lane's access. */
static bool is_wrong(struct sg_wave *wave, const struct sg_touched *touched,
		     struct sg_suspicion *suspicion)
{
	uint32_t high = (uint32_t)(suspicion->address >> 32);
	bool lds = touched->lds || (touched->flat && high == SG_SHARED_BASE_HI);
	uint64_t at = touched->lds ? suspicion->address : (uint32_t)suspicion->address;
	/* Compilers widen scalar loads where the bytes behind cannot fault. */
	unsigned size = touched->scalar ? 1 : touched->size;
	struct sg_live live;

	if (touched->flat && high == SG_PRIVATE_BASE_HI)
		return false;
	if (lds && at + touched->size > wave->group->lds_size) {
		suspicion->kind = SOFTGPU_CHECK_LDS;
		suspicion->address = at;
		return true;
	}
	if (!lds && sg_shadow_find(suspicion->address, size, &suspicion->kind))
		return true;
	if (!lds && is_behind_code(&wave->run->dispatch, suspicion->address, size)) {
		suspicion->kind = SOFTGPU_CHECK_VARIABLES;
		return true;
	}
	if (!lds && sg_shadow_live(suspicion->address, suspicion->address + 1, &live) &&
	    is_foreign(wave, &live, suspicion))
		return true;
	suspicion->kind = SOFTGPU_CHECK_MISALIGNED;
	return touched->kind == SG_ATOMIC && suspicion->address % touched->size;
}

static void check_memory(struct sg_wave *wave, const struct sg_insn *in,
			 const struct sg_touched *touched)
{
	struct sg_suspicion suspicion = { 0 };
	bool found = false;
	bool simple = touched->kind != SG_ATOMIC; /* which may be misaligned */
	struct sg_live live;

	if (!touched->active || (touched->lds && simple && is_in_lds(wave, touched)))
		return;
	sg_shadow_lock();
	if (!touched->lds && simple && is_in_one(touched, &live)) {
		suspicion.lane = (unsigned)__builtin_ctzll(touched->active);
		suspicion.address = touched->address[0][suspicion.lane];
		found = is_foreign(wave, &live, &suspicion);
	} else {
		for (unsigned e = 0; e < touched->elements && !found; e++) {
			for (uint64_t m = touched->active; m && !found; m &= m - 1) {
				suspicion.lane = (unsigned)__builtin_ctzll(m);
				suspicion.address = touched->address[e][suspicion.lane];
				found = is_wrong(wave, touched, &suspicion);
			}
		}
	}
	sg_shadow_unlock();
	if (found)
		report(wave, in, touched, &suspicion);
}

/* Turns flat addresses into offsets in LDS. Returns true if all that are active lie there. */
static bool is_lds(struct sg_touched *touched)
{
	if (touched->lds)
		return true;
	for (uint64_t m = touched->active; m && touched->flat; m &= m - 1)
		if (touched->address[0][__builtin_ctzll(m)] >> 32 != SG_SHARED_BASE_HI)
			return false;
	if (!touched->flat || !touched->active)
		return false;
	for (unsigned l = 0; l < SG_LANES; l++)
		touched->address[0][l] = (uint32_t)touched->address[0][l];
	return true;
}

/* Executes `in`. A store that leaves what was there races with nothing. */
static void check_races(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched)
{
	struct sg_suspicion suspicion;
	bool race = sg_race_find(wave, in, touched, &suspicion);
	uint8_t before = race ? wave->group->lds[suspicion.address] : 0;

	in->op->exec(wave, in);
	if (race && (touched->kind != SG_WRITE || before != wave->group->lds[suspicion.address]))
		report(wave, in, touched, &suspicion);
}

static void execute(struct sg_wave *wave, const struct sg_insn *in, struct sg_touched *touched)
{
	struct sg_suspicion suspicion;

	if (!(softgpu_config.check & SOFTGPU_RACECHECK))
		in->op->exec(wave, in);
	else if (is_lds(touched))
		check_races(wave, in, touched);
	else if (sg_global_race_execute(wave, in, touched, &suspicion))
		report(wave, in, touched, &suspicion);
}

static void checked(struct sg_wave *wave, const struct sg_insn *in)
{
	struct sg_touched touched;

	/* The addresses are left out: there are many. */
	touched.elements = 1;
	touched.lds = touched.flat = touched.scalar = false;
	touched.base = 0;
	if (!in->op->touch(wave, in, &touched)) {
		if (!wave->stop && softgpu_config.check & SOFTGPU_INITCHECK)
			sg_follow_untouched(wave, in);
		else if (!wave->stop)
			in->op->exec(wave, in);
		return;
	}
	if (wave->passed_by)
		sg_barrier_touch(wave, in, &touched);
	if (softgpu_config.check & SOFTGPU_MEMCHECK)
		check_memory(wave, in, &touched);
	if (softgpu_config.check & SOFTGPU_INITCHECK)
		sg_follow_memory(wave, in, &touched, execute);
	else
		execute(wave, in, &touched);
	if (softgpu_config.check & SOFTGPU_MEMCHECK && !wave->stop)
		sg_origin_loaded(wave, in, &touched);
}

void sg_check_prepare(struct sg_insn *in)
{
	if (softgpu_config.check & ~(uint64_t)SOFTGPU_LEAKCHECK && in->op->touch)
		in->exec = checked;
	/* Pointers may be among what goes to LDS. */
	if (softgpu_config.check & SOFTGPU_MEMCHECK &&
	    (in->lds || strstr(in->op->name, "load_lds")))
		sg_origin_unseen();
	if (softgpu_config.check & SOFTGPU_INITCHECK)
		sg_follow_prepare(in);
	if (softgpu_config.check & SOFTGPU_SYNCCHECK)
		sg_barrier_prepare(in);
	if (softgpu_config.check & SOFTGPU_RACECHECK)
		sg_global_race_prepare(in);
}
