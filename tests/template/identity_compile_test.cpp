// SPDX-License-Identifier: Apache-2.0
// That every built-in template is still the kernel as which it is known: with the passages of
// identities.toml put back, it has the same configurations and launches and compiles to the same
// code.

#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "backend/host/host_platform.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/reduce/reduce_types.hpp"
#include "jitune/error.hpp"
#include "template/template_headers.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {
namespace {

using Shape = detail::ReduceShape;

constexpr int kArchitectures[] = {75, 90, 120};

/// The lines of a text that are not comments.
std::string without_comments(const std::string& text) {
    std::istringstream lines(text);
    std::string code;
    for (std::string line; std::getline(lines >> std::ws, line);) {
        code += line.starts_with("//") ? "" : line + "\n";
    }
    return code;
}

/// The text behind the front matter and all headers but the TOML files: what is compiled.
std::string code_of(const TemplateSource& source) {
    std::string code = without_comments(source.text.substr(source.text.find("*/")));
    for (const auto& [name, text] : source.headers) {
        code += name.ends_with(".toml") ? "" : name + "\n" + without_comments(text);
    }
    return code;
}

DeviceInfo gpu(int architecture) {
    DeviceInfo info;
    info.platform = PlatformKind::cuda;
    info.attributes = {{"sm_count", 132},
                       {"warp_size", 32},
                       {"max_threads_per_block", 1024},
                       {"max_threads_per_sm", architecture == 75 ? 1024 : 2048},
                       {"max_blocks_per_sm", 32},
                       {"shared_bytes_per_block", 99 << 10},
                       {"registers_per_sm", 64 << 10},
                       {"l2_bytes", 48 << 20},
                       {"compute_capability", architecture},
                       {"memory_bus_bits", 5120},
                       {"memory_clock_khz", 2'000'000}};
    return info;
}

struct Subject {
    KernelTemplate present, known;
    std::vector<Problem> problems;
};

/// Every operation that `known` has, over an element type and a size of its own. A new operation is
/// not part of the kernel as which a template is known.
std::vector<Problem> problems_of(ReduceKind kind, const KernelTemplate& known) {
    const auto& operations = known.front_matter().types.at("operation");
    std::vector<Problem> problems;
    for (const ReduceOpRow& row : reduce_operations()) {
        const std::size_t at = problems.size();
        const ElementType element = element_types()[at % element_types().size()];
        const std::int64_t n = std::int64_t{1} << (8 + 5 * (at % 5));
        const Shape shape = kind == ReduceKind::all       ? Shape::all(n)
                            : kind == ReduceKind::rows    ? Shape::rows(n, 1000)
                            : kind == ReduceKind::columns ? Shape::columns(1000, n)
                                                          : Shape::segments(n, 100 * n);
        if (row.kind != ResultKind::custom && operations.contains(std::string(row.name))) {
            problems.push_back(reduce_problem(
                {element, results_of(element, row.value).front(), row.value, shape}));
        }
    }
    return problems;
}

/// The templates with passages to put back; the others are themselves.
std::vector<Subject> subjects(PlatformKind platform) {
    std::vector<Subject> result;
    for (const ReduceKind kind :
         {ReduceKind::all, ReduceKind::rows, ReduceKind::columns, ReduceKind::segments}) {
        const TemplateSource& source = reduce_kernel(kind, platform).kernel_template.source();
        const TemplateSource earlier = with_known_passages(source);
        if (earlier.text == source.text && earlier.headers == source.headers) {
            continue;
        }
        KernelTemplate known(earlier);
        std::vector<Problem> problems = problems_of(kind, known);
        result.push_back({KernelTemplate(source), std::move(known), std::move(problems)});
    }
    return result;
}

std::string text_of(const Extent& extent) {
    return fmt::format("{} x {} x {}", extent.x, extent.y, extent.z);
}

/// Configurations, the order of their sums and their launches, as far as a few of them show.
void expect_same_rules(const Subject& subject, const DeviceInfo& device) {
    for (const Problem& problem : subject.problems) {
        SCOPED_TRACE(problem.types.at("operation") + " of " + problem.types.at("element"));
        const SearchSpace present = subject.present.space(problem, device);
        const SearchSpace known = subject.known.space(problem, device);
        ASSERT_EQ(present.size(), known.size());
        for (std::size_t i = 0; i < present.size(); i += 1 + present.size() / 20) {
            const Configuration one = present.at(i);
            ASSERT_EQ(one.text(), known.at(i).text());
            EXPECT_EQ(subject.present.reproducibility(one, problem, device),
                      subject.known.reproducibility(one, problem, device));
            const auto plan = subject.present.launch_rule(problem, device, one).plan(problem.sizes);
            const auto other = subject.known.launch_rule(problem, device, one).plan(problem.sizes);
            EXPECT_EQ(text_of(plan.launch.steps[0].grid), text_of(other.launch.steps[0].grid));
            EXPECT_EQ(text_of(plan.launch.steps[0].block), text_of(other.launch.steps[0].block));
            EXPECT_EQ(plan.launch.steps[0].shared_bytes, other.launch.steps[0].shared_bytes);
            EXPECT_EQ(plan.launch.step_count, other.launch.step_count);
        }
    }
}

/// The default configuration of each problem, for a device.
std::vector<Instance> instances(const Subject& subject, const DeviceInfo& device) {
    std::vector<Instance> result;
    for (const Problem& problem : subject.problems) {
        const SearchSpace space = subject.known.space(problem, device);
        result.push_back(
            subject.known.instance(problem, subject.known.default_configuration(problem, device)));
    }
    return result;
}

/// NVRTC puts a hash of the text into the names of a file's own constants.
std::string named_alike(std::string image) {
    const std::string ending = "_cu_";
    const std::string hash(8, '0');
    for (std::size_t at = image.find(ending); at != std::string::npos;
         at = image.find(ending, at + 1)) {
        if (at + ending.size() + hash.size() < image.size() &&
            image[at + ending.size() + hash.size()] == '_') {
            image.replace(at + ending.size(), hash.size(), hash);
        }
    }
    return image;
}

void expect_same(const std::vector<CompileOutcome>& present,
                 const std::vector<CompileOutcome>& known) {
    ASSERT_EQ(present.size(), known.size());
    for (std::size_t i = 0; i < present.size(); ++i) {
        const auto* one = std::get_if<Binary>(&present[i]);
        const auto* other = std::get_if<Binary>(&known[i]);
        ASSERT_TRUE(one != nullptr && other != nullptr);
        EXPECT_TRUE(named_alike(*one->image) == named_alike(*other->image)) << one->symbols.front();
    }
}

TEST(IdentityCompile, CudaTemplatesAreTheKernelsAsWhichTheyAreKnown) {
    for (const Subject& subject : subjects(PlatformKind::cuda)) {
        SCOPED_TRACE(subject.present.source().name);
        for (const int architecture : kArchitectures) {
            const DeviceInfo device = gpu(architecture);
            expect_same_rules(subject, device);
            if (code_of(subject.present.source()) == code_of(subject.known.source())) {
                continue;  // saves the compiler's time
            }
            try {
                const auto nvrtc = load_nvrtc();
                const auto each = instances(subject, device);
                expect_same(compile_instances(*nvrtc, subject.present.source(), each, architecture),
                            compile_instances(*nvrtc, subject.known.source(), each, architecture));
            } catch (const Error& error) {
                GTEST_SKIP() << error.what();
            }
        }
    }
}

TEST(IdentityCompile, HostTemplatesAreTheKernelsAsWhichTheyAreKnown) {
    const auto platform = make_host_platform(Log(LogLevel::off));
    Device& device = platform->device(0);
    for (const Subject& subject : subjects(PlatformKind::host)) {
        SCOPED_TRACE(subject.present.source().name);
        expect_same_rules(subject, device.info());
        if (code_of(subject.present.source()) == code_of(subject.known.source())) {
            continue;
        }
        const auto each = instances(subject, device.info());
        expect_same(device.compile(subject.present.source(), each),
                    device.compile(subject.known.source(), each));
    }
}

}  // namespace
}  // namespace jitune::internal
