// SPDX-License-Identifier: Apache-2.0
#include "formula/stage_writer.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

using enum ElementType;
using Kind = FormulaNode::Kind;
using Operation = FormulaOperation::Kind;

constexpr std::size_t kMostStateBytes = 128;

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
    if (is_float(element) || is_float(result)) {
        return element == float64 || result == float64 ? float64 : float32;
    }
    const bool is_wide = bytes_of(element) == 8 || bytes_of(result) == 8;
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
    const std::size_t count = operation.name == "var" || operation.name == "std" ? 3
                              : operation.name == "log_sum_exp"                  ? 2
                                                                                 : 1;
    return {count * one, one};
}

/// Indents lines.
std::string lines(const std::vector<std::string>& all, std::string_view indent) {
    std::string text;
    for (const std::string& line : all) {
        text += fmt::format("{}{}\n", indent, line);
    }
    return text;
}

}  // namespace

/// The work of one stage, gathered step by step.
class StageWriter::Body {
public:
    Body(StageWriter& writer, std::size_t index)
        : writer_(writer),
          index_(index),
          stage_(writer.plan_.stages[index]),
          host_(is_on_host(writer.style_)),
          expressions_(writer.formula_, [this](const FormulaNode& node) { return named(node); }) {}

    StageText text(const std::string& name) {
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
        refuse_large_state();
        StageText result;
        result.members = members_;
        result.state_bytes =
            (state_bytes_ + state_alignment_ - 1) / state_alignment_ * state_alignment_;
        for (const StageMember* one : arrays()) {
            const bool is_both = reads_.contains(one->name) && writes_.contains(one->name);
            result.array_bytes += (is_both ? 2 : 1) * bytes_of(one->type);
            result.widest = std::max(result.widest, bytes_of(one->type));
        }
        result.code = host_ ? host_code(name, result.array_bytes) : device_code(name);
        return result;
    }

private:
    struct State {
        std::string type;  // the class of the operation, with its types
        bool is_scalar;    // of one number, which loops on the host can have in vectors
        std::string scalar_type;
        bool is_own;
    };

    [[nodiscard]] bool is_wide() const { return is_plain(writer_.style_) && !narrow_; }

    /// The text of a value of a type, in the precision of the style.
    [[nodiscard]] TypedText value_of(const std::string& text, ElementType type) const {
        TypedText one = loaded(text, type);
        if (is_wide() && one.type == float32) {
            one = {as_type(one, float64), float64};
        }
        return one;
    }

    StageMember& member(const std::string& name, ElementType type, StageMember::Kind kind) {
        for (StageMember& one : members_) {
            if (one.name == name) {
                return one;
            }
        }
        return members_.emplace_back(StageMember{name, type, kind});
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
        const FormulaInput* const input = writer_.binding_.input(node.text);
        if (input == nullptr || input->kind == FormulaInput::Kind::array) {
            return node.kind == Kind::first && input != nullptr
                       ? memory_value("in_" + node.text, input->type, StageMember::Kind::read)
                       : element(node.text);
        }
        if (input->kind == FormulaInput::Kind::in_memory) {
            return memory_value("in_" + node.text, input->type, StageMember::Kind::read);
        }
        member("in_" + node.text, input->type, StageMember::Kind::value);
        return value_of("in_" + node.text, input->type);
    }

    TypedText element(const std::string& array) {
        const bool is_stored = writer_.stored_.contains(array);
        const ElementType type =
            is_stored ? writer_.binding_.output(array)->type : writer_.binding_.input(array)->type;
        const std::string name = (is_stored ? "out_" : "in_") + array;
        member(name, type, StageMember::Kind::read);
        reads_.insert(name);
        return value_of(place(name), type);
    }

    /// The element of an array that the step works on.
    [[nodiscard]] std::string place(const std::string& name) const {
        return host_ ? name + "[index]" : fmt::format("run.{}.values[k]", name);
    }

