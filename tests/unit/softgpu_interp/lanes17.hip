// SPDX-License-Identifier: Apache-2.0
// A value that each lane takes from one of two branches. clang 17 at -O0 reloads vector registers
// before it restores EXEC at the end of the branches (LLVM pull request 69924, in LLVM 18, mends
// it), so lanes that were switched off get whatever the registers held. lanes17.s is its output:
//   clang++-17 -x hip --cuda-device-only -nogpuinc -nogpulib --offload-arch=gfx90a -O0 -S
// where what follows the symbol FIXED was added by hand: the same reload, behind EXEC.
extern "C" __attribute__((global)) void choose(const int *in, int *out)
{
	unsigned i = __builtin_amdgcn_workitem_id_x();

	out[i] = in[i] & 1 ? in[i] * 3 : in[i] + 100;
}
