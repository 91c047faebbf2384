/* SPDX-License-Identifier: Apache-2.0 */
/* Two target regions on the runtime of runtime.c; with a tool linked in, or not. */
int fake_run(void);
#ifdef LINKS_TOOL
extern int tool_linked; /* or the linker would leave the library out */
#endif

int main(void)
{
#ifdef LINKS_TOOL
	tool_linked++;
#endif
	return fake_run();
}
