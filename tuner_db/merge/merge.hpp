// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

struct MergeOptions {
    /// True: takes the code of the other database, too. False: its winners come without code, and
    /// serve once they are compiled and checked here (Engine::adopt()).
    bool trust_code = false;
    bool dry_run = false;  ///< reports, and changes nothing
    /// The winners, and the keys of the measurements, that are taken; null: all.
    std::function<bool(const Winner&)> wants = {};
    std::function<bool(const RecordKey&)> wants_key = {};
};

/// A winner of the other database that meets one of another place at the same sizes.
struct MergeMeeting {
    Winner first;   ///< serves where both might
    Winner second;  ///< both without images
    bool first_is_new = false;
    bool disagree = false;  ///< as disagree(): one race more would tell
    std::string reason;     ///< precedence_reason()
};

struct MergeReport {
    std::int64_t number = 0;  ///< of the merge; 0: nothing was new
    std::int64_t measurements = 0;
    std::int64_t winners = 0;       ///< new rows, and known ones that serve more sizes
    std::int64_t without_code = 0;  ///< of `winners`: not trusted
    std::int64_t known = 0;         ///< measurements and winners that were there, or came before
    std::int64_t superseded = 0;    ///< winners whose sizes others of the same place have
    std::int64_t damaged = 0;       ///< rows of the other database that are left out
    std::vector<MergeMeeting> meetings = {};  ///< the first kMostMeetings
    std::int64_t all_meetings = 0;

    static constexpr std::int64_t kMostMeetings = 1000;
};

/// The result of an undo: what it has taken back.
struct UndoReport {
    std::string source;  ///< Merge::source; empty: there was nothing to take back
    std::int64_t measurements = 0;
    std::int64_t winners = 0;
};

}  // namespace jitune::internal
