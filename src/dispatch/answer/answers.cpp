// SPDX-License-Identifier: Apache-2.0
#include "dispatch/answer/answers.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "dispatch/behind/range_winners.hpp"
#include "dispatch/behind/stored_costs.hpp"
#include "dispatch/behind/tuning_lease.hpp"
#include "support/hash.hpp"
#include "support/loop_clock.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"
#include "tuning/record/record_maker.hpp"

namespace jitune::internal {

namespace {

/// The box of a winner's range that holds `sizes`; `sizes` alone if no box does.
SizeBox box_around(const Winner& winner, std::span<const std::int64_t> sizes) {
    for (const SizeBox& box : boxes_of(winner).value_or(std::vector<SizeBox>{})) {
        if (box.contains(sizes)) {
            return box;
        }
    }
    return SizeBox::point(sizes);
}

/// A digest of what a call launches for a winner, and of whether it is to be tuned again.
Digest digest_of(const Winner& winner) {
    return Hasher("winner")
        .text(winner.configuration)
        .text(winner.image)
        .text(may_be_slower(winner) ? "may be slower" : "")
        .text(winner.range.by_default ? "by default" : "")
        .text(trust_of(winner) == Trust::provisional ? "provisional" : "")
        .digest();
}

/// The code of a Winner or a KeptBinary.
template <class Row>
Binary binary_of(const Row& row) {
    return {row.image_format, std::make_shared<const std::string>(row.image), row.symbols};
}

/// Describes an answer by the winner, or by the default in its place.
void describe(Resolved& answer, const Winner& winner, std::span<const std::int64_t> sizes) {
    answer.winner = digest_of(winner);
    if (answer.info.configuration == winner.configuration && !winner.range.by_default) {
        answer.winner_at = winner.provenance.created_at;
        answer.winner_driver = winner.provenance.driver;
    }
    answer.is_provisional = trust_of(winner) == Trust::provisional;
    answer.serves = box_around(winner, sizes);
    if (winner.range.by_default) {  // farther away, rules may give another default
        constexpr std::int64_t kNear = 16;
        answer.serves = answer.serves.common(SizeBox::near(sizes, kNear));
    }
}

}  // namespace

std::chrono::milliseconds Answers::patience() const {
    constexpr std::chrono::milliseconds kLong(2000);
    constexpr std::chrono::milliseconds kShort(100);
    if (options_.frozen) {  // the default's bits may not be those of the table
        return kLong;
    }
    if (options_.on_miss != TunePolicy::now) {
        return kShort;
    }
    return options_.budget.count() == 0 ? kLong : std::min(kLong, options_.budget);
}

std::unique_ptr<const Resolved> Answers::makeshift(const Task& task) {
    auto answer = from_default(task, false);
    answer->is_makeshift = true;
    return answer;
}

std::unique_ptr<Resolved> Answers::nearest(const Task& task) {
    if (options_.on_miss == TunePolicy::template_default) {
        return nullptr;
    }
    auto answer = store_.look([&](TuningStore& store) -> std::unique_ptr<Resolved> {
        for (const Winner& row : nearest_winners(store, task)) {
            const auto winner = store.with_image(row);
            auto loaded = winner ? load(task, *winner, Origin::nearest) : nullptr;
            if (loaded != nullptr) {
                return loaded;
            }
        }
        return nullptr;
    });
    return answer == nullptr ? nullptr : restricted(task, std::move(answer));
}

std::unique_ptr<Resolved> Answers::restricted(const Task& task, std::unique_ptr<Resolved> answer) {
    const SizeBox part = store_.look([&](TuningStore& store) {
        return store.same_winners(task.key(), task.problem.sizes, answer->serves);
    });
    if (part.contains(task.problem.sizes)) {  // else there is no database
        answer->serves = part;
    }
    return answer;
}

std::unique_ptr<Resolved> Answers::stored(const Task& task, Digest& known,
                                          std::chrono::milliseconds patience) {
    const auto winner = store_.find(task.key(), task.problem.sizes, patience);
    if (!winner || digest_of(*winner) == known || is_of_other_default(task, *winner)) {
        return nullptr;
    }
    known = digest_of(*winner);
    auto answer = instead_of(task, *winner);
    if (answer == nullptr) {
        answer = load(task, *winner, Origin::stored);
    }
    if (answer == nullptr) {
        return nullptr;
    }
    describe(*answer, *winner, task.problem.sizes);
    return restricted(task, std::move(answer));
}

Answers::Tuned Answers::tuned(const Task& task, Digest& known, std::chrono::milliseconds limit,
                              const TuneHooks& hooks) {
    task.kernel.workload->prepare(task.problem);
    TuningLease lease(store_.writable(), task.key(), log_);
    std::unique_ptr<const Resolved> stored;
    std::optional<Error> unread;
    // Also true if the database cannot be read: then it may have an answer.
    const auto answered = [&] {
        try {
            stored = this->stored(task, known);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::store) {
                throw;
            }
            unread = error;
        }
        return stored != nullptr || unread;
    };
    // Waits about as long as tuning here would take, with some compiles.
    if (lease.acquire(answered, options_.budget * 3 / 2, *hooks.stop)) {
        if (unread) {
            throw Error(*unread);
        }
        return {std::move(stored), nullptr};
    }
    const SearchPlan plan{.strategy = options_.strategy, .seed = options_.seed, .limit = limit};
    TuneHooks renewing = hooks;
    renewing.progress = [&](const TuneProgress& progress) {
        lease.renew();
        hooks.progress(progress);
    };
    if (tuner_.adopt(task, renewing)) {
        if (auto adopted = this->stored(task, known)) {
            return {std::move(adopted), nullptr};
        }
    }
    const auto own = std::make_shared<const OwnTuning>(tune_own(tuner_, task, plan, renewing));
    return {from_winner(task, own->report.winner), own};
}

