// SPDX-License-Identifier: Apache-2.0
#include "spread/placement.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

[[noreturn]] void refuse(std::string_view value, std::string_view wanted) {
    throw Error(
        ErrorKind::device,
        fmt::format("load a placement: got \"{}\", expected {}: tune again", value, wanted));
}

}  // namespace

PlacedValues::PlacedValues(std::string_view expression) {
    const std::size_t open = expression.find('<');
    const std::size_t close = expression.rfind('>');
    if (open != std::string_view::npos && close != std::string_view::npos && open < close) {
        rest_ = expression.substr(open + 1, close - open - 1);
    }
}

std::string_view PlacedValues::next() {
    if (rest_.empty()) {
        refuse("", "another value");
    }
    const std::size_t comma = std::min(rest_.find(','), rest_.size());
    std::string_view value = rest_.substr(0, comma);
    rest_.remove_prefix(std::min(comma + 1, rest_.size()));
    if (const std::size_t scope = value.rfind("::"); scope != std::string_view::npos) {
        value.remove_prefix(scope + 2);
    }
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    return value;
}

ElementType PlacedValues::element() {
    constexpr std::array<std::pair<std::string_view, ElementType>, 4> kNames{
        {{"float", ElementType::float32},
         {"double", ElementType::float64},
         {"int", ElementType::int32},
         {"unsigned char", ElementType::uint8}}};
    const std::string_view value = next();
    for (const auto& [name, type] : kNames) {
        if (value == name) {
            return type;
        }
    }
    refuse(value, "an element type");
}

int PlacedValues::integer() {
    constexpr int kMost = 1 << 20;
    const std::string_view value = next();
    const char* const end = value.data() + value.size();
    int number = 0;
    const auto [rest, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || rest != end || number < 0 || number > kMost) {
        refuse(value, "a whole number");
    }
    return number;
}

std::string_view PlacedValues::word(std::initializer_list<std::string_view> words) {
    const std::string_view value = next();
    if (std::find(words.begin(), words.end(), value) == words.end()) {
        std::string names;
        for (const std::string_view word : words) {
            names += fmt::format("{}{}", names.empty() ? "" : " or ", word);
        }
        refuse(value, names);
    }
    return value;
}

void PlacedValues::finish() const {
    if (!rest_.empty()) {
        refuse(rest_, "no further value");
    }
}

Placement Placement::on(Device& gpu) {
    Placement placement;
    placement.only = &gpu;
    return placement;
}

Placement Placement::read(PlacedValues& values) {
    Placement placement;
    const std::string_view processors = values.word({"host", "gpus", "all"});
    placement.processors = processors == "host"   ? Processors::host
                           : processors == "gpus" ? Processors::gpus
                                                  : Processors::all;
    placement.gpus = values.integer();
    placement.slots = values.integer();
    placement.chunk_bytes = static_cast<std::size_t>(values.integer()) << 10;
    placement.staging =
        values.word({"pinned", "pageable"}) == "pinned" ? Staging::pinned : Staging::pageable;
    values.finish();
    return placement;
}

std::vector<DeviceShare> Placement::shares(
    std::span<Device* const> gpus_of_machine, Device& host,
    const std::function<const Resolved&(Device&)>& resolve) const {
    if (only != nullptr) {
        return {{only, &resolve(*only), slots}};
    }
    const auto used = static_cast<std::size_t>(gpus);
    if (used > gpus_of_machine.size()) {
        refuse(fmt::format("gpus={}", gpus),
               fmt::format("at most {}, the GPUs of this machine", gpus_of_machine.size()));
    }
    std::vector<DeviceShare> shares;
    for (Device* gpu : gpus_of_machine.first(used)) {
        shares.push_back({gpu, &resolve(*gpu), slots});
    }
    if (processors == Processors::all) {
        shares.push_back({&host, &resolve(host), 1});
    }
    return shares;
}

}  // namespace jitune::internal
