// SPDX-License-Identifier: Apache-2.0
#include "dispatch/answer/explanation.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dispatch/behind/stored_costs.hpp"
#include "dispatch/observe/usage_report.hpp"
#include "range/cost_estimate.hpp"
#include "template/problem.hpp"
#include "tuner_db/calls/call_record.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

/// A row with its rank.
struct Candidate {
    ExplainedRow row;
    bool comparable = false;  ///< only the size may differ
};

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
    if (winner.default_median_ns > 0 && !tells) {
        text += " so much that nothing is known of its speed-up";
    } else if (winner.default_median_ns > 0) {
        text += fmt::format(", so that the speed-up may be no more than {:.2f}x",
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

Candidate candidate_of(Winner winner, const RecordKey& key, const Sizes& sizes,
                       const std::string& standard) {
    ExplainedRow row;
    row.octaves = octaves_between(boxes_of(winner).value_or(std::vector<SizeBox>{}), sizes);
    row.reason = obstacle(winner.key, key);
    const bool comparable = row.reason.empty();
    const bool covers = comparable && row.octaves == 0;
    const bool may = covers && may_serve(trust_of(winner));
    row.is_withheld = may && may_be_slower(winner) && winner.configuration != standard;
    row.serves = may && !row.is_withheld;
    if (covers) {
        row.reason =
            fmt::format("{}: {}",
                        row.serves        ? "serves"
                        : row.is_withheld ? "does not serve, it may be slower than the "
                                            "default"
                        : winner.image_format == kNoCode
                            ? "has no code yet, the next call that may tune compiles and checks it"
                            : "unsure",
                        range_text(winner));
    } else if (comparable) {
        const std::string distance = fmt::format("{:.3g}", row.octaves);
        row.reason = fmt::format(
            "other size, {} octave{} away{}", distance, distance == "1" ? "" : "s",
            may_answer_elsewhere(winner)     ? ""
            : winner.image_format == kNoCode ? ", without code"
                                             : ", and it may be slower than the default");
    }
    row.winner = std::move(winner);
    return {std::move(row), comparable};
}

/// The recorded calls of each winner of a table.
struct AnsweredCalls {
    std::int64_t calls = 0;
    std::string last_at;
};

std::vector<AnsweredCalls> answered_calls(std::span<const Winner> winners,
                                          std::span<const CallRecord> usages) {
    std::vector<AnsweredCalls> all(winners.size());
    const AnswerIndex index(winners);
    for (const CallRecord& usage : usages) {
        if (const auto place = index.answering(usage)) {
            AnsweredCalls& its = all[*place];
            its.calls = saturating_sum(its.calls, usage.calls);
            its.last_at = std::max(its.last_at, usage.last_at);
        }
    }
    return all;
}

/// Says when a row has last served, where that is recorded.
void add_usage_text(ExplainedRow& row) {
    if (row.calls > 0) {
        row.reason +=
            fmt::format("; {} recorded call{}, the last on {}", row.calls,
                        row.calls == 1 ? "" : "s", row.last_at.substr(0, row.last_at.find('T')));
    }
}

/// Keeps only one of several rows that could serve, as merged databases have them.
void leave_to_the_first(std::vector<Candidate>& candidates) {
    Candidate* first = nullptr;
    for (Candidate& one : candidates) {
        const bool could = one.row.serves || one.row.is_withheld;
        if (could && (first == nullptr || serves_before(one.row.winner, first->row.winner))) {
            first = &one;
        }
    }
    for (Candidate& one : candidates) {
        if (&one != first && (one.row.serves || one.row.is_withheld)) {
            one.row.reason = fmt::format("does not serve, behind another: {}",
                                         precedence_reason(first->row.winner, one.row.winner));
            one.row.serves = false;
            one.row.is_withheld = false;
        }
    }
}

/// The rows of the key's kernel: comparable ones first, then by their distance in size. A row that
/// serves comes before one that is unsure.
std::vector<Candidate> ranked(std::vector<Winner> winners, std::span<const CallRecord> usages,
                              const RecordKey& key, const Sizes& sizes,
                              const std::string& standard) {
    const std::vector<AnsweredCalls> answered = answered_calls(winners, usages);
    std::vector<Candidate> candidates;
    for (std::size_t place = 0; place < winners.size(); ++place) {
        if (winners[place].key.kernel == key.kernel) {
            Candidate one = candidate_of(std::move(winners[place]), key, sizes, standard);
            one.row.calls = answered[place].calls;
            one.row.last_at = answered[place].last_at;
            candidates.push_back(std::move(one));
        }
    }
    leave_to_the_first(candidates);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                         const auto rank = [](const Candidate& one) {
                             return std::tuple(!one.comparable, one.row.octaves, !one.row.serves);
                         };
                         return rank(a) < rank(b);
                     });
    return candidates;
}

