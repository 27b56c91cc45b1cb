// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/view.hpp"
#include "tuner_db/winners/record.hpp"

/// The parts of a winner as a reader of a table or of a report wants them.
namespace jitune::internal {

/// "1.02 on 59 sizes": the loss bound of a range, with "?" if it is unsure. "" if not known.
std::string bound_text(const WinnerRange& range);

/// "int8 sum int64" for "accumulator=int64 element=int8 operation=sum": each name once, in the
/// order of readable_types().
std::string short_types(std::string_view types);

/// "reduce float32 sum"
std::string kernel_text(std::string_view kernel, std::string_view types);
inline std::string kernel_text(const RecordKey& key) {
    return kernel_text(key.kernel, key.types);
}

/// "wrong result": a verdict in words.
std::string_view verdict_text(Verdict verdict);

/// "1.52x", with "±0.01" if the interval is known; "1.30x to 1.70x" if it is so wide that no figure
/// in it is known. "" if the default has no time. With "?" if the timing was disturbed.
std::string speed_up_text(double speed_up, const Certainty& certainty);
std::string speed_up_text(const Winner& winner);
View::Cell speed_up_cell(const Winner& winner);

/// What becomes of a provisional winner: "the next sweep on a quiet machine tunes it again".
std::string provisional_text(const Winner& winner);

/// The meaning of that "?", for the end of a table.
inline constexpr std::string_view kDisturbedLegend =
    "? disturbed by changing clocks or by other processes, or its time or speed-up is uncertain by "
    "more than 10 %\n";

/// "1.00x..3.10x": the speed-ups of several winners over the default, by the largest. "" if none
/// has a time of it.
View::Cell speed_ups_cell(std::span<const Winner* const> winners);

/// The speed-ups of the winners whose default has a time.
std::vector<double> speed_ups_of(std::span<const Winner> winners);

/// Of at least one value.
double median_of(std::vector<double> values);

/// "1.42x (1.00x to 3.10x)": the median of several speed-ups, with their range. "" for none.
std::string gain_text(std::vector<double> speed_ups);

/// "96.4 %", rounded down, so that only all is 100 %.
std::string served_percent(double share);

/// "99 %: 1.51x to 1.53x", or "" if the interval is unknown.
std::string speed_up_interval_text(const Certainty& certainty);

}  // namespace jitune::internal