    /// A scalar in memory, which each thread reads once.
    TypedText memory_value(const std::string& name, ElementType type, StageMember::Kind kind) {
        // An array may be read at [0] and elsewhere: the pointer is the same.
        member(name, type, kind);
        if (std::find(scalars_.begin(), scalars_.end(), name) == scalars_.end()) {
            scalars_.push_back(name);
            scalar_types_.push_back(type);
        }
        return value_of(host_ ? "first_" + name : "scalars." + name, type);
    }

    TypedText result_value(std::size_t index) {
        const FormulaResult& result = writer_.plan_.results[index];
        const ElementType type = writer_.types_[index];
        if (result.stage == index_) {
            return value_of(fmt::format("result_{}", index), type);
        }
        return memory_value(memory_of(index), type, StageMember::Kind::written);
    }

    [[nodiscard]] std::string memory_of(std::size_t index) const {
        const FormulaResult& result = writer_.plan_.results[index];
        const bool is_output =
            !result.name.empty() && writer_.binding_.output(result.name) != nullptr;
        return is_output ? "out_" + result.name : fmt::format("kept_{}", index);
    }

    [[nodiscard]] bool has_memory(std::size_t index) const {
        const FormulaResult& result = writer_.plan_.results[index];
        return result.is_read_later ||
               (!result.name.empty() && writer_.binding_.output(result.name) != nullptr);
    }

    [[nodiscard]] std::optional<ElementType> wanted(std::size_t index) const {
        const std::string& name = writer_.plan_.results[index].name;
        const FormulaOutput* const output = name.empty() ? nullptr : writer_.binding_.output(name);
        return output == nullptr ? std::nullopt : std::optional(output->type);
    }

    void reduce(const FormulaStep& step) {
        const FormulaOperation& operation = *step.operation;
        // Places and counts have no tolerance: they must not depend on the precision. The text of
        // an own operation is for the type that it gets.
        narrow_ = operation.kind != Operation::total && operation.kind != Operation::real;
        const TypedText value = expressions_.write(step.value);
        const ElementType element = value.type;
        narrow_ = true;
        const std::string where = step.where ? as_truth(expressions_.write(*step.where)) : "";
        narrow_ = false;
        const ElementType natural =
            writer_.results_ != nullptr
                ? (*writer_.results_)[step.result]
                : wanted(step.result).value_or(default_result(operation, element));
        if (!fits(operation, element, natural)) {
            refuse_formula(
                writer_.formula_, step.value.at,
                fmt::format(
                    "{} of {} has no result of {}: convert the expression, or take another result",
                    operation.name, to_string(element), to_string(natural)));
        }
        writer_.types_[step.result] = natural;
        const ElementType accumulator = accumulator_of(operation.kind, element, natural);
        const std::string type = fmt::format(
            "{}<{}, {}, {}>", operation.name == "mean" && step.where ? "MeanWhere" : operation.code,
            kernel_type(element), kernel_type(accumulator), kernel_type(natural));
        const StateSize size = state_size(operation, step.where.has_value(), accumulator);
        const std::size_t index = states_.size();
        const std::string state =
            host_ ? fmt::format("s{}", index) : fmt::format("state.s{}", index);
        const bool is_scalar = size.bytes == bytes_of(accumulator);
        const bool is_magnitude = operation.name == "max_abs" && !is_float(accumulator);
        const std::string scalar(kernel_type(!is_magnitude                ? accumulator
                                             : bytes_of(accumulator) == 8 ? uint64
                                                                          : uint32));
        states_.push_back({type, is_scalar, scalar, operation.kind == Operation::own});
        state_alignment_ = std::max(state_alignment_, size.alignment);
        state_of_[step.result] = index;
        state_bytes_ =
            (state_bytes_ + size.alignment - 1) / size.alignment * size.alignment + size.bytes;
        std::string combined = fmt::format("Op{0}::combine({1}, Op{0}::map({2}, index))", index,
                                           state, as_type(value, element));
        if (step.where) {
            combined = fmt::format("{} ? {} : {}", where, combined, state);
        }
        body_.push_back(fmt::format("{} = {};", state, combined));
    }

