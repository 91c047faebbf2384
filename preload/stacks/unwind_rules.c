/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the call-frame information of code, and fills the table of rules. */
#include "preload/stacks/unwind_rules.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/stacks/cfi.h"

#define PLACES_FIRST (1u << 11)
#define PLACES_MOST  (1u << 16)
#define GROWTH       2u

struct hg_rule_table *hg_rules;
_Atomic uint32_t hg_rules_by_number[1u << HG_RULE_NUMBER_BITS]; /* 0: none yet */
static uint32_t words_used;                                     /* atomic; about */
static uint32_t flushes;                                        /* atomic */
uint32_t hg_rules_found;

/* struct dl_find_object of glibc 2.35 and later (dlfcn.h), here for headers older than that. */
struct found_object {
	unsigned long long flags;
	void *start, *end;
	struct link_map *map;
	void *eh_frame;
	unsigned long long reserved[7];
};

static int (*find_object)(void *pc, struct found_object *found);

/* ---- where an address' call-frame information is ---- */

struct search {
	uintptr_t pc;
	const uint8_t *table;
};

static int find_in_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	const uint8_t *table = NULL;
	bool inside = false;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && search->pc - start < segment->p_memsz)
			inside = true;
		else if (segment->p_type == PT_GNU_EH_FRAME)
			table = (const uint8_t *)start;
	}
	if (inside)
		search->table = table;
	return inside;
}

/* Before glibc 2.35 under the loader's lock, hence not where this thread may hold it. */
static const uint8_t *find_table(uintptr_t pc)
{
	struct search search = { .pc = pc };
	struct found_object found;

	if (find_object)
		return find_object((void *)pc, &found) ? NULL : found.eh_frame;
	if (!hg_tls.in_phdr)
		hg_libc.dl_iterate_phdr(find_in_object, &search);
	return search.table;
}

/* ---- the table ---- */

static bool fits(int32_t value, unsigned bits)
{
	int32_t limit = 1 << (bits - 1);

	return !(value & 7) && value / 8 >= -limit && value / 8 < limit;
}

static uint32_t pack(const struct cfi_rule *rule)
{
	bool at_rbp = rule->saved == CFI_AT_RBP, deref = rule->kind == CFI_RBP_DEREF;
	uint32_t bits;

	if (rule->kind == CFI_SIGNAL)
		return hg_rule_odd(HG_ODD_SIGNAL);
	if (rule->kind == CFI_END)
		return hg_rule_odd(HG_ODD_END);
	if (rule->kind > CFI_RBP_DEREF || !fits(rule->rbp, HG_RULE_RBP_BITS) ||
	    !fits(rule->cfa, HG_RULE_CFA_BITS))
		return hg_rule_odd(HG_ODD_OTHER);
	bits = (rule->kind == CFI_RBP ? HG_RULE_BY_RBP : 0) |
	       (rule->saved == CFI_AT_CFA ? HG_RULE_SAVES : 0);
	if (deref)
		bits |= hg_rule_odd(at_rbp ? HG_ODD_DEREF_AT_RBP : HG_ODD_DEREF);
	else if (at_rbp)
		bits |= hg_rule_odd(HG_ODD_AT_RBP);
	return bits | (uint32_t)(rule->cfa / 8) << HG_RULE_CFA_AT |
	       ((uint32_t)(rule->rbp / 8) & ((1u << HG_RULE_RBP_BITS) - 1)) << HG_RULE_RBP_AT;
}

/* This rule is taken for code that nothing describes, such as a program compiles for itself: most
 * of it keeps its frame. */
static const struct cfi_rule by_frame = {
	.kind = CFI_RBP,
	.saved = CFI_AT_CFA,
	.cfa = 16,
	.rbp = -16,
};

/* No call returns to a function's start: a coroutine that ends goes on there (makecontext(3)). */
static uint32_t find_rule_of_call(uintptr_t address)
{
	struct cfi_rule rule;

	cfi_find(find_table, address - 1, &rule);
	if (rule.kind >= CFI_OTHER && cfi_is_start(find_table, address))
		rule.kind = CFI_END;
	return pack(rule.kind == CFI_UNKNOWN ? &by_frame : &rule);
}

uint32_t hg_rule_exact(uintptr_t pc)
{
	struct cfi_rule rule;

	__atomic_fetch_add(&hg_rules_found, 1, __ATOMIC_RELEASE);
	cfi_find(find_table, pc, &rule);
	return pack(&rule);
}

