/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that call the HIP runtime without passing the preload library: a library that was opened
 * with RTLD_DEEPBIND looks for functions among its own dependencies first, and preloaded libraries
 * are not among these.
 *
 * This is detected and recorded, not changed. When code of ours could run, dlopen() has called the
 * library's constructors, which register its kernels: recording only the calls from then on, about
 * memory and code from before, would lead to wrong findings of missing calls. And the caller of
 * dlopen() requested that other definitions are kept out of that library.
 *
 * Where a reference leads is in its slot of the global offset table (gABI, x86-64 psABI 4.4).
 * Before its first call by lazy binding the slot holds an address in the object itself, and before
 * the loader has relocated it, an address of the file.
 */
#include "preload/stacks/hip_bypass.h"

#include <elf.h>
#include <string.h>

#include "preload/core/wrappers.h"

struct dynamic {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * tables[2];
	size_t counts[2];
	size_t relative; /* so many at the beginning of the second have no symbol */
	const ElfW(Dyn) * entries;
};

/* glibc makes addresses of them, but where it cannot write to them. */
static const void *address(const struct dl_phdr_info *info, uintptr_t value)
{
	return (const void *)(value < info->dlpi_addr ? value + info->dlpi_addr : value);
}

static struct dynamic read_dynamic(const struct dl_phdr_info *info)
{
	struct dynamic found = { 0 };

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			found.entries =
			    (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	}
	for (const ElfW(Dyn) *dyn = found.entries; dyn && dyn->d_tag != DT_NULL; dyn++) {
		switch (dyn->d_tag) {
		case DT_SYMTAB:
			found.symbols = address(info, dyn->d_un.d_ptr);
			break;
		case DT_STRTAB:
			found.strings = address(info, dyn->d_un.d_ptr);
			break;
		case DT_JMPREL:
			found.tables[0] = address(info, dyn->d_un.d_ptr);
			break;
		case DT_PLTRELSZ:
			found.counts[0] = dyn->d_un.d_val / sizeof(ElfW(Rela));
			break;
		case DT_RELA:
			found.tables[1] = address(info, dyn->d_un.d_ptr);
			break;
		case DT_RELASZ:
			found.counts[1] = dyn->d_un.d_val / sizeof(ElfW(Rela));
			break;
		case DT_RELACOUNT:
			found.relative = dyn->d_un.d_val;
			break;
		}
	}
	return found;
}

bool hg_bypass_concerns(const struct dl_phdr_info *info)
{
	struct dynamic from = read_dynamic(info);

	for (const ElfW(Dyn) *dyn = from.entries; from.strings && dyn && dyn->d_tag != DT_NULL;
	     dyn++)
		if (dyn->d_tag == DT_NEEDED &&
		    !strncmp(from.strings + dyn->d_un.d_val, "libamdhip64", 11))
			return true;
	return false;
}

static bool is_in(uintptr_t value, struct hg_bypass_range range)
{
	return value >= range.start && value < range.end;
}

static void add_name(char names[HG_BYPASS_NAMES], const char *name)
{
	static const char more[] = " ...";
	size_t used = strlen(names), length = strlen(name);

	for (const char *at = names; (at = strstr(at, name)) != NULL; at++)
		if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return;
	if (used + 1 + length + sizeof(more) <= HG_BYPASS_NAMES) {
		if (used)
			names[used++] = ' ';
		memcpy(names + used, name, length + 1);
	} else if (used < sizeof(more) || strcmp(names + used - (sizeof(more) - 1), more)) {
		memcpy(names + used, more, sizeof(more));
	}
}

bool hg_bypass_look(const struct dl_phdr_info *info, struct hg_bypass_range object,
		    const struct hg_bypass_range *runtimes, size_t count,
		    char names[HG_BYPASS_NAMES])
{
	struct dynamic from = read_dynamic(info);
	bool settled = true;

	names[0] = 0;
	for (unsigned table = 0; from.symbols && from.strings && table < 2; table++) {
		const ElfW(Rela) *items = from.tables[table];

		for (size_t i = table ? from.relative : 0; items && i < from.counts[table]; i++) {
			unsigned type = ELF64_R_TYPE(items[i].r_info);
			const ElfW(Sym) *symbol = &from.symbols[ELF64_R_SYM(items[i].r_info)];
			const char *name = from.strings + symbol->st_name;
			uintptr_t value;

			if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT &&
			     type != R_X86_64_64) ||
			    symbol->st_shndx != SHN_UNDEF ||
			    (strncmp(name, "hip", 3) && strncmp(name, "__hip", 5)))
				continue;
			value = *(const volatile uintptr_t *)(info->dlpi_addr + items[i].r_offset);
			if (is_in(value, object) || value < object.end - object.start)
				settled = false;
			for (size_t k = 0; k < count; k++)
				if (is_in(value, runtimes[k]) && hg_hip_wrapper(name))
					add_name(names, name);
		}
	}
	return settled;
}
