#include "dispatch/device_id.hpp"

#include <charconv>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune {

DeviceId parse_device_id(std::string_view text) {
    DeviceId id{text.substr(0, text.find(':'))};
    if (id.platform != text) {
        const std::string_view digits = text.substr(id.platform.size() + 1);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), id.ordinal);
        if (error != std::errc() || end != digits.data() + digits.size() || id.ordinal < 0) {
            id.ordinal = -1;
        }
    }
    if ((id.platform != "host" && id.platform != "cuda") || id.ordinal < 0) {
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\" is no device: use auto, host, cuda or cuda:N", text));
    }
    return id;
}

}  // namespace jitune
