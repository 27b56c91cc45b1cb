// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formula/plan.hpp"
#include "jitune/element_type.hpp"

namespace jitune::internal {

/// How a stage computes.
enum class StageStyle {
    device,
    device_plain,  ///< with float32 as float64, for the reference
    host,
    host_plain,
};

/// A pointer or a scalar that a stage takes, as its kernel declares it.
struct StageMember {
    std::string name;  ///< "in_x", "out_rr", "kept_0"
    ElementType type = ElementType::float32;
    enum class Kind {
        read,
        written,
        value
    } kind = Kind::read;  ///< a pointer that is read or written, or a scalar
    enum class Reach {
        matrix,  ///< an element for each of the line's
        place,   ///< an element for each of the line's, the same ones for all lines
        line,    ///< one for each line
        call,    ///< one
    } reach = Reach::call;
};

/// "const float* in_x".
std::string text_of(const StageMember& member);

/// A reduction of a stage.
struct StageReduction {
    std::string type;  ///< the class of its operation, with its types
    bool is_scalar;    ///< its state is one number, which loops on the host can have in vectors
    std::string scalar_type;
    std::size_t bytes;        ///< of its state
    bool is_own;              ///< its operation is the caller's
    std::size_t offset;       ///< of its state in that of all
    std::size_t float_bytes;  ///< its state begins with a float of so many bytes, or with none
};

/// A scalar in memory, which each thread reads once.
struct StageScalar {
    std::string name;  ///< of the member
    ElementType type;
    bool is_result;  ///< of a stage before
};

/// A result that a stage writes.
struct StageResult {
    std::string memory;  ///< the member
    std::string local;   ///< the variable that holds it
    bool is_read_later;
};

/// What a stage does, in C++. The lines of `body` work on element `index` of n, those of `finish`
/// on the combined state.
struct StageWork {
    std::vector<StageMember> members;
    std::set<std::string> reads, writes;  ///< members that are arrays
    std::vector<StageScalar> scalars;
    std::vector<StageReduction> reductions;
    std::size_t state_bytes = 0;  ///< of all reductions together
    std::vector<std::string> body, finish;
    std::vector<StageResult> results;

    [[nodiscard]] bool is_array(const StageMember& member) const {
        return reads.contains(member.name) || writes.contains(member.name);
    }
    /// Read and written for each element of a line.
    [[nodiscard]] std::size_t array_bytes() const;
};

/// Works out the stages of a plan in their order: results of a stage have types for those behind
/// it.
class StageWorks {
public:
    /// A plain style takes the types of results from `results`, those of the other style. Throws
    /// Error(usage) as ExpressionWriter does, and for types that do not go with an operation.
    StageWorks(std::string_view formula, const FormulaPlan& plan, const FormulaBinding& binding,
               StageStyle style, const std::vector<ElementType>* results = nullptr);

    [[nodiscard]] const std::vector<StageWork>& stages() const { return stages_; }

    /// The types of results.
    [[nodiscard]] const std::vector<ElementType>& types() const { return types_; }

    /// The types of the values that the arrays are given, before they are stored.
    [[nodiscard]] const std::map<std::string, ElementType>& written_types() const {
        return written_types_;
    }

private:
    class Gathering;

    std::string_view formula_;
    const FormulaPlan& plan_;
    const FormulaBinding& binding_;
    StageStyle style_;
    const std::vector<ElementType>* results_;
    bool has_steps_;  ///< expressions of a plain style are as precise as those of the other
    std::vector<StageWork> stages_;
    std::vector<ElementType> types_;
    std::map<std::string, ElementType> written_types_;
    std::set<std::string> stored_;  ///< arrays that a stage before has written
};

}  // namespace jitune::internal
