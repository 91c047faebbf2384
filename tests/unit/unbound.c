/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a symbol that nothing defines, for the test `bound`. */
void hipgrain_test_defined_nowhere(void);
void hipgrain_test_unbound(void);

void hipgrain_test_unbound(void)
{
	hipgrain_test_defined_nowhere();
}
