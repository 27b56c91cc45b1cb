// SPDX-License-Identifier: Apache-2.0
// That reduce.cu compiles for every architecture, as far as pairs of its types, operations,
// parameters and architectures tell.

#include <array>
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "backend/cuda/compile/cuda_program.hpp"
#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/reduce/reduce_types.hpp"
#include "fixtures/compile_only_device.hpp"
#include "fixtures/custom_operations.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/reduce_form.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {
namespace {

constexpr int kArchitectures[] = {75, 80, 86, 89, 90, 100, 120};

int elements() {
    return static_cast<int>(element_types().size());
}
/// The last is custom.
int operations() {
    return static_cast<int>(reduce_operations().size());
}

constexpr std::string_view kLoads[] = {"standard", "streaming", "evict_first"};

/// An index into the values of each factor, in this order.
enum Factor {
    architecture,
    element,
    operation,
    result,
    finish,
    load,
    bulk,
    cluster,
    block,
    unroll,
    pack,
    threads,
    index_bytes,
    kFactors
};
using Levels = std::array<int, kFactors>;
const Levels kLevels = {7, elements(), operations(), 3, 7, 3, 4, 2, 4, 5, 3, 4, 2};
using Choice = std::array<int, kFactors>;

template <class T, std::size_t count>
T pick(const T (&values)[count], int index) {
    return values[static_cast<std::size_t>(index)];
}

Problem problem_of(const Choice& choice, const CustomOperation& custom) {
    const auto type = static_cast<ElementType>(choice[element]);
    const auto op = static_cast<ReduceOp>(choice[operation]);
    const bool atomic = pick(kFinishes, choice[finish]) == "atomic";
    const auto determinism = atomic ? Determinism::any : Determinism::run_to_run;
    const detail::ReduceShape shape = detail::ReduceShape::all(std::size_t{1} << 28);
    if (op == ReduceOp::custom) {
        return reduce_problem({type, custom.result, {custom, determinism}, shape});
    }
    const auto results = results_of(type, op);
    const auto level = static_cast<std::size_t>(choice[result]) % results.size();
    return reduce_problem({type, results[level], {op, determinism}, shape});
}

std::string text_of(const Choice& choice) {
    constexpr int kBlocks[] = {128, 256, 512, 1024};
    constexpr int kUnrolls[] = {1, 2, 4, 8, 16};
    constexpr int kPacks[] = {16, 8, 4};
    constexpr int kThreads[] = {0, 512, 1024, 1536};
    constexpr int kBulk[] = {0, 4, 6, 8};
    const ReduceForm form{.block = pick(kBlocks, choice[block]),
                          .unroll = pick(kUnrolls, choice[unroll]),
                          .pack_bytes = pick(kPacks, choice[pack]),
                          .threads_per_sm = pick(kThreads, choice[threads]),
                          .load = pick(kLoads, choice[load]),
                          .bulk_stages = pick(kBulk, choice[bulk]),
                          .index_bytes = choice[index_bytes] == 0 ? 8 : 4};
    return form.text(static_cast<ElementType>(choice[element]), pick(kFinishes, choice[finish]),
                     choice[cluster] == 0 ? 4 : 8);
}

/// Choices of which each pair of levels of two factors is part of one, where a legal choice has it.
class Pairs {
public:
    explicit Pairs(const KernelTemplate& kernel) : kernel_(kernel) {
        for (const int one : kArchitectures) {
            devices_.push_back(gpu_info(one));
        }
    }

    std::vector<Choice> cover() {
        constexpr int kTries = 20;
        constexpr int kPatience = 4000;  // rounds without a new pair
        std::vector<Choice> choices;
        for (int idle = 0; idle < kPatience;) {
            std::pair<int, Choice> best{0, {}};
            for (int i = 0; i < kTries; ++i) {
                const Choice choice = random_choice();
                best = std::max(best, {new_pairs(choice), choice});
            }
            idle = best.first > 0 ? 0 : idle + 1;
            if (best.first > 0) {
                visit_pairs(best.second, [&](std::uint32_t pair) { seen_.insert(pair); });
                choices.push_back(best.second);
            }
        }
        return choices;
    }

    [[nodiscard]] bool has(Factor a, int level_a, Factor b, int level_b) const {
        return seen_.contains(pair(a, level_a, b, level_b));
    }

private:
    static std::uint32_t pair(int a, int level_a, int b, int level_b) {
        return static_cast<std::uint32_t>(a << 24 | level_a << 16 | b << 8 | level_b);
    }
    template <class Use>
    static void visit_pairs(const Choice& choice, Use use) {
        for (int a = 0; a < kFactors; ++a) {
            for (int b = a + 1; b < kFactors; ++b) {
                use(pair(a, choice[static_cast<std::size_t>(a)], b,
                         choice[static_cast<std::size_t>(b)]));
            }
        }
    }
    int new_pairs(const Choice& choice) const {
        int count = 0;
        visit_pairs(choice, [&](std::uint32_t one) { count += seen_.contains(one) ? 0 : 1; });
        return count > 0 && is_legal(choice) ? count : 0;
    }
    Choice random_choice() {
        Choice choice;
        for (std::size_t i = 0; i < choice.size(); ++i) {
            choice[i] = static_cast<int>(random_() % static_cast<std::uint64_t>(kLevels[i]));
        }
        return choice;
    }
    bool is_legal(const Choice& choice) const {
        if (choice[pack] > 0 && choice[unroll] > 1) {  // pruned
            return false;
        }
        Configuration configuration;
        try {
            configuration =
                Configuration::parse(text_of(choice), kernel_.front_matter().parameters);
        } catch (const Error&) {  // more items than there are values for
            return false;
        }
        return kernel_.accepts(configuration, problem_of(choice, indexed_xor()),
                               devices_[static_cast<std::size_t>(choice[architecture])]);
    }

