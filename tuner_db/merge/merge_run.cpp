// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/merge/merge_run.hpp"

#include <algorithm>
#include <utility>

#include "sizes/box_sets.hpp"
#include "support/loop_clock.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/record_row.hpp"
#include "tuner_db/winners/trust.hpp"

namespace jitune::internal {

namespace {

std::vector<std::string> place_words(const Winner& winner) {
    const Provenance& place = winner.provenance;
    return {place.device_name, place.driver, place.compiler};
}

bool overlap(const std::vector<SizeBox>& some, const std::vector<SizeBox>& others) {
    constexpr std::size_t kFew = 1000;
    if (some.size() * others.size() > kFew) {
        return outside(some, others) != some;
    }
    return std::any_of(some.begin(), some.end(), [&](const SizeBox& one) {
        return std::any_of(others.begin(), others.end(),
                           [&](const SizeBox& other) { return one.overlaps(other); });
    });
}

/// Runs `write`; false if the database refuses the row, which no jitune has written then.
template <class Write>
bool is_taken(const Write& write) {
    try {
        write();
        return true;
    } catch (const sqlite::Failure& failure) {
        if (!failure.constraint()) {
            throw;
        }
        return false;
    }
}

/// Settles the claims of one key and place: at each size, only the claim stays that supersedes()
/// all others. Neither the order of `claims` matters, nor whether some were settled before. A
/// pinned row keeps all its sizes.
void settle(std::vector<Claim>& claims) {
    std::sort(claims.begin(), claims.end(), [](const Claim& left, const Claim& right) {
        return supersedes(left.row, right.row);
    });
    std::vector<SizeBox> all;
    for (const Claim& claim : claims) {
        all.insert(all.end(), claim.boxes.begin(), claim.boxes.end());
    }
    const BoxIndex index(all);
    std::size_t before = 0;
    for (Claim& claim : claims) {
        std::vector<SizeBox> left;
        for (const SizeBox& box : claim.boxes) {
            const std::vector<SizeBox> parts =
                claim.row.pinned ? std::vector<SizeBox>{box} : index.outside(box, before);
            left.insert(left.end(), parts.begin(), parts.end());
        }
        before += claim.boxes.size();
        claim.boxes = std::move(left);
    }
}

}  // namespace

MergeRun::MergeRun(sqlite::Connection& into, WinnerTable& winners, StoredMeasurements& measurements,
                   sqlite::Connection& source, const MergeOptions& options)
    : winners_(winners),
      measurements_(measurements),
      source_(source),
      theirs_(source),
      options_(options),
      log_(into) {}

MergeReport MergeRun::run(const std::string& source_name) {
    report_.number = log_.begin();
    unite_measurements();
    read_claims_of_source();
    read_own_claims();
    for (auto& [kernel, places] : keys_) {
        unite_key(places);
    }
    // Rows may have got their usual text, which changes nothing that they serve.
    if (report_.measurements == 0 && report_.winners == 0) {
        report_.number = 0;
        log_.end_without_news();
        return std::move(report_);
    }
    for (const MergedWinner& merged : brought_) {
        log_.put(merged);
    }
    log_.end({report_.number, source_name, utc_text(), options_.trust_code, report_.measurements,
              report_.winners});
    return std::move(report_);
}

void MergeRun::unite_measurements() {
    sqlite::Statement all(source_, select(table_of<Measurement>(), "ORDER BY rowid"));
    for (sqlite::Cursor cursor = all.run(); cursor.next();) {
        const sqlite::Row row = cursor.row();
        const auto measurement = from_row<Measurement>(row);
        if (!measurement) {
            ++report_.damaged;
            continue;
        }
        if (options_.wants_key && !options_.wants_key(measurement->key)) {
            continue;
        }
        bool is_new = false;
        if (!is_taken([&] { is_new = measurements_.put(row); })) {
            ++report_.damaged;
            continue;
        }
        if (!is_new) {
            ++report_.known;
            continue;
        }
        ++report_.measurements;
        log_.added_measurement(std::get<sqlite::Blob>(row.front()));
    }
}

void MergeRun::add_claim(Claim claim) {
    claim.content = winner_content(claim.row);
    claim.row.image.clear();
    std::vector<Claim>& claims = keys_[sized_kernel(claim.row)][place_words(claim.row)];
    const auto same = std::find_if(claims.begin(), claims.end(),
                                   [&](const Claim& one) { return one.content == claim.content; });
    if (same == claims.end()) {
        claims.push_back(std::move(claim));
        return;
    }
    same->boxes.insert(same->boxes.end(), claim.boxes.begin(), claim.boxes.end());
    same->fresh.insert(same->fresh.end(), claim.fresh.begin(), claim.fresh.end());
    same->source_rowid = same->source_rowid == 0 ? claim.source_rowid : same->source_rowid;
    same->row.pinned = same->row.pinned || claim.row.pinned;
    same->rowids.insert(same->rowids.end(), claim.rowids.begin(), claim.rowids.end());
}

void MergeRun::read_own_claims() {
    const auto add = [&](std::int64_t rowid) {
        if (auto found = winners_.read(rowid); found.winner) {
            auto boxes = *boxes_of(*found.winner);
            add_claim({std::move(*found.winner), "", std::move(boxes), {rowid}});
        }
    };
    // An older jitune or another program may have left rows of one place that overlap.
    if (log_.is_empty()) {
        for (const std::int64_t rowid : winners_.all()) {
            add(rowid);
        }
        return;
    }
    std::vector<RecordKey> keys;
    for (const auto& [kernel, places] : keys_) {
        keys.push_back(places.begin()->second.front().row.key);
    }
    for (const RecordKey& key : keys) {
        for (const WinnerTable::Place& place : winners_.places(key)) {
            add(place.rowid);
        }
    }
}

void MergeRun::read_claims_of_source() {
    for (const std::int64_t rowid : theirs_.all()) {
        auto found = theirs_.read(rowid);
        if (!found.winner) {
            report_.damaged += found.damaged() ? 1 : 0;
            continue;
        }
        Winner& winner = *found.winner;
        if (options_.wants && !options_.wants(winner)) {
            continue;
        }
        winner.pinned = false;  // a person's choice, for that person's database
        if (!options_.trust_code) {
            strip_code(winner);
        }
        auto fresh = outside(*boxes_of(winner), log_.brought(winner_content(winner)));
        if (fresh.empty()) {
            ++report_.known;
        } else {
            add_claim({std::move(winner), "", fresh, {}, rowid, fresh});
        }
    }
}

void MergeRun::unite_key(Places& places) {
    for (auto& [place, claims] : places) {
        settle(claims);
        for (const Claim& claim : claims) {
            if (claim.rowids.empty()) {
                bring(claim);
            } else {
                keep(claim);
            }
        }
    }
    for (const auto& [place, claims] : places) {
        for (const Claim& claim : claims) {
            if (!claim.fresh.empty() && !claim.boxes.empty()) {
                log_claim(claim, outcome_of(claim, places));
            }
        }
    }
}

void MergeRun::keep(const Claim& claim) {
    const Winner own = winners_.read(claim.rowids.front()).winner.value();
    Winner row = own;
    bool is_new = false;
    if (claim.source_rowid != 0 && options_.trust_code) {
        // Of two images of one winner the larger one stays, whichever database it comes from.
        if (auto theirs = theirs_.read(claim.source_rowid).winner;
            theirs && theirs->image > row.image) {
            row.image = std::move(theirs->image);
            is_new = true;
        }
    }
    const std::vector<SizeBox> before = *boxes_of(row);
    is_new = is_new || !outside(claim.boxes, before).empty();
    row.range.covers = canonical_covers(row.sizes, claim.boxes);
    if (!claim.fresh.empty()) {
        ++(is_new ? report_.winners : report_.known);
    }
    const bool is_gone = claim.boxes.empty();
    if (row == own && !is_gone && claim.rowids.size() == 1) {
        return;
    }
    for (const std::int64_t rowid : claim.rowids) {
        if (const auto found = winners_.read(rowid); found.winner) {
            log_.changed_winner(claim.content, *found.winner);
            winners_.drop(rowid, *found.digest);
        }
    }
    if (!is_gone) {
        winners_.add(row);
    }
}

void MergeRun::bring(const Claim& claim) {
    if (claim.boxes.empty()) {
        ++report_.superseded;
        return;
    }
    Winner row = theirs_.read(claim.source_rowid).winner.value();
    row.pinned = false;
    if (!options_.trust_code) {
        strip_code(row);
    }
    row.range.covers = canonical_covers(row.sizes, claim.boxes);
    if (!is_taken([&] { winners_.add(row); })) {
        ++report_.damaged;
        return;
    }
    ++report_.winners;
    report_.without_code += options_.trust_code ? 0 : 1;
    log_.changed_winner(claim.content, std::nullopt);
}

void MergeRun::report_meeting(const Claim& claim, const Claim& other) {
    ++report_.all_meetings;
    if (std::ssize(report_.meetings) < MergeReport::kMostMeetings) {
        const bool first = serves_before(claim.row, other.row);
        const Winner& one = first ? claim.row : other.row;
        const Winner& two = first ? other.row : claim.row;
        report_.meetings.push_back(
            {one, two, first, disagree(one, two), precedence_reason(one, two)});
    }
}

MergedWinner MergeRun::outcome_of(const Claim& claim, const Places& places) {
    MergedWinner merged{claim.content, winner_id(claim.row), report_.number, "", "new", ""};
    for (const auto& [place, claims] : places) {
        for (const Claim& other : claims) {
            if (is_same_place(claim.row.provenance, other.row.provenance) ||
                !overlap(claim.boxes, other.boxes)) {
                continue;
            }
            if (other.fresh.empty() || claim.content < other.content) {
                report_meeting(claim, other);  // a pair of new ones once
            }
            if (may_serve(trust_of(other.row)) && merged.outcome != "behind") {
                const bool first = serves_before(claim.row, other.row);
                merged.outcome = first ? "before" : "behind";
                merged.reason = first ? precedence_reason(claim.row, other.row)
                                      : precedence_reason(other.row, claim.row);
            }
        }
    }
    if (!may_serve(trust_of(claim.row))) {
        merged.outcome = claim.row.image_format == kNoCode ? "no code" : "unsure";
        merged.reason = "";
    }
    return merged;
}

void MergeRun::log_claim(const Claim& claim, MergedWinner merged) {
    // Sizes that others of its place have may come with a later merge.
    const std::vector<SizeBox> missed = outside(claim.fresh, claim.boxes);
    std::vector<SizeBox> all = outside(claim.fresh, missed);
    if (all.empty()) {
        return;
    }
    const std::vector<SizeBox> more = log_.brought(claim.content);
    all.insert(all.end(), more.begin(), more.end());
    merged.covers = coverage_text(united(all), size_names(claim.row.sizes));
    brought_.push_back(std::move(merged));
}

}  // namespace jitune::internal
