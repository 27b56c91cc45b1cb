// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "jitune/session.hpp"

JITUNE_BEGIN_NAMESPACE

const char* to_string(Origin origin) {
    constexpr std::array kNames{"tuned", "stored", "nearest", "default", "pinned"};
    return kNames.at(static_cast<std::size_t>(origin));
}

JITUNE_END_NAMESPACE
