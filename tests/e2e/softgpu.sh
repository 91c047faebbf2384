# SPDX-License-Identifier: Apache-2.0
# Sourced by tests that start programs over the software GPU themselves, without `hipgrain --softgpu`.

# softgpu_settings FOLDER [LIBRARY]: prints the environment of such a program, as arguments of env or export. FOLDER is
# kernels/softgpu of the build folder, LIBRARY what is preloaded besides. SOFTGPU_DRIVER chooses as for hipgrain.
softgpu_settings()
{
	if [ "$SOFTGPU_DRIVER" = 1 ]; then
		softgpu_driver=$1/../softkfd
		echo "LD_PRELOAD=${2:+$2:}$softgpu_driver/libhipgrain-softkfd.so" "LD_LIBRARY_PATH=$softgpu_driver/comgr" \
			HSA_DISABLE_FRAGMENT_ALLOCATOR=1
	else
		echo ${2:+"LD_PRELOAD=$2"} "LD_LIBRARY_PATH=$1"
	fi
}
