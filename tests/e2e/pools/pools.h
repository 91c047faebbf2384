/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of Umpire and PyTorch by which their pools tell of pieces, as far as they are
 * called. */
#ifndef POOLS_H
#define POOLS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace umpire
{
namespace strategy
{
class AllocationStrategy
{
      public:
	AllocationStrategy(const std::string &name, AllocationStrategy *parent);
	virtual ~AllocationStrategy() = default;
	const std::string &getName() noexcept;
	virtual AllocationStrategy *getParent() const noexcept;

      private:
	std::string name;
	AllocationStrategy *parent;
};
} // namespace strategy

struct AllocationRecord {
	void *ptr;
	std::size_t size;
	strategy::AllocationStrategy *strategy;
	std::string name;
};

namespace strategy::mixins
{
class Inspector
{
      public:
	void registerAllocation(void *ptr, std::size_t size, AllocationStrategy *strategy);
	void registerAllocation(void *ptr, std::size_t size, AllocationStrategy *strategy,
				const std::string &name);
	AllocationRecord deregisterAllocation(void *ptr, AllocationStrategy *strategy);
};
} // namespace strategy::mixins
} // namespace umpire

namespace c10
{
struct Device {
	std::int8_t type, index;
};
void reportMemoryUsageToProfiler(void *ptr, std::int64_t size, std::size_t used, std::size_t held,
				 Device device);
} // namespace c10

/* The stand-in keeps its last call here. */
extern "C" long pools_seen(void);

#endif
