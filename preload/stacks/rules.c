/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the call-frame information of code, and fills the table of rules. */
#include "preload/stacks/rules.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sys/mman.h>

#include "preload/core/base.h"
#include "preload/core/libc.h"
#include "preload/stacks/cfi.h"

#define PLACES (1u << HG_RULE_PLACE_BITS)

_Atomic uint64_t *hg_rules;
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

static uint32_t find_rule(uintptr_t pc)
{
	struct cfi_rule rule;

	cfi_find(find_table, pc, &rule);
	return pack(&rule);
}

uint32_t hg_rule_exact(uintptr_t pc)
{
	__atomic_fetch_add(&hg_rules_found, 1, __ATOMIC_RELEASE);
	return find_rule(pc);
}

uint32_t hg_rule_of_call(uintptr_t address)
{
	uint64_t key = hg_rule_key(address), tag = hg_rule_tag(key);
	const uint64_t displaced = (uint64_t)1 << 32;
	uint32_t place = hg_rule_place(key), rule;
	uint64_t word = atomic_load_explicit(&hg_rules[place], memory_order_relaxed);

	if (HG_LIKELY((word ^ tag) >> 32 == 0 && (uint32_t)word))
		return (uint32_t)word;
	word = atomic_load_explicit(&hg_rules[place ^ 1u], memory_order_relaxed);
	if (HG_LIKELY((word ^ tag) >> 32 == 1))
		return (uint32_t)word;
	if (address >> HG_RULE_KEY_BITS)
		return hg_rule_odd(HG_ODD_OTHER);
	rule = find_rule(address - 1);
	/* No call returns there: a coroutine that ends goes on there (makecontext(3)). */
	if (hg_rule_kind(rule) == CFI_OTHER && cfi_is_start(find_table, address))
		rule = hg_rule_odd(HG_ODD_END);
	/* Before anybody finds it in the table. */
	__atomic_fetch_add(&hg_rules_found, 1, __ATOMIC_RELEASE);
	if (!atomic_load_explicit(&hg_rules[place], memory_order_relaxed) || key & 1u)
		atomic_store_explicit(&hg_rules[place], tag | rule, memory_order_release);
	else
		atomic_store_explicit(&hg_rules[place ^ 1u], tag | displaced | rule,
				      memory_order_release);
	return rule;
}

int hg_rules_init(void)
{
	void *table = hg_libc.mmap(NULL, PLACES * sizeof(*hg_rules), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (table == MAP_FAILED)
		return -ENOMEM;
	find_object =
	    (int (*)(void *, struct found_object *))hg_libc.dlsym(RTLD_DEFAULT, "_dl_find_object");
	hg_rules = table;
	return 0;
}

void hg_rules_flush(void)
{
	if (hg_rules)
		hg_libc.madvise((void *)hg_rules, PLACES * sizeof(*hg_rules), MADV_DONTNEED);
}
