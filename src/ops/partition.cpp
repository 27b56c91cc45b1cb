#include "ops/partition.hpp"

#include <algorithm>

namespace jitune {

std::vector<Part> partition(std::int64_t count, std::int64_t parts, std::int64_t halo,
                            std::int64_t multiple) {
    const std::int64_t units = (count + multiple - 1) / multiple;
    const std::int64_t used = std::min(parts, units);
    std::vector<Part> result;
    for (std::int64_t i = 0; i < used; ++i) {
        // The first `units % used` parts have one unit more.
        const auto start = [&](std::int64_t part) {
            return std::min(count, (units / used * part + std::min(part, units % used)) * multiple);
        };
        const std::int64_t begin = start(i);
        const std::int64_t end = start(i + 1);
        result.push_back(
            {begin, end, std::max<std::int64_t>(begin - halo, 0), std::min(end + halo, count)});
    }
    return result;
}

}  // namespace jitune
