// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "space/search_space.hpp"

namespace jitune::internal {

/// The model's expectation for one configuration.
struct Prediction {
    double mean = 0;
    double deviation = 0;
};

/// Gaussian process regression over the configurations of a space (Rasmussen and Williams, 2006,
/// chapters 2 and 5). Per parameter, similarity falls exponentially with the distance of two
/// values: for integers on a logarithmic scale, for names 0 or 1. Sizes are also as alike as they
/// are aligned: whole warps and transactions make 64 and 128 more alike than 64 and 68. And powers
/// of two are alike: they divide most problems without a rest. The covariance of two configurations
/// is a weighted mean of two terms. The first term multiplies the similarities of two parameters,
/// and is the mean of these products over all pairs of parameters: what is learned about a few
/// parameters holds in the whole space. The second term multiplies the similarities of all
/// parameters: what depends on all of them holds only nearby. Three kinds of numbers are learned:
/// the length scales, the weight of the first term, and the variance that a configuration shares
/// with no other. Not thread-safe.
class GaussianProcess {
public:
    /// The positions of a configuration's values, for the parameters that have more than one value.
    using Point = std::vector<std::uint8_t>;

    explicit GaussianProcess(const SearchSpace& space);

    [[nodiscard]] Point point(std::size_t index) const;
    /// The distance of two points, in [0, number of parameters].
    [[nodiscard]] double distance(const Point& a, const Point& b) const;

    /// Replaces the observed points, and makes the length scales more likely for `targets`. Costs
    /// O(n^3) some ten times.
    void fit(const std::vector<Point>& points, std::span<const double> targets,
             std::mt19937_64& random);

    /// Adds an observed point; O(n^2).
    void add(const Point& point);

    /// Sets the targets of all observed points, in their order. Call it before predict().
    void set_targets(std::span<const double> targets);

    /// A point that is predicted again and again, with what was computed for the observations so
    /// far.
    struct Query {
        Point point;
        std::vector<float> solved;
        double explained = 0;  ///< share of the variance that the observations explain
    };
    /// O(n) for each point added since the last time. Queries of before a fit() are void.
    [[nodiscard]] Prediction predict(Query& query) const;

private:
    using Vector = std::vector<double>;

    /// A number that fit() learns, with a normal prior.
    struct Learned {
        double usual = 0;
        double deviation = 1;
        double value = usual;

        [[nodiscard]] double log_prior() const;
    };
    /// One way to measure how far two values of a parameter are apart, and how much it counts.
    struct Measure {
        std::vector<float> distances;  ///< values x values, in [0, 1]
        Learned log_scale;             ///< of the inverse length
    };
    struct Dimension {
        std::size_t parameter = 0;  ///< in the space
        std::size_t values = 0;
        std::vector<Measure> measures;  ///< distance() counts the first
        std::vector<float> similarity;  ///< values x values, in [0, 1]

        void update_similarity();
    };

    [[nodiscard]] double covariance(const Point& a, const Point& b) const;
    void factorize(const std::vector<Point>& points);
    static std::vector<Measure> measures_of(const std::vector<Value>& values);
    /// Tries another value of one learned number, of `dimension` or of none; it stays if it makes
    /// the targets of `points` more likely than `best`.
    void improve(Learned& learned, Dimension* dimension, const std::vector<Point>& points,
                 std::span<const double> targets, double& best, std::mt19937_64& random);
    [[nodiscard]] double log_posterior(const std::vector<Point>& points,
                                       std::span<const double> targets);
    [[nodiscard]] double log_prior() const;

    const SearchSpace& space_;
    std::vector<Dimension> dimensions_;
    Learned log_odds_;   ///< how much the pairs' products count against the product of all
    Learned log_noise_;  ///< the part of the variance that no other configuration tells
    double pairs_weight_ = 0;
    double noise_ = 0;
    std::vector<Point> points_;
    std::vector<Vector> factor_;  ///< lower triangle: factor * transposed = covariance
    std::vector<std::vector<float>> float_factor_;
    Vector ones_;       ///< factor^-1 * (1, 1, …)
    Vector residuals_;  ///< factor^-1 * (targets - mean)
    std::vector<float> float_residuals_;
    std::vector<float> float_ones_;
    double ones_norm_ = 0;
    double mean_ = 0;
    double variance_ = 1;
};

}  // namespace jitune::internal
