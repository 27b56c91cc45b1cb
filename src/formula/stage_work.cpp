// SPDX-License-Identifier: Apache-2.0
#include "formula/stage_work.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "formula/expression_writer.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

using enum ElementType;
using Kind = FormulaNode::Kind;
using Operation = FormulaOperation::Kind;
using Reach = StageMember::Reach;

constexpr std::size_t kMostStateBytes = 256;

bool is_on_host(StageStyle style) {
    return style == StageStyle::host || style == StageStyle::host_plain;
}

bool is_plain(StageStyle style) {
    return style == StageStyle::device_plain || style == StageStyle::host_plain;
}

bool is_float(ElementType type) {
    return type == float16 || type == bfloat16 || type == float32 || type == float64;
}

/// The types of a reduction: of the expression, of what is accumulated, of the result.
struct ReductionTypes {
    ElementType element, accumulator, result;
};

ElementType default_result(const FormulaOperation& operation, ElementType element) {
    switch (operation.kind) {
        case Operation::total:
            return element;
        case Operation::real:
            return is_float(element) ? element : float64;
        case Operation::place:
        case Operation::count:
            return int64;
        case Operation::own:
            return operation.result;
        case Operation::test:
            break;
    }
    return uint8;
}

ElementType accumulator_of(Operation kind, ElementType element, ElementType result) {
    if (kind == Operation::place) {
        return element;
    }
    if (kind == Operation::test) {
        return int32;
    }
    if (kind == Operation::count) {
        return int64;
    }
    const bool is_wide = bytes_of(element) == 8 || bytes_of(result) == 8;
    if (is_float(element) || is_float(result)) {
        return is_wide ? float64 : float32;
    }
    const bool is_unsigned = element == uint32 || element == uint64;
    return is_unsigned ? (is_wide ? uint64 : uint32) : (is_wide ? int64 : int32);
}

/// Whether an operation with such an expression can have the result.
bool fits(const FormulaOperation& operation, ElementType element, ElementType result) {
    switch (operation.kind) {
        case Operation::own:
            return result == operation.result;
        case Operation::real:
            return is_float(result);
        case Operation::place:
        case Operation::count:
            return result == int64 || result == int32 || result == uint64 || result == uint32;
        default:
            return operation.kind == Operation::test || is_float(result) || !is_float(element);
    }
}

/// Bytes of the state of one reduction, as its class has it, and their alignment.
struct StateSize {
    std::size_t bytes, alignment;
};

StateSize state_size(const FormulaOperation& operation, bool has_where, ElementType accumulator) {
    const std::size_t one = bytes_of(accumulator);
    if (operation.kind == Operation::own) {  // at most
        return {16, 16};
    }
    if (operation.kind == Operation::place || (operation.name == "mean" && has_where)) {
        return {16, 8};
    }
    const std::size_t count = operation.name == "var" || operation.name == "std" ? 4
                              : operation.name == "log_sum_exp"                  ? 2
                                                                                 : 1;
    return {count * one, one};
}

/// Whether a value may be far from that of the same expression in another precision: where it is
/// rounded to a whole number or depends on a condition.
bool has_steps(const FormulaNode& node) {
    constexpr std::array<std::string_view, 10> kOperators{"==", "!=", "<",  "<=", ">",
                                                          ">=", "&&", "||", "!",  "?"};
    constexpr std::array<std::string_view, 9> kFunctions{
        "floor", "ceil", "trunc", "rint", "fmod", "where", "isnan", "isinf", "isfinite"};
    const auto holds = [](const auto& names, std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    bool is_step = holds(kOperators, node.text);
    if (node.kind == Kind::call) {
        const FormulaFunction* const function = formula_function(node.text);
        const auto cast = formula_cast_type(node.text);
        is_step = (cast && !is_float(*cast)) ||
                  (function != nullptr && holds(kFunctions, function->name));
    }
    return is_step || std::any_of(node.parts.begin(), node.parts.end(), has_steps);
}

/// Whether a formula rounds what it writes, or computes with rounded values.
bool has_steps(const FormulaPlan& plan, const FormulaBinding& binding) {
    const auto rounds = [&](const FormulaStep& step) {
        return has_steps(step.value) || (step.kind == FormulaStep::Kind::store &&
                                         !is_float(binding.output(step.array)->type));
    };
    return std::any_of(plan.stages.begin(), plan.stages.end(), [&](const FormulaStage& stage) {
        return std::any_of(stage.steps.begin(), stage.steps.end(), rounds);
    });
}

}  // namespace

