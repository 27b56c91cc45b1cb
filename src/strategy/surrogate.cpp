// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>
#include <unordered_map>

#include "strategy/gaussian_process.hpp"
#include "strategy/strategy.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kStart = 6;       // configurations before there is a model
constexpr std::size_t kDraws = 32;      // the start takes the farthest of so many
constexpr std::size_t kObserved = 128;  // the model learns from so many at a fit
constexpr std::size_t kBetweenFits = 32;
constexpr std::size_t kCentres = 4;  // best ones whose neighbours are always compared
constexpr std::size_t kPool = 2048;  // configurations that are compared for a proposal
constexpr double kDoubt = 2;         // the model is too sure: its deviations count so much

/// How much lower than `best` the target is expected to be (Mockus, 1975).
double expected_improvement(const Prediction& prediction, double best) {
    const double gain = best - prediction.mean;
    const double deviation = kDoubt * prediction.deviation;
    const double z = gain / deviation;
    if (z < -30) {
        return z;  // where the formula is 0, and less than any value of it
    }
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
    return gain * below + deviation * density;
}

/// Bayesian optimization: a Gaussian process learns from every verdict, and the configuration that
/// promises the largest improvement is next. What is asked and not told yet counts as if it had
/// come as expected, so that a batch spreads. It goes on until the whole space is asked for.
class Surrogate : public Strategy {
public:
    Surrogate(const SearchSpace& space, std::uint64_t seed)
        : space_(space), random_(seed), model_(space), asked_(space.size(), false) {}

    std::vector<std::size_t> ask(std::size_t count) override {
        std::vector<std::size_t> indexes;
        while (indexes.size() < count && trials_.size() < space_.size()) {
            const bool blind = trials_.size() < kStart || ranked_.empty();
            expected_ = kNoIdea;
            const std::size_t index = blind ? stranger() : promising();
            add_trial(index);
            indexes.push_back(index);
        }
        return indexes;
    }

    [[nodiscard]] bool learns() const override { return true; }

    void tell(std::size_t index, std::optional<double> median_ns) override {
        if (!asked_[index]) {
            expected_ = kNoIdea;
            add_trial(index);
        }
        Trial& trial = trials_[trial_of_.at(index)];
        trial.state = median_ns ? State::timed : State::failed;
        if (median_ns) {
            trial.log_time = std::log(std::max(*median_ns, std::numeric_limits<double>::min()));
            ranked_.emplace(trial.log_time, index);
            if (ranked_.size() > kCentres) {
                ranked_.erase(std::prev(ranked_.end()));
            }
            if (ranked_.contains({trial.log_time, index})) {
                news_.push_back(index);
            }
        }
    }

private:
    static constexpr double kNoIdea = std::numeric_limits<double>::quiet_NaN();

    enum class State { asked, timed, failed };
    struct Trial {
        GaussianProcess::Point point;
        State state = State::asked;
        double log_time = kNoIdea;  ///< what is expected while it is asked
    };
    struct Candidate {
        std::size_t index = 0;
        GaussianProcess::Query query;
    };

    /// As asked for.
    void add_trial(std::size_t index) {
        asked_[index] = true;
        trial_of_[index] = trials_.size();
        trials_.push_back({model_.point(index), State::asked, expected_});
    }

    /// Far from what was asked before.
    std::size_t stranger() {
        std::size_t farthest = 0;
        double largest = -1;
        for (std::size_t draw = 0; draw < kDraws; ++draw) {
            const std::size_t index = unasked();
            const GaussianProcess::Point point = model_.point(index);
            double nearest = std::numeric_limits<double>::infinity();
            for (const Trial& trial : trials_) {
                nearest = std::min(nearest, model_.distance(point, trial.point));
            }
            if (nearest > largest) {
                largest = nearest;
                farthest = index;
            }
        }
        return farthest;
    }

    /// A random one, or the next after it; there must be one.
    std::size_t unasked() {
        std::size_t index = below(random_, space_.size());
        while (asked_[index]) {
            index = index + 1 == space_.size() ? 0 : index + 1;
        }
        return index;
    }

    std::size_t promising() {
        std::erase_if(pool_, [&](const Candidate& one) { return asked_[one.index]; });
        if (trials_.size() >= next_fit_ || pool_.empty()) {
            fit();
        }
        for (; known_ < trials_.size(); ++known_) {
            observed_.push_back(known_);
            model_.add(trials_[known_].point);
        }
        for (const std::size_t index : news_) {
            add_neighbours(index);
        }
        news_.clear();
        const Scale scale = this->scale();
        model_.set_targets(targets(scale));
        const double best = scale.target(scale.best);
        std::size_t index = pool_.front().index;
        double largest = -std::numeric_limits<double>::infinity();
        Prediction prediction;
        for (Candidate& one : pool_) {
            const Prediction here = model_.predict(one.query);
            if (const double gain = expected_improvement(here, best); gain > largest) {
                largest = gain;
                index = one.index;
                prediction = here;
            }
        }
        expected_ = scale.log_time(prediction.mean);
        return index;
    }

