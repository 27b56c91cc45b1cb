// SPDX-License-Identifier: Apache-2.0
#include "dispatch/answer/explanation.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "dispatch/behind/range_winners.hpp"
#include "dispatch/behind/stored_costs.hpp"
#include "dispatch/engine.hpp"
#include "dispatch/observe/usage_report.hpp"
#include "range/cost_estimate.hpp"
#include "template/problem.hpp"
#include "tuner_db/calls/call_record.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

/// The first difference that keeps `row` from serving `key`; empty if they differ at most in the
/// sizes.
std::string obstacle(const RecordKey& row, const RecordKey& key) {
    if (row.types != key.types) {
        return "other types or operation: " + readable_types(row.types);
    }
    if (row.device_class != key.device_class) {
        return "other device class: " + row.device_class;
    }
    if (row.template_hash != key.template_hash) {
        return "made from another kernel template, another version of it, or with other compiler "
               "options";
    }
    if (row.alignment != key.alignment) {
        return fmt::format("for data aligned to {} bytes", row.alignment);
    }
    return {};
}

/// Says why a winner is provisional; empty if it is not.
std::string provisional_text(const Winner& winner) {
    const std::string_view why = why_provisional(winner.certainty);
    if (why.empty()) {
        return "";
    }
    constexpr double kLeastTold = 0.1;
    std::string text = fmt::format("; provisional: {}", why);
    const bool tells = pessimistic_speed_up(winner.certainty) >= kLeastTold;
    const bool is_compared = winner.default_median_ns > 0 && !winner.range.by_default;
    if (is_compared && !tells) {
        text += " so much that nothing is known of its speed-up";
    } else if (is_compared) {
        text += fmt::format(", so that the speed-up may be as low as {:.2f}x",
                            pessimistic_speed_up(winner.certainty));
    }
    return text + (trust_of(winner) == Trust::provisional
                       ? ""
                       : fmt::format("; kept after {} tries", tries_of(winner.certainty)));
}

/// Says that a winner is pinned; empty if it is not.
std::string pinned_text(const Winner& winner) {
    return winner.pinned ? "; pinned" + chosen_by_text(winner) : "";
}

/// "its range n=1024..4096 holds the sizes; at most 2.0 % slower than the best at 59 held-out
/// sizes"
std::string range_text(const Winner& winner) {
    return fmt::format("its range {} holds the sizes; {}{}", short_served_text(winner),
                       bound_sentence(winner.range), provisional_text(winner));
}

/// `foretold`: what a call does.
void explain_row(ExplainedRow& row, const RecordKey& key, const Sizes& sizes,
                 const Foretold& foretold) {
    const Winner& winner = row.winner;
    row.octaves = octaves_between(boxes_of(winner).value_or(std::vector<SizeBox>{}), sizes);
    row.reason = obstacle(winner.key, key);
    row.is_comparable = row.reason.empty();
    const bool covers = row.is_comparable && row.octaves == 0;
    const bool may = covers && may_serve(trust_of(winner));
    const bool is_asked = may && foretold.winner && foretold.origin != Origin::nearest;
    const bool is_first = is_asked && winner_id(winner) == winner_id(*foretold.winner);
    row.is_withheld = is_first && is_default(foretold.origin) && !winner.range.by_default;
    row.serves = is_first && !row.is_withheld;
    if (is_asked && !is_first) {
        row.reason = fmt::format("does not serve, behind another: {}",
                                 precedence_reason(*foretold.winner, winner));
    } else if (covers) {
        row.reason =
            fmt::format("{}: {}",
                        row.serves        ? "serves"
                        : row.is_withheld ? "does not serve, it may be slower than the "
                                            "default"
                        : may             ? "does not serve, the database cannot read it"
                        : winner.image_format == kNoCode
                            ? "has no code yet, the next call that may tune compiles and checks it"
                            : "unsure",
                        range_text(winner));
    } else if (row.is_comparable) {
        const std::string distance = fmt::format("{:.3g}", row.octaves);
        row.reason =
            fmt::format("other size, {} octave{} away{}", distance, distance == "1" ? "" : "s",
                        may_answer_elsewhere(winner)     ? ""
                        : winner.image_format == kNoCode ? ", without code"
                        : winner.range.by_default        ? ", by the default"
                                                  : ", and it may be slower than the default");
    }
}

