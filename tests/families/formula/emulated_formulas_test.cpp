// SPDX-License-Identifier: Apache-2.0
// The CUDA kernels of formulas on emulated blocks: what they give for arrays of all lengths and
// alignments. Whether they compile for GPUs, and how they do there, other tests show.
#include "fake/emulated_block.hpp"
#include "fake/emulated_kernel.hpp"
#include "fixtures/formula_list.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "formula/syntax.hpp"

namespace jitune::internal {
namespace {

using Bytes = std::vector<std::byte>;

/// Bytes `offset` behind an aligned address, between others of which no number can be made and
/// which must stay as they are.
class GuardedBytes {
public:
    GuardedBytes(const Bytes& bytes, std::size_t offset)
        : begin_(kGuard + offset), size_(bytes.size()), all_((begin_ + size_ + kGuard) / 256 + 1) {
        std::memset(all_.data(), 0xff, all_.size() * sizeof(Line));
        std::copy(bytes.begin(), bytes.end(), data());
    }
    [[nodiscard]] std::byte* data() { return all_.front().bytes + begin_; }
    [[nodiscard]] Bytes bytes() { return {data(), data() + size_}; }
    [[nodiscard]] bool is_intact() {
        const std::byte* const first = all_.front().bytes;
        const auto is_guard = [](std::byte one) { return one == std::byte{0xff}; };
        return std::all_of(first, first + begin_, is_guard) &&
               std::all_of(first + begin_ + size_, first + all_.size() * sizeof(Line), is_guard);
    }

private:
    static constexpr std::size_t kGuard = 4096;
    struct alignas(256) Line {
        std::byte bytes[256];
    };
    std::size_t begin_, size_;
    std::vector<Line> all_;
};

/// Where the arrays of a call begin.
struct Places {
    std::size_t offset;  ///< elements behind an aligned address
    bool apart;          ///< each array another number of elements
    bool in_place;       ///< arrays that are written lie where they are read
};

Bytes values_for(const FormulaInput& input, std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    FormulaValues values(count);
    const bool is_real = input.type == ElementType::float16 ||
                         input.type == ElementType::bfloat16 ||
                         input.type == ElementType::float32 || input.type == ElementType::float64;
    const bool is_unsigned = input.type == ElementType::uint8 ||
                             input.type == ElementType::uint16 ||
                             input.type == ElementType::uint32 || input.type == ElementType::uint64;
    for (double& value : values) {
        const double whole = static_cast<double>(random() % 13) - (is_unsigned ? 0 : 6);
        value = is_real ? whole / 2 : whole;
    }
    return stored_values(input.type, values);
}

class EmulatedFormulas : public testing::TestWithParam<std::size_t> {
protected:
    /// The outputs that a launch rule gives, from blocks in their order or in another one.
    std::vector<Bytes> outputs_of(const Instance& instance, const LaunchRule& rule,
                                  const std::vector<std::int64_t>& sizes, const Places& places,
                                  bool shuffled) {
        std::vector<std::unique_ptr<GuardedBytes>> memory;
        std::vector<void*> arrays;
        const auto place = [&](const Bytes& bytes, ElementType type) {
            const std::size_t elements = places.offset + (places.apart ? arrays.size() : 0);
            memory.push_back(std::make_unique<GuardedBytes>(bytes, elements * bytes_of(type)));
            arrays.push_back(memory.back()->data());
        };
        for (std::size_t k = 0; k < formula_.binding.inputs.size(); ++k) {
            const FormulaInput& input = formula_.binding.inputs[k];
            if (input.kind == FormulaInput::Kind::value) {
                std::uint64_t bits = 0;
                std::memcpy(&bits, inputs_[k].data(), inputs_[k].size());
                memory.push_back(nullptr);
                arrays.push_back(argument_of(bits));
            } else {
                place(inputs_[k], input.type);
            }
        }
        std::vector<std::size_t> at;  // of each output
        for (std::size_t k = 0; k < formula_.binding.outputs.size(); ++k) {
            const FormulaOutput& output = formula_.binding.outputs[k];
            const FormulaInput* const input = formula_.binding.input(output.name);
            at.push_back(memory.size());
            if (input != nullptr && places.in_place) {
                at.back() = static_cast<std::size_t>(input - formula_.binding.inputs.data());
                arrays.push_back(arrays[at.back()]);
                memory.push_back(nullptr);
            } else {
                place(Bytes(answers_[k].size() * bytes_of(output.type)), output.type);
            }
        }
        if (formula_.binding.shape == LineShape::segments) {
            place(stored_values(formula_.binding.offset, {starts_.begin(), starts_.end()}),
                  formula_.binding.offset);
        }
        const LaunchRule::Plan plan = rule.plan(sizes);
        GuardedBytes plain(Bytes(plan.scratch.plain, std::byte{0x7b}), 0);
        GuardedBytes zeroed(Bytes(plan.scratch.zeroed), 0);
        const Launch launch = rule.bind(plan, arrays, {plain.data(), zeroed.data()});
        for (std::size_t k = 0; k < launch.step_count; ++k) {
            run(launch, launch.steps[k], instance, shuffled);
        }
        EXPECT_EQ(zeroed.bytes(), Bytes(plan.scratch.zeroed)) << "work memory is not left zero";
        EXPECT_TRUE(plain.is_intact() && zeroed.is_intact()) << "beside work memory";
        std::vector<Bytes> outputs;
        for (const std::size_t one : at) {
            outputs.push_back(memory[one]->bytes());
        }
        for (const auto& one : memory) {
            EXPECT_TRUE(one == nullptr || one->is_intact()) << "beside an array";
        }
        return outputs;
    }

