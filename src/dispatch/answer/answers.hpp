// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "dispatch/answer/dispatch_table.hpp"
#include "dispatch/behind/range_tuning.hpp"
#include "dispatch/behind/session_tuner.hpp"
#include "dispatch/family.hpp"
#include "dispatch/observe/call_recorder.hpp"
#include "dispatch/session_store.hpp"

namespace jitune::internal {

/// What can answer a miss in the dispatch table: the database, the template's default, a tuning.
/// Thread-safe.
class Answers {
public:
    /// All must outlive it.
    Answers(std::span<const Family> families, SessionTuner& tuner, CallRecorder& recorder)
        : options_(tuner.options()),
          log_(tuner.log()),
          families_(families),
          store_(tuner.store()),
          tuner_(tuner),
          recorder_(recorder) {}

    // Sources of an answer, in the order in which Engine asks them. Each but the last one returns
    // nullptr if it has no answer.

    /// The configuration that the caller named. Throws Error if it cannot answer.
    std::unique_ptr<Resolved> pinned(const Task& task);

    /// Loads the stored winner that serves the task, or the default if the winner gives_default().
    /// A winner that is_of_other_default() does not count. Makes the winner `known`, so that one
    /// that cannot be used is tried only once. Returns nullptr if no winner is stored, if it was
    /// `known` before, or if it cannot be loaded here. Throws Error(store) if others hold the
    /// database for longer than `patience`: a failed read never starts a tuning.
    std::unique_ptr<Resolved> stored(const Task& task, Digest& known,
                                     std::chrono::milliseconds patience);
    std::unique_ptr<Resolved> stored(const Task& task, Digest& known) {
        return stored(task, known, patience());
    }

    /// The nearest winner that is not estimated to be slower than the default, unless
    /// Options::on_miss asks for the default.
    std::unique_ptr<Resolved> nearest(const Task& task);

    /// The template's default. Throws Error if it does not compile.
    std::unique_ptr<Resolved> standard(const Task& task) {
        return restricted(task, from_default(task));
    }

    /// True if the template's default answers instead of the configuration of a stored winner that
    /// serves the task: the winner is one by default, or may be slower.
    static bool gives_default(const Task& task, const Winner& winner);

    static Origin origin_of(const KernelTemplate::Default& standard) {
        return standard.rule == nullptr ? Origin::template_default : Origin::rule;
    }

    /// How long the first call for a problem waits for others that hold the database.
    [[nodiscard]] std::chrono::milliseconds patience() const;

    /// A winner for a task's own sizes.
    struct Tuned {
        std::unique_ptr<const Resolved> answer;  ///< never null
        std::shared_ptr<const OwnTuning> own;    ///< null if a stored winner answers
    };
    /// Tunes the task at its own sizes within about `limit` (zero: without a limit), or compiles
    /// and checks the winner that a merge has brought without code, or waits for another process
    /// that does so. Ignores a stored winner that is `known`. Throws as SessionTuner::tune() does.
    Tuned tuned(const Task& task, Digest& known, std::chrono::milliseconds limit,
                const TuneHooks& hooks);

    /// Finds and stores winners for the sizes around the task's `own`. Returns the answer for the
    /// task's sizes and for all others of the same winner; nullptr if `hooks` have stopped it.
    /// Throws as SessionTuner::tune() does.
    std::unique_ptr<const Resolved> widened(const Task& task, const OwnTuning& own,
                                            const TuneHooks& hooks);

    /// The answer by the candidate that would win if the tuning ended now. The candidate brings its
    /// code, so this function compiles nothing.
    std::unique_ptr<Resolved> from_incumbent(const Task& task,
                                             const TuneProgress::Incumbent& incumbent);

    /// The template's default, to answer until the database can be read, for all sizes of the
    /// bucket.
    std::unique_ptr<const Resolved> makeshift(const Task& task);

    /// How many stored winners have been loaded.
    [[nodiscard]] std::int64_t loads() const { return loads_; }

private:
    /// The answer by a winner that this session has tuned, with its code.
    std::unique_ptr<const Resolved> from_winner(const Task& task, const Winner& winner);
    std::unique_ptr<Resolved> from_default(const Task& task, bool database_is_free = true);
    /// Finds the configuration among the compiled ones of this process, then among those that the
    /// database keeps, or compiles it.
    std::unique_ptr<Resolved> compiled(const Task& task, const Configuration& configuration,
                                       Origin origin, bool database_is_free = true);
    /// The answer by the first of `kept` that can be loaded. Tries only code whose compiler is
    /// installed here, or only code of other compilers, as `compiler_is_there` says. nullptr if
    /// none can be loaded.
    std::unique_ptr<Resolved> from_kept(const Task& task, const Configuration& configuration,
                                        std::span<const KeptBinary> kept, bool compiler_is_there,
                                        Origin origin);
    /// Compiles the configuration and has the code kept. If there is no compiler, kept code of
    /// another compiler answers.
    std::unique_ptr<Resolved> compiled_now(const Task& task, const Configuration& configuration,
                                           std::span<const KeptBinary> kept, Origin origin);
    /// The default, if the winner gives_default(). nullptr for any other winner, and if the default
    /// cannot be made.
    std::unique_ptr<Resolved> instead_of(const Task& task, const Winner& winner);
    /// nullptr if the stored winner is not legal here or does not load.
    std::unique_ptr<Resolved> load(const Task& task, const Winner& winner, Origin origin);
    /// Makes an answer for all sizes of the task's bucket. Callers restrict it.
    static std::unique_ptr<Resolved> make_resolved(const Task& task,
                                                   const Configuration& configuration,
                                                   const Binary& binary, Origin origin);
    /// Restricts `answer` to the sizes that have the same winners in the database, so that it hides
    /// no other winner.
    std::unique_ptr<Resolved> restricted(const Task& task, std::unique_ptr<Resolved> answer);

    const Options& options_;
    const Log& log_;
    const std::span<const Family> families_;
    SessionStore& store_;
    SessionTuner& tuner_;
    CallRecorder& recorder_;
    std::atomic<std::int64_t> loads_{0};
};

}  // namespace jitune::internal
