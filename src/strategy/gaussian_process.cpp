#include "strategy/gaussian_process.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace jitune {

namespace {

constexpr double kPairs = 0.6;       // weight of the interactions of two parameters
constexpr double kNoise = 1e-3;      // variance of one observation, of the whole
constexpr double kSpread = 1.5;      // deviation of the prior of the log scales
constexpr int kTries = 2;            // new scales for each parameter at each fit
constexpr double kSmallest = 1e-12;  // variances are not taken as smaller

/// Doubling an integer is one step, as is the step from 0 to 1.
double coordinate(const Value& value) {
    const auto integer = static_cast<double>(std::get<std::int64_t>(value));
    return integer == 0 ? 0 : std::copysign(1 + std::log2(std::abs(integer)), integer);
}

std::vector<float> distances_of(const std::vector<Value>& values) {
    const bool names = std::holds_alternative<std::string>(values.front());
    std::vector<float> distances;
    for (const Value& a : values) {
        for (const Value& b : values) {
            distances.push_back(static_cast<float>(
                names ? (a == b ? 0.0 : 1.0) : std::abs(coordinate(a) - coordinate(b))));
        }
    }
    const float largest = *std::max_element(distances.begin(), distances.end());
    for (float& distance : distances) {
        distance /= largest;
    }
    return distances;
}

/// In several partial sums, so that the compiler can use vectors.
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

GaussianProcess::GaussianProcess(const SearchSpace& space) : space_(space) {
    for (std::size_t i = 0; i < space.parameters().size(); ++i) {
        const std::vector<Value>& values = space.parameters()[i].values;
        if (values.size() > 1) {
            const std::vector<float> distances = distances_of(values);
            dimensions_.push_back({i, values.size(), distances, distances, 0});
            set_scale(dimensions_.size() - 1, 0);
        }
    }
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
        sum += dimensions_[i].distances[a[i] * dimensions_[i].values + b[i]];
    }
    return sum;
}

void GaussianProcess::set_scale(std::size_t parameter, double log_scale) {
    Dimension& dimension = dimensions_[parameter];
    dimension.log_scale = log_scale;
    const auto scale = static_cast<float>(std::exp(log_scale));
    std::transform(dimension.distances.begin(), dimension.distances.end(),
                   dimension.similarity.begin(),
                   [scale](float distance) { return std::exp(-scale * distance); });
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
    return kPairs * pairs + (1 - kPairs) * static_cast<double>(product);
}

void GaussianProcess::append(const Point& point) {
    Vector row;
    row.reserve(points_.size() + 1);
    double rest = 1 + kNoise;
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
    for (const Point& point : points) {
        append(point);
    }
}

void GaussianProcess::add(const Point& point) {
    append(point);
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

double GaussianProcess::log_likelihood(std::span<const double> targets) {
    set_targets(targets);
    double log_determinant = 0;
    for (std::size_t i = 0; i < factor_.size(); ++i) {
        log_determinant += std::log(factor_[i][i]);
    }
    return -0.5 * static_cast<double>(targets.size()) * std::log(variance_) - log_determinant;
}

double GaussianProcess::log_prior() const {
    double sum = 0;
    for (const Dimension& dimension : dimensions_) {
        sum -= 0.5 * std::pow(dimension.log_scale / kSpread, 2);
    }
    return sum;
}

void GaussianProcess::fit(std::vector<Point> points, std::span<const double> targets,
                          std::mt19937_64& random) {
    factorize(points);
    double best = log_likelihood(targets) + log_prior();
    for (std::size_t attempt = 0; attempt < kTries * dimensions_.size(); ++attempt) {
        const std::size_t parameter = attempt % dimensions_.size();
        const double before = dimensions_[parameter].log_scale;
        const double step = 0.3 + uniform(random);
        set_scale(parameter, before + (uniform(random) < 0.5 ? -step : step));
        factorize(points);
        const double likelihood = log_likelihood(targets) + log_prior();
        if (likelihood > best) {
            best = likelihood;
        } else {
            set_scale(parameter, before);
        }
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

}  // namespace jitune
