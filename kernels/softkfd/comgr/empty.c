// SPDX-License-Identifier: Apache-2.0
/* Linked under the real library's full path, which the loader then opens: see meson.build. */
extern const int softgpu_comgr_stand_in;
const int softgpu_comgr_stand_in = 0;
