// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "backend/launch.hpp"

namespace jitune::internal {

/// The addresses of a step's arguments, as cuLaunchKernel takes them. Those of arrays come with
/// each call; all others are addresses of the launch's cells, which must outlive it.
class ArgumentList {
public:
    /// `step` is of `launch`, and `cells` are the launch's own or a copy of them.
    void set(const Launch& launch, const LaunchStep& step, Cells& cells) {
        count_ = step.argument_count;
        array_count_ = 0;
        const auto first = launch.array_cells.begin();
        const auto last = first + launch.array_count;
        for (std::uint8_t i = 0; i < count_; ++i) {
            addresses_[i] = &cells[step.arguments[i]];
            if (const auto array = std::find(first, last, step.arguments[i]); array != last) {
                const auto index = static_cast<std::uint8_t>(array - first);
                arrays_[array_count_++] = {i, index, (launch.by_value >> index & 1) != 0};
            }
        }
    }

    /// Room for the addresses of one call and a null after the last, which says how many there are.
    using Addresses = std::array<void*, kMaxArguments + 1>;

    /// The addresses for one call. The arrays are only read.
    void fill(Addresses& addresses, void* const* arrays) const {
        for (std::size_t i = 0; i < count_; ++i) {
            addresses[i] = addresses_[i];
        }
        addresses[count_] = nullptr;
        for (std::size_t i = 0; i < array_count_; ++i) {
            void* const* const array = arrays + arrays_[i].array;
            addresses[arrays_[i].argument] =
                arrays_[i].by_value ? *array : const_cast<void**>(array);
        }
    }

    [[nodiscard]] int count() const { return count_; }

private:
    /// Says which argument is which array.
    struct ArrayPlace {
        std::uint8_t argument, array;
        bool by_value;
    };

    std::uint8_t count_ = 0, array_count_ = 0;
    std::array<ArrayPlace, kMaxArguments> arrays_;
    std::array<void*, kMaxArguments> addresses_;
};

}  // namespace jitune::internal