/* Its number, which is not 0; false: there are no more. Few rules lie close to each other. */
static bool number_of(uint32_t rule, uint32_t *number)
{
	uint32_t start = rule * 0x9e3779b1u >> 24;

	for (uint32_t i = 0; i < HG_COUNT(hg_rules_by_number) - 1; i++) {
		_Atomic uint32_t *place;
		uint32_t found;

		*number = 1 + (start + i) % ((uint32_t)HG_COUNT(hg_rules_by_number) - 1);
		place = &hg_rules_by_number[*number];
		found = atomic_load_explicit(place, memory_order_relaxed);
		if (!found && atomic_compare_exchange_strong(place, &found, rule))
			found = rule;
		if (found == rule)
			return true;
	}
	return false;
}

/* Puts the word at its place or beside it, instead of another one if there is no room. */
static void put(struct hg_rule_table *table, uint64_t word)
{
	uintptr_t address = (uintptr_t)(word >> HG_RULE_NUMBER_BITS);
	uint64_t place = hg_rule_place(table, address);

	if (atomic_load_explicit(&table->words[place], memory_order_relaxed) &&
	    (address & 1u ||
	     !atomic_load_explicit(&table->words[place ^ 1u], memory_order_relaxed)))
		place ^= 1u;
	atomic_store_explicit(&table->words[place], word, memory_order_release);
}

static size_t table_size(size_t places)
{
	return sizeof(struct hg_rule_table) + places * sizeof(hg_rules->words[0]);
}

static struct hg_rule_table *make_table(size_t places)
{
	struct hg_rule_table *table =
	    hg_libc.mmap(NULL, table_size(places), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (table == MAP_FAILED)
		return NULL;
	table->places = places;
	return table;
}

/*
 * The smaller one stays, as threads may read it; what they store there is looked for again. Words
 * that were flushed meanwhile must not come back.
 */
static void grow(struct hg_rule_table *table)
{
	uint32_t before = __atomic_load_n(&flushes, __ATOMIC_SEQ_CST);
	struct hg_rule_table *more = make_table(table->places * GROWTH);

	if (!more)
		return;
	for (uint64_t i = 0; i < table->places; i++) {
		uint64_t word = atomic_load_explicit(&table->words[i], memory_order_relaxed);

		if (word)
			put(more, word);
	}
	if (!__atomic_compare_exchange_n(&hg_rules, &table, more, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST))
		hg_libc.munmap(more, table_size(more->places));
	else if (__atomic_load_n(&flushes, __ATOMIC_SEQ_CST) != before)
		hg_rules_flush();
}

static void keep(uintptr_t address, uint32_t rule)
{
	struct hg_rule_table *table = __atomic_load_n(&hg_rules, __ATOMIC_ACQUIRE);
	uint32_t number;

	if (!rule || !number_of(rule, &number))
		return;
	if (__atomic_add_fetch(&words_used, 1, __ATOMIC_RELAXED) > table->places / 2 &&
	    table->places < PLACES_MOST) {
		grow(table);
		table = __atomic_load_n(&hg_rules, __ATOMIC_ACQUIRE);
	}
	put(table, (uint64_t)address << HG_RULE_NUMBER_BITS | number);
}

uint32_t hg_rule_of_call(uintptr_t address)
{
	const struct hg_rule_table *table = __atomic_load_n(&hg_rules, __ATOMIC_ACQUIRE);
	uint32_t rule = hg_rule_at_hand(address);
	uint64_t word;

	if (rule != hg_rule_odd(HG_ODD_UNKNOWN))
		return rule;
	word = atomic_load_explicit(&table->words[hg_rule_place(table, address) ^ 1u],
				    memory_order_relaxed);
	if (word >> HG_RULE_NUMBER_BITS == address && address)
		return atomic_load_explicit(&hg_rules_by_number[(uint16_t)word],
					    memory_order_relaxed);
	if (address >> (64 - HG_RULE_NUMBER_BITS))
		return hg_rule_odd(HG_ODD_OTHER);
	rule = find_rule_of_call(address);
	/* Before anybody finds it in the table. */
	__atomic_fetch_add(&hg_rules_found, 1, __ATOMIC_RELEASE);
	keep(address, rule);
	return rule;
}

int hg_rules_init(void)
{
	struct hg_rule_table *table = make_table(PLACES_FIRST);

	if (!table)
		return -ENOMEM;
	find_object =
	    (int (*)(void *, struct found_object *))hg_libc.dlsym(RTLD_DEFAULT, "_dl_find_object");
	hg_rules = table;
	return 0;
}

void hg_rules_flush(void)
{
	struct hg_rule_table *table;

	__atomic_fetch_add(&flushes, 1, __ATOMIC_SEQ_CST);
	table = __atomic_load_n(&hg_rules, __ATOMIC_SEQ_CST);
	for (uint64_t i = 0; table && i < table->places; i++)
		atomic_store_explicit(&table->words[i], 0, memory_order_relaxed);
	__atomic_store_n(&words_used, 0, __ATOMIC_RELAXED);
}
