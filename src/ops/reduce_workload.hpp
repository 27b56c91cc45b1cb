#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/workload.hpp"

namespace jitune {

/// Data for reductions whose result is exact in any order of the combinations, so that one lost or
/// doubled element of a sum is seen: integers of full range, and floats that are multiples of 1/256
/// in [-1, 1] but not 0, whose sum is at most one unit and whose partial sums stay below 2^24
/// units. The checks of min and max see the loss of the first, last or middle element. Thread-safe.
class ReduceWorkload : public Workload {
public:
    [[nodiscard]] std::vector<Case> checks(const Problem& problem) const override;
    [[nodiscard]] Case timed(const Problem& problem) const override;

private:
    using Bytes = std::vector<std::byte>;
    /// Made once per element type.
    std::shared_ptr<const Bytes> pattern(const std::string& element) const;

    mutable std::mutex mutex_;
    mutable std::map<std::string, std::shared_ptr<const Bytes>> patterns_;
};

}  // namespace jitune
