// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/merge/merge_log.hpp"

#include "tuner_db/winners/record_message.hpp"
#include "tuner_db/winners/record_row.hpp"

namespace jitune::internal {

namespace {

template <HasFields Record>
std::string framed(const Record& record) {
    Message message;
    MessageWriter writer(message);
    write_record(writer, record);
    return frame(message);
}

template <HasFields Record>
std::optional<Record> unframed(const std::string& bytes) {
    MessageBuffer buffer;
    buffer.append(bytes);
    const auto message = buffer.next();
    if (!message) {
        return std::nullopt;
    }
    MessageReader reader(*message);
    return read_record<Record>(reader);
}

}  // namespace

MergeLog::MergeLog(const sqlite::Connection& connection)
    : next_number_(connection, "SELECT coalesce(max(number), 0) + 1 FROM merge"),
      clear_steps_(connection, "DELETE FROM merge_step WHERE merge = ?1"),
      clear_older_steps_(connection, "DELETE FROM merge_step WHERE merge < ?1"),
      put_step_(connection, insert("INSERT", table_of<MergeStep>())),
      find_merged_(connection, select(table_of<MergedWinner>(), "WHERE content = ?1")),
      put_merged_(connection, insert("REPLACE", table_of<MergedWinner>())),
      drop_merged_(connection, "DELETE FROM merged_winner WHERE merge = ?1"),
      put_merge_(connection, insert("INSERT", table_of<Merge>())),
      drop_merge_(connection, "DELETE FROM merge WHERE number = ?1"),
      all_merges_(connection, select(table_of<Merge>(), "ORDER BY number DESC")),
      all_merged_(connection, select(table_of<MergedWinner>(), "ORDER BY content")),
      any_merged_(connection, "SELECT 1 FROM merged_winner LIMIT 1"),
      all_steps_(connection, select(table_of<MergeStep>(), "ORDER BY merge DESC, number DESC")) {}

std::int64_t MergeLog::begin() {
    sqlite::Cursor cursor = next_number_.run();
    merge_ = cursor.next() ? std::get<std::int64_t>(cursor.row().front()) : 1;
    return merge_;
}

void MergeLog::step(const char* kind, const std::string& name, const std::string& before) {
    put_step_.execute(to_row(MergeStep{merge_, ++steps_, kind, name, before}));
}

void MergeLog::added_measurement(const sqlite::Blob& digest) {
    step(MergeStep::kMeasurement, hex_text(digest), "");
}

void MergeLog::changed_winner(const std::string& content, const std::optional<Winner>& before) {
    step(MergeStep::kWinner, content, before ? framed(*before) : "");
}

bool MergeLog::is_empty() {
    return !any_merged_.run().next();
}

std::optional<MergedWinner> MergeLog::known(const std::string& content) {
    sqlite::Cursor cursor = find_merged_.run({content});
    return cursor.next() ? from_row<MergedWinner>(cursor.row()) : std::nullopt;
}

std::vector<SizeBox> MergeLog::brought(const std::string& content) {
    const auto merged = known(content);
    return parse_coverage(merged ? merged->covers : "").value_or(std::vector<SizeBox>{});
}

void MergeLog::put(const MergedWinner& merged) {
    const auto before = known(merged.content);
    step(MergeStep::kMergedWinner, merged.content, before ? framed(*before) : "");
    put_merged_.execute(to_row(merged));
}

void MergeLog::end(const Merge& merge) {
    clear_older_steps_.execute({merge_});
    put_merge_.execute(to_row(merge));
}

void MergeLog::end_without_news() {
    clear_steps_.execute({merge_});
}

std::vector<Merge> MergeLog::merges() {
    return read_rows<Merge>(all_merges_).records;
}

std::vector<MergedWinner> MergeLog::merged_winners() {
    return read_rows<MergedWinner>(all_merged_).records;
}

std::vector<MergeStep> MergeLog::steps() {
    return read_rows<MergeStep>(all_steps_).records;
}

void MergeLog::take_back(const Merge& merge) {
    drop_merged_.execute({merge.number});
    for (const MergeStep& one : steps()) {
        if (one.kind != MergeStep::kMergedWinner) {
            continue;
        }
        if (const auto before = unframed<MergedWinner>(one.before)) {
            put_merged_.execute(to_row(*before));
        }
    }
    clear_steps_.execute({merge.number});
    drop_merge_.execute({merge.number});
}

std::optional<Winner> winner_before(const MergeStep& step) {
    return unframed<Winner>(step.before);
}

}  // namespace jitune::internal
