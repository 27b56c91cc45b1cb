// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "space/configuration.hpp"
#include "space/expression.hpp"
#include "space/value.hpp"

namespace jitune::internal {

/// Every combination of the parameters' values that satisfies all constraints.
///
/// Parameters that constraints tie together are nested loops in the order of their join groups. A
/// configuration is kept as one number, whose digits in a mixed radix are the positions of its
/// values in the parameters' lists; the numbers are sorted.
class SearchSpace {
public:
    /// `constraints` may name parameters and nothing else (bind device attributes and sizes
    /// before). Throws Error(usage) for a name that is no parameter, for duplicate parameters (case
    /// does not tell them apart) or values, more than 60 parameters, 255 values or 2^63
    /// combinations, and for an empty space: it then names the constraint that empties it.
    SearchSpace(std::vector<Parameter> parameters, const std::vector<Expression>& constraints);

    /// A space of exactly these configurations; names and values may be any text. Throws
    /// Error(usage) for values or parameters that are too many, not listed or twice there, and for
    /// two configurations that are equal.
    static SearchSpace of(std::vector<Parameter> parameters,
                          std::span<const Configuration> configurations);

    /// The part of the space whose values are all among those of `parameters`, which are this
    /// space's own with some values left out. Nothing if that part is empty.
    [[nodiscard]] std::optional<SearchSpace> part(std::vector<Parameter> parameters) const;

    [[nodiscard]] std::size_t size() const { return numbers_.size(); }
    [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }

    /// `index` < size(). The order is that of the parameters' lists, the last parameter fastest.
    [[nodiscard]] Configuration at(std::size_t index) const;

    /// The position of one parameter's value in its list. `index` < size().
    [[nodiscard]] std::size_t position(std::size_t index, std::size_t parameter) const;

    /// The index of `configuration`, or size() if the space does not hold it.
    [[nodiscard]] std::size_t find(const Configuration& configuration) const;

    /// The configurations that differ in one parameter, by parameter, then by position. Costs a
    /// binary search for each value there is.
    [[nodiscard]] std::vector<std::size_t> neighbours(std::size_t index) const;

private:
    explicit SearchSpace(std::vector<Parameter> parameters);

    [[nodiscard]] std::optional<std::int64_t> number_of(const Configuration& configuration) const;
    [[nodiscard]] std::size_t index_of(std::int64_t number) const;

    std::vector<Parameter> parameters_;
    std::vector<std::int64_t> strides_;  ///< of the digits
    std::vector<std::int64_t> numbers_;
};

}  // namespace jitune::internal
