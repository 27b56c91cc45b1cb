// SPDX-License-Identifier: Apache-2.0
#include "formula/template_parts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "backend/launch.hpp"
#include "formula/syntax.hpp"
#include "jitune/error.hpp"
#include "support/hash.hpp"

namespace jitune::internal {

namespace {

using enum ElementType;
using Kind = FormulaNode::Kind;

bool is_whole(ElementType type) {
    return type != float16 && type != bfloat16 && type != float32 && type != float64;
}

/// Whether a number as written is a multiple of 1/256.
bool is_short(const std::string& number) {
    constexpr double kParts = 256;
    double value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    return value * kParts == std::floor(value * kParts);
}

/// Whether whole numbers as data give short fractions, so that sums of them are exact.
bool is_exact(const FormulaNode& node) {
    if (node.kind == Kind::number && !is_short(node.text)) {
        return false;
    }
    constexpr std::array<std::string_view, 7> kExact{"abs",  "fabs", "min",  "max",
                                                     "fmin", "fmax", "where"};
    const bool is_power = node.kind == Kind::binary && node.text == "**";
    const bool is_product =
        is_power && node.parts.back().kind == Kind::number &&
        node.parts.back().text.find_first_not_of("0123456789") == std::string::npos;
    if ((is_power && !is_product) || (node.kind == Kind::binary && node.text == "/")) {
        return false;
    }
    if (node.kind == Kind::call && !formula_cast_type(node.text) &&
        std::find(kExact.begin(), kExact.end(), node.text) == kExact.end()) {
        return false;
    }
    return std::all_of(node.parts.begin(), node.parts.end(), is_exact);
}

/// Whole numbers for exact formulas, so that sums cancel without error; else numbers near 1, of
/// which roots, logarithms and quotients are numbers.
std::string fill(ElementType type, bool is_exact) {
    const bool is_signed = type != uint8 && type != uint16 && type != uint32 && type != uint64;
    if (is_whole(type)) {
        return is_signed ? "random -8..8" : "random 0..8";
    }
    return is_exact ? "whole -8..8" : "random 0.5..2";
}

std::string tolerance(ElementType type, const FormulaParts& parts) {
    if (is_whole(type) || parts.is_exact) {
        return "";
    }
    const double usual = type == float64 ? 1e-8 : type == float32 ? 1e-3 : 2e-2;
    double most = usual;
    for (const auto& [name, operation] : parts.own) {
        most = std::max(most, operation->tolerance);
    }
    return fmt::format(", tolerance = {}", most);
}

bool is_written(const FormulaPlan& plan, const std::string& array) {
    return std::any_of(plan.stages.begin(), plan.stages.end(), [&](const FormulaStage& stage) {
        return std::any_of(stage.steps.begin(), stage.steps.end(), [&](const FormulaStep& step) {
            return step.kind == FormulaStep::Kind::store && step.array == array;
        });
    });
}

/// How many elements and lines there are, as expressions over the sizes.
struct Counts {
    std::string_view sizes, elements, places, lines;
};

Counts counts_of(LineShape shape) {
    switch (shape) {
        case LineShape::flat:
            break;
        case LineShape::rows:
            return {"\"rows\", \"columns\"", "rows * columns", "columns", "rows"};
        case LineShape::columns:
            return {"\"rows\", \"columns\"", "rows * columns", "rows", "columns"};
        case LineShape::segments:
            return {"\"segments\", \"values\"", "values", "ceil_div(values, max(1, segments))",
                    "segments"};
    }
    return {"\"n\"", "n", "n", "1"};
}

/// In one line, and not endless: every row of a database has it.
std::string shown(std::string_view text) {
    constexpr std::size_t kMost = 1000;
    std::string line;
    for (const char c : text) {
        const bool is_space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (!is_space || (!line.empty() && line.back() != ' ')) {
            line += is_space ? ' ' : c;
        }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line.size() <= kMost ? line : line.substr(0, kMost - 3) + "...";
}

/// As the call writes it: "x:float32", "w:per_column(float32)".
std::string text_of(const FormulaInput& input, LineShape shape) {
    std::string_view extent;
    switch (input.kind) {
        case FormulaInput::Kind::array:
            return fmt::format("{}:{}", input.name, to_string(input.type));
        case FormulaInput::Kind::value:
            extent = "value";
            break;
        case FormulaInput::Kind::in_memory:
            extent = "scalar_at";
            break;
        case FormulaInput::Kind::lines:
            extent = shape == LineShape::rows      ? "per_row"
                     : shape == LineShape::columns ? "per_column"
                                                   : "per_segment";
            break;
        case FormulaInput::Kind::places:
            extent = shape == LineShape::rows ? "per_column" : "per_row";
            break;
    }
    return fmt::format("{}:{}({})", input.name, extent, to_string(input.type));
}

std::string text_of(const FormulaBinding& binding) {
    switch (binding.shape) {
        case LineShape::flat:
            break;
        case LineShape::rows:
            return "rows";
        case LineShape::columns:
            return "columns";
        case LineShape::segments:
            return fmt::format("segments({})", to_string(binding.offset));
    }
    return "flat";
}

/// Type parameters that no code uses: what databases and messages show of the formula and its call.
std::string words_of(const FormulaParts& parts) {
    const FormulaBinding& binding = parts.binding;
    std::string inputs, outputs;
    for (const FormulaInput& one : binding.inputs) {
        inputs += (inputs.empty() ? "" : ",") + text_of(one, binding.shape);
    }
    for (const FormulaOutput& one : binding.outputs) {
        outputs +=
            fmt::format("{}{}:{}", outputs.empty() ? "" : ",", one.name, to_string(one.type));
    }
    std::string text;
    for (const auto& [parameter, word] : {std::pair("formula", shown(parts.formula)),
                                          {"inputs", shown(inputs)},
                                          {"outputs", shown(outputs)},
                                          {"shape", text_of(binding)}}) {
        text +=
            word.empty() ? "" : fmt::format("[types.{}]\n\"{}\" = \"void\"\n\n", parameter, word);
    }
    return text;
}

std::string scalar_argument(const FormulaInput& one) {
    return fmt::format("in_{} = {{ access = \"value\", type = \"{}\", value = \"{}\" }}\n",
                       one.name, to_string(one.type), is_whole(one.type) ? "3" : "0.5");
}

/// Whether later passes read a result that the call does not want.
bool is_kept(const FormulaResult& result, const FormulaBinding& binding) {
    return result.is_read_later && binding.output(result.name) == nullptr;
}

/// Beside these a template has lines, length, offsets, parts, partials and counters.
void refuse_many_arguments(const FormulaParts& parts) {
    constexpr std::size_t kMost = kMaxArguments - 6;
    const FormulaBinding& binding = parts.binding;
    const std::vector<FormulaResult>& results = parts.plan.results;
    const std::size_t given = binding.inputs.size() + binding.outputs.size();
    const auto kept = static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(),
                      [&](const FormulaResult& one) { return is_kept(one, binding); }));
    if (given + kept > kMost) {
        throw Error(
            ErrorKind::usage,
            fmt::format("the call of the formula has {} inputs and outputs, and {} more for "
                        "later passes: {} is the most; split the formula into several",
                        given, kept, kMost));
    }
}

}  // namespace

