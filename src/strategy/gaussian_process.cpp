// SPDX-License-Identifier: Apache-2.0
#include "strategy/gaussian_process.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

namespace jitune::internal {

namespace {

constexpr double kSpread = 1.5;      // deviation of the prior of the log scales and of the noise
constexpr double kAlignment = -1;    // most likely log scale of the alignment
constexpr double kPowers = -2;       // most likely log scale of being a power of two
constexpr double kOdds = 0.4;        // most likely log odds of the pairs: a weight of 0.6
constexpr double kNoise = -4.6;      // most likely log variance of the noise: 0.01 of the whole
constexpr int kTries = 6;            // new values for each learned number at each fit
constexpr std::size_t kSizes = 4;    // fewer values say little about their alignment
constexpr double kSmallest = 1e-12;  // variances are not taken as smaller

std::int64_t integer_of(const Value& value) {
    return std::get<std::int64_t>(value);
}

/// Doubling an integer is one step, as is the step from 0 to 1.
double coordinate(const Value& value) {
    const auto integer = static_cast<double>(integer_of(value));
    return integer == 0 ? 0 : std::copysign(1 + std::log2(std::abs(integer)), integer);
}

double steps_between(const Value& a, const Value& b) {
    return std::abs(coordinate(a) - coordinate(b));
}

/// The exponent of the largest power of two that divides it, up to a cache line's 128.
int alignment(const Value& value) {
    constexpr int kLine = 7;
    return std::min(std::countr_zero(static_cast<std::uint64_t>(integer_of(value))), kLine);
}

int alignments_between(const Value& a, const Value& b) {
    return std::abs(alignment(a) - alignment(b));
}

/// Or 0, which mostly means off.
bool is_power_of_two(const Value& value) {
    const std::int64_t integer = integer_of(value);
    return integer >= 0 && (integer & (integer - 1)) == 0;
}

bool only_one_is_power_of_two(const Value& a, const Value& b) {
    return is_power_of_two(a) != is_power_of_two(b);
}

/// The distances of all pairs, scaled so that the largest is 1.
template <class Distance>
std::vector<float> distances_of(const std::vector<Value>& values, const Distance& distance) {
    std::vector<float> distances;
    for (const Value& a : values) {
        for (const Value& b : values) {
            distances.push_back(static_cast<float>(distance(a, b)));
        }
    }
    const float largest = *std::max_element(distances.begin(), distances.end());
    for (float& each : distances) {
        each /= largest;
    }
    return distances;
}

/// True if `distance` is not 0 between all values.
template <class Distance>
bool tells_apart(const Distance& distance, const std::vector<Value>& values) {
    return std::any_of(values.begin(), values.end(),
                       [&](const Value& value) { return distance(value, values.front()) != 0; });
}

/// Of powers of two, the alignment says no more than the size; of odd numbers it says nothing.
bool alignments_tell(const std::vector<Value>& values) {
    return values.size() >= kSizes && tells_apart(alignments_between, values) &&
           !std::all_of(values.begin(), values.end(), is_power_of_two);
}

/// Adds up in several partial sums, so that the compiler can use vectors.
template <class Number>
Number dot(const Number* a, const Number* b, std::size_t count) {
    constexpr std::size_t kLanes = 8;
    std::array<Number, kLanes> sums{};
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            sums[lane] += a[i + lane] * b[i + lane];
        }
    }
    for (; i < count; ++i) {
        sums[0] += a[i] * b[i];
    }
    return std::accumulate(sums.begin(), sums.end(), Number{0});
}

/// The next element of factor^-1 * vector.
double solve_next(const std::vector<double>& row, const std::vector<double>& solved, double value) {
    return (value - dot(row.data(), solved.data(), solved.size())) / row[solved.size()];
}

double uniform(std::mt19937_64& random) {
    return static_cast<double>(random() >> 11) * 0x1p-53;
}

}  // namespace

double GaussianProcess::Learned::log_prior() const {
    return -0.5 * std::pow((value - usual) / deviation, 2);
}

GaussianProcess::GaussianProcess(const SearchSpace& space)
    : space_(space), log_odds_{kOdds}, log_noise_{kNoise, kSpread} {
    for (std::size_t i = 0; i < space.parameters().size(); ++i) {
        const std::vector<Value>& values = space.parameters()[i].values;
        if (values.size() > 1) {
            dimensions_.push_back({i, values.size(), measures_of(values), {}});
            dimensions_.back().update_similarity();
        }
    }
}

std::vector<GaussianProcess::Measure> GaussianProcess::measures_of(
    const std::vector<Value>& values) {
    if (std::holds_alternative<std::string>(values.front())) {
        return {{distances_of(values, std::not_equal_to<>{}), {0, kSpread}}};
    }
    std::vector<Measure> measures{{distances_of(values, steps_between), {0, kSpread}}};
    if (alignments_tell(values)) {
        measures.push_back({distances_of(values, alignments_between), {kAlignment, kSpread}});
    }
    if (tells_apart(only_one_is_power_of_two, values)) {
        measures.push_back({distances_of(values, only_one_is_power_of_two), {kPowers, kSpread}});
    }
    return measures;
}

GaussianProcess::Point GaussianProcess::point(std::size_t index) const {
    Point point;
    for (const Dimension& dimension : dimensions_) {
        point.push_back(static_cast<std::uint8_t>(space_.position(index, dimension.parameter)));
    }
    return point;
}

double GaussianProcess::distance(const Point& a, const Point& b) const {
    double sum = 0;
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
        sum += dimensions_[i].measures.front().distances[a[i] * dimensions_[i].values + b[i]];
    }
    return sum;
}