    void store(const FormulaStep& step) {
        const FormulaOutput& output = *writer_.binding_.output(step.array);
        const TypedText value = expressions_.write(step.value);
        writer_.written_types_[step.array] = value.type;
        const std::string name = "out_" + step.array;
        const std::string local = fmt::format("value_{}", body_.size());
        body_.push_back(fmt::format("const {} {} = {};", kernel_type(output.type), local,
                                    as_stored(value, output.type)));
        body_.push_back(fmt::format("{} = {};", place(name), local));
        member(name, output.type, StageMember::Kind::written).kind = StageMember::Kind::written;
        writes_.insert(name);
        locals_[step.array] = {local, output.type};
    }

    void finish_reduction(const FormulaStep& step) {
        const std::size_t state = state_of_.at(step.result);
        finish_.push_back(fmt::format("const {} result_{} = Op{}::result(state.s{}, n);",
                                      kernel_type(writer_.types_[step.result]), step.result, state,
                                      state));
        keep(step.result);
    }

    void compute(const FormulaStep& step) {
        const TypedText value = expressions_.write(step.value);
        const ElementType natural = writer_.results_ != nullptr
                                        ? (*writer_.results_)[step.result]
                                        : wanted(step.result).value_or(value.type);
        writer_.types_[step.result] = natural;
        finish_.push_back(fmt::format("const {} result_{} = {};", kernel_type(natural), step.result,
                                      as_stored(value, natural)));
        keep(step.result);
    }

    /// Results are written when all are known: an output may lie where an input was read.
    void keep(std::size_t index) {
        if (has_memory(index)) {
            member(memory_of(index), writer_.types_[index], StageMember::Kind::written);
            writing_.push_back(fmt::format("*{} = result_{};", memory_of(index), index));
        }
    }

    void refuse_large_state() const {
        // Float64 in place of float32 takes twice the room, and is not the user's.
        if (!is_plain(writer_.style_) && state_bytes_ > kMostStateBytes) {
            throw Error(ErrorKind::usage,
                        fmt::format("the reductions of one pass keep {} bytes; they may keep {}: "
                                    "split the formula into "
                                    "two: {}",
                                    state_bytes_, kMostStateBytes, writer_.formula_));
        }
    }

    [[nodiscard]] std::string operations() const {
        std::string text;
        for (std::size_t i = 0; i < states_.size(); ++i) {
            text += fmt::format("    using Op{} = {};\n", i, states_[i].type);
        }
        text += "    struct State {\n";
        for (std::size_t i = 0; i < states_.size(); ++i) {
            // Small states of one's own become whole words, of which all states are made.
            text += fmt::format("        {1}typename Op{0}::State s{0};\n", i,
                                states_[i].is_own
                                    ? fmt::format("alignas(4) alignas(typename Op{}::State) ", i)
                                    : "");
        }
        if (states_.empty()) {
            text += "        unsigned none;\n";
        }
        text += "    };\n    static constexpr Combination kCombination = Combination::other;\n";
        text += fmt::format("    static constexpr bool kHasState = {};\n", !states_.empty());
        std::vector<std::string> identities, combinations;
        for (std::size_t i = 0; i < states_.size(); ++i) {
            identities.push_back(fmt::format("Op{}::identity()", i));
            combinations.push_back(fmt::format("Op{0}::combine(a.s{0}, b.s{0})", i));
        }
        if (states_.empty()) {
            identities.emplace_back("0");
            combinations.emplace_back("0");
        }
        text += fmt::format("    static JITUNE_FUNCTION State identity() {{ return {{{}}}; }}\n",
                            fmt::join(identities, ", "));
        text += fmt::format(
            "    static JITUNE_FUNCTION State combine(const State& {}, const State& {}) {{\n"
            "        return {{{}}};\n    }}\n",
            states_.empty() ? "" : "a", states_.empty() ? "" : "b",
            fmt::join(combinations, ",\n                "));
        return text;
    }

