#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "backend/cuda/image_check.hpp"
#include "backend/cuda/nvrtc_compiler.hpp"
#include "engine/kernel_template.hpp"
#include "jitune/error.hpp"
#include "support/embedded.hpp"

namespace jitune {
namespace {

constexpr int kArchitectures[] = {75, 80, 86, 89, 90, 100, 120};

/// Every embedded template for cuda.
std::vector<KernelTemplate> cuda_templates() {
    std::vector<KernelTemplate> result;
    TemplateSource source;
    for (const embedded::File& file : embedded::kernel_templates) {
        if (file.name.starts_with("include/")) {
            source.headers.emplace_back(file.name.substr(std::string_view("include/").size()),
                                        file.text);
        }
    }
    for (const embedded::File& file : embedded::kernel_templates) {
        if (file.name.ends_with(".cu")) {
            source.name = file.name;
            source.text = file.text;
            result.emplace_back(source);
        }
    }
    return result;
}

/// A data center GPU of this architecture, as far as constraints can tell.
DeviceInfo device(int architecture) {
    DeviceInfo info;
    info.attributes = {{"sm_count", 100},
                       {"warp_size", 32},
                       {"max_threads_per_block", 1024},
                       {"max_threads_per_sm", architecture == 75 ? 1024 : 2048},
                       {"max_blocks_per_sm", 32},
                       {"shared_bytes_per_block", 64 << 10},
                       {"registers_per_sm", 64 << 10},
                       {"l2_bytes", 48 << 20},
                       {"compute_capability", architecture},
                       {"memory_bus_bits", 5120},
                       {"memory_clock_khz", 2'000'000}};
    return info;
}

/// Large problems of every combination of the template's types in which the type parameters of
/// equal names (element and accumulator) agree.
std::vector<Problem> problems(const FrontMatter& front) {
    std::vector<Problem> result{{front.kernel, {}, {}, 4}};
    result[0].sizes.assign(front.sizes.size(), std::int64_t{1} << 28);
    for (const auto& [parameter, names] : front.types) {
        std::vector<Problem> longer;
        for (const Problem& problem : result) {
            for (const auto& [name, text] : names) {
                const bool agrees =
                    std::all_of(problem.types.begin(), problem.types.end(), [&](const auto& other) {
                        return front.types.at(other.first) != names || other.second == name;
                    });
                if (agrees) {
                    longer.push_back(problem);
                    longer.back().types[parameter] = name;
                }
            }
        }
        result = std::move(longer);
    }
    return result;
}

/// For the first and the last value of each parameter, the legal configurations nearest to the two
/// ends of the space that have it.
std::vector<Configuration> corners(const SearchSpace& space) {
    std::set<std::size_t> indexes;
    for (const Parameter& parameter : space.parameters()) {
        for (const Value& value : {parameter.values.front(), parameter.values.back()}) {
            std::vector<std::size_t> having;
            for (std::size_t i = 0; i < space.size(); ++i) {
                if (space.at(i).at(parameter.name) == value) {
                    having.push_back(i);
                }
            }
            if (!having.empty()) {
                indexes.insert(having.front());
                indexes.insert(having.back());
            }
        }
    }
    std::vector<Configuration> result;
    for (const std::size_t index : indexes) {
        result.push_back(space.at(index));
    }
    return result;
}

/// One program for one architecture.
struct Job {
    const KernelTemplate* kernel = nullptr;
    int architecture = 0;
    std::vector<Instance> instances;
};

class TemplateCompile : public testing::Test {
protected:
    void SetUp() override {
        try {
            nvrtc_ = load_nvrtc();
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
    }

    void expect_compiles(const Job& job) const {
        const auto outcomes =
            compile_instances(*nvrtc_, job.kernel->source(), job.instances, job.architecture);
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            const std::string& name = job.instances[i].expressions.front();
            if (const auto* failure = std::get_if<CompileFailure>(&outcomes[i])) {
                ADD_FAILURE() << name << " for sm_" << job.architecture << ": " << failure->log;
                continue;
            }
            const Binary& binary = std::get<Binary>(outcomes[i]);
            EXPECT_EQ(binary.format, "cubin") << name;
            EXPECT_EQ(binary.symbols.size(), job.instances[i].expressions.size()) << name;
            EXPECT_NO_THROW(check_image(binary.format, *binary.image)) << name;
        }
    }

    /// Two at a time: more would need more memory than they save time.
    void expect_all_compile(const std::vector<Job>& jobs) const {
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t i = next++; i < jobs.size(); i = next++) {
                expect_compiles(jobs[i]);
            }
        };
        std::thread other(work);
        work();
        other.join();
    }

    std::shared_ptr<const NvrtcTable> nvrtc_;
    const std::vector<KernelTemplate> templates_ = cuda_templates();
};

TEST_F(TemplateCompile, EveryDefaultForEveryTypeAndOperationOnEveryArchitecture) {
    ASSERT_FALSE(templates_.empty());
    std::vector<Job> jobs;
    for (const KernelTemplate& kernel : templates_) {
        for (const int architecture : kArchitectures) {
            Job job{&kernel, architecture, {}};
            for (const Problem& problem : problems(kernel.front_matter())) {
                const SearchSpace space = kernel.space(problem, device(architecture));
                job.instances.push_back(
                    kernel.instance(problem, kernel.default_configuration(space)));
            }
            jobs.push_back(std::move(job));
        }
    }
    expect_all_compile(jobs);
}

TEST_F(TemplateCompile, TheCornersOfTheSpaceOnEveryArchitecture) {
    const std::set<std::string> elements{"float32", "int64"};
    const std::set<std::string> operations{"sum", "min"};
    std::vector<Job> jobs;
    for (const KernelTemplate& kernel : templates_) {
        for (const int architecture : kArchitectures) {
            for (const Problem& problem : problems(kernel.front_matter())) {
                const auto has = [&](const char* parameter, const std::set<std::string>& names) {
                    const auto found = problem.types.find(parameter);
                    return found == problem.types.end() || names.contains(found->second);
                };
                if (!has("element", elements) || !has("operation", operations)) {
                    continue;
                }
                Job job{&kernel, architecture, {}};
                std::set<std::vector<std::string>> seen;
                for (const Configuration& one :
                     corners(kernel.space(problem, device(architecture)))) {
                    Instance instance = kernel.instance(problem, one);
                    if (seen.insert(instance.expressions).second) {
                        job.instances.push_back(std::move(instance));
                    }
                }
                jobs.push_back(std::move(job));
            }
        }
    }
    expect_all_compile(jobs);
}

}  // namespace
}  // namespace jitune
