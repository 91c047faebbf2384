// SPDX-License-Identifier: Apache-2.0
// Stands in for libumpire and libc10: it keeps what it is told, and throws as Umpire does.
#include "pools.h"

#include <map>
#include <stdexcept>

static std::map<void *, umpire::AllocationRecord> records;
static long seen;

namespace umpire::strategy
{
AllocationStrategy::AllocationStrategy(const std::string &called, AllocationStrategy *from)
    : name(called), parent(from)
{
}

const std::string &AllocationStrategy::getName() noexcept
{
	return name;
}

AllocationStrategy *AllocationStrategy::getParent() const noexcept
{
	return parent;
}

void mixins::Inspector::registerAllocation(void *ptr, std::size_t size,
					   AllocationStrategy *strategy)
{
	records[ptr] = { ptr, size, strategy, "" };
}

void mixins::Inspector::registerAllocation(void *ptr, std::size_t size,
					   AllocationStrategy *strategy, const std::string &name)
{
	records[ptr] = { ptr, size, strategy, name };
}

AllocationRecord mixins::Inspector::deregisterAllocation(void *ptr, AllocationStrategy *strategy)
{
	AllocationRecord record = records.at(ptr);

	if (record.strategy != strategy)
		throw std::runtime_error("not from " + strategy->getName());
	records.erase(ptr);
	return record;
}
} // namespace umpire::strategy

void c10::reportMemoryUsageToProfiler(void *ptr, std::int64_t size, std::size_t used,
				      std::size_t held, Device device)
{
	(void)ptr;
	seen = size + static_cast<long>(used + held) + device.type * 1000 + device.index * 100;
}

long pools_seen(void)
{
	return seen;
}
