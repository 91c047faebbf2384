-- SPDX-License-Identifier: Apache-2.0
-- Modulefile for Lmod. It finds the tree from its own place, TREE/share/modulefiles/hipgrain/VERSION.lua: add
-- TREE/share/modulefiles to MODULEPATH, or copy it and set `base`.
help([[Records where the memory of a HIP program lives and how its kernels use it, and explains what is wrong.
man hipgrain; hipgrain doctor --self-test]])
whatis("Name: hipgrain")
whatis("Version: @VERSION@")
whatis("Description: memory placement and granularity of HIP programs")

local base = myFileName():match("^(.*)/share/modulefiles/hipgrain/[^/]*$")
prepend_path("PATH", pathJoin(base, "bin"))
prepend_path("MANPATH", pathJoin(base, "share/man"))
setenv("HIPGRAIN_ROOT", base)
