// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/formats/json_file.hpp"
#include "cli/formats/python_expression.hpp"
#include "space/configuration.hpp"

namespace jitune::internal {

/// Reads `TuningParameters` of a tuning problem in T1: values are Python's lists of integers, truth
/// values (1 and 0) or names. Adds a line to `notes` for what is left out. Throws Error(usage) that
/// names the parameter and its member.
std::vector<Parameter> read_t1_parameters(const ParsedJson& space, std::vector<std::string>& notes);

/// What the expressions of a tuning problem in T1 may name: its parameters, ProblemSize, and in
/// launches Kernel Tuner's names of block sizes, block_size_x, _y and _z. Errors name the member.
class T1Scope {
public:
    /// Throws Error(usage) for a ProblemSize that is not one to three integers.
    T1Scope(const std::vector<Parameter>& parameters, const ParsedJson& kernel);

    /// ProblemSize along each axis; nothing where the problem has none.
    [[nodiscard]] const std::optional<std::array<std::int64_t, 3>>& problem_size() const {
        return problem_size_;
    }
    /// "block_size_x", where it is a parameter.
    [[nodiscard]] std::optional<std::string> block_size(std::size_t axis) const;

    /// The condition in jitune's language.
    [[nodiscard]] std::string condition(const ParsedJson& value, const std::string& member) const;

    /// A formula of a launch in jitune's language. Adds a line to `notes` for a block size that is
    /// no parameter: it is Kernel Tuner's default.
    [[nodiscard]] std::string launch_formula(const ParsedJson& value, const std::string& member,
                                             std::vector<std::string>& notes) const;

    /// A number without parameters in it, but max(name) and min(name) are of all values of one, and
    /// the name of a parameter with one value is that value.
    [[nodiscard]] PythonValue number(const ParsedJson& value, const std::string& member) const;
    /// As above: a whole number above 0.
    [[nodiscard]] std::int64_t count(const ParsedJson& value, const std::string& member) const;

private:
    void read_problem_size(const ParsedJson& value);

    PythonScope scope_;
    PythonNames lists_;  ///< each parameter's values
    std::optional<std::array<std::int64_t, 3>> problem_size_;
};

/// The expression of Python that a member holds: a string as it is, else the value.
std::string t1_text(const ParsedJson& value);

}  // namespace jitune::internal
