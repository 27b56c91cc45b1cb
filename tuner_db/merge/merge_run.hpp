// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sizes/size_box.hpp"
#include "tuner_db/merge/merge_log.hpp"
#include "tuner_db/winners/record.hpp"
#include "tuner_db/winners/stored_measurements.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

/// A winner in a merge, with the sizes that it has, and keeps once the claims of its place are
/// settled.
struct Claim {
    Winner row;  ///< without its image
    std::string content;
    std::vector<SizeBox> boxes;
    std::vector<std::int64_t> rowids = {};  ///< of this content in this database
    std::int64_t source_rowid = 0;          ///< in the other one; 0: it is not there, or known
    std::vector<SizeBox> fresh = {};        ///< of `boxes`, those that no earlier merge has brought
};

/// Unites another database with this one, as one set of measurements and one of claims for each key
/// and place. Both are unions, so that the order of merges and their repetition do not matter. Use
/// one object for one merge, in a write transaction.
class MergeRun {
public:
    MergeRun(sqlite::Connection& into, WinnerTable& winners, StoredMeasurements& measurements,
             sqlite::Connection& source, const MergeOptions& options);

    /// `source_name`: for the log.
    MergeReport run(const std::string& source_name);

private:
    /// The rows of one key, by place: model of device, driver and compiler.
    using Places = std::map<std::vector<std::string>, std::vector<Claim>>;

    void unite_measurements();
    void read_own_claims();
    void read_claims_of_source();
    void add_claim(Claim claim);
    void unite_key(Places& places);
    /// Writes a row of this database with the sizes that are left to it.
    void keep(const Claim& claim);
    /// Writes a row of the other database, if any sizes are left to it.
    void bring(const Claim& claim);
    /// Compares a claim that has come with the claims of other places at the same sizes.
    MergedWinner outcome_of(const Claim& claim, const Places& places);
    void report_meeting(const Claim& claim, const Claim& other);
    void log_claim(const Claim& claim, MergedWinner merged);

    WinnerTable& winners_;
    StoredMeasurements& measurements_;
    sqlite::Connection& source_;
    WinnerTable theirs_;
    const MergeOptions options_;
    MergeLog log_;
    MergeReport report_;
    std::vector<MergedWinner> brought_;
    std::map<SizedKernel, Places> keys_;
};

}  // namespace jitune::internal