FormulaParts::FormulaParts(std::string_view text, const FormulaBinding& its_binding,
                           PlatformKind its_platform)
    : formula(text),
      binding(its_binding),
      platform(its_platform),
      plan(plan_formula(text, parse_formula(text), its_binding)),
      kernels(text, plan, its_binding,
              runs_on_cpu(its_platform) ? StageStyle::host : StageStyle::device),
      references(text, plan, its_binding,
                 runs_on_cpu(its_platform) ? StageStyle::host_plain : StageStyle::device_plain,
                 &kernels.types()) {
    refuse_many_arguments(*this);
    for (const FormulaStage& stage : plan.stages) {
        for (const FormulaStep& step : stage.steps) {
            is_exact = is_exact && jitune::internal::is_exact(step.value) &&
                       (step.operation == nullptr ||
                        (step.operation->kind != FormulaOperation::Kind::real &&
                         step.operation->name != "product" && step.operation->tolerance == 0));
            if (step.operation != nullptr && step.operation->kind == FormulaOperation::Kind::own) {
                own[step.operation->name] = step.operation;
            }
        }
    }
}

std::size_t FormulaParts::bytes() const {
    std::size_t total = 0;
    for (const StageWork& stage : kernels.stages()) {
        total += stage.array_bytes();
    }
    return std::max<std::size_t>(total, 1);
}

std::size_t FormulaParts::most_bytes() const {
    std::size_t most = 1;
    for (const StageWork& stage : kernels.stages()) {
        most = std::max(most, stage.array_bytes());
    }
    return most;
}

