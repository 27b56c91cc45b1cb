// SPDX-License-Identifier: Apache-2.0
#include "cli/winner_filter.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/platform_kind.hpp"
#include "families/reduce/reduce_types.hpp"
#include "jitune/error.hpp"
#include "support/embedded.hpp"
#include "template/settings.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

using KnownNames = std::set<std::string, std::less<>>;

KnownNames builtin_kernels() {
    constexpr std::array kPlatforms{PlatformKind::cuda, PlatformKind::host, PlatformKind::machine};
    KnownNames names;
    for (const embedded::File& file : embedded::kernel_templates) {
        for (const PlatformKind platform : kPlatforms) {
            const std::string_view suffix = template_suffix(platform);
            if (file.name.ends_with(suffix)) {
                names.emplace(file.name.substr(0, file.name.size() - suffix.size()));
            }
        }
    }
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

std::vector<Option> WinnerFilter::options(const OptionRules& rules) {
    return {{"--kernel", &kernel, "Name of the kernel, such as reduce", rules},
            {"--type", &type, "Element type, such as float32", rules},
            {"--op", &op, "Operation, such as sum", rules},
            {"--device-class", &device_class, "Part of the device class", rules}};
}

bool WinnerFilter::matches(const RecordKey& key) const {
    return (kernel.empty() || key.kernel == kernel) &&
           (type.empty() || setting_of(key.types, "element") == type) &&
           (op.empty() || setting_of(key.types, "operation") == op) &&
           key.device_class.find(device_class) != std::string::npos;
}

void WinnerFilter::refuse_unknown_names(std::span<const Winner> winners) const {
    KnownNames kernels = builtin_kernels();
    KnownNames types = builtin_types();
    KnownNames operations = builtin_operations();
    for (const Winner& winner : winners) {
        kernels.insert(winner.key.kernel);
        types.emplace(setting_of(winner.key.types, "element"));
        operations.emplace(setting_of(winner.key.types, "operation"));
    }
    types.erase("");
    operations.erase("");
    refuse_unknown("--kernel", kernel, kernels);
    refuse_unknown("--type", type, types);
    refuse_unknown("--op", op, operations);
}

std::string WinnerFilter::text() const {
    std::string given;
    for (const auto& [option, value] :
         {std::pair("--kernel", &kernel), std::pair("--type", &type), std::pair("--op", &op),
          std::pair("--device-class", &device_class)}) {
        if (!value->empty()) {
            given += fmt::format("{}{} {}", given.empty() ? "" : " ", option, *value);
        }
    }
    return given;
}

void WinnerFilter::warn_if_none(std::span<const Winner> winners, const Log& log) const {
    refuse_unknown_names(winners);
    if (std::none_of(winners.begin(), winners.end(),
                     [&](const Winner& winner) { return matches(winner.key); })) {
        const std::string given = text();
        log.warning("{}", given.empty() ? "the database has no intact winners"
                                        : "no winner matches " + given);
    }
}

std::vector<Winner> WinnerFilter::of(std::vector<Winner> winners, const Log& log) const {
    warn_if_none(winners, log);
    std::erase_if(winners, [&](const Winner& winner) { return !matches(winner.key); });
    return winners;
}

}  // namespace jitune::internal