    [[nodiscard]] std::string declarations() const {
        std::string text;
        for (const StageMember& one : members_) {
            text += fmt::format("    {};\n", text_of(one));
        }
        return text;
    }

    [[nodiscard]] std::vector<const StageMember*> arrays() const {
        std::vector<const StageMember*> result;
        for (const StageMember& one : members_) {
            if (reads_.contains(one.name) || writes_.contains(one.name)) {
                result.push_back(&one);
            }
        }
        return result;
    }

    [[nodiscard]] std::string device_code(const std::string& name) const {
        std::string elements, aligned, load, store, scalars, scalar_values;
        const auto all = arrays();
        for (const StageMember* one : all) {
            elements +=
                fmt::format("        Run<{}, count> {};\n", kernel_type(one->type), one->name);
            aligned +=
                fmt::format("{}is_aligned<{}, count>({} + head)", aligned.empty() ? "" : " && ",
                            kernel_type(one->type), one->name);
            if (reads_.contains(one->name)) {
                load += fmt::format("        access.read({0} + at, run.{0});\n", one->name);
            }
            if (writes_.contains(one->name)) {
                store += fmt::format("        access.write({0} + at, run.{0});\n", one->name);
            }
        }
        for (std::size_t i = 0; i < scalars_.size(); ++i) {
            scalars += fmt::format("        {} {};\n", kernel_type(scalar_types_[i]), scalars_[i]);
            scalar_values += fmt::format("{}read_scalar({})", i == 0 ? "" : ", ", scalars_[i]);
        }
        return fmt::format(
            R"(struct {name} {{
{declarations}{operations}    static constexpr bool kWrites = {writes};
    static constexpr int kFirstBytes = {first_bytes};
    __device__ __forceinline__ Index address() const {{ return {address}; }}
    template <int count>
    struct Elements {{
{elements}    }};
    struct Scalars {{
{scalars}    }};
    __device__ __forceinline__ Scalars scalars() const {{ return {{{scalar_values}}}; }}
    template <int count>
    __device__ __forceinline__ bool aligned(Index head) const {{ return {aligned}; }}
    template <class Access, int count>
    __device__ __forceinline__ void load(const Access& access, Index at, Elements<count>& run) const {{
        (void)access, (void)at, (void)run;
{load}    }}
    template <class Access, int count>
    __device__ __forceinline__ void store(const Access& access, Index at, const Elements<count>& run) const {{
        (void)access, (void)at, (void)run;
{store}    }}
    template <int count>
    __device__ __forceinline__ void add(State& state, Elements<count>& run, int k, Index index, Index n,
                                        const Scalars& scalars) const {{
        (void)state, (void)run, (void)k, (void)index, (void)n, (void)scalars;
{body}    }}
    __device__ __forceinline__ void finish(const State& state, Index n, const Scalars& scalars) const {{
        (void)state, (void)n, (void)scalars;
{finish}{writing}    }}
}};
)",
            fmt::arg("name", name), fmt::arg("declarations", declarations()),
            fmt::arg("operations", operations()), fmt::arg("writes", !writes_.empty()),
            fmt::arg("first_bytes", all.empty() ? 1 : bytes_of(all.front()->type)),
            fmt::arg("address",
                     all.empty() ? std::string("0")
                                 : fmt::format("reinterpret_cast<Index>({})", all.front()->name)),
            fmt::arg("elements", elements), fmt::arg("scalars", scalars),
            fmt::arg("scalar_values", scalar_values),
            fmt::arg("aligned", aligned.empty() ? "true" : aligned), fmt::arg("load", load),
            fmt::arg("store", store), fmt::arg("body", lines(body_, "        ")),
            fmt::arg("finish", lines(finish_, "        ")),
            fmt::arg("writing", lines(writing_, "        ")));
    }

    [[nodiscard]] std::string host_code(const std::string& name, std::size_t bytes) const {
        std::string firsts, states, reductions, values, declared;
        for (std::size_t i = 0; i < scalars_.size(); ++i) {
            firsts += fmt::format("        const {} first_{} = *{};\n",
                                  kernel_type(scalar_types_[i]), scalars_[i], scalars_[i]);
        }
        bool all_scalar = true;
        for (std::size_t i = 0; i < states_.size(); ++i) {
            all_scalar = all_scalar && states_[i].is_scalar;
            states += fmt::format("        typename Op{0}::State s{0} = Op{0}::identity();\n", i);
            values += fmt::format("{}s{}", i == 0 ? "" : ", ", i);
            declared += fmt::format(
                "#pragma omp declare reduction(combine_{0} : {1} : omp_out = "
                "Op{0}::combine(omp_out, omp_in)) "
                "initializer(omp_priv = Op{0}::identity())\n",
                i, states_[i].scalar_type);
            reductions += fmt::format(" reduction(combine_{0} : s{0})", i);
        }
        if (!all_scalar) {
            declared.clear();
            reductions.clear();
        }
        // Loops with larger states have no form in vectors.
        const std::string loop = all_scalar ? fmt::format("#pragma omp simd{}\n", reductions) : "";
        return fmt::format(
            R"(struct {name} {{
{declarations}{operations}    static constexpr Index kBytes = {bytes};
    __attribute__((noinline)) State fold(Index first, Index end, Index n) const {{
        (void)n;
{pointers}{firsts}{states}{declared}{loop}        for (Index index = first; index < end; ++index) {{
{body}        }}
        return {{{values}}};
    }}
    void finish(const State& state, Index n) const {{
        (void)state, (void)n;
{firsts}{finish}{writing}    }}
}};
)",
            fmt::arg("name", name), fmt::arg("declarations", declarations()),
            fmt::arg("operations", operations()),
            fmt::arg("bytes", std::max<std::size_t>(bytes, 1)),
            fmt::arg("pointers", local_copies()), fmt::arg("firsts", firsts),
            fmt::arg("states", states), fmt::arg("declared", declared), fmt::arg("loop", loop),
            fmt::arg("body", lines(body_, "            ")),
            fmt::arg("values", states_.empty() ? "0" : values),
            fmt::arg("finish", lines(finish_, "        ")),
            fmt::arg("writing", lines(writing_, "        ")));
    }

    /// Pointers and scalars of the loop, which stores to arrays could change as members.
    [[nodiscard]] std::string local_copies() const {
        std::string text;
        for (const StageMember& one : members_) {
            const bool is_used = reads_.contains(one.name) || writes_.contains(one.name) ||
                                 one.kind == StageMember::Kind::value;
            if (is_used) {
                text += fmt::format("        const auto {0} = this->{0};\n        (void){0};\n",
                                    one.name);
            }
        }
        return text;
    }

    struct Local {
        std::string text;
        ElementType type;
    };

    StageWriter& writer_;
    std::size_t index_;
    const FormulaStage& stage_;
    bool host_;
    bool narrow_ = false;  // this expression is as precise as the kernels'
    std::vector<StageMember> members_;
    std::set<std::string> reads_, writes_;
    std::vector<std::string> scalars_;  // names of members
    std::vector<ElementType> scalar_types_;
    std::map<std::string, Local> locals_;  // arrays that a step before has written
    std::vector<State> states_;
    std::map<std::size_t, std::size_t> state_of_;  // by result
    std::size_t state_bytes_ = 0, state_alignment_ = 1;
    std::vector<std::string> body_, finish_, writing_;
    ExpressionWriter expressions_;
};

std::string text_of(const StageMember& member) {
    return fmt::format("{}{}{} {}", member.kind == StageMember::Kind::read ? "const " : "",
                       kernel_type(member.type), member.kind == StageMember::Kind::value ? "" : "*",
                       member.name);
}

StageText StageWriter::write(std::size_t index, const std::string& name) {
    StageText text = Body(*this, index).text(name);
    for (const FormulaStep& step : plan_.stages[index].steps) {
        if (step.kind == FormulaStep::Kind::store) {
            stored_.insert(step.array);
        }
    }
    return text;
}

}  // namespace jitune::internal
