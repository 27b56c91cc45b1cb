// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/report_data.hpp"

namespace jitune::internal {

/// The ceilings of the winners' device classes, as far as stored data tells.
std::map<std::string, Ceiling> ceilings_of(std::span<const Winner> winners);

/// A value with its interval.
struct Span {
    double low = 0, middle = 0, high = 0;
};

/// One size of a figure: rates in GB/s, or times in ns if the bytes are not known.
struct RatePoint {
    double elements = 0;
    Span winner;
    std::optional<Span> standard = std::nullopt;
    std::string sizes = {};  ///< where a winner was tuned
    std::string hint = {};
    bool is_beyond_caches = false;  ///< its bytes are so many that their rate is the memory's
};

/// The winners of one kernel with its types on one class of devices.
struct RateFigure {
    std::string title;
    std::string device_name;
    std::string device_class;
    bool is_rate = true;  ///< jitune knows the bytes of a launch
    bool is_line = true;  ///< of one size: its points can be joined
    std::int64_t calls = 0;
    std::vector<RatePoint> points;   ///< where winners were tuned
    std::vector<RatePoint> between;  ///< what comparisons say of winners elsewhere
};

/// Those called most first, then those of most winners.
std::vector<RateFigure> rate_figures(const ReportData& data);

}  // namespace jitune::internal