void GaussianProcess::Dimension::update_similarity() {
    std::vector<float> sums(values * values, 0);
    for (const Measure& measure : measures) {
        const auto scale = static_cast<float>(std::exp(measure.log_scale.value));
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] += scale * measure.distances[i];
        }
    }
    similarity.resize(sums.size());
    std::transform(sums.begin(), sums.end(), similarity.begin(),
                   [](float sum) { return std::exp(-sum); });
}

double GaussianProcess::covariance(const Point& a, const Point& b) const {
    float product = 1;
    float sum = 0;
    float squares = 0;
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
        const float one = dimensions_[i].similarity[a[i] * dimensions_[i].values + b[i]];
        product *= one;
        sum += one;
        squares += one * one;
    }
    const auto count = static_cast<double>(dimensions_.size());
    if (count < 2) {
        return product;
    }
    // The pairs' products from power sums: 2 sum_{i<j} x_i x_j = (sum x_i)^2 - sum x_i^2.
    const double pairs = static_cast<double>(sum * sum - squares) / (count * (count - 1));
    return pairs_weight_ * pairs + (1 - pairs_weight_) * static_cast<double>(product);
}

void GaussianProcess::add(const Point& point) {
    Vector row;
    row.reserve(points_.size() + 1);
    double rest = 1 + noise_;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        row.push_back(solve_next(factor_[i], row, covariance(points_[i], point)));
        rest -= row.back() * row.back();
    }
    row.push_back(std::sqrt(std::max(rest, kSmallest)));
    ones_.push_back(solve_next(row, ones_, 1));
    float_factor_.emplace_back(row.begin(), row.end());
    factor_.push_back(std::move(row));
    points_.push_back(point);
}

void GaussianProcess::factorize(const std::vector<Point>& points) {
    points_.clear();
    factor_.clear();
    float_factor_.clear();
    ones_.clear();
    pairs_weight_ = 1 / (1 + std::exp(-log_odds_.value));
    noise_ = std::exp(log_noise_.value);
    for (const Point& point : points) {
        add(point);
    }
}

void GaussianProcess::set_targets(std::span<const double> targets) {
    Vector solved;
    solved.reserve(targets.size());
    for (std::size_t i = 0; i < targets.size(); ++i) {
        solved.push_back(solve_next(factor_[i], solved, targets[i]));
    }
    // The mean and the variance that make the targets most likely.
    ones_norm_ = dot(ones_.data(), ones_.data(), ones_.size());
    mean_ = dot(ones_.data(), solved.data(), solved.size()) / ones_norm_;
    for (std::size_t i = 0; i < solved.size(); ++i) {
        solved[i] -= mean_ * ones_[i];
    }
    residuals_ = std::move(solved);
    variance_ = std::max(dot(residuals_.data(), residuals_.data(), residuals_.size()) /
                             static_cast<double>(residuals_.size()),
                         kSmallest);
    float_residuals_.assign(residuals_.begin(), residuals_.end());
    float_ones_.assign(ones_.begin(), ones_.end());
}

double GaussianProcess::log_prior() const {
    double sum = log_odds_.log_prior() + log_noise_.log_prior();
    for (const Dimension& dimension : dimensions_) {
        for (const Measure& measure : dimension.measures) {
            sum += measure.log_scale.log_prior();
        }
    }
    return sum;
}

double GaussianProcess::log_posterior(const std::vector<Point>& points,
                                      std::span<const double> targets) {
    factorize(points);
    set_targets(targets);
    double log_determinant = 0;
    for (std::size_t i = 0; i < factor_.size(); ++i) {
        log_determinant += std::log(factor_[i][i]);
    }
    return log_prior() - 0.5 * static_cast<double>(targets.size()) * std::log(variance_) -
           log_determinant;
}

void GaussianProcess::improve(Learned& learned, Dimension* dimension,
                              const std::vector<Point>& points, std::span<const double> targets,
                              double& best, std::mt19937_64& random) {
    const double step = 0.3 + uniform(random);
    const double sign = uniform(random) < 0.5 ? -1 : 1;
    const double before = std::exchange(learned.value, learned.value + sign * step);
    const auto update = [dimension] {
        if (dimension != nullptr) {
            dimension->update_similarity();
        }
    };
    update();
    if (const double likely = log_posterior(points, targets); likely > best) {
        best = likely;
        return;
    }
    learned.value = before;
    update();
}

void GaussianProcess::fit(const std::vector<Point>& points, std::span<const double> targets,
                          std::mt19937_64& random) {
    double best = log_posterior(points, targets);
    for (int attempt = 0; attempt < kTries; ++attempt) {
        for (Dimension& dimension : dimensions_) {
            for (Measure& measure : dimension.measures) {
                improve(measure.log_scale, &dimension, points, targets, best, random);
            }
        }
        improve(log_odds_, nullptr, points, targets, best, random);
        improve(log_noise_, nullptr, points, targets, best, random);
    }
    factorize(points);
    set_targets(targets);
}

Prediction GaussianProcess::predict(Query& query) const {
    std::vector<float>& solved = query.solved;
    for (std::size_t i = solved.size(); i < points_.size(); ++i) {
        const double value = covariance(points_[i], query.point);
        const float* row = float_factor_[i].data();
        const double next =
            (value - static_cast<double>(dot(row, solved.data(), i))) / factor_[i][i];
        solved.push_back(static_cast<float>(next));
        query.explained += next * next;
    }
    const double rest =
        1 - static_cast<double>(dot(solved.data(), float_ones_.data(), solved.size()));
    const double share =
        std::max(1 - query.explained, 0.0) + rest * rest / ones_norm_;  // the mean is not known
    return {mean_ + static_cast<double>(
                        dot(solved.data(), float_residuals_.data(), float_residuals_.size())),
            std::sqrt(std::max(variance_ * share, kSmallest))};
}

}  // namespace jitune::internal
