// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "dispatch/observe/usage_report.hpp"
#include "report/picture.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// "reduce float32 sum"
std::string kernel_text(const std::string& kernel, const std::string& types);
inline std::string kernel_text(const RecordKey& key) {
    return kernel_text(key.kernel, key.types);
}

/// The day of a time in a database.
std::string day_text(const std::string& time);

/// "98.2 %"
std::string percent_text(double part);

/// "12.3 s (11.9 s to 12.8 s)"
std::string saved_text(const SavedTime& saved);

/// "1.32x"
std::string ratio_text(double ratio);

/// "wrong result": a verdict in words.
std::string verdict_text(Verdict verdict);

/// The shape and the class of the style sheet that marks of a verdict have.
Shape verdict_shape(Verdict verdict);
std::string_view verdict_style(Verdict verdict);

/// A paragraph of text that is escaped here.
std::string paragraph(std::string_view text);
/// HTML that the reader unfolds; "" of nothing.
std::string folded(std::string_view title, std::string_view html);
std::string heading(int level, std::string_view text);

}  // namespace jitune::internal