/// The first candidate that serves, that the default replaces, or that answers as the nearest
/// winner; nullptr if there is none.
Candidate* best_of(std::vector<Candidate>& candidates, const CostTable& costs,
                   const std::string& standard, const Sizes& sizes) {
    const auto answers = [&](const Candidate& one) {
        return one.row.serves || one.row.is_withheld ||
               (one.comparable && may_answer_elsewhere(one.row.winner) &&
                answers_as_nearest(costs, one.row.winner.configuration, one.row.octaves, standard,
                                   sizes));
    };
    const auto best = std::find_if(candidates.begin(), candidates.end(), answers);
    return best == candidates.end() ? nullptr : &*best;
}

std::vector<ExplainedCost> explained_costs(const std::vector<Candidate>& candidates,
                                           const CostTable& table, const std::string& standard,
                                           const Sizes& sizes) {
    constexpr double kFarthest = 1;
    std::set<std::string> configurations{standard};
    for (const Candidate& one : candidates) {
        if (one.comparable) {
            configurations.insert(one.row.winner.configuration);
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

/// The text that says how a call is answered without a stored winner.
std::string answer_without(const Options& options) {
    if (options.frozen) {
        return "the table is frozen, and no stored winner: the template's default answers, and the "
               "session counts the problem as unserved";
    }
    if (options.on_miss == TunePolicy::background) {
        return "no stored winner: the template's default answers, and the problem is tuned in the "
               "background";
    }
    if (options.on_miss != TunePolicy::now) {
        return "no stored winner: the template's default answers";
    }
    if (options.budget.count() == 0) {
        return "no stored winner: a call waits until the problem is tuned";
    }
    return fmt::format("no stored winner: a call waits for up to {} s until the problem is tuned",
                       static_cast<double>(options.budget.count()) / 1000);
}

}  // namespace

Explanation explain(Engine& engine, const Task& task) {
    task.check();
    TuningStore* store = engine.store();
    if (store == nullptr) {
        throw Error(ErrorKind::store, "explain: the tuning database cannot be opened");
    }
    Explanation explanation;
    explanation.key = task.key();
    const Options& options = engine.options();
    const Sizes& sizes = task.problem.sizes;
    const std::string standard = task.default_configuration().text();
    const CostTable costs = stored_costs(*store, task, standard);
    std::vector<Candidate> candidates =
        ranked(store->winners(), store->calls().uses(), explanation.key, sizes, standard);
    Candidate* const best = best_of(candidates, costs, standard, sizes);
    const bool by_policy =
        options.on_miss == TunePolicy::offline || options.on_miss == TunePolicy::background;
    const bool is_withheld = best != nullptr && best->row.is_withheld;
    if (is_withheld) {
        explanation.answer = fmt::format(
            "{}the stored winner may be slower than the template's default, "
            "which answers: {}",
            options.frozen ? "the table is frozen: " : "", standard);
    } else if (best != nullptr && (best->row.serves || by_policy)) {
        explanation.configuration = best->row.winner.configuration;
        explanation.answer = fmt::format("{}{}: {}", options.frozen ? "the table is frozen: " : "",
                                         best->row.serves ? "the stored winner answers"
                                                          : "no stored winner: the nearest answers",
                                         explanation.configuration);
    } else {
        explanation.answer = answer_without(options);
    }
    if (!task.can_gain()) {
        explanation.answer =
            explanation.configuration.empty()
                ? "the template's default answers: so small an array in host memory is not tuned"
                : explanation.answer + "; calls for a whole array as small take the default";
    }
    if (best != nullptr && !best->row.serves && !is_withheld) {
        best->row.reason = fmt::format("nearest stored size: answers {} policy \"offline\"; {}",
                                       by_policy ? "by the" : "only under the", best->row.reason);
    }
    explanation.costs = explained_costs(candidates, costs, standard, sizes);
    const std::vector<Doubt> doubts = store->calls().doubts();
    for (Candidate& candidate : candidates) {
        candidate.row.reason += pinned_text(candidate.row.winner);
        add_usage_text(candidate.row);
        if (const Doubt* const doubt = doubt_about(doubts, candidate.row.winner)) {
            candidate.row.reason += "; in doubt: " + doubt_sentence(*doubt);
        }
        explanation.rows.push_back(std::move(candidate.row));
    }
    return explanation;
}

}  // namespace jitune::internal
