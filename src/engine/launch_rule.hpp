#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/launch.hpp"
#include "space/expression.hpp"

namespace jitune {

/// From sizes to launches, for one configuration on one device: everything but the sizes is already
/// folded into constants. Thread-safe, no allocation, no lock in bind().
class LaunchRule {
public:
    /// An expression over the sizes with its value kept where it does not depend on them.
    struct Quantity {
        Expression expression;
        std::int64_t value = 0;
        bool fixed = false;
        std::string what;  ///< for messages: "grid.x of jitune::reduce"
    };
    struct Step {
        std::uint32_t entry = 0;
        Quantity when, shared_bytes;
        std::array<Quantity, 3> grid, block;
        std::vector<std::uint8_t> arguments;
    };
    struct Argument {
        enum class Kind { array, scratch, zeroed, integer } kind = Kind::array;
        std::int64_t element_bytes = 1;
        Quantity amount;
    };

    LaunchRule() = default;
    LaunchRule(std::vector<Step> steps, std::vector<Argument> arguments);

    /// Throws Error(usage) where a quantity is not an integer in range for these sizes.
    [[nodiscard]] ScratchNeed scratch(std::span<const std::int64_t> sizes) const;

    /// The launches for these sizes. `arrays` are the pointers of the `in` and `out` arguments in
    /// the front matter's order. Throws as scratch() does.
    [[nodiscard]] Launch bind(std::span<const std::int64_t> sizes, std::span<void* const> arrays,
                              const Scratch& scratch) const;

private:
    std::vector<Step> steps_;
    std::vector<Argument> arguments_;
};

}  // namespace jitune
