// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace jitune::internal {

/// How windows that reach beyond the first or the last unit of an array are handled.
enum class Ends : std::uint8_t {
    own,    ///< as only the kernel knows
    valid,  ///< their units have no output
    zero,   ///< they read zeros
    clamp,  ///< they read the nearest unit
    wrap,   ///< they read the units of the other end, repeatedly if need be
};

/// How the outputs of an operation depend on its inputs. An array has units, which are elements or
/// rows. The output of a unit is made from this unit and the `radius` units on either side.
struct Windows {
    const char* name;                ///< of the operation, for messages
    std::size_t input_bytes;         ///< of one element
    std::size_t output_bytes;        ///< of one output
    std::int64_t unit_elements = 1;  ///< 1, or the columns
    std::int64_t radius = 0;
    Ends ends = Ends::own;

    /// The bytes of so many units of inputs, and of so many units of outputs.
    [[nodiscard]] std::size_t bytes_in(std::int64_t units) const {
        return static_cast<std::size_t>(units * unit_elements) * input_bytes;
    }
    [[nodiscard]] std::size_t bytes_out(std::int64_t units) const {
        return static_cast<std::size_t>(units * unit_elements) * output_bytes;
    }
};

}  // namespace jitune::internal
