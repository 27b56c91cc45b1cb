// SPDX-License-Identifier: Apache-2.0
#include "space/value.hpp"

namespace jitune::internal {

std::string to_string(const Value& value) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    return integer != nullptr ? std::to_string(*integer) : std::get<std::string>(value);
}

}  // namespace jitune::internal
