// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formula/expression_writer.hpp"
#include "formula/plan.hpp"

namespace jitune::internal {

/// A pointer or a scalar that a stage takes, as its kernel declares it.
struct StageMember {
    std::string name;  ///< "in_x", "out_rr", "kept_0"
    ElementType type = ElementType::float32;
    enum class Kind {
        read,
        written,
        value
    } kind = Kind::read;  ///< a pointer that is read or written, or a scalar
};

/// "const float* in_x".
std::string text_of(const StageMember& member);

/// How a stage computes.
enum class StageStyle {
    device,        ///< a struct for jitune_formula.h
    device_plain,  ///< the same with float32 as float64, for the reference
    host,          ///< a struct for jitune_host_formula.h
    host_plain,
};

/// Bytes of memory that a block of a grid needs to pass its state on: as partials, and as slots.
struct BlockWork {
    std::size_t partial = 0, slots = 0;  ///< 0 without reductions
};

/// A stage in C++: a struct of its members that one of jitune's headers runs.
struct StageText {
    std::string code;
    std::vector<StageMember> members;  ///< in the order of the struct
    BlockWork work;
    std::size_t array_bytes = 0;  ///< read and written for each element
    std::size_t widest = 1;       ///< element of its arrays, in bytes
};

/// Writes the stages of a plan in their order: results of a stage have types for those behind it.
class StageWriter {
public:
    /// A plain style takes the types of results from `results`, those of the writer of the other
    /// style.
    StageWriter(std::string_view formula, const FormulaPlan& plan, const FormulaBinding& binding,
                StageStyle style, const std::vector<ElementType>* results = nullptr)
        : formula_(formula),
          plan_(plan),
          binding_(binding),
          style_(style),
          results_(results),
          types_(plan.results.size()) {}

    /// The struct `name` of stage `index`. Throws Error(usage) as ExpressionWriter does, and for
    /// types that do not go with an operation.
    StageText write(std::size_t index, const std::string& name);

    /// The types of results, as far as their stages have been written.
    [[nodiscard]] const std::vector<ElementType>& types() const { return types_; }

    /// The types of the values that the arrays are given, before they are stored.
    [[nodiscard]] const std::map<std::string, ElementType>& written_types() const {
        return written_types_;
    }

private:
    class Body;

    std::string_view formula_;
    const FormulaPlan& plan_;
    const FormulaBinding& binding_;
    StageStyle style_;
    const std::vector<ElementType>* results_;
    std::vector<ElementType> types_;
    std::map<std::string, ElementType> written_types_;
    std::set<std::string> stored_;  ///< arrays that a stage before has written
};

}  // namespace jitune::internal