    static bool has_several_blocks(const Launch& launch) {
        return std::any_of(launch.steps.begin(), launch.steps.begin() + launch.step_count,
                           [](const LaunchStep& step) { return step.grid.x > 1; });
    }

    void run(const Launch& launch, const LaunchStep& step, const Instance& instance,
             bool shuffled) {
        const EmulatedKernel kernel = emulated_formulas().at(
            fmt::format("{}: {}", formula_.name, instance.expressions[step.entry]));
        std::vector<EmulatedArgument> arguments;
        for (std::size_t i = 0; i < step.argument_count; ++i) {
            arguments.push_back({launch.cells[step.arguments[i]]});
        }
        gridDim.x = step.grid.x;
        blockDim.x = step.block.x;
        std::vector<unsigned> blocks(step.grid.x);
        std::iota(blocks.begin(), blocks.end(), 0U);
        if (shuffled) {
            std::shuffle(blocks.begin(), blocks.end(), std::mt19937(step.grid.x));
        }
        for (const unsigned block : blocks) {
            blockIdx.x = block;
            emulated::Block::now().run(step.block.x, [&] { kernel(arguments); });
        }
    }

    void expect_answers(const std::vector<Bytes>& got) {
        for (std::size_t k = 0; k < got.size(); ++k) {
            const FormulaOutput& output = formula_.binding.outputs[k];
            double largest = 0;
            for (const double one : answers_[k]) {
                largest = std::isfinite(one) ? std::max(largest, std::abs(one)) : largest;
            }
            const RandomFormula::Answer answer{
                read_values(output.type, stored_values(output.type, answers_[k])),
                formula_.tolerance * largest};
            EXPECT_EQ(complaint(answer, read_values(output.type, got[k])), "") << output.name;
        }
    }

    void expect_right(const std::vector<std::int64_t>& sizes, const Places& places) {
        SCOPED_TRACE(fmt::format(
            "{}: {}, sizes {}, offset {}{}{}", formula_.name, formula_.text, fmt::join(sizes, ", "),
            places.offset, places.apart ? ", apart" : "", places.in_place ? ", in place" : ""));
        // Rules take what is known of all sizes.
        const Problem problem = problem_of(kernel_, formula_.sizes.back());
        make_values(sizes);
        const auto configurations = drawn_configurations(formula_, kernel_, small_gpu());
        const auto reference = kernel_.reference(problem, small_gpu(), configurations.front());
        expect_answers(outputs_of(reference->instance, reference->rule, sizes, places, false));
        for (const Configuration& one : configurations) {
            SCOPED_TRACE(one.text());
            const Instance instance = kernel_.instance(problem, one);
            const LaunchRule rule = kernel_.launch_rule(problem, small_gpu(), one);
            const auto outputs = outputs_of(instance, rule, sizes, places, false);
            expect_answers(outputs);
            if (has_several_blocks(rule.plan(sizes).launch)) {
                EXPECT_EQ(outputs, outputs_of(instance, rule, sizes, places, true))
                    << "depends on the order of the blocks";
            }
        }
    }

