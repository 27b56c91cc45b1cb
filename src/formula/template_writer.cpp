// SPDX-License-Identifier: Apache-2.0
#include "formula/template_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formula/stage_writer.hpp"
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

class TemplateWriter {
public:
    TemplateWriter(std::string_view formula, const FormulaBinding& binding, PlatformKind platform)
        : formula_(formula),
          binding_(binding),
          host_(runs_on_cpu(platform)),
          platform_(platform),
          plan_(plan_formula(formula, parse_formula(formula), binding)) {
        StageWriter kernels(formula, plan_, binding, host_ ? StageStyle::host : StageStyle::device);
        for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
            stages_.push_back(kernels.write(i, fmt::format("Stage{}", i)));
        }
        types_ = kernels.types();
        StageWriter plain(formula, plan_, binding,
                          host_ ? StageStyle::host_plain : StageStyle::device_plain, &types_);
        for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
            plain_.push_back(plain.write(i, fmt::format("Plain{}", i)));
        }
        for (const FormulaStage& stage : plan_.stages) {
            for (const FormulaStep& step : stage.steps) {
                exact_ = exact_ && is_exact(step.value) &&
                         (step.operation == nullptr ||
                          (step.operation->kind != FormulaOperation::Kind::real &&
                           step.operation->name != "product" && step.operation->tolerance == 0));
                if (step.operation != nullptr &&
                    step.operation->kind == FormulaOperation::Kind::own) {
                    own_[step.operation->name] = step.operation;
                }
            }
        }
    }

    [[nodiscard]] std::string text() const { return host_ ? host_text() : device_text(); }

