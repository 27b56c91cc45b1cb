#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "jitune/error.hpp"

namespace jitune {

/// Calls `use` with a value of the C++ type that an element type names. Throws Error(usage) for a
/// name that is none.
template <class Use>
auto visit_element(std::string_view name, Use&& use) {
    if (name == "int32") {
        return use(std::int32_t{});
    }
    if (name == "int64") {
        return use(std::int64_t{});
    }
    if (name == "float32") {
        return use(float{});
    }
    if (name == "float64") {
        return use(double{});
    }
    throw Error(ErrorKind::usage, "no element type is named \"" + std::string(name) + "\"");
}

}  // namespace jitune