/// Adds the recorded calls that each of the winners has answered to the row at its place.
void add_calls(std::vector<ExplainedRow>& rows, std::span<const Winner> winners,
               std::span<const CallRecord> usages) {
    const AnswerIndex index(winners);
    for (const CallRecord& usage : usages) {
        if (const auto place = index.answering(usage)) {
            ExplainedRow& its = rows[*place];
            its.calls = saturating_sum(its.calls, usage.calls);
            its.last_at = std::max(its.last_at, usage.last_at);
        }
    }
}

/// Says when a row has last served, if that is recorded.
void add_usage_text(ExplainedRow& row) {
    if (row.calls > 0) {
        row.reason +=
            fmt::format("; {} recorded call{}, the last on {}", row.calls,
                        row.calls == 1 ? "" : "s", row.last_at.substr(0, row.last_at.find('T')));
    }
}

/// The rows of the key's kernel: comparable ones first, then by their distance in size. A row that
/// serves comes before one that is unsure.
std::vector<ExplainedRow> ranked(std::vector<Winner> winners, std::span<const CallRecord> usages,
                                 const RecordKey& key, const Sizes& sizes,
                                 const Foretold& foretold) {
    std::vector<ExplainedRow> rows(winners.size());
    add_calls(rows, winners, usages);
    for (std::size_t place = 0; place < winners.size(); ++place) {
        rows[place].winner = std::move(winners[place]);
    }
    std::erase_if(rows,
                  [&](const ExplainedRow& one) { return one.winner.key.kernel != key.kernel; });
    for (ExplainedRow& row : rows) {
        explain_row(row, key, sizes, foretold);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const ExplainedRow& a, const ExplainedRow& b) {
        const auto rank = [](const ExplainedRow& one) {
            return std::tuple(!one.is_comparable, one.octaves, !one.serves);
        };
        return rank(a) < rank(b);
    });
    return rows;
}

/// Says of the first of the nearest winners when it answers: `answers`: now.
void note_nearest(std::vector<ExplainedRow>& rows, const std::vector<Winner>& nearest,
                  bool answers) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& one) {
        return one.is_comparable && !nearest.empty() &&
               winner_id(one.winner) == winner_id(nearest.front());
    });
    if (row != rows.end()) {
        row->is_nearest = true;
        row->reason = fmt::format(
            "nearest stored size: answers{}; {}",
            answers ? "" : " only under the policies \"offline\" and \"background\"", row->reason);
    }
}

std::vector<ExplainedCost> explained_costs(const std::vector<ExplainedRow>& rows,
                                           const CostTable& table, const std::string& standard,
                                           const Sizes& sizes) {
    constexpr double kFarthest = 1;
    std::set<std::string> configurations{standard};
    for (const ExplainedRow& one : rows) {
        if (one.is_comparable) {
            configurations.insert(one.winner.configuration);
        }
    }
    std::vector<ExplainedCost> costs;
    for (const std::string& configuration : configurations) {
        const auto cost = estimated_time(table, configuration, sizes);
        if (cost && cost->octaves <= kFarthest) {
            costs.push_back({configuration, cost->value, cost->octaves, configuration == standard});
        }
    }
    std::stable_sort(costs.begin(), costs.end(),
                     [](const auto& a, const auto& b) { return a.ns < b.ns; });
    return costs;
}

/// "the template's default", with the rule that gives it.
std::string default_text(const Task& task, const KernelTemplate::Default& standard) {
    const std::string& file = task.kernel_template().source().name;
    return standard.rule == nullptr ? "the template's default"
           : standard.rule->text.empty()
               ? fmt::format("the template's default by the rule of {}:{}", file,
                             standard.rule->line)
               : fmt::format("the template's default by the rule \"{}\" of {}:{}",
                             standard.rule->text, file, standard.rule->line);
}

std::string frozen_text(const Options& options) {
    return options.frozen ? "the table is frozen: " : "";
}

}  // namespace

