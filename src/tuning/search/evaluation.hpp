// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/device.hpp"
#include "measure/conditions.hpp"
#include "space/configuration.hpp"
#include "tuner_db/winners/record.hpp"
#include "tuning/task.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// The verdict on one configuration in the first round, the search.
struct Evaluation {
    std::size_t index = 0;  ///< in the search space
    Configuration configuration;
    Verdict verdict = Verdict::timed;
    std::string reason;
    bool unloadable = false;  ///< the device does not take its code
    std::vector<double> samples_ns;
    bool by_earlier_search = false;  ///< an earlier search took the samples
    Conditions conditions;           ///< of the samples
    double median_ns = 0;            ///< if timed
    std::optional<Binary> binary;    ///< if compiled by this search, and timed or checked
};

/// The evaluations of one search, in the order in which they came, and the best of them. At most
/// one for a configuration.
class Evaluations {
public:
    /// `standard`: the index of the template's default configuration.
    explicit Evaluations(std::size_t standard) : standard_(standard) {}

    [[nodiscard]] std::size_t standard() const { return standard_; }
    [[nodiscard]] const std::vector<Evaluation>& all() const { return all_; }
    [[nodiscard]] bool hold(std::size_t index) const { return number_of_.contains(index); }
    [[nodiscard]] const Evaluation& of(std::size_t index) const {
        return all_[number_of_.at(index)];
    }

    /// Sets the median of one that was timed. Returns it, valid until the next call.
    const Evaluation& add(Evaluation evaluation);

    /// Gives one of all() a verdict that overturns its time, under these conditions. Returns it.
    const Evaluation& refute(std::size_t index, Verdict verdict, std::string reason,
                             Conditions conditions);

    /// Notes that this search has compiled one of all(), too.
    void keep_binary(std::size_t index, Binary binary);

    /// The median time of the default configuration; 0: it failed or has not been tried.
    [[nodiscard]] double default_ns() const;

    /// How many configurations the search may try.
    void set_space(std::size_t configurations) { progress_.space = configurations; }
    [[nodiscard]] const TuneProgress& progress() const { return progress_; }

private:
    void update_incumbent(const Evaluation& evaluation);
    /// Sets the best time and the incumbent anew.
    void find_best();

    std::size_t standard_;
    std::vector<Evaluation> all_;
    std::unordered_map<std::size_t, std::size_t> number_of_;  ///< in all_, by index
    TuneProgress progress_;
};

/// Throws Error(verify) that counts the verdicts and quotes the first reason; Error(compile) if
/// no code could be loaded, and Error(unavailable) if nothing was tried.
[[noreturn]] void throw_no_winner(const Task& task, const std::vector<Evaluation>& evaluations);

}  // namespace jitune::internal