/// The work of one stage, step by step.
class StageWorks::Gathering {
public:
    Gathering(StageWorks& all, std::size_t index)
        : all_(all),
          index_(index),
          stage_(all.plan_.stages[index]),
          host_(is_on_host(all.style_)),
          expressions_(all.formula_, [this](const FormulaNode& node) { return named(node); }) {}

    StageWork work() {
        for (const FormulaStep& step : stage_.steps) {
            if (step.kind == FormulaStep::Kind::reduce) {
                reduce(step);
            } else if (step.kind == FormulaStep::Kind::store) {
                store(step);
            }
        }
        for (const FormulaStep& step : stage_.steps) {
            if (step.kind == FormulaStep::Kind::reduce) {
                finish_reduction(step);
            } else if (step.kind == FormulaStep::Kind::compute) {
                compute(step);
            }
        }
        work_.state_bytes = (work_.state_bytes + alignment_ - 1) / alignment_ * alignment_;
        refuse_large_state();
        return std::move(work_);
    }

private:
    [[nodiscard]] bool is_wide() const {
        return is_plain(all_.style_) && !narrow_ && !all_.has_steps_;
    }

    /// The text of a value of a type, in the precision of the style.
    [[nodiscard]] TypedText value_of(const std::string& text, ElementType type) const {
        TypedText one = loaded(text, type);
        if (is_wide() && one.type == float32) {
            one = {as_type(one, float64), float64};
        }
        return one;
    }

    StageMember& member(const std::string& name, ElementType type, StageMember::Kind kind,
                        Reach reach) {
        for (StageMember& one : work_.members) {
            if (one.name == name) {
                return one;
            }
        }
        return work_.members.emplace_back(StageMember{name, type, kind, reach});
    }

    TypedText named(const FormulaNode& node) {
        if (const auto result = result_of(node)) {
            return result_value(*result);
        }
        if (node.text == "i") {
            return {"static_cast<long long>(index)", int64};
        }
        if (node.text == "n") {
            return {"static_cast<long long>(n)", int64};
        }
        if (const auto local = locals_.find(node.text); local != locals_.end()) {
            return value_of(local->second.text, local->second.type);
        }
        const FormulaInput* const input = all_.binding_.input(node.text);
        if (input == nullptr || all_.stored_.contains(node.text) ||
            (has_elements(*input) && node.kind != Kind::first)) {
            return element(node.text);
        }
        const std::string name = "in_" + node.text;
        if (input->kind == FormulaInput::Kind::value) {
            member(name, input->type, StageMember::Kind::value, Reach::call);
            return value_of(name, input->type);
        }
        return memory_value({name, input->type, false}, StageMember::Kind::read, reach_of(*input));
    }

    static Reach reach_of(const FormulaInput& input) {
        switch (input.kind) {
            case FormulaInput::Kind::array:
                return Reach::matrix;
            case FormulaInput::Kind::places:
                return Reach::place;
            case FormulaInput::Kind::lines:
                return Reach::line;
            default:
                return Reach::call;
        }
    }

    TypedText element(const std::string& array) {
        const bool is_stored = all_.stored_.contains(array);
        const ElementType type =
            is_stored ? all_.binding_.output(array)->type : all_.binding_.input(array)->type;
        const std::string name = (is_stored ? "out_" : "in_") + array;
        member(name, type, StageMember::Kind::read,
               is_stored ? Reach::matrix : reach_of(*all_.binding_.input(array)));
        work_.reads.insert(name);
        const bool is_place = !is_stored && reach_of(*all_.binding_.input(array)) == Reach::place;
        return value_of(is_place && host_ ? name + "[index]" : place(name), type);
    }

    /// The element of an array that the step works on.
    [[nodiscard]] std::string place(const std::string& name) const {
        if (!host_) {
            return fmt::format("run.{}.values[k]", name);
        }
        const bool is_column = all_.binding_.shape == LineShape::columns;
        return name + (is_column ? "[index * stride + c]" : "[index]");
    }

    /// A scalar in memory, which each thread reads once.
    TypedText memory_value(const StageScalar& scalar, StageMember::Kind kind, Reach reach) {
        // An array may be read at [0] and elsewhere: the pointer is the same.
        member(scalar.name, scalar.type, kind, reach);
        const bool is_known =
            std::any_of(work_.scalars.begin(), work_.scalars.end(),
                        [&](const StageScalar& one) { return one.name == scalar.name; });
        if (!is_known) {
            work_.scalars.push_back(scalar);
        }
        return value_of((host_ ? "first_" : "scalars.") + scalar.name, scalar.type);
    }

