/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of addresses by a file's symbol table alone, for code without debug information.
 *
 * dwfl_module_addrname() goes through the whole table for each address: 5 ms where a library
 * exports 50000 symbols. Here the table is sorted once.
 */
#ifndef HIPGRAIN_ELF_SYMBOLS_H
#define HIPGRAIN_ELF_SYMBOLS_H

#include <elfutils/libdwfl.h>

struct elf_symbols;

/* Borrows the module, which must live longer. Never NULL. */
struct elf_symbols *elf_symbols_new(Dwfl_Module *module);
void elf_symbols_free(struct elf_symbols *symbols);

/*
 * Returns the symbol that holds the address: the one that begins closest to it, and among those a
 * global one before a weak and a local one. Otherwise returns a label without a size before the
 * address, if nothing ends or begins between them, or NULL. Borrowed from the module.
 */
const char *elf_symbols_find(const struct elf_symbols *symbols, GElf_Addr address);

#endif
