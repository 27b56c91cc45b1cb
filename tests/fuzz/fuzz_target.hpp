// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "jitune/error.hpp"

/// What libFuzzer calls with each input. One for each format, in a file of its own; in a test that
/// replays the corpus each is renamed to fuzz_<format>.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace jitune::internal {

/// Runs a parser. An answer and an Error are good; any other exception is a finding.
template <class Parse>
void answers_or_refuses(const Parse& parse) {
    try {
        parse();
    } catch (const Error&) {
        return;
    }
}

/// Makes a finding of an answer that breaks its promise.
inline void promise(bool kept, const char* what) {
    if (!kept) {
        throw std::logic_error(what);
    }
}

/// An input as text, or value by value from its front: zeros and empty texts once it has ended.
class FuzzInput {
public:
    FuzzInput(const std::uint8_t* data, std::size_t size)
        : rest_(reinterpret_cast<const char*>(data), size) {}

    [[nodiscard]] std::string_view rest() const { return rest_; }

    template <class Number>
    Number number() {
        Number value{};
        const std::string_view bytes = take(sizeof value);
        std::memcpy(&value, bytes.data(), bytes.size());
        return value;
    }

    /// A byte that says how long it is, then the bytes.
    std::string_view text() { return take(number<std::uint8_t>()); }

private:
    std::string_view take(std::size_t size) {
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(taken.size());
        return taken;
    }

    std::string_view rest_;
};

}  // namespace jitune::internal
