// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/winner_table.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "sizes/box_sets.hpp"
#include "support/loop_clock.hpp"
#include "tuner_db/winners/record_row.hpp"
#include "tuner_db/winners/trust.hpp"

namespace jitune::internal {

namespace {

using sqlite::Row;
using sqlite::Statement;

std::optional<std::vector<SizeBox>> boxes_in(const std::string& sizes, const std::string& covers) {
    const auto tuned_at = parse_coverage(sizes);
    auto boxes = covers.empty() ? tuned_at : parse_coverage(covers);
    const bool good = tuned_at && boxes && tuned_at->size() == 1 &&
                      boxes->front().from.size() == tuned_at->front().from.size();
    return good ? std::move(boxes) : std::nullopt;
}

std::int64_t rowid_in(const Row& row) {
    const auto* rowid = std::get_if<std::int64_t>(&row.at(0));
    return rowid == nullptr ? 0 : *rowid;
}

/// The place of a row that places_ has read.
WinnerTable::Place place_in(const Row& row) {
    WinnerTable::Place place;
    const auto* sizes = std::get_if<std::string>(&row.at(1));
    const auto* covers = std::get_if<std::string>(&row.at(2));
    place.rowid = rowid_in(row);
    if (sizes != nullptr && covers != nullptr) {
        place.boxes = boxes_in(*sizes, *covers);
    }
    place.unsure = row.at(3) == sqlite::Cell(std::int64_t{1});
    return place;
}

std::vector<std::int64_t> rowids_of(Statement& statement, const Row& parameters) {
    std::vector<std::int64_t> rowids;
    for (sqlite::Cursor cursor = statement.run(parameters); cursor.next();) {
        rowids.push_back(rowid_in(cursor.row()));
    }
    return rowids;
}

/// Makes `winner`, which serves `boxes`, also serve what is left of the row that it replaces. The
/// winner's bound does not hold for what is left of a row that was unsure.
void inherit(Winner& winner, std::vector<SizeBox> boxes, const Winner& older) {
    if (older.range.unsure && !winner.range.unsure) {
        return;
    }
    const auto rest = boxes_of(older);
    boxes.insert(boxes.end(), rest->begin(), rest->end());
    WinnerRange& range = winner.range;
    range.covers = canonical_covers(winner.sizes, boxes);
    range.loss_bound = std::max(range.loss_bound, older.range.loss_bound);
    range.held_out = std::max(range.held_out, older.range.held_out);  // perhaps the same sizes
}

}  // namespace

std::optional<std::vector<SizeBox>> boxes_of(const Winner& winner) {
    return boxes_in(winner.sizes, winner.range.covers);
}

bool is_sound(const Winner& winner) {
    const double bound = winner.range.loss_bound;
    return boxes_of(winner) && (bound == 0 || (bound >= 1 && bound <= kMostLossBound));
}

const std::string& served_text(const Winner& winner) {
    return winner.range.covers.empty() ? winner.sizes : winner.range.covers;
}

std::string server_text(const Winner& winner) {
    return winner.range.by_default ? "the default" : winner.configuration;
}

std::string canonical_covers(const std::string& sizes, std::span<const SizeBox> boxes) {
    const auto tuned_at = exact_sizes(sizes);
    const std::vector<SizeBox> all = united(boxes);
    return tuned_at && all.size() == 1 && all.front() == SizeBox::point(*tuned_at)
               ? ""
               : coverage_text(all, size_names(sizes));
}

std::string short_served_text(const Winner& winner) {
    constexpr std::size_t kMost = 8;
    constexpr std::string_view kSeparator = "; ";
    const std::string& text = served_text(winner);
    std::size_t boxes = 1;
    std::size_t end = text.size();
    for (std::size_t at = text.find(kSeparator); at != std::string::npos;
         at = text.find(kSeparator, at + kSeparator.size())) {
        end = boxes == kMost ? at : end;
        ++boxes;
    }
    return boxes <= kMost ? text
                          : fmt::format("{} and {} more", text.substr(0, end), boxes - kMost);
}

std::string bound_sentence(const WinnerRange& range) {
    if (range.loss_bound <= 0) {
        return "not compared with other configurations elsewhere";
    }
    const std::string tested = range.held_out == 0
                                   ? "not tested at held-out sizes"
                                   : fmt::format("with {} held-out size{}", range.held_out,
                                                 range.held_out == 1 ? "" : "s");
    if (range.loss_bound >= kMostLossBound) {
        return fmt::format("of unknown loss at some sizes, {}", tested);
    }
    constexpr double kShown = 0.001;
    const double loss = range.loss_bound - 1;
    return fmt::format("{} than the best, {}",
                       loss < kShown ? "less than 0.1 % slower"
                                     : fmt::format("at most {:.1f} % slower", loss * 100),
                       tested);
}

WinnerTable::WinnerTable(const sqlite::Connection& connection)
    : places_(connection, "SELECT rowid, sizes, covers, unsure FROM winner " +
                              where_key_of_any_bucket() +
                              " ORDER BY created_at DESC, sizes, covers"),
      holding_(connection,
               "SELECT rowid, CASE covers WHEN '' THEN sizes ELSE covers END FROM winner " +
                   where_key_of_any_bucket() + " AND unsure <= ? ORDER BY created_at DESC"),
      all_(
          connection,
          "SELECT rowid FROM winner "
          "ORDER BY kernel, types, device_class, bucket, sizes, configuration, created_at, digest"),
      read_(connection, select(table_of<Winner>(), "WHERE rowid = ?1")),
      same_(connection, "SELECT rowid FROM winner " + where_key_of_any_bucket() +
                            " AND sizes = ? AND configuration = ? AND by_default = ?"),
      put_(connection, insert("REPLACE", table_of<Winner>())),
      find_refuting_(connection, select(table_of<Measurement>(),
                                        where_key_of_any_bucket() +
                                            " AND verdict = 'wrong_result' AND configuration = ? "
                                            "AND created_at >= ?")),
      drop_(connection, "DELETE FROM winner WHERE rowid = ?1 AND digest IS ?2"),
      find_pin_(connection, select(table_of<Pin>(), "WHERE winner = ?1")),
      any_pin_(connection, "SELECT 1 FROM pin LIMIT 1"),
      put_pin_(connection, insert("REPLACE", table_of<Pin>())),
      drop_pin_(connection, "DELETE FROM pin WHERE winner = ?1") {}

std::vector<WinnerTable::Place> WinnerTable::places(const RecordKey& key) {
    std::vector<Place> places;
    for (sqlite::Cursor cursor = places_.run(cells_of(key)); cursor.next();) {
        places.push_back(place_in(cursor.row()));
    }
    return places;
}

WinnerTable::Answer WinnerTable::find(const RecordKey& key, std::span<const std::int64_t> sizes,
                                      bool also_unsure) {
    Row parameters = cells_of(key);
    parameters.emplace_back(std::int64_t{also_unsure ? 1 : 0});
    Answer answer;
    // The rows are read while this statement runs, so all of them are of one moment, without a
    // transaction.
    for (sqlite::Cursor cursor = holding_.run(parameters); cursor.next();) {
        const auto text = cursor.text(1);
        if (text && !coverage_holds(*text, sizes).value_or(true)) {
            continue;
        }
        const std::int64_t rowid = rowid_in(cursor.row());
        Found found = read(rowid);
        // The row itself must say the same as the index.
        if (found.counts() && found.winner->key.is_like(key) &&
            covers(*boxes_of(*found.winner), sizes) &&
            (also_unsure || may_serve(trust_of(*found.winner)))) {
            if (!answer.winner || serves_before(*found.winner, *answer.winner)) {
                answer.winner = std::move(found.winner);
            }
        } else if (found.damaged()) {
            answer.damaged.emplace_back(rowid, *found.digest);
        }
    }
    return answer;
}

std::vector<std::int64_t> WinnerTable::neighbours(const RecordKey& key,
                                                  std::span<const std::int64_t> sizes) {
    std::vector<std::tuple<double, Sizes, std::int64_t>> rows;
    for (const Place& place : places(key)) {
        const double octaves = place.boxes ? octaves_between(*place.boxes, sizes) : -1;
        if (std::isfinite(octaves) && (octaves > 0 || (octaves == 0 && place.unsure))) {
            rows.emplace_back(octaves, place.boxes->front().from, place.rowid);
        }
    }
    std::sort(rows.begin(), rows.end());
    std::vector<std::int64_t> rowids;
    for (const auto& row : rows) {
        rowids.push_back(std::get<std::int64_t>(row));
    }
    return rowids;
}

std::vector<std::int64_t> WinnerTable::all() {
    return rowids_of(all_, {});
}

WinnerTable::Found WinnerTable::read(std::int64_t rowid) {
    Found found;
    for (sqlite::Cursor cursor = read_.run({rowid}); cursor.next();) {
        Row row = cursor.row();
        found.digest = row.front();
        found.winner = from_row<Winner>(std::move(row));
    }
    if (found.winner && !is_sound(*found.winner)) {
        found.winner.reset();
    }
    if (found.winner) {
        found.winner->refuted = is_refuted(*found.winner);
        found.winner->pinned = is_pinned(*found.winner);
    }
    return found;
}

std::vector<std::pair<std::int64_t, WinnerTable::Found>> WinnerTable::read_same(const Winner& row) {
    Row parameters = cells_of(row.key);
    parameters.emplace_back(row.sizes);
    parameters.emplace_back(row.configuration);
    parameters.emplace_back(std::int64_t{row.range.by_default ? 1 : 0});
    std::vector<std::pair<std::int64_t, Found>> rows;
    for (const std::int64_t rowid : rowids_of(same_, parameters)) {
        rows.emplace_back(rowid, read(rowid));
    }
    return rows;
}

bool WinnerTable::is_refuted(const Winner& winner) {
    Row parameters = cells_of(winner.key);
    parameters.emplace_back(winner.configuration);
    parameters.emplace_back(winner.provenance.created_at);
    const auto refutes = [&](const Measurement& one) {
        return one.key.is_like(winner.key) && one.verdict == Verdict::wrong_result;
    };
    return !read_rows<Measurement>(find_refuting_, parameters, refutes).records.empty();
}

bool WinnerTable::is_pinned(const Winner& winner) {
    if (!any_pin_.run().next()) {
        return false;
    }
    sqlite::Cursor cursor = find_pin_.run({winner_id(winner)});
    return cursor.next() && from_row<Pin>(cursor.row());
}

void WinnerTable::take_away(const Place& place, std::span<const SizeBox> taken) {
    if (!place.boxes) {
        return;  // find() deletes it
    }
    const std::vector<SizeBox> rest = outside(*place.boxes, taken);
    if (rest == *place.boxes) {
        return;
    }
    Found older = read(place.rowid);
    if (older.digest) {
        drop(place.rowid, *older.digest);
    }
    if (older.winner && !rest.empty()) {
        older.winner->range.covers = canonical_covers(older.winner->sizes, rest);
        put_.execute(to_row(*older.winner));
    }
}

std::vector<SizeBox> WinnerTable::better_served(const Winner& winner) {
    std::vector<SizeBox> better;
    const bool yields_to_none = winner.complete && trust_of(winner) > Trust::kept;
    if (yields_to_none && !any_pin_.run().next()) {
        return better;
    }
    for (const Place& place : places(winner.key)) {
        if (place.boxes && !place.unsure) {
            const Found row = read(place.rowid);
            if (row.counts() && yields(winner, *row.winner)) {
                better.insert(better.end(), place.boxes->begin(), place.boxes->end());
            }
        }
    }
    return better;
}

void WinnerTable::put(Winner winner) {
    winner.range.loss_bound = std::min(winner.range.loss_bound, kMostLossBound);
    if (!is_sound(winner)) {
        throw Error(
            ErrorKind::store,
            fmt::format("tuning database: cannot save a winner with sizes = \"{}\", covers "
                        "= \"{}\" and loss_bound = {}: they must be like \"n=8\", \"n=1..4; "
                        "n=8\" and 1.02, or 0",
                        winner.sizes, winner.range.covers, winner.range.loss_bound));
    }
    auto boxes = boxes_of(winner);
    for (const auto& [rowid, same] : read_same(winner)) {
        if (same.counts() && same.winner->range.unsure && yields(winner, *same.winner)) {
            return;  // a pinned one
        }
    }
    if (const auto better = better_served(winner); !better.empty()) {
        const auto left = outside(*boxes, better);
        if (left.empty()) {
            return;
        }
        boxes = left;
    }
    winner.range.covers = canonical_covers(winner.sizes, *boxes);
    for (const Place& place : places(winner.key)) {
        take_away(place, *boxes);
    }
    for (const auto& [rowid, rest] : read_same(winner)) {
        if (rest.counts() && yields(winner, *rest.winner)) {
            continue;  // it keeps its sizes
        }
        if (rest.counts()) {
            inherit(winner, *boxes, *rest.winner);
        }
        drop(rowid, *rest.digest);
    }
    put_.execute(to_row(winner));
}

void WinnerTable::add(const Winner& winner) {
    put_.execute(to_row(winner));
}

void WinnerTable::drop(std::int64_t rowid, const sqlite::Cell& digest) {
    drop_.execute({rowid, digest});
}

void WinnerTable::pin(const std::string& id, bool pinned) {
    if (pinned) {
        put_pin_.execute(to_row(Pin{id, utc_text()}));
    } else {
        drop_pin_.execute({id});
    }
}

}  // namespace jitune::internal
