# SPDX-License-Identifier: Apache-2.0
"""Spack package: copy it to packages/hipgrain/package.py of a repository of your own (`spack repo create`)."""

from spack.package import *


class Hipgrain(MesonPackage):
    """Records where the memory of a HIP program lives and how its kernels use it, and explains what is wrong."""

    homepage = "https://github.com/hipgrain/hipgrain"
    git = "https://github.com/hipgrain/hipgrain.git"

    license("Apache-2.0")

    version("main", branch="main")

    variant("samples", default=False, description="Build the sample HIP programs and the self-test's kernel with hipcc")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type="build")

    depends_on("glib@2.68:")
    depends_on("json-c")
    depends_on("babeltrace2@2.0.4:")
    depends_on("elfutils")
    depends_on("openssl")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("comgr")
    depends_on("hsa-rocr-dev")
    depends_on("hip", when="+samples")

    # Spack has neither: build them into a view or name the system's as externals (packages.yaml).
    depends_on("lttng-ust@2.12:")
    depends_on("lttng-tools@2.12:")

    def meson_args(self):
        return ["-Dsamples=" + ("enabled" if self.spec.satisfies("+samples") else "disabled")]

    def setup_run_environment(self, env):
        env.prepend_path("PATH", self.spec["lttng-tools"].prefix.bin)