std::unique_ptr<const Resolved> Answers::widened(const Task& task, const OwnTuning& own,
                                                 const TuneHooks& hooks) {
    task.kernel.workload->prepare(task.problem);
    const SearchPlan plan{
        .strategy = options_.strategy, .seed = options_.seed, .budget = options_.budget};
    const std::vector<Winner> winners = widen(tuner_, task, own, plan, hooks).winners;
    if (*hooks.stop) {
        return nullptr;
    }
    const auto winner = std::find_if(winners.rbegin(), winners.rend(), [&](const Winner& one) {
        return may_serve(trust_of(one)) && covers(boxes_of(one).value(), task.problem.sizes);
    });
    return winner == winners.rend() ? nullptr : from_winner(task, *winner);
}

std::unique_ptr<const Resolved> Answers::from_winner(const Task& task, const Winner& winner) {
    auto answer = instead_of(task, winner);
    if (answer == nullptr) {
        answer =
            make_resolved(task, task.parse(winner.configuration), binary_of(winner), Origin::tuned);
    }
    describe(*answer, winner, task.problem.sizes);
    return answer;
}

std::unique_ptr<Resolved> Answers::from_incumbent(const Task& task,
                                                  const TuneProgress::Incumbent& incumbent) {
    auto answer =
        make_resolved(task, task.parse(incumbent.configuration), incumbent.binary, Origin::tuned);
    answer->serves = SizeBox::point(task.problem.sizes);
    answer->is_provisional = true;
    return answer;
}

std::unique_ptr<Resolved> Answers::pinned(const Task& task) {
    if (task.problem.pinned.empty()) {
        return nullptr;
    }
    const Configuration configuration = task.parse(task.problem.pinned);
    const auto refuse = [&](const char* why) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} cannot be pinned to {} for {} on {}: {}",
                                task.kernel_template().source().name, task.problem.pinned,
                                task.sizes(), task.info().id, why));
    };
    if (!task.accepts(configuration)) {
        refuse("the template's constraints exclude it");
    }
    if (!task.is_repeatable(configuration)) {
        refuse("its result depends on timing");
    }
    auto stored = store_.look([&](TuningStore& store) -> std::unique_ptr<Resolved> {
        const auto winner = store.find(task.key(), task.problem.sizes);
        return winner && winner->configuration == configuration.text()
                   ? load(task, *winner, Origin::pinned)
                   : nullptr;
    });
    return stored ? std::move(stored) : compiled(task, configuration, Origin::pinned);
}

std::unique_ptr<Resolved> Answers::from_default(const Task& task, bool database_is_free) {
    const KernelTemplate::Default standard = task.default_of();
    const Configuration& configuration = standard.configuration;
    const Origin origin = origin_of(standard);
    const Family* const family = family_of(families_, task.kernel.spec);
    if (family != nullptr && family->compiled != nullptr) {
        if (const auto binary = family->compiled(task.info(), task.instance(configuration))) {
            try {
                return make_resolved(task, configuration, *binary, origin);
            } catch (const Error& error) {  // such as of a driver older than the compiler
                log_.info("{}; compiling the default of {} here", error.what(), task.name());
            }
        }
    }
    return compiled(task, configuration, origin, database_is_free);
}

std::unique_ptr<Resolved> Answers::compiled(const Task& task, const Configuration& configuration,
                                            Origin origin, bool database_is_free) {
    const Instance instance = task.instance(configuration);
    const auto known = tuner_.binaries().find(task, instance);
    if (known && std::holds_alternative<Binary>(*known)) {
        return make_resolved(task, configuration, std::get<Binary>(*known), origin);
    }
    const KeptBinary place = kept_place(task, configuration, instance);
    std::vector<KeptBinary> kept;
    if (database_is_free) {
        kept = store_.look([&](TuningStore& store) { return store.binaries(place); });
    }
    auto answer = from_kept(task, configuration, kept, true, origin);
    return answer != nullptr ? std::move(answer) : compiled_now(task, configuration, kept, origin);
}

