// SPDX-License-Identifier: Apache-2.0
#include "placement/placement.hpp"

#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "placement/machine.hpp"

namespace jitune::internal {

namespace {

[[noreturn]] void refuse(const std::string& value) {
    throw Error(ErrorKind::device, fmt::format("load a placement: \"{}\" is no value of one: tune "
                                               "again",
                                               value));
}

int integer(const std::string& value) {
    int number = 0;
    const char* const end = value.data() + value.size();
    if (std::from_chars(value.data(), end, number).ptr != end || number < 0 || number > 1 << 20) {
        refuse(value);
    }
    return number;
}

Placement::Processors parse_processors(const std::string& value) {
    using Processors = Placement::Processors;
    if (value != "host" && value != "gpus" && value != "all") {
        refuse(value);
    }
    return value == "host"   ? Processors::host
           : value == "gpus" ? Processors::gpus
                             : Processors::all;
}

}  // namespace

Placement Placement::on(Device& gpu) {
    Placement placement;
    placement.only = &gpu;
    return placement;
}

Placement Placement::parse(std::span<const std::string> values) {
    if (values.size() != 5) {
        refuse(fmt::format("{} values", values.size()));
    }
    if (values[4] != "pinned" && values[4] != "pageable") {
        refuse(values[4]);
    }
    return {parse_processors(values[0]), integer(values[1]), integer(values[2]),
            static_cast<std::size_t>(integer(values[3])) << 10,
            values[4] == "pinned" ? Staging::pinned : Staging::pageable};
}

std::vector<Lane> Placement::lanes(Machine& machine,
                                   const std::function<const Resolved&(Device&)>& resolve) const {
    if (only != nullptr) {
        return {{only, &resolve(*only), slots}};
    }
    std::vector<Lane> lanes;
    for (Device* gpu : machine.gpus()) {
        if (lanes.size() < static_cast<std::size_t>(gpus)) {
            lanes.push_back({gpu, &resolve(*gpu), slots});
        }
    }
    if (lanes.size() < static_cast<std::size_t>(gpus)) {
        refuse(fmt::format("gpus={}", gpus));
    }
    if (processors == Processors::all) {
        lanes.push_back({&machine.host(), &resolve(machine.host()), 1});
    }
    return lanes;
}

ElementType placed_element(const std::string& name) {
    constexpr std::array kNames{
        std::pair{"float", ElementType::float32}, std::pair{"double", ElementType::float64},
        std::pair{"int", ElementType::int32}, std::pair{"unsigned char", ElementType::uint8}};
    for (const auto& [known, type] : kNames) {
        if (name == known) {
            return type;
        }
    }
    refuse(name);
}

std::vector<std::string> expression_values(const std::string& expression) {
    const std::size_t open = expression.find('<');
    const std::size_t close = expression.rfind('>');
    std::vector<std::string> values;
    if (open == std::string::npos || close == std::string::npos) {
        return values;
    }
    std::string rest = expression.substr(open + 1, close - open - 1);
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        std::string value = rest.substr(0, comma);
        if (const std::size_t scope = value.rfind("::"); scope != std::string::npos) {
            value = value.substr(scope + 2);
        }
        value.erase(0, value.find_first_not_of(' '));
        values.push_back(std::move(value));
        rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    }
    return values;
}

}  // namespace jitune::internal