    TypedText result_value(std::size_t index) {
        const FormulaResult& result = all_.plan_.results[index];
        const ElementType type = all_.types_[index];
        if (result.stage == index_) {
            return value_of(fmt::format("result_{}", index), type);
        }
        return memory_value({memory_of(index), type, true}, StageMember::Kind::written,
                            Reach::line);
    }

    [[nodiscard]] std::string memory_of(std::size_t index) const {
        const FormulaResult& result = all_.plan_.results[index];
        const bool is_output = !result.name.empty() && all_.binding_.output(result.name) != nullptr;
        return is_output ? "out_" + result.name : fmt::format("kept_{}", index);
    }

    [[nodiscard]] bool has_memory(std::size_t index) const {
        const FormulaResult& result = all_.plan_.results[index];
        return result.is_read_later ||
               (!result.name.empty() && all_.binding_.output(result.name) != nullptr);
    }

    [[nodiscard]] std::optional<ElementType> wanted(std::size_t index) const {
        const std::string& name = all_.plan_.results[index].name;
        const FormulaOutput* const output = name.empty() ? nullptr : all_.binding_.output(name);
        return output == nullptr ? std::nullopt : std::optional(output->type);
    }

    void reduce(const FormulaStep& step) {
        const FormulaOperation& operation = *step.operation;
        // Places and counts have no tolerance: they must not depend on the precision. The text of
        // an own operation is for the type that it gets.
        narrow_ = operation.kind != Operation::total && operation.kind != Operation::real;
        TypedText value = expressions_.write(step.value);
        if (is_plain(all_.style_) && !narrow_ && value.type == float32) {
            value = {as_type(value, float64), float64};
        }
        const ElementType element = value.type;
        narrow_ = true;
        const std::string where = step.where ? condition(operation, *step.where) : "";
        narrow_ = false;
        const ElementType natural =
            all_.results_ != nullptr
                ? (*all_.results_)[step.result]
                : wanted(step.result).value_or(default_result(operation, element));
        if (!fits(operation, element, natural)) {
            refuse_formula(
                all_.formula_, step.value.at,
                fmt::format(
                    "{} of {} has no result of {}: convert the expression, or take another result",
                    operation.name, to_string(element), to_string(natural)));
        }
        all_.types_[step.result] = natural;
        const ElementType accumulator = accumulator_of(operation.kind, element, natural);
        const std::string type = fmt::format(
            "{}<{}, {}, {}>", operation.name == "mean" && step.where ? "MeanWhere" : operation.code,
            kernel_type(element), kernel_type(accumulator), kernel_type(natural));
        const StateSize size = state_size(operation, step.where.has_value(), accumulator);
        const std::size_t index = work_.reductions.size();
        const std::string state =
            host_ ? fmt::format("s{}", index) : fmt::format("state.s{}", index);
        const bool is_scalar = size.bytes == bytes_of(accumulator);
        const bool is_magnitude = operation.name == "max_abs" && !is_float(accumulator);
        const std::string scalar(kernel_type(!is_magnitude                ? accumulator
                                             : bytes_of(accumulator) == 8 ? uint64
                                                                          : uint32));
        const bool is_own = operation.kind == Operation::own;
        const std::size_t offset =
            (work_.state_bytes + size.alignment - 1) / size.alignment * size.alignment;
        work_.reductions.push_back({type, is_scalar, scalar, size.bytes, is_own, offset,
                                    !is_own && is_float(accumulator) ? bytes_of(accumulator) : 0});
        alignment_ = std::max(alignment_, size.alignment);
        state_of_[step.result] = index;
        work_.state_bytes = offset + size.bytes;
        std::string combined =
            fmt::format("with<Op{}>({}, {}, index)", index, state, as_type(value, element));
        if (step.where) {
            combined = fmt::format("{} ? {} : {}", where, combined, state);
        }
        work_.body.push_back(fmt::format("{} = {};", state, combined));
    }

    /// The text of a `where`. What a function's second argument would be is refused.
    std::string condition(const FormulaOperation& operation, const FormulaNode& node) {
        const TypedText one = expressions_.write(node);
        const bool is_extreme = operation.name == "min" || operation.name == "max";
        if (!one.is_truth && (one.is_weak || (is_extreme && is_real(one)))) {
            refuse_formula(all_.formula_, node.at,
                           fmt::format("the second argument of {0} over elements is a condition "
                                       "that chooses them, as in {0}(x, x < 3)",
                                       operation.name));
        }
        return as_truth(one);
    }