std::unique_ptr<Resolved> Answers::from_kept(const Task& task, const Configuration& configuration,
                                             std::span<const KeptBinary> kept,
                                             bool compiler_is_there, Origin origin) {
    constexpr std::size_t kDay = std::string_view("2026-11-20").size();
    const Instance instance = task.instance(configuration);
    for (const KeptBinary& row : kept) {
        if (task.device.has_compiler(row.compiler) != compiler_is_there ||
            row.symbols.size() != instance.expressions.size()) {
            continue;
        }
        try {
            const Binary binary = binary_of(row);
            auto answer = make_resolved(task, configuration, binary, origin);
            tuner_.binaries().remember(task, instance, binary);
            const std::string now = utc_text();
            if (row.used_at.substr(0, kDay) != now.substr(0, kDay)) {
                KeptBinary used = row;
                used.used_at = now;
                recorder_.keep(std::move(used));
            }
            return answer;
        } catch (const Error& error) {
            log_.info("the code of {} that the database keeps cannot be used: {}",
                      configuration.text(), error.what());
        }
    }
    return nullptr;
}

std::unique_ptr<Resolved> Answers::compiled_now(const Task& task,
                                                const Configuration& configuration,
                                                std::span<const KeptBinary> kept, Origin origin) {
    const Instance instance = task.instance(configuration);
    CompileOutcome outcome;
    try {
        outcome = tuner_.binaries().compile(task, instance);
    } catch (const Error& error) {
        auto answer = error.kind() == ErrorKind::unavailable
                          ? from_kept(task, configuration, kept, false, origin)
                          : nullptr;
        if (answer == nullptr) {
            throw;
        }
        log_.info("{}; code that another compiler has made answers", error.what());
        return answer;
    }
    if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
        throw Error(
            ErrorKind::compile,
            fmt::format("cannot compile {} as {} for {}: {}", task.kernel_template().source().name,
                        configuration.text(), task.info().id, failure->log));
    }
    const Binary& binary = std::get<Binary>(outcome);
    auto answer = make_resolved(task, configuration, binary, origin);
    KeptBinary made = kept_place(task, configuration, instance);
    made.compiler = task.device.compiler_key();
    if (!made.compiler.empty()) {
        made.image_format = binary.format;
        made.symbols = binary.symbols;
        made.used_at = utc_text();
        made.image = *binary.image;
        recorder_.keep(std::move(made));
    }
    return answer;
}

bool Answers::gives_default(const Task& task, const Winner& winner) {
    return winner.range.by_default ||
           (may_be_slower(winner) && winner.configuration != task.default_configuration().text());
}

std::unique_ptr<Resolved> Answers::instead_of(const Task& task, const Winner& winner) {
    if (!gives_default(task, winner)) {
        return nullptr;
    }
    try {
        auto answer = from_default(task);
        if (!winner.range.by_default) {
            answer->reason = fmt::format("the winner {} may be slower", winner.configuration);
            log_.info("the default answers {}: {}", task.name(), answer->reason);
        }
        return answer;
    } catch (const Error& error) {
        log_.info("{}; the stored {} answers instead of the default", error.what(),
                  winner.configuration);
        return nullptr;
    }
}

std::unique_ptr<Resolved> Answers::load(const Task& task, const Winner& winner, Origin origin) {
    const KernelTemplate& source = task.kernel_template();
    try {
        const Configuration configuration = task.parse(winner.configuration);
        if (!task.accepts(configuration)) {
            log_.info("stored configuration {} is not legal for {}", winner.configuration,
                      task.sizes());
            return nullptr;
        }
        const std::size_t launches = source.front_matter().launches.size();
        if (winner.symbols.size() != launches) {
            log_.warning("stored winner {} has {} entry points, {} needs {}", winner.configuration,
                         winner.symbols.size(), source.source().name, launches);
            return nullptr;
        }
        auto resolved = make_resolved(task, configuration, binary_of(winner), origin);
        ++loads_;
        return resolved;
    } catch (const Error& error) {
        log_.warning("stored winner {} cannot be used: {}", winner.configuration, error.what());
        return nullptr;
    }
}

std::unique_ptr<Resolved> Answers::make_resolved(const Task& task,
                                                 const Configuration& configuration,
                                                 const Binary& binary, Origin origin) {
    const DeviceInfo& info = task.info();
    auto resolved = std::make_unique<Resolved>();
    resolved->program = task.device.load(binary);
    resolved->rule = task.launch_rule(configuration);
    resolved->info = {origin, info.id, info.name,           configuration.text(),
                      {},     {},      task.problem.kernel, types_text(task.problem)};
    resolved->serves = bucket_box(task.problem.sizes);
    resolved->is_exchangeable = task.is_exchangeable(configuration);
    return resolved;
}

}  // namespace jitune::internal
