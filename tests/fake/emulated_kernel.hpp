// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace jitune::internal {

/// An argument of a launch, which becomes whatever a kernel takes at its place.
struct EmulatedArgument {
    std::uint64_t bits = 0;

    template <class T>
    operator T() const {
        static_assert(sizeof(T) <= sizeof bits);
        T value;
        std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
        return value;
    }
};

/// What one thread does.
using EmulatedKernel = void (*)(const std::vector<EmulatedArgument>& arguments);

/// The kernels of formula_list(), by "<formula>: <name expression>". fixtures/write_formulas.cpp
/// has written them.
const std::map<std::string, EmulatedKernel>& emulated_formulas();

}  // namespace jitune::internal