    void store(const FormulaStep& step) {
        const FormulaOutput& output = *all_.binding_.output(step.array);
        const TypedText value = expressions_.write(step.value);
        all_.written_types_[step.array] = value.type;
        const std::string name = "out_" + step.array;
        const std::string local = fmt::format("value_{}", work_.body.size());
        work_.body.push_back(fmt::format("const {} {} = {};", kernel_type(output.type), local,
                                         as_stored(value, output.type)));
        work_.body.push_back(fmt::format("{} = {};", place(name), local));
        member(name, output.type, StageMember::Kind::written, Reach::matrix).kind =
            StageMember::Kind::written;
        work_.writes.insert(name);
        locals_[step.array] = {local, output.type};
    }

    void finish_reduction(const FormulaStep& step) {
        const std::size_t state = state_of_.at(step.result);
        work_.finish.push_back(fmt::format("const {} result_{} = Op{}::result(state.s{}, n);",
                                           kernel_type(all_.types_[step.result]), step.result,
                                           state, state));
        keep(step.result);
    }

    void compute(const FormulaStep& step) {
        const TypedText value = expressions_.write(step.value);
        const ElementType natural = all_.results_ != nullptr
                                        ? (*all_.results_)[step.result]
                                        : wanted(step.result).value_or(value.type);
        if (is_real(value) && !is_float(natural)) {
            refuse_formula(all_.formula_, step.value.at,
                           fmt::format("a result of {} has no place of {}: convert the "
                                       "expression, or take another place",
                                       to_string(value.type), to_string(natural)));
        }
        all_.types_[step.result] = natural;
        work_.finish.push_back(fmt::format("const {} result_{} = {};", kernel_type(natural),
                                           step.result, as_stored(value, natural)));
        keep(step.result);
    }

    /// Results are written when all are known: an output may lie where an input was read.
    void keep(std::size_t index) {
        if (has_memory(index)) {
            member(memory_of(index), all_.types_[index], StageMember::Kind::written, Reach::line);
            work_.results.push_back({memory_of(index), fmt::format("result_{}", index),
                                     all_.plan_.results[index].is_read_later});
        }
    }

    void refuse_large_state() const {
        // Float64 in place of float32 takes twice the room, and is not the user's.
        if (!is_plain(all_.style_) && work_.state_bytes > kMostStateBytes) {
            throw Error(ErrorKind::usage,
                        fmt::format("the reductions of one pass keep {} bytes; they may keep {}: "
                                    "split the formula into "
                                    "two: {}",
                                    work_.state_bytes, kMostStateBytes, all_.formula_));
        }
    }

    struct Local {
        std::string text;
        ElementType type;
    };

    StageWorks& all_;
    std::size_t index_;
    const FormulaStage& stage_;
    bool host_;
    bool narrow_ = false;  // this expression is as precise as the kernels'
    StageWork work_;
    std::size_t alignment_ = 1;                    // of the state
    std::map<std::string, Local> locals_;          // arrays that a step before has written
    std::map<std::size_t, std::size_t> state_of_;  // by result
    ExpressionWriter expressions_;
};

std::string text_of(const StageMember& member) {
    return fmt::format("{}{}{} {}", member.kind == StageMember::Kind::read ? "const " : "",
                       kernel_type(member.type), member.kind == StageMember::Kind::value ? "" : "*",
                       member.name);
}

std::size_t StageWork::array_bytes() const {
    std::size_t bytes = 0;
    for (const StageMember& one : members) {
        const bool is_both = reads.contains(one.name) && writes.contains(one.name);
        bytes += is_array(one) ? (is_both ? 2 : 1) * bytes_of(one.type) : 0;
    }
    return bytes;
}

StageWorks::StageWorks(std::string_view formula, const FormulaPlan& plan,
                       const FormulaBinding& binding, StageStyle style,
                       const std::vector<ElementType>* results)
    : formula_(formula),
      plan_(plan),
      binding_(binding),
      style_(style),
      results_(results),
      has_steps_(has_steps(plan, binding)),
      types_(plan.results.size()) {
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        stages_.push_back(Gathering(*this, i).work());
        for (const FormulaStep& step : plan.stages[i].steps) {
            if (step.kind == FormulaStep::Kind::store) {
                stored_.insert(step.array);
            }
        }
    }
}

}  // namespace jitune::internal
