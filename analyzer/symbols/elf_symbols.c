/* SPDX-License-Identifier: Apache-2.0 */
/* Names of addresses by a file's symbol table alone, for code without debug information. */
#include "elf_symbols.h"

#include <glib.h>
#include <stdbool.h>

struct symbol {
	GElf_Addr start, end; /* equal: a label */
	GElf_Addr highest;    /* the largest `end` of this one and all before it */
	const char *name;
	int rank; /* by binding, the larger the better */
	int number;
};

struct elf_symbols {
	Dwfl_Module *module;
	GArray *array; /* struct symbol, the best of those at an address last */
};

static int rank_of(const GElf_Sym *symbol)
{
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_GLOBAL:
		return 3;
	case STB_WEAK:
		return 2;
	case STB_LOCAL:
		return 1;
	default:
		return 0;
	}
}

static bool names_code_or_data(const GElf_Sym *symbol, const char *name, GElf_Word section)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	return name && *name && section != SHN_UNDEF && type != STT_SECTION && type != STT_FILE &&
	       type != STT_TLS;
}

/* Orders symbols by their start; if two begin together, the smaller one is closer, then the binding
 * counts. */
static gint by_start(gconstpointer a, gconstpointer b)
{
	const struct symbol *one = a, *other = b;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	if (one->rank != other->rank)
		return one->rank - other->rank;
	if (one->end != other->end)
		return one->end > other->end ? -1 : 1;
	return other->number - one->number;
}

struct elf_symbols *elf_symbols_new(Dwfl_Module *module)
{
	struct elf_symbols *symbols = g_new0(struct elf_symbols, 1);
	int count = dwfl_module_getsymtab(module);
	GElf_Addr highest = 0;

	symbols->module = module;
	symbols->array = g_array_new(FALSE, FALSE, sizeof(struct symbol));
	for (int i = 1; i < count; i++) {
		struct symbol symbol = { .number = i };
		GElf_Word section = SHN_UNDEF;
		GElf_Sym sym;

		symbol.name =
		    dwfl_module_getsym_info(module, i, &sym, &symbol.start, &section, NULL, NULL);
		if (!names_code_or_data(&sym, symbol.name, section))
			continue;
		symbol.end = symbol.start + sym.st_size;
		symbol.rank = rank_of(&sym);
		if (symbol.end >= symbol.start)
			g_array_append_val(symbols->array, symbol);
	}
	g_array_sort(symbols->array, by_start);
	for (unsigned i = 0; i < symbols->array->len; i++) {
		struct symbol *symbol = &g_array_index(symbols->array, struct symbol, i);

		highest = MAX(highest, symbol->end);
		symbol->highest = highest;
	}
	return symbols;
}

void elf_symbols_free(struct elf_symbols *symbols)
{
	if (symbols) {
		g_array_free(symbols->array, TRUE);
		g_free(symbols);
	}
}

static bool same_section(Dwfl_Module *module, GElf_Addr one, GElf_Addr other)
{
	GElf_Addr bias;
	Elf_Scn *first = dwfl_module_address_section(module, &one, &bias);

	return first && first == dwfl_module_address_section(module, &other, &bias);
}

const char *elf_symbols_find(const struct elf_symbols *symbols, GElf_Addr address)
{
	const struct symbol *label = NULL;
	unsigned first = 0, last = symbols->array->len;
	bool between = false; /* something with a size that ends before the address */

	while (first < last) { /* to the first one that begins behind the address */
		unsigned middle = first + (last - first) / 2;

		if (g_array_index(symbols->array, struct symbol, middle).start <= address)
			first = middle + 1;
		else
			last = middle;
	}
	while (first-- > 0) {
		const struct symbol *symbol = &g_array_index(symbols->array, struct symbol, first);

		if (address < symbol->end)
			return symbol->name;
		between = between || symbol->start != symbol->end;
		if (!label && !between && symbol->highest <= symbol->start &&
		    same_section(symbols->module, symbol->start, address))
			label = symbol;
		if (symbol->highest <= address && (label || between))
			break;
	}
	return label ? label->name : NULL;
}
