// SPDX-License-Identifier: Apache-2.0
#include "cli/winner_choice.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/common_options.hpp"
#include "cli/sizes.hpp"
#include "jitune/error.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winner_table.hpp"

namespace jitune::internal {

namespace {

/// Empty: any.
Sizes wanted_sizes(const WinnerChoice& choice) {
    if (choice.n.empty()) {
        return {};
    }
    if (choice.n.find('x') == std::string::npos) {
        return {parse_size(choice.n)};
    }
    const SizePair pair = parse_size_pair(choice.n);
    return {pair.outer, pair.inner};
}

bool serves(const Winner& winner, const Sizes& sizes) {
    const auto boxes = boxes_of(winner);
    return boxes && covers(*boxes, sizes);
}

bool matches(const Winner& winner, const WinnerChoice& choice, const Sizes& sizes) {
    return choice.filter.matches(winner.key) && (sizes.empty() || serves(winner, sizes));
}

/// "3: reduce float32 sum n=1024" for each of the rows, at most for the first eight.
std::string rows_text(const std::vector<Winner>& winners, const std::vector<std::size_t>& rows) {
    constexpr std::size_t kMost = 8;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < std::min(rows.size(), kMost); ++i) {
        const Winner& winner = winners[rows[i] - 1];
        texts.push_back(fmt::format("{}: {} {} {}", rows[i], winner.key.kernel,
                                    short_types(winner.key.types), winner.sizes));
    }
    return fmt::format("{}{}", fmt::join(texts, "; "), rows.size() > kMost ? "; …" : "");
}

const Winner& by_filters(const std::vector<Winner>& winners, const WinnerChoice& choice) {
    choice.filter.refuse_unknown_names(winners);
    const Sizes sizes = wanted_sizes(choice);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < winners.size(); ++i) {
        if (matches(winners[i], choice, sizes)) {
            rows.push_back(i + 1);
        }
    }
    if (rows.empty()) {
        throw Error(ErrorKind::usage, "no winner matches: see jitune db list");
    }
    if (rows.size() > 1) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} winners match: name one by its row ({}), or narrow it down "
                                "with --kernel, --type, --op, -n, --device-class",
                                rows.size(), rows_text(winners, rows)));
    }
    return winners[rows.front() - 1];
}

}  // namespace

const Winner& WinnerChoice::select(const std::vector<Winner>& winners) const {
    if (!row) {
        return by_filters(winners, *this);
    }
    if (*row < 1 || *row > std::ssize(winners)) {
        throw Error(ErrorKind::usage, fmt::format("no row {}: jitune db list has {}", *row,
                                                  count_text(std::ssize(winners), "row")));
    }
    return winners[static_cast<std::size_t>(*row) - 1];
}

std::vector<Option> WinnerChoice::options() {
    const OptionRules without_row{.excludes = {"ROW"}};
    std::vector<Option> options{
        {"ROW", &row, "Row number, as jitune db list prints it"},
        {"-n,--size", &n,
         "A size that the winner serves, as in 2^20 or, for rows x columns, 2^10x2^16",
         without_row}};
    append(options, filter.options(without_row));
    return options;
}

}  // namespace jitune::internal
