// SPDX-License-Identifier: Apache-2.0
#include "cli/db/winner_filter.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/platform_kind.hpp"
#include "cli/families/sizes.hpp"
#include "families/reduce/reduce_types.hpp"
#include "support/embedded.hpp"
#include "support/settings.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/winner_table.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

using KnownNames = std::set<std::string, std::less<>>;

/// Throws Error(usage).
Sizes wanted_sizes(const std::string& text) {
    if (text.find('x') == std::string::npos) {
        return {parse_size(text)};
    }
    const SizePair pair = parse_size_pair(text);
    return {pair.outer, pair.inner};
}

bool serves_sizes(const Winner& winner, const Sizes& sizes) {
    const auto boxes = boxes_of(winner);
    return boxes && covers(*boxes, sizes);
}

KnownNames builtin_kernels() {
    KnownNames names;
    for (const embedded::File& file : embedded::kernel_templates) {
        names.emplace(kernel_of_template(file.name));
    }
    names.erase("");
    return names;
}

KnownNames builtin_types() {
    KnownNames names;
    for (const ElementType type : element_types()) {
        names.emplace(to_string(type));
    }
    return names;
}

KnownNames builtin_operations() {
    KnownNames names;
    for (const ReduceOpRow& row : reduce_operations()) {
        names.emplace(row.name);
    }
    return names;
}

void refuse_unknown(std::string_view option, const std::string& name, const KnownNames& known) {
    if (!name.empty() && !known.contains(name)) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: neither the built-in kernels nor the stored winners know "
                                "\"{}\": use one of {}",
                                option, name, fmt::join(known, ", ")));
    }
}

}  // namespace

std::string_view kernel_of_template(std::string_view file) {
    for (const PlatformKind platform : kPlatformKinds) {
        if (const std::string_view suffix = template_suffix(platform); file.ends_with(suffix)) {
            return file.substr(0, file.size() - suffix.size());
        }
    }
    return {};
}

bool has_custom_operation(std::string_view types) {
    const std::string_view operation = setting_of(types, "operation");
    return !operation.empty() && !builtin_operations().contains(operation);
}

std::string short_id(const Winner& winner) {
    constexpr std::size_t kShown = 8;
    return winner_id(winner).substr(0, kShown);
}

std::vector<Option> WinnerFilter::key_options() {
    return {{"--kernel", &kernel, "Name of the kernel, such as reduce"},
            {"--type", &type, "Element type, such as float32"},
            {"--accumulator", &accumulator, "Accumulator type, such as float64"},
            {"--op", &op, "Operation, such as sum"},
            {"--device-class", &device_class, "Part of the device class"}};
}

std::vector<Option> WinnerFilter::options() {
    std::vector<Option> all{
        {"ID", &id, "The id of a winner, as jitune db list prints it, or its first digits"},
        {"-n,--size", &size,
         "A size that the winner serves, as in 2^20 or, for rows x columns, 2^10x2^16"}};
    append(all, key_options());
    return all;
}

std::vector<Option> FilterArguments::usual_options(const std::vector<Option>& more) {
    std::vector<Option> options = filter.options();
    append(options, more);
    append(options, CommonArguments::usual_options());
    return options;
}

bool WinnerFilter::matches(const RecordKey& key) const {
    return (kernel.empty() || key.kernel == kernel) &&
           (type.empty() || setting_of(key.types, "element") == type) &&
           (accumulator.empty() || setting_of(key.types, "accumulator") == accumulator) &&
           (op.empty() || setting_of(key.types, "operation") == op) &&
           key.device_class.find(device_class) != std::string::npos;
}

bool WinnerFilter::matches(const Winner& winner) const {
    return matches(winner.key) && (size.empty() || serves_sizes(winner, wanted_sizes(size))) &&
           (id.empty() || winner_id(winner).starts_with(id));
}

std::string WinnerFilter::given() const {
    std::string text;
    for (const auto& [option, value] :
         {std::pair("", &id), std::pair("--kernel ", &kernel), std::pair("--type ", &type),
          std::pair("--accumulator ", &accumulator), std::pair("--op ", &op),
          std::pair("-n ", &size), std::pair("--device-class ", &device_class)}) {
        if (!value->empty()) {
            text += fmt::format("{}{}{}", text.empty() ? "" : " ", option, *value);
        }
    }
    return text;
}

const Winner& WinnerFilter::only_one(const std::vector<Winner>& winners) const {
    refuse_unknown_names(winners);
    const Winner* found = nullptr;
    std::vector<std::string> texts;
    std::size_t count = 0;
    for (const Winner& winner : winners) {
        if (!matches(winner)) {
            continue;
        }
        if (found != nullptr && winner_id(*found) == winner_id(winner)) {
            found = serves_before(winner, *found) ? &winner : found;  // one of them has no code
            continue;
        }
        found = &winner;
        if (constexpr std::size_t kMost = 8; ++count <= kMost) {
            texts.push_back(fmt::format("{}: {} {} {}", short_id(winner), winner.key.kernel,
                                        short_types(winner.key.types), short_served_text(winner)));
        }
    }
    if (found == nullptr) {
        throw Error(ErrorKind::usage, "no winner matches: see jitune db list");
    }
    if (count > 1) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} winners match: name one by its id ({}{}), or narrow it down "
                                "with --kernel, --type, --accumulator, --op, -n, --device-class",
                                count, fmt::join(texts, "; "), count > texts.size() ? "; …" : ""));
    }
    return *found;
}

void WinnerFilter::check() const {
    constexpr std::size_t kFewest = 4;
    if (!id.empty() &&
        (id.size() < kFewest || id.find_first_not_of("0123456789abcdef") != std::string::npos)) {
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\" is no winner's id: an id is at least {} of the digits that "
                                "jitune db list prints, such as 3f9a",
                                id, kFewest));
    }
    if (!size.empty()) {
        static_cast<void>(wanted_sizes(size));
    }
}

void WinnerFilter::refuse_unknown_names(std::span<const Winner> winners) const {
    check();
    KnownNames kernels = builtin_kernels();
    KnownNames types = builtin_types();
    KnownNames operations = builtin_operations();
    for (const Winner& winner : winners) {
        kernels.insert(winner.key.kernel);
        types.emplace(setting_of(winner.key.types, "element"));
        operations.emplace(setting_of(winner.key.types, "operation"));
    }
    KnownNames accumulators = types;
    for (const Winner& winner : winners) {
        accumulators.emplace(setting_of(winner.key.types, "accumulator"));
    }
    types.erase("");
    accumulators.erase("");
    operations.erase("");
    refuse_unknown("--kernel", kernel, kernels);
    refuse_unknown("--type", type, types);
    refuse_unknown("--accumulator", accumulator, accumulators);
    refuse_unknown("--op", op, operations);
}

void WinnerFilter::warn_if_none(std::span<const Winner> winners, const Log& log) const {
    refuse_unknown_names(winners);
    if (std::none_of(winners.begin(), winners.end(),
                     [&](const Winner& winner) { return matches(winner); })) {
        const std::string words = given();
        log.warning("{}", words.empty() ? "the database has no winners, or none that is intact"
                                        : "no winner matches " + words);
    }
}

std::vector<Winner> WinnerFilter::of(std::vector<Winner> winners, const Log& log) const {
    warn_if_none(winners, log);
    std::erase_if(winners, [&](const Winner& winner) { return !matches(winner); });
    return winners;
}

}  // namespace jitune::internal