    /// Log times as the model sees them: what is slower than the median counts less and less.
    struct Scale {
        double best = 0;
        double median = 0;
        double worst = 0;

        [[nodiscard]] double width() const { return std::max(median - best, 1e-9); }
        [[nodiscard]] double target(double log_time) const {
            return std::log1p((std::max(log_time, best) - best) / width());
        }
        [[nodiscard]] double log_time(double target) const {
            return best + width() * std::expm1(std::max(target, 0.0));
        }
    };

    [[nodiscard]] Scale scale() const {
        std::vector<double> times;
        for (const Trial& trial : trials_) {
            if (trial.state == State::timed) {
                times.push_back(trial.log_time);
            }
        }
        std::sort(times.begin(), times.end());
        return {times.front(), times[times.size() / 2], times.back()};
    }

    /// A failure counts as the slowest seen.
    static double cost(const Trial& trial, const Scale& scale) {
        if (trial.state == State::failed) {
            return scale.worst;
        }
        return std::isnan(trial.log_time) ? scale.median : trial.log_time;
    }

    [[nodiscard]] std::vector<double> targets(const Scale& scale) const {
        std::vector<double> targets;
        for (const std::size_t trial : observed_) {
            targets.push_back(scale.target(cost(trials_[trial], scale)));
        }
        return targets;
    }

    void fit() {
        observe();
        std::vector<GaussianProcess::Point> points;
        for (const std::size_t trial : observed_) {
            points.push_back(trials_[trial].point);
        }
        model_.fit(points, targets(scale()), random_);
        known_ = trials_.size();
        next_fit_ = trials_.size() + std::clamp<std::size_t>(trials_.size() / 5, 1, kBetweenFits);
        fill_pool();
    }

    /// All trials, or if they are too many the best half of what the model takes and others.
    void observe() {
        observed_.resize(trials_.size());
        std::iota(observed_.begin(), observed_.end(), std::size_t{0});
        if (observed_.size() <= kObserved) {
            return;
        }
        const Scale scale = this->scale();
        std::sort(observed_.begin(), observed_.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(cost(trials_[a], scale), a) < std::pair(cost(trials_[b], scale), b);
        });
        for (std::size_t i = kObserved / 2; i < kObserved; ++i) {
            std::swap(observed_[i], observed_[i + below(random_, observed_.size() - i)]);
        }
        observed_.resize(kObserved);
    }

    void fill_pool() {
        pool_.clear();
        if (space_.size() - trials_.size() <= kPool) {
            for (std::size_t index = 0; index < space_.size(); ++index) {
                add_candidate(index);
            }
            return;
        }
        for (std::size_t i = 0; i < kPool; ++i) {
            add_candidate(unasked());
        }
        for (const auto& [log_time, index] : ranked_) {
            add_neighbours(index);
        }
    }

    void add_neighbours(std::size_t index) {
        for (const std::size_t neighbour : space_.neighbours(index)) {
            add_candidate(neighbour);
        }
    }

    void add_candidate(std::size_t index) {
        if (!asked_[index]) {
            pool_.push_back({index, {model_.point(index), {}, 0}});
        }
    }

    const SearchSpace& space_;
    std::mt19937_64 random_;
    GaussianProcess model_;
    std::vector<bool> asked_;
    std::vector<Trial> trials_;
    std::unordered_map<std::size_t, std::size_t> trial_of_;
    std::set<std::pair<double, std::size_t>> ranked_;  ///< the best: log time, index
    std::vector<std::size_t> news_;                    ///< ranked since the pool was filled
    double expected_ = kNoIdea;                        ///< log time of the last proposal
    std::vector<std::size_t> observed_;  ///< trials that the model knows, in its order
    std::size_t known_ = 0;              ///< trials that the model knows or has left out
    std::size_t next_fit_ = 0;
    std::vector<Candidate> pool_;
};

}  // namespace

std::unique_ptr<Strategy> make_surrogate(const SearchSpace& space, std::uint64_t seed,
                                         std::size_t /*budget*/) {
    return std::make_unique<Surrogate>(space, seed);
}

}  // namespace jitune::internal