    const ListedFormula& formula_ = formula_list()[GetParam()];
    const KernelTemplate kernel_ = formula_.kernel();

private:
    void make_values(const std::vector<std::int64_t>& sizes) {
        inputs_.clear();
        std::vector<FormulaValues> values;
        for (const FormulaInput& one : formula_.binding.inputs) {
            std::size_t count = 1;
            if (one.kind != FormulaInput::Kind::value) {
                const ArgumentSpec& spec = *kernel_.front_matter().find_argument("in_" + one.name);
                count = static_cast<std::size_t>(std::get<std::int64_t>(
                    *kernel_.value_of(spec.amount, problem_of(kernel_, sizes))));
            }
            inputs_.push_back(
                values_for(one, count, static_cast<unsigned>(inputs_.size() + 7 * count)));
            values.push_back(read_values(one.type, inputs_.back()));
        }
        make_lines(sizes);
        make_answers(values);
    }

    void make_lines(const std::vector<std::int64_t>& sizes) {
        const bool is_columns = formula_.binding.shape == LineShape::columns;
        starts_ = {0};
        if (formula_.binding.shape == LineShape::flat) {
            starts_.push_back(sizes[0]);
            return;
        }
        const std::int64_t lines = is_columns ? sizes[1] : sizes[0];
        const std::int64_t length = is_columns ? sizes[0] : sizes[1];
        std::mt19937 random(7);
        for (std::int64_t line = 0; line < lines; ++line) {
            starts_.push_back(formula_.binding.shape != LineShape::segments ? (line + 1) * length
                              : line + 1 == lines
                                  ? sizes[1]
                                  : static_cast<std::int64_t>(random() % (sizes[1] + 1)));
        }
        std::sort(starts_.begin(), starts_.end());
    }

    /// Of element `i` of a line.
    [[nodiscard]] std::size_t place(std::size_t line, std::size_t i) const {
        return formula_.binding.shape == LineShape::columns
                   ? i * (starts_.size() - 1) + line
                   : static_cast<std::size_t>(starts_[line]) + i;
    }

    void make_answers(const std::vector<FormulaValues>& values) {
        const std::vector<FormulaInput>& inputs = formula_.binding.inputs;
        const std::vector<FormulaOutput>& outputs = formula_.binding.outputs;
        std::vector<bool> is_array;
        answers_.clear();
        for (const FormulaOutput& output : outputs) {
            const auto statements = parse_formula(formula_.text);
            is_array.push_back(std::any_of(
                statements.begin(), statements.end(),
                [&](const auto& one) { return one.is_array && one.name == output.name; }));
            answers_.emplace_back(is_array.back() ? static_cast<std::size_t>(starts_.back())
                                                  : starts_.size() - 1);
        }
        for (std::size_t line = 0; line + 1 < starts_.size(); ++line) {
            const auto n = static_cast<std::size_t>(starts_[line + 1] - starts_[line]);
            std::vector<FormulaValues> in = values;
            for (std::size_t k = 0; k < in.size(); ++k) {
                if (inputs[k].kind == FormulaInput::Kind::lines) {
                    in[k] = {values[k][line]};
                } else if (inputs[k].kind == FormulaInput::Kind::array) {
                    in[k].resize(n);
                    for (std::size_t i = 0; i < n; ++i) {
                        in[k][i] = values[k][place(line, i)];
                    }
                }
            }
            const std::vector<FormulaValues> answers = formula_.answers(in, n);
            for (std::size_t k = 0; k < answers.size(); ++k) {
                for (std::size_t i = 0; i < answers[k].size(); ++i) {
                    answers_[k][is_array[k] ? place(line, i) : line] = answers[k][i];
                }
            }
        }
    }

    std::vector<Bytes> inputs_;
    std::vector<std::int64_t>
        starts_;  ///< of each line that is not a column, and the end of the last
    std::vector<FormulaValues> answers_;
};

TEST_P(EmulatedFormulas, GiveTheirAnswers) {
    for (const auto& sizes : formula_.sizes) {
        expect_right(sizes, {0, false, true});
        expect_right(sizes, {3, false, false});
        expect_right(sizes, {1, true, true});
    }
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedFormulas,
                         testing::Range<std::size_t>(0, formula_list().size()),
                         [](const auto& one) { return formula_list()[one.param].name; });

}  // namespace
}  // namespace jitune::internal
