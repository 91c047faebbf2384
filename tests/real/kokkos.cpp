// SPDX-License-Identifier: Apache-2.0
// Uses the memory of a View that is gone; atomics on a managed View, which Kokkos makes
// coarse-grained, are in order. For `kokkos`.
#include <Kokkos_Core.hpp>

#include <cstdio>
#include <string>

struct sum_mass {
	Kokkos::View<double *, Kokkos::HIPSpace> mass;
	Kokkos::View<double, Kokkos::HIPManagedSpace> energy;
	KOKKOS_FUNCTION void operator()(int i) const
	{
		unsafeAtomicAdd(&energy(), 0.5 * mass(i));
	}
};

struct clear {
	double *numbers;
	KOKKOS_FUNCTION void operator()(int i) const
	{
		numbers[i] = 0;
	}
};

static void clear_scratch()
{
	double *stale;
	{
		Kokkos::View<double *, Kokkos::HIPSpace> scratch("scratch", 256); // @scratch
		stale = scratch.data();
	}                                                   // @gone
	Kokkos::parallel_for("clear", 256, clear{ stale }); // @clear
	Kokkos::fence("cleared");
}

int main(int argc, char **argv)
{
	Kokkos::ScopeGuard guard(argc, argv);
	Kokkos::View<double *, Kokkos::HIPSpace> mass("mass", 4096);
	Kokkos::View<double, Kokkos::HIPManagedSpace> energy("energy");

	for (int step = 1; step <= 3; step++) {
		Kokkos::Profiling::pushRegion("step " + std::to_string(step));
		Kokkos::deep_copy(mass, 1.0 * step);
		Kokkos::parallel_for("sum of mass", Kokkos::RangePolicy<Kokkos::HIP>(0, 4096),
				     sum_mass{ mass, energy });
		Kokkos::fence("summed");
		Kokkos::Profiling::popRegion();
	}
	printf("%g\n", energy());
	fflush(stdout);
	Kokkos::Profiling::pushRegion("last step");
	clear_scratch();
	Kokkos::Profiling::popRegion();
	return 0;
}
