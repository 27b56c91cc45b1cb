// SPDX-License-Identifier: Apache-2.0
#include "dispatch/device_id.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

DeviceId parse_device_id(std::string_view text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto platform = platform_from(text.substr(0, colon));
    int ordinal = 0;
    if (colon < text.size()) {
        const std::string_view digits = text.substr(colon + 1);
        const char* const digits_end = digits.data() + digits.size();
        const auto [end, error] = std::from_chars(digits.data(), digits_end, ordinal);
        if (error != std::errc() || end != digits_end) {
            ordinal = -1;
        }
    }
    if (!platform || runs_placements(*platform) || ordinal < 0) {
        throw Error(ErrorKind::usage,
                    fmt::format("unknown device \"{}\": use host, cuda or cuda:N", text));
    }
    return {*platform, ordinal};
}

}  // namespace jitune::internal
