# SPDX-License-Identifier: Apache-2.0
# Sourced by tests that start programs over the software GPU themselves, without `hipgrain --softgpu`.

# softgpu_settings FOLDER [LIBRARY]: prints the environment of such a program, as arguments of env or export. FOLDER is
# kernels/softkfd of the build folder, LIBRARY what is preloaded besides.
softgpu_settings()
{
	echo "LD_PRELOAD=${2:+$2:}$1/libhipgrain-softkfd.so" "LD_LIBRARY_PATH=$1/comgr" HSA_DISABLE_FRAGMENT_ALLOCATOR=1
}
