#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace jitune {

struct Extent {
    std::uint32_t x, y, z;
};

inline constexpr std::size_t kMaxLaunchSteps = 4;
inline constexpr std::size_t kMaxArguments = 16;

/// One kernel launch of a configuration. The host backend ignores grid, block and shared memory.
struct LaunchStep {
    std::uint32_t entry;  ///< which symbol of the Program
    Extent grid, block;
    std::uint32_t shared_bytes;
    std::array<std::uint8_t, kMaxArguments> arguments;  ///< indexes into Launch::cells
    std::uint8_t argument_count;
};

/// The launches that answer one call, with every argument: nothing is left to compute. Lives on the
/// stack of the caller, without allocation. Not initialised by itself: every warm call makes one
/// and fills only what it uses.
struct Launch {
    std::array<LaunchStep, kMaxLaunchSteps> steps;
    std::size_t step_count = 0;
    /// Argument values as raw bits: device pointers and scalars of at most 8 bytes.
    std::array<std::uint64_t, kMaxArguments> cells;
};

}  // namespace jitune