private:
    [[nodiscard]] std::string head() const {
        std::string summary(formula_);
        std::replace_if(
            summary.begin(), summary.end(),
            [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
        return fmt::format(
            "/* jitune template\nkernel = \"map_reduce_{}\"\nbackend = \"{}\"\nsummary = \"{}\"\n"
            "sizes = [\"n\"]\n",
            hex(Hasher("formula").text(std::string(formula_)).digest()).substr(0, 8),
            to_string(platform_), summary);
    }

    [[nodiscard]] std::string arguments() const {
        std::string text = "\n[types.reference]\nfloat64 = \"double\"\n\n[arguments]\n";
        for (const FormulaInput& one : binding_.inputs) {
            const std::string_view type = to_string(one.type);
            if (one.kind == FormulaInput::Kind::value) {
                text +=
                    fmt::format("in_{} = {{ access = \"value\", type = \"{}\", value = \"{}\" }}\n",
                                one.name, type, is_whole(one.type) ? "3" : "0.5");
            } else {
                const bool is_array = one.kind == FormulaInput::Kind::array;
                text += fmt::format(
                    "in_{} = {{ access = \"in\", type = \"{}\", count = \"{}\", fill = \"{}\" }}\n",
                    one.name, type, is_array ? "n" : "1",
                    is_array             ? fill(one.type)
                    : is_whole(one.type) ? "constant 3"
                                         : "constant 0.5");
            }
        }
        for (const FormulaOutput& one : binding_.outputs) {
            const bool is_array = is_written(one.name);
            text += fmt::format(
                "out_{} = {{ access = \"out\", type = \"{}\", count = \"{}\"{} }}\n", one.name,
                to_string(one.type), is_array ? "n" : "1", tolerance(one.type));
        }
        for (std::size_t i = 0; i < plan_.results.size(); ++i) {
            if (plan_.results[i].is_read_later &&
                binding_.output(plan_.results[i].name) == nullptr) {
                text += fmt::format(
                    "kept_{} = {{ access = \"scratch\", type = \"{}\", count = \"1\" }}\n", i,
                    to_string(types_[i]));
            }
        }
        return text + "n = { access = \"scalar\", type = \"uint64\", value = \"n\" }\n";
    }

    /// Whole numbers for exact formulas, so that sums cancel without error; else numbers near 1, of
    /// which roots, logarithms and quotients are numbers.
    [[nodiscard]] std::string fill(ElementType type) const {
        const bool is_signed = type != uint8 && type != uint16 && type != uint32 && type != uint64;
        if (is_whole(type)) {
            return is_signed ? "random -8..8" : "random 0..8";
        }
        return exact_ ? "whole -8..8" : "random 0.5..2";
    }

    [[nodiscard]] std::string tolerance(ElementType type) const {
        if (is_whole(type) || exact_) {
            return "";
        }
        const std::pair<double, std::string_view> usual = type == float64 ? std::pair{1e-8, "1e-8"}
                                                          : type == float32
                                                              ? std::pair{1e-3, "1e-3"}
                                                              : std::pair{2e-2, "2e-2"};
        double most = usual.first;
        for (const auto& [name, operation] : own_) {
            most = std::max(most, operation->tolerance);
        }
        return most > usual.first ? fmt::format(", tolerance = {}", most)
                                  : fmt::format(", tolerance = {}", usual.second);
    }

    /// The source of the formula's own operations.
    [[nodiscard]] std::string sources() const {
        std::string text;
        for (const auto& [name, operation] : own_) {
            text += operation->source;
        }
        return text;
    }

    [[nodiscard]] bool is_written(const std::string& name) const {
        return std::any_of(
            plan_.stages.begin(), plan_.stages.end(), [&](const FormulaStage& stage) {
                return std::any_of(
                    stage.steps.begin(), stage.steps.end(), [&](const FormulaStep& step) {
                        return step.kind == FormulaStep::Kind::store && step.array == name;
                    });
            });
    }

    static std::string names(const StageText& stage) {
        std::string text;
        for (const StageMember& one : stage.members) {
            text += fmt::format("{}{}", text.empty() ? "" : ", ", one.name);
        }
        return text;
    }

    static std::string declared(const StageText& stage) {
        std::string text;
        for (const StageMember& one : stage.members) {
            text += text_of(one) + ", ";
        }
        return text;
    }

    static std::string quoted(const StageText& stage) {
        std::string text;
        for (const StageMember& one : stage.members) {
            text += fmt::format("\"{}\", ", one.name);
        }
        return text;
    }

    /// The members of all stages, each once: what the reference takes.
    [[nodiscard]] StageText all_members() const {
        StageText all;
        for (const StageText& stage : plain_) {
            for (const StageMember& one : stage.members) {
                const auto known =
                    std::find_if(all.members.begin(), all.members.end(),
                                 [&](const StageMember& other) { return other.name == one.name; });
                if (known == all.members.end()) {
                    all.members.push_back(one);
                } else if (one.kind == StageMember::Kind::written) {
                    known->kind = one.kind;
                }
            }
        }
        return all;
    }

    [[nodiscard]] std::size_t most(std::size_t StageText::*field) const {
        std::size_t result = 0;
        for (const StageText& stage : stages_) {
            result = std::max(result, stage.*field);
        }
        return result;
    }

    [[nodiscard]] std::string device_text() const {
        const std::size_t state = most(&StageText::state_bytes);
        const std::size_t bytes = std::max<std::size_t>(most(&StageText::array_bytes), 1);
        const std::size_t widest = most(&StageText::widest);
        std::size_t total = 0;
        for (const StageText& stage : stages_) {
            total += stage.array_bytes;
        }
        const std::size_t words = state <= 8 ? 1 : (state + 15) / 16 * 2;  // of 8 bytes, see Stored
        const std::size_t slots = (std::max<std::size_t>(state, 1) + 7) / 8;
        const bool reduces = state > 0;
        std::string text = head();
        text += fmt::format(
            R"toml(constraints = [
    "block <= max_threads_per_block",
    "threads_per_sm <= max_threads_per_sm AND threads_per_sm % block = 0",
    "load = 'standard' OR (compute_capability >= 80 AND vector * {widest} >= 16)",
    {finish_constraints}
]
prune = [
    "vector * {widest} <= 32 AND vector * {widest} >= 4",
    "unroll * vector * {bytes} <= 512 OR (unroll = 1 AND vector * {widest} <= 16)",
    "bytes <= 4194304 OR vector * {widest} >= 16",
    "threads_per_sm = 0 OR unroll * vector * {bytes} >= 64",
    "block * blocks_per_sm <= iif(threads_per_sm = 0, max_threads_per_sm, threads_per_sm)",
    "blocks_per_sm <= 1 OR sm_count * (blocks_per_sm / 2) < ceil_div(n, tile)",
    "load = 'standard' OR bytes >= 16777216",
    "load <> 'evict_first' OR bytes > l2_bytes / 2",
    {finish_prune}
]
reproducibility = "'fixed'"

[parameters]
block = {{ values = [128, 256, 512, 1024], default = 256 }}
vector = {{ values = [1, 2, 4, 8, 16], default = {vector} }}
unroll = {{ values = [1, 2, 4, 8, 16], default = {unroll} }}
blocks_per_sm = {{ values = [0, 1, 2, 4, 8, 16], default = 8 }}
threads_per_sm = {{ values = [0, 512, 1024, 1536], default = 0 }}
load = {{ values = ["standard", "streaming", "evict_first"], default = "standard", type = "jitune::Load" }}
{finish}
[derived]
bytes = "n * {total}"
tile = "block * vector * unroll"
blocks = "{blocks}"
{arguments}partials = {{ access = "scratch", type = "uint64", count = "{words} * blocks" }}
counters = {{ access = "zeroed", type = "uint64", count = "{counters} * blocks" }}
)toml",
            fmt::arg("widest", widest), fmt::arg("bytes", bytes),
            fmt::arg("total", std::max<std::size_t>(total, 1)),
            fmt::arg("finish_constraints",
                     reduces ? "\"(finish = 'direct') = (blocks_per_sm = 0)\",\n    \"finish <> "
                               "'slots' OR compute_capability >= 70\","
                             : ""),
            fmt::arg("finish_prune",
                     reduces
                         ? "\"finish = 'direct' OR n > tile\",\n    \"finish <> 'direct' OR bytes "
                           "<= 262144\",\n    "
                           "\"finish <> 'ticket' OR bytes > 4194304 OR compute_capability < 70\","
                         : ""),
            fmt::arg("vector", std::max<std::size_t>(16 / widest, 1)),
            fmt::arg("unroll", bytes <= 8    ? 4
                               : bytes <= 16 ? 2
                                             : 1),
            fmt::arg("finish", reduces ? "finish = { values = [\"direct\", \"slots\", \"ticket\"], "
                                         "default = \"ticket\", "
                                         "type = \"jitune::Finish\" }\n"
                                       : ""),
            fmt::arg("blocks", reduces ? "max(1, min(sm_count * blocks_per_sm, ceil_div(n, tile)))"
                                       : "max(1, iif(blocks_per_sm = 0, ceil_div(n, tile), "
                                         "min(sm_count * blocks_per_sm, "
                                         "ceil_div(n, tile))))"),
            fmt::arg("arguments", arguments()), fmt::arg("words", words),
            fmt::arg("counters", 2 * slots));
        const std::string_view parameters =
            reduces ? "\"block\", \"vector\", \"unroll\", \"threads_per_sm\", \"load\", \"finish\""
                    : "\"block\", \"vector\", \"unroll\", \"threads_per_sm\", \"load\"";
        std::string code;
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            text += fmt::format(
                "\n[[launch]]\nentry = \"jitune::stage_{}\"\ntemplate = [{}]\narguments = "
                "[{}\"n\", "
                "\"partials\", \"counters\"]\nblock = \"block\"\ngrid = \"blocks\"\nprogrammatic = "
                "\"compute_capability >= 90\"\n",
                i, parameters, quoted(stages_[i]));
            code += stages_[i].code + fmt::format(
                                          R"(
template <int block, int vector, int unroll, int threads_per_sm, Load load{parameter}>
__global__ void __launch_bounds__(block, threads_per_sm / block)
    stage_{i}({declared}Index n, void* partials, void* counters) {{
    run_stage<Stage{i}, block, vector, unroll, load, {finish}>(Stage{i}{{{names}}}, n, {{partials, counters}});
}}

)",
                                          fmt::arg("i", i),
                                          fmt::arg("parameter", reduces ? ", Finish finish" : ""),
                                          fmt::arg("finish", reduces ? "finish" : "Finish::direct"),
                                          fmt::arg("declared", declared(stages_[i])),
                                          fmt::arg("names", names(stages_[i])));
        }
        text += fmt::format(
            "\n[reference]\nentry = \"jitune::plainly\"\ntemplate = [\"reference\"]\narguments = "
            "[{}\"n\"]\nblock = "
            "\"1024\"\ngrid = \"1\"\n",
            quoted(all_members()));
        for (const StageText& stage : plain_) {
            code += stage.code + "\n";
        }
        code += fmt::format(
            "template <class>  // candidates do not compile it\n__global__ void "
            "__launch_bounds__(1024) plainly({}Index n) {{\n",
            declared(all_members()));
        for (std::size_t i = 0; i < plain_.size(); ++i) {
            code += fmt::format("    run_plainly(Plain{}{{{}}}, n);\n", i, names(plain_[i]));
        }
        return text + "*/\n#include \"jitune_formula.h\"\n" + sources() +
               "\nnamespace jitune {\n\n" + code + "}\n\n}  // namespace jitune\n";
    }

    [[nodiscard]] std::string host_text() const {
        std::size_t total = 0;
        for (const StageText& stage : stages_) {
            total += std::max<std::size_t>(stage.array_bytes, 1);
        }
        std::string text = head();
        text += fmt::format(R"toml(cache = "warm"
constraints = ["cores_per_thread <= cores"]
prune = [
    "threads <= max(1, n * {total} / 65536)",
    "chunks_per_thread = 1 OR (threads > 1 AND threads * chunks_per_thread * 65536 <= n * {total})",
    "chunks_per_thread > 1 OR n * {total} <= 16 * cores * 65536 OR threads = 1",
]
reproducibility = "'fixed'"

[parameters]
cores_per_thread = {{ values = [512, 256, 128, 64, 32, 16, 8, 4, 2, 1], default = 1 }}
chunks_per_thread = {{ values = [1, 4, 16], default = 16 }}
step = {{ values = [1024, 4096], default = 1024 }}

[derived]
threads = "cores / cores_per_thread"
{arguments}threads = {{ access = "scalar", type = "int32", value = "threads" }}
chunks_per_thread = {{ access = "scalar", type = "int32", value = "chunks_per_thread" }}
)toml",
                            fmt::arg("total", total), fmt::arg("arguments", arguments()));
        const StageText all = all_members();
        text += fmt::format(
            "\n[[launch]]\nentry = \"jitune::stages\"\ntemplate = [\"step\"]\narguments = "
            "[{0}\"n\", \"threads\", "
            "\"chunks_per_thread\"]\n\n[reference]\nentry = \"jitune::plainly\"\ntemplate = "
            "[\"reference\"]\narguments = "
            "[{0}\"n\"]\n",
            quoted(all));
        std::string code, runs, plain_runs;
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            code += stages_[i].code + "\n" + plain_[i].code + "\n";
            runs += fmt::format(
                "    run_stage<Stage{0}, step>(Stage{0}{{{1}}}, n, threads, chunks_per_thread);\n",
                i, names(stages_[i]));
            plain_runs += fmt::format("    run_stage<Plain{0}, 65536>(Plain{0}{{{1}}}, n, 1, 1);\n",
                                      i, names(plain_[i]));
        }
        code += fmt::format(
            "template <int step>\nvoid stages({0}Index n, int threads, int chunks_per_thread) "
            "{{\n{1}}}\n\n"
            "template <class>  // candidates do not compile it\nvoid plainly({0}Index n) "
            "{{\n{2}}}\n",
            declared(all), runs, plain_runs);
        return text + "*/\n#include \"jitune_host_formula.h\"\n" + sources() +
               "\nnamespace jitune {\n\n" + code + "\n}  // namespace jitune\n";
    }

    std::string_view formula_;
    const FormulaBinding& binding_;
    bool host_;
    PlatformKind platform_;
    FormulaPlan plan_;
    std::vector<StageText> stages_, plain_;
    std::vector<ElementType> types_;
    std::map<std::string_view, const FormulaOperation*> own_;  ///< operations that it uses
    bool exact_ = true;
};

}  // namespace

