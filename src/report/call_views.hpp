// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dispatch/observe/usage_report.hpp"
#include "sweep/work_order.hpp"
#include "text/view.hpp"
#include "tuner_db/calls/doubt.hpp"

/// What a database tells of calls, for the command's tables and for the page. Each view has at most
/// `most` rows.
namespace jitune::internal {

/// "12.3 s (11.9 s to 12.8 s)"
std::string saved_text(const SavedTime& saved);

/// "4 of 12 winners served no recorded call"; "" where all have.
std::string unused_text(const UsageReport& usage);

/// "3 calls by winners that others have replaced since"; "" for none.
std::string replaced_text(const UsageReport& usage);

/// An answer that calls may have, and what it is in words.
struct AnswerWords {
    std::string_view origin;
    std::string_view words;
};

/// All answers, in the order in which they are shown: what winners answer first.
std::span<const AnswerWords> answer_words();
std::int64_t calls_answered(const UsageReport& usage, std::string_view origin);

/// What answered the recorded calls, of which there is at least one.
View answers_view(const UsageReport& usage);
/// The winners that have served recorded calls.
View used_winners_view(const UsageReport& usage, std::size_t most = kAllRows);
View pauses_view(std::span<const Pause> pauses, std::size_t most = kAllRows);
View worklist_view(std::span<const WorkItem> items, std::size_t most = kAllRows);
View doubts_view(std::span<const Doubt> doubts, std::size_t most = kAllRows);

}  // namespace jitune::internal
