#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "space/configuration.hpp"
#include "space/expression.hpp"
#include "space/value.hpp"

namespace jitune {

/// Every combination of the parameters' values that satisfies all constraints.
///
/// Built by SQLite: each parameter is a table of an in-memory database and the space is one
/// CROSS JOIN with the constraints as its WHERE, so a constraint prunes as soon as the parameters
/// it names are bound. The valid combinations are then kept as one byte per parameter.
class SearchSpace {
public:
    /// `constraints` may name parameters and nothing else (bind device attributes and sizes
    /// before). Throws Error(usage) for a name that is no parameter, for duplicate parameters (case
    /// does not tell them apart) or values, more than 60 parameters or 255 values, and for an empty
    /// space: it then names the constraint that empties it.
    SearchSpace(std::vector<Parameter> parameters, const std::vector<Expression>& constraints);

    [[nodiscard]] std::size_t size() const { return rows_.size() / parameters_.size(); }
    [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }

    /// `index` < size(). The order is that of the parameters' lists, the last parameter fastest.
    [[nodiscard]] Configuration at(std::size_t index) const;

    /// The index of `configuration`, or size() where the space does not hold it.
    [[nodiscard]] std::size_t find(const Configuration& configuration) const;

    /// In how many parameters two configurations differ.
    [[nodiscard]] std::size_t distance(std::size_t a, std::size_t b) const;

private:
    std::vector<Parameter> parameters_;
    std::vector<std::uint8_t> rows_;
};

}  // namespace jitune