std::string formula_template(std::string_view formula, const FormulaBinding& binding,
                             PlatformKind platform) {
    return TemplateWriter(formula, binding, platform).text();
}

std::vector<FormulaGift> formula_gifts(std::string_view formula,
                                       const std::vector<FormulaInput>& inputs,
                                       std::span<const FormulaOperation> operations) {
    const std::vector<FormulaStatement> statements = parse_formula(formula);
    FormulaBinding binding{inputs, {}, operations};
    std::vector<FormulaGift> gifts;
    for (const FormulaStatement& one : statements) {
        const bool is_known = std::any_of(gifts.begin(), gifts.end(), [&](const FormulaGift& gift) {
            return gift.name == one.name;
        });
        if (is_known) {
            continue;
        }
        const FormulaInput* const input = binding.input(one.name);
        gifts.push_back({one.name, one.is_array, ElementType::float64});
        if (one.is_array) {
            gifts.back().type = input == nullptr ? ElementType::float64 : input->type;
            binding.outputs.push_back({one.name, gifts.back().type});
        }
    }
    const FormulaPlan plan = plan_formula(formula, statements, binding);
    StageWriter writer(formula, plan, binding, StageStyle::host);
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        static_cast<void>(writer.write(i, "Stage"));
    }
    for (FormulaGift& gift : gifts) {
        if (gift.is_array && binding.input(gift.name) == nullptr) {
            gift.type = writer.written_types().at(gift.name);
        }
        for (std::size_t k = 0; k < plan.results.size(); ++k) {
            gift.type = plan.results[k].name == gift.name ? writer.types()[k] : gift.type;
        }
    }
    return gifts;
}

}  // namespace jitune::internal
