// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/ptxas_log.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace jitune::internal {
namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Returns the number that stands before `words` in `text`, or 0 if no number does.
std::int64_t number_before(std::string_view text, std::string_view words) {
    const std::size_t at = text.find(words);
    if (at == std::string_view::npos) {
        return 0;
    }
    std::size_t begin = at;
    while (begin > 0 && is_digit(text[begin - 1])) {
        --begin;
    }
    std::int64_t number = 0;
    std::from_chars(text.data() + begin, text.data() + at, number);
    return number;
}

/// The lines about one entry: from its "Compiling entry function '<symbol>'" to the next one.
std::string_view part_of(std::string_view log, std::string_view symbol) {
    constexpr std::string_view kBegin = "Compiling entry function '";
    for (std::size_t at = log.find(kBegin); at != std::string_view::npos;
         at = log.find(kBegin, at + 1)) {
        const std::string_view rest = log.substr(at + kBegin.size());
        if (rest.starts_with(symbol) && rest.substr(symbol.size()).starts_with('\'')) {
            return rest.substr(0, rest.find(kBegin));
        }
    }
    return {};
}

}  // namespace

std::optional<KernelResources> read_ptxas_log(std::string_view log, std::string_view symbol) {
    const std::string_view part = part_of(log, symbol);
    const std::size_t used = part.find("Used ");
    if (used == std::string_view::npos) {
        return std::nullopt;
    }
    // Functions that are not inlined have properties of their own, behind those of the entry.
    const std::string_view properties =
        part.substr(0, part.find("Function properties",
                                 1 + std::min(part.find("Function properties"), part.size())));
    const std::string_view line = part.substr(used, part.find('\n', used) - used);
    KernelResources result;
    result.registers = number_before(line, " registers");
    result.shared_bytes = number_before(line, " bytes smem");
    result.barriers = std::max<std::int64_t>(1, number_before(line, " barriers"));
    result.stack_bytes = std::max(number_before(properties, " bytes stack frame"),
                                  number_before(line, " bytes cumulative stack size"));
    result.spill_store_bytes = number_before(properties, " bytes spill stores");
    result.spill_load_bytes = number_before(properties, " bytes spill loads");
    return result;
}

}  // namespace jitune::internal
