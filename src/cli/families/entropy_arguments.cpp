// SPDX-License-Identifier: Apache-2.0
#include "cli/families/entropy_arguments.hpp"

#include <charconv>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

int parse_whole_number(std::string_view option, std::string_view text) {
    int value = 0;
    const char* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, value).ptr != end || text.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: \"{}\" is not a whole number", option, text));
    }
    return value;
}

}  // namespace

Entropy parse_entropy(std::string_view window, std::string_view levels) {
    return {parse_whole_number("--window", window), parse_whole_number("--levels", levels)};
}

void refuse_other_elements(ElementType type) {
    if (type != ElementType::uint8 && type != ElementType::int32 && type != ElementType::float32) {
        throw Error(ErrorKind::usage, fmt::format("entropy of {}: levels are uint8, int32 or "
                                                  "float32",
                                                  to_string(type)));
    }
}

}  // namespace jitune::internal
