// SPDX-License-Identifier: Apache-2.0
#include "dispatch/explanation.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "tuner_db/bucket.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kNearest = "nearest size";

/// The first thing that keeps `row` from serving `key`; empty if only the size may differ.
std::string obstacle(const RecordKey& row, const RecordKey& key) {
    if (row.types != key.types) {
        return "other types or operation: " + row.types;
    }
    if (row.device_class != key.device_class) {
        return "other device class: " + row.device_class;
    }
    if (row.template_hash != key.template_hash) {
        return "made from another kernel template, or another version of it";
    }
    if (row.alignment != key.alignment) {
        return fmt::format("for data aligned to {} bytes", row.alignment);
    }
    return {};
}

std::string answer_of(const Explanation& explanation, const Options& options) {
    if (!explanation.rows.empty() && explanation.rows.front().serves) {
        return "the stored winner answers: " + explanation.rows.front().winner.configuration;
    }
    if (options.on_miss == TunePolicy::now) {
        if (options.budget.count() == 0) {
            return "no stored winner: a call tunes until the strategy ends";
        }
        return fmt::format("no stored winner: a call tunes for up to {} s",
                           static_cast<double>(options.budget.count()) / 1000);
    }
    const bool near =
        !explanation.rows.empty() && explanation.rows.front().reason.starts_with(kNearest);
    if (options.on_miss == TunePolicy::nearest && near) {
        return "no stored winner: the nearest answers: " +
               explanation.rows.front().winner.configuration;
    }
    return "no stored winner: the template's default answers";
}

}  // namespace

Explanation explain(Engine& engine, const Task& task) {
    task.check();
    Explanation explanation;
    explanation.key = task.key();
    TuningStore* store = engine.store();
    if (store == nullptr) {
        throw Error(ErrorKind::store, "explain: the tuning database cannot be opened");
    }
    std::vector<std::tuple<bool, double, ExplainedRow>> ranked;
    for (Winner& winner : store->winners()) {
        if (winner.key.kernel != explanation.key.kernel) {
            continue;
        }
        ExplainedRow row;
        const auto distance = bucket_distance(winner.key.bucket, explanation.key.bucket);
        row.octaves = static_cast<double>(distance) / 2;
        row.reason = obstacle(winner.key, explanation.key);
        const bool comparable = row.reason.empty();
        row.serves = comparable && winner.key.bucket == explanation.key.bucket;
        if (row.serves) {
            row.reason = "serves: same problem, same size bucket";
        } else if (comparable) {
            row.reason = fmt::format("other size, {} octave{} away", row.octaves,
                                     row.octaves == 1 ? "" : "s");
        }
        row.winner = std::move(winner);
        ranked.emplace_back(!comparable, row.octaves, std::move(row));
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
        return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
    });
    for (auto& [other, octaves, row] : ranked) {
        const bool first = explanation.rows.empty();
        if (first && !other && !row.serves) {
            row.reason = fmt::format(
                "{} that is stored: answers {} policy \"nearest\"; {}", kNearest,
                engine.options().on_miss == TunePolicy::nearest ? "by the" : "only under the",
                row.reason);
        }
        explanation.rows.push_back(std::move(row));
    }
    explanation.answer = answer_of(explanation, engine.options());
    return explanation;
}

}  // namespace jitune::internal