std::size_t FormulaParts::widest() const {
    std::size_t widest = 1;
    for (const StageWork& stage : kernels.stages()) {
        for (const StageMember& one : stage.members) {
            widest = stage.is_array(one) ? std::max(widest, bytes_of(one.type)) : widest;
        }
    }
    return widest;
}

BlockWork FormulaParts::block_work() const {
    BlockWork most;
    for (const StageWork& stage : kernels.stages()) {
        const BlockWork one = jitune::internal::block_work(stage);
        most = {std::max(most.partial, one.partial), std::max(most.slots, one.slots)};
    }
    return most;
}

std::string head_of(const FormulaParts& parts) {
    std::string summary(parts.formula);
    std::replace_if(
        summary.begin(), summary.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; },
        ' ');
    return fmt::format(
        "/* jitune template\nkernel = \"map_reduce_{}\"\nbackend = \"{}\"\nsummary = \"{}\"\n"
        "sizes = [{}]\n",
        hex(Hasher("formula").text(std::string(parts.formula)).digest()).substr(0, 8),
        to_string(parts.platform), summary, counts_of(parts.binding.shape).sizes);
}

std::string arguments_of(const FormulaParts& parts) {
    const FormulaBinding& binding = parts.binding;
    const Counts counts = counts_of(binding.shape);
    const auto array = std::find_if(binding.inputs.begin(), binding.inputs.end(), has_elements);
    const ElementType element = array == binding.inputs.end() ? float32 : array->type;
    // The reference computes in double; the name is the type that databases and messages show.
    std::string text = fmt::format("\n[types.element]\n{} = \"double\"\n\n{}[arguments]\n",
                                   to_string(element), words_of(parts));
    for (const FormulaInput& one : binding.inputs) {
        if (one.kind == FormulaInput::Kind::value) {
            text += scalar_argument(one);
            continue;
        }
        const bool is_scalar = one.kind == FormulaInput::Kind::in_memory;
        text += fmt::format(
            "in_{} = {{ access = \"in\", type = \"{}\", count = \"{}\", fill = \"{}\" }}\n",
            one.name, to_string(one.type),
            is_scalar                                ? "1"
            : one.kind == FormulaInput::Kind::lines  ? counts.lines
            : one.kind == FormulaInput::Kind::places ? counts.places
                                                     : counts.elements,
            !is_scalar           ? fill(one.type, parts.is_exact)
            : is_whole(one.type) ? "constant 3"
                                 : "constant 0.5");
    }
    for (const FormulaOutput& one : binding.outputs) {
        text += fmt::format("out_{} = {{ access = \"out\", type = \"{}\", count = \"{}\"{} }}\n",
                            one.name, to_string(one.type),
                            is_written(parts.plan, one.name) ? counts.elements : counts.lines,
                            tolerance(one.type, parts));
    }
    for (std::size_t i = 0; i < parts.plan.results.size(); ++i) {
        const FormulaResult& one = parts.plan.results[i];
        if (is_kept(one, binding)) {
            text +=
                fmt::format("kept_{} = {{ access = \"scratch\", type = \"{}\", count = \"{}\" }}\n",
                            i, to_string(parts.kernels.types()[i]), counts.lines);
        }
    }
    if (binding.shape == LineShape::flat) {
        return text + "n = { access = \"scalar\", type = \"uint64\", value = \"n\" }\n";
    }
    if (binding.shape == LineShape::segments) {
        text += fmt::format(
            "offsets = {{ access = \"in\", type = \"{}\", count = \"segments + 1\", "
            "fill = \"offsets values\" }}\n",
            to_string(binding.offset));
    }
    return text +
           "lines = { access = \"scalar\", type = \"uint64\", value = \"lines\" }\n"
           "length = { access = \"scalar\", type = \"uint64\", value = \"length\" }\n";
}

std::string sources_of(const FormulaParts& parts) {
    std::string text;
    for (const auto& [name, operation] : parts.own) {
        text += operation->source;
    }
    return text;
}

std::string names_of(const std::vector<StageMember>& members) {
    std::string text;
    for (const StageMember& one : members) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", one.name);
    }
    return text;
}

std::string declared(const std::vector<StageMember>& members) {
    std::string text;
    for (const StageMember& one : members) {
        text += text_of(one) + ", ";
    }
    return text;
}

std::string quoted(const std::vector<StageMember>& members) {
    std::string text;
    for (const StageMember& one : members) {
        text += fmt::format("\"{}\", ", one.name);
    }
    return text;
}

}  // namespace jitune::internal
