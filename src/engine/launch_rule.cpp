#include "engine/launch_rule.hpp"

#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"

namespace jitune {

namespace {

constexpr std::size_t kScratchAlignment = 256;

std::int64_t value_of(const LaunchRule::Quantity& quantity, std::span<const std::int64_t> sizes,
                      std::int64_t lowest, std::int64_t highest) {
    std::int64_t value = quantity.value;
    if (!quantity.fixed) {
        const Scalar result = quantity.expression.evaluate(sizes);
        const auto* integer = std::get_if<std::int64_t>(&result);
        value = integer != nullptr ? *integer : lowest - 1;
    }
    if (value < lowest || value > highest) {
        throw Error(
            ErrorKind::usage,
            fmt::format("{} = {} for sizes {}: must be an integer from {} to {}", quantity.what,
                        quantity.expression.text(), fmt::join(sizes, ", "), lowest, highest));
    }
    return value;
}

std::uint32_t word(const LaunchRule::Quantity& quantity, std::span<const std::int64_t> sizes,
                   std::int64_t lowest) {
    return static_cast<std::uint32_t>(
        value_of(quantity, sizes, lowest, std::numeric_limits<std::uint32_t>::max()));
}

Extent extent(const std::array<LaunchRule::Quantity, 3>& quantities,
              std::span<const std::int64_t> sizes) {
    return {word(quantities[0], sizes, 1), word(quantities[1], sizes, 1),
            word(quantities[2], sizes, 1)};
}

std::size_t bytes_of(const LaunchRule::Argument& argument, std::span<const std::int64_t> sizes) {
    const std::int64_t highest =
        std::numeric_limits<std::int64_t>::max() / 2 / argument.element_bytes;
    const auto count = static_cast<std::size_t>(value_of(argument.amount, sizes, 0, highest));
    const std::size_t bytes = count * static_cast<std::size_t>(argument.element_bytes);
    return (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

std::uint64_t bits(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

LaunchRule::LaunchRule(std::vector<Step> steps, std::vector<Argument> arguments)
    : steps_(std::move(steps)), arguments_(std::move(arguments)) {}

ScratchNeed LaunchRule::scratch(std::span<const std::int64_t> sizes) const {
    ScratchNeed need;
    for (const Argument& argument : arguments_) {
        if (argument.kind == Argument::Kind::scratch) {
            need.plain += bytes_of(argument, sizes);
        } else if (argument.kind == Argument::Kind::zeroed) {
            need.zeroed += bytes_of(argument, sizes);
        }
    }
    return need;
}

Launch LaunchRule::bind(std::span<const std::int64_t> sizes, std::span<void* const> arrays,
                        const Scratch& scratch) const {
    Launch launch;
    std::size_t array = 0;
    auto* plain = static_cast<std::byte*>(scratch.plain);
    auto* zeroed = static_cast<std::byte*>(scratch.zeroed);
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        const Argument& argument = arguments_[i];
        switch (argument.kind) {
            case Argument::Kind::array:
                launch.cells[i] = bits(arrays[array++]);
                break;
            case Argument::Kind::scratch:
                launch.cells[i] = bits(plain);
                plain += bytes_of(argument, sizes);
                break;
            case Argument::Kind::zeroed:
                launch.cells[i] = bits(zeroed);
                zeroed += bytes_of(argument, sizes);
                break;
            case Argument::Kind::integer:
                launch.cells[i] = static_cast<std::uint64_t>(
                    value_of(argument.amount, sizes, 0, std::numeric_limits<std::int64_t>::max()));
                break;
        }
    }
    for (const Step& step : steps_) {
        if (value_of(step.when, sizes, 0, 1) == 0) {
            continue;
        }
        LaunchStep& bound = launch.steps[launch.step_count++];
        bound.entry = step.entry;
        bound.grid = extent(step.grid, sizes);
        bound.block = extent(step.block, sizes);
        bound.shared_bytes = word(step.shared_bytes, sizes, 0);
        bound.argument_count = static_cast<std::uint8_t>(step.arguments.size());
        std::copy(step.arguments.begin(), step.arguments.end(), bound.arguments.begin());
    }
    return launch;
}

}  // namespace jitune