std::optional<Foretold> foretell_stored(SessionStore& store, const Options& options,
                                        const Task& task) {
    constexpr std::chrono::milliseconds kPatience{2000};
    auto winner = store.find(task.key(), task.problem.sizes, kPatience);
    if (!winner || is_of_other_default(task, *winner)) {
        return std::nullopt;
    }
    if (Answers::gives_default(task, *winner)) {
        const auto standard = task.default_of();
        const std::string text = default_text(task, standard);
        const std::string configuration = standard.configuration.text();
        return Foretold{
            frozen_text(options) +
                (winner->range.by_default
                     ? fmt::format("{} answers, as a sweep has chosen: {}", text, configuration)
                     : fmt::format("the stored winner may be slower than {}, which answers: {}",
                                   text, configuration)),
            Answers::origin_of(standard), std::move(winner)};
    }
    return Foretold{
        fmt::format("{}the stored winner answers: {}", frozen_text(options), winner->configuration),
        Origin::stored, std::move(winner)};
}

std::optional<Foretold> foretell_tuning(SessionStore& /*store*/, const Options& options,
                                        const Task& task) {
    if (options.on_miss != TunePolicy::now || !task.can_gain()) {
        return std::nullopt;
    }
    const double limit_s = std::chrono::duration<double>(options.budget).count();
    return Foretold{fmt::format("no stored winner: a call waits{} until the problem is tuned",
                                limit_s == 0 ? "" : fmt::format(" for up to {} s", limit_s)),
                    Origin::tuned};
}

std::optional<Foretold> foretell_nearest(SessionStore& store, const Options& options,
                                         const Task& task) {
    if (options.on_miss == TunePolicy::template_default) {
        return std::nullopt;
    }
    std::vector<Winner> rows =
        store.look([&](TuningStore& open) { return nearest_winners(open, task); });
    if (rows.empty()) {
        return std::nullopt;
    }
    return Foretold{"no stored winner: the nearest answers: " + rows.front().configuration,
                    Origin::nearest, std::move(rows.front())};
}

std::optional<Foretold> foretell_default(SessionStore& /*store*/, const Options& options,
                                         const Task& task) {
    const auto standard = task.default_of();
    const std::string answers = default_text(task, standard) + " answers";
    return Foretold{
        !task.can_gain() ? answers + ": so small an array in host memory is not tuned"
        : options.frozen ? "the table is frozen, and no stored winner: " + answers +
                               ", and the session counts the problem as unserved"
        : options.on_miss == TunePolicy::background
            ? "no stored winner: " + answers + ", and the problem is tuned in the background"
            : "no stored winner: " + answers,
        Answers::origin_of(standard)};
}

Explanation explain(Engine& engine, const Task& task) {
    task.check();
    TuningStore* store = engine.store();
    if (store == nullptr) {
        throw Error(ErrorKind::store, "explain: the tuning database cannot be opened");
    }
    const Foretold foretold = engine.foretell(task);
    const bool answers = foretold.winner && !is_default(foretold.origin);
    const std::string standard = task.default_configuration().text();
    Explanation explanation;
    explanation.key = task.key();
    explanation.answer = foretold.answer;
    explanation.configuration = answers                       ? foretold.winner->configuration
                                : is_default(foretold.origin) ? standard
                                                              : "";
    if (answers && !task.can_gain()) {
        explanation.answer += "; calls for a whole array as small take the default";
    }
    const Sizes& sizes = task.problem.sizes;
    explanation.rows =
        ranked(store->winners(), store->calls().uses(), explanation.key, sizes, foretold);
    const bool is_nearest = foretold.origin == Origin::nearest;
    if (!foretold.winner || is_nearest) {
        note_nearest(explanation.rows, nearest_winners(*store, task), is_nearest);
    }
    const CostTable costs = stored_costs(*store, task, standard);
    explanation.costs = explained_costs(explanation.rows, costs, standard, sizes);
    const std::vector<Doubt> doubts = store->calls().doubts();
    for (ExplainedRow& row : explanation.rows) {
        if (row.is_comparable && is_of_other_default(task, row.winner)) {
            row.reason = "counts as missing: the template's default is another one since";
        }
        row.reason += pinned_text(row.winner);
        add_usage_text(row);
        if (const Doubt* const doubt = doubt_about(doubts, row.winner)) {
            row.reason += "; in doubt: " + doubt_sentence(*doubt);
        }
    }
    return explanation;
}

}  // namespace jitune::internal