    const KernelTemplate& kernel_;
    std::vector<DeviceInfo> devices_;
    std::set<std::uint32_t> seen_;
    std::mt19937_64 random_{1};
};

/// One program for one architecture.
struct Job {
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

    void expect_compiles(const KernelTemplate& kernel, const Job& job) const {
        const auto outcomes =
            compile_instances(*nvrtc_, kernel.source(), job.instances, job.architecture);
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
    void expect_all_compile(const KernelTemplate& kernel, const std::vector<Job>& jobs) const {
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t i = next++; i < jobs.size(); i = next++) {
                expect_compiles(kernel, jobs[i]);
            }
        };
        std::thread other(work);
        work();
        other.join();
    }

    std::shared_ptr<const NvrtcTable> nvrtc_;
};

TEST_F(TemplateCompile, EveryPairOfTypesOperationsParametersAndArchitectures) {
    // Its text is that of the template for operations by name, too.
    const CustomOperation custom = indexed_xor();
    const Kernel kernel = custom_reduce_kernel(ReduceKind::all, PlatformKind::cuda, custom);
    const KernelTemplate& source = kernel.kernel_template;
    Pairs pairs(source);
    std::vector<Job> jobs;
    for (const int one : kArchitectures) {
        jobs.push_back({one, {}});
    }
    for (const Choice& choice : pairs.cover()) {
        jobs[static_cast<std::size_t>(choice[architecture])].instances.push_back(source.instance(
            problem_of(choice, custom),
            Configuration::parse(text_of(choice), source.front_matter().parameters)));
    }
    expect_all_compile(source, jobs);
    for (int type = 0; type < elements(); ++type) {
        for (int op = 0; op < operations(); ++op) {
            EXPECT_TRUE(pairs.has(element, type, operation, op)) << type << " " << op;
        }
        for (int one = 0; one < kLevels[finish]; ++one) {
            const bool fits =
                kFinishes[one] != "packed" || static_cast<ElementType>(type) <= ElementType::uint32;
            EXPECT_EQ(pairs.has(element, type, finish, one), fits) << type << " " << kFinishes[one];
        }
    }
    for (int one = 0; one < kLevels[finish]; ++one) {
        for (int stages = 0; stages < kLevels[bulk]; ++stages) {
            EXPECT_TRUE(pairs.has(finish, one, bulk, stages)) << kFinishes[one] << " " << stages;
        }
        EXPECT_EQ(pairs.has(finish, one, index_bytes, 1),
                  kFinishes[one] != "packed" && kFinishes[one] != "atomic");
        for (int hint = 0; hint < kLevels[load]; ++hint) {
            EXPECT_TRUE(pairs.has(finish, one, load, hint)) << kFinishes[one] << " " << hint;
        }
    }
}

TEST_F(TemplateCompile, TheReferenceOfACustomOperationForEveryTypeAndShape) {
    const CustomOperation custom = log_sum_exp("__expf", "__logf");
    for (const detail::ReduceShape& shape :
         {detail::ReduceShape::all(1 << 20), detail::ReduceShape::rows(1 << 10, 1 << 10),
          detail::ReduceShape::columns(1 << 10, 1 << 10),
          detail::ReduceShape::segments(1 << 10, 1 << 20)}) {
        const Kernel kernel = custom_reduce_kernel(shape.kind, PlatformKind::cuda, custom);
        const KernelTemplate& source = kernel.kernel_template;
        Job references{75, {}};
        Job defaults{90, {}};
        for (int type = 0; type < elements(); ++type) {
            const Problem problem = reduce_problem(
                {static_cast<ElementType>(type), ElementType::float32, custom, shape});
            const auto standard = source.default_configuration(problem, gpu_info(90));
            defaults.instances.push_back(source.instance(problem, standard));
            const auto reference = source.reference(problem, gpu_info(75), standard);
            ASSERT_TRUE(reference) << source.source().name;
            references.instances.push_back(reference->instance);
        }
        expect_all_compile(source, {references, defaults});
    }
}

TEST_F(TemplateCompile, AFaultyFieldOfACustomOperationIsNamedWithTheCompilersWords) {
    const auto log_of = [&](const CustomOperation& custom) -> std::string {
        const Kernel kernel = custom_reduce_kernel(ReduceKind::all, PlatformKind::cuda, custom);
        const KernelTemplate& source = kernel.kernel_template;
        const Problem problem = reduce_problem({ElementType::float32, ElementType::float32, custom,
                                                detail::ReduceShape::all(1 << 20)});
        const Instance instance =
            source.instance(problem, source.default_configuration(problem, gpu_info(90)));
        const auto outcomes =
            compile_instances(*nvrtc_, source.source(), std::span(&instance, 1), 90);
        const auto* failure = std::get_if<CompileFailure>(&outcomes.at(0));
        return failure == nullptr ? "" : failure->log;
    };
    CustomOperation broken = log_sum_exp("__expf", "__logf");
    broken.map = "Pair{x, colour}";
    EXPECT_NE(log_of(broken).find("log_sum_exp.map"), std::string::npos) << log_of(broken);
    EXPECT_NE(log_of(broken).find("\"colour\" is undefined"), std::string::npos);
    broken = log_sum_exp("__expf", "__logf");
    broken.combine = "a + b";
    EXPECT_NE(log_of(broken).find("log_sum_exp.combine"), std::string::npos) << log_of(broken);
    broken = log_sum_exp("__expf", "__logf");
    broken.definitions = "struct Pair { float top, sum };";
    EXPECT_NE(log_of(broken).find("log_sum_exp.definitions"), std::string::npos) << log_of(broken);
}

}  // namespace
}  // namespace jitune::internal
