// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "dispatch/answer/dispatch_table.hpp"
#include "dispatch/family.hpp"
#include "dispatch/observe/call_recorder.hpp"
#include "dispatch/session_store.hpp"
#include "tuning/record/binary_cache.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// The tuning of a problem at its own sizes. The sizes around are compared with it later.
struct OwnTuning {
    TuneReport report;
    SizeBox around;  ///< sizes of the bucket that no other winner served when it began
};

/// What can answer a miss in the dispatch table: the database, the template's default, a tuning.
/// Thread-safe.
class Answers {
public:
    /// Engine::tune_own() and Engine::widen().
    using Tune = std::function<OwnTuning(const Task&, const SearchPlan&, const TuneHooks&)>;
    using Widen = std::function<std::vector<Winner>(const Task&, const OwnTuning&,
                                                    const SearchPlan&, const TuneHooks&)>;

    /// Engine::adopt().
    using Adopt = std::function<bool(const Task&, const TuneHooks&)>;

    /// Everything referred to must outlive it.
    Answers(const Options& options, const Log& log, std::span<const Family> families,
            SessionStore& store, BinaryCache& binaries, CallRecorder& recorder, Adopt adopt,
            Tune tune, Widen widen)
        : options_(options),
          log_(log),
          families_(families),
          store_(store),
          binaries_(binaries),
          recorder_(recorder),
          adopt_(std::move(adopt)),
          tune_(std::move(tune)),
          widen_(std::move(widen)) {}

    /// The configuration that the caller named, or the stored winner that serves the task, or the
    /// default instead of a winner that may_be_slower(); nullptr if there is none of these. Throws
    /// Error if the named configuration cannot answer, and Error(store) if others hold the database
    /// for longer than `patience`: a failed read never starts a tuning. If the stored winner cannot
    /// be loaded here, `unusable` becomes its digest.
    std::unique_ptr<const Resolved> known(const Task& task, Digest& unusable,
                                          std::chrono::milliseconds patience);

    /// The best answer without tuning: by the nearest winner, or by the template's default. Never
    /// null. Throws Error if the default does not compile.
    std::unique_ptr<const Resolved> untuned(const Task& task);

    /// How long the first call for a problem waits for others that hold the database.
    [[nodiscard]] std::chrono::milliseconds patience() const;

    /// Loads the stored winner that serves the task, and makes it `known`. Returns nullptr if no
    /// winner is stored, if it was `known` before, or if it cannot be loaded here. Throws
    /// Error(store) if others hold the database.
    std::unique_ptr<const Resolved> stored(const Task& task, Digest& known) {
        return from_store(task, known, patience());
    }

    /// A winner for a task's own sizes.
    struct Tuned {
        std::unique_ptr<const Resolved> answer;  ///< never null
        std::shared_ptr<const OwnTuning> own;    ///< null if a stored winner answers
    };
    /// Tunes the task at its own sizes within about `limit` (zero: without a limit), or compiles
    /// and checks the winner that a merge has brought without code, or waits for another process
    /// that does so. Ignores a stored winner that is `known`. Throws as
    /// Engine::tune_and_store() does.
    Tuned tuned(const Task& task, Digest& known, std::chrono::milliseconds limit,
                const TuneHooks& hooks);

    /// Finds and stores winners for the sizes around the task's `own`. Returns the answer for the
    /// task's sizes and for all others of the same winner; nullptr if `hooks` have stopped it.
    /// Throws as Engine::widen() does.
    std::unique_ptr<const Resolved> widened(const Task& task, const OwnTuning& own,
                                            const TuneHooks& hooks);

    /// The answer by the candidate that would win if the tuning ended now. The candidate brings its
    /// code, so this function compiles nothing.
    std::unique_ptr<const Resolved> from_incumbent(const Task& task,
                                                   const TuneProgress::Incumbent& incumbent);

    /// The template's default, to answer until the database can be read, for all sizes of the
    /// bucket.
    std::unique_ptr<const Resolved> makeshift(const Task& task);

    /// How many stored winners have been loaded.
    [[nodiscard]] std::int64_t loads() const { return loads_; }

private:
    /// `known` remembers the stored winner, so that a winner that cannot be used is tried only
    /// once.
    std::unique_ptr<const Resolved> from_store(const Task& task, Digest& known,
                                               std::chrono::milliseconds patience);
    /// The answer by a winner that this session has tuned, with its code.
    std::unique_ptr<const Resolved> from_winner(const Task& task, const Winner& winner);
    /// The nearest winner that is not estimated to be slower than the default, or nullptr.
    std::unique_ptr<Resolved> from_nearest(const Task& task);
    std::unique_ptr<const Resolved> from_pinned(const Task& task);
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
    /// The default, which answers instead of a winner that may_be_slower(). nullptr for any other
    /// winner, and if the default cannot be made.
    std::unique_ptr<Resolved> instead_of(const Task& task, const Winner& winner);
    /// nullptr if the stored winner is not legal here or does not load.
    std::unique_ptr<Resolved> load(const Task& task, const Winner& winner, Origin origin);
    /// Makes an answer for all sizes of the task's bucket. Callers restrict it.
    static std::unique_ptr<Resolved> make_resolved(const Task& task,
                                                   const Configuration& configuration,
                                                   const Binary& binary, Origin origin);
    /// Restricts `answer` to the sizes that have the same winners in the database, so that it hides
    /// no other winner.
    std::unique_ptr<const Resolved> restricted(const Task& task, std::unique_ptr<Resolved> answer);

    const Options& options_;
    const Log& log_;
    const std::span<const Family> families_;
    SessionStore& store_;
    BinaryCache& binaries_;
    CallRecorder& recorder_;
    const Adopt adopt_;
    const Tune tune_;
    const Widen widen_;
    std::atomic<std::int64_t> loads_{0};
};

}  // namespace jitune::internal
