// SPDX-License-Identifier: Apache-2.0
#include "template/kernel_template.hpp"

#include <algorithm>

#include "fake/fake_sum.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

const DeviceInfo& device() {
    static const DeviceInfo info = [] {
        DeviceInfo h200 = FakeDevice().info();
        h200.attributes["compute_capability"] = 90;
        h200.attributes["shared_bytes_per_block"] = 232'448;
        return h200;
    }();
    return info;
}

Problem problem_of(ElementType element, ReduceOp op, std::int64_t n, ElementType result) {
    return reduce_problem({element, result, op, detail::ReduceShape::all(n)});
}

Problem float_sum(std::int64_t n = 1 << 20) {
    return problem_of(ElementType::float32, ReduceOp::sum, n, ElementType::float32);
}

const KernelTemplate& reduce() {
    return reduce_kernel(ReduceKind::all, PlatformKind::cuda).kernel_template;
}

Configuration configuration(const std::string& text) {
    return Configuration::parse(text, reduce().front_matter().parameters);
}

/// The default with some words replaced: {"finish", "slots"}.
std::string text_with(const std::map<std::string, std::string>& changes) {
    std::map<std::string, std::string> words{
        {"block", "256"},       {"items_per_thread", "16"}, {"pack_bytes", "16"},
        {"blocks_per_sm", "8"}, {"threads_per_sm", "0"},    {"load", "standard"},
        {"finish", "ticket"},   {"cluster", "1"},           {"bulk_stages", "0"},
        {"index_bytes", "8"},
    };
    for (const auto& [name, value] : changes) {
        words.at(name) = value;
    }
    std::string text;
    for (const auto& parameter : reduce().front_matter().parameters) {
        text += (text.empty() ? "" : " ") + parameter.name + "=" + words.at(parameter.name);
    }
    return text;
}

TEST(KernelTemplate, InstantiatesReduceFromTypedValues) {
    const Instance instance = reduce().instance(float_sum(), configuration(text_with({})));
    ASSERT_EQ(instance.expressions.size(), 2U);
    EXPECT_EQ(instance.expressions[0],
              "jitune::reduce<float, float, float, jitune::Sum, 256, 16, 16, 0, "
              "jitune::Load::standard, jitune::Finish::ticket, 1, 0, 8>");
    EXPECT_EQ(instance.expressions[1],
              "jitune::reduce_partials<float, float, float, jitune::Sum, 256, 8>");
}

TEST(KernelTemplate, InstantiatesEachTypeAndOperationByItsCppName) {
    const Problem problem =
        problem_of(ElementType::bfloat16, ReduceOp::arg_max, 1 << 20, ElementType::int64);
    const Instance instance = reduce().instance(problem, configuration(text_with({})));
    EXPECT_EQ(instance.expressions[1],
              "jitune::reduce_partials<jitune::bfloat16, float, long long, jitune::ArgMax, 256, "
              "8>");
}

/// The template with the parameters' defaults alone.
const KernelTemplate& reduce_without_rules() {
    static const KernelTemplate kernel = reduce().without_rules();
    return kernel;
}

TEST(KernelTemplate, TakesItsDefaultsWhereTheyAreLegal) {
    EXPECT_EQ(reduce_without_rules().default_configuration(float_sum(), device()).text(),
              text_with({}));
}

TEST(KernelTemplate, TakesTheNearestLegalConfigurationWhereTheDefaultIsForbidden) {
    // One tile: one block, which has nothing to finish.
    const SearchSpace space = reduce_without_rules().space(float_sum(100), device());
    EXPECT_EQ(space.find(configuration(text_with({}))), space.size());
    EXPECT_EQ(reduce_without_rules().default_configuration(float_sum(100), device()).text(),
              text_with({{"finish", "direct"}, {"blocks_per_sm", "0"}}));
}

TEST(KernelTemplate, FindsTheSameDefaultWithAndWithoutTheSpace) {
    for (const std::int64_t n : {1, 100, 5000, 1 << 20}) {
        for (const KernelTemplate* kernel : {&reduce(), &reduce_without_rules()}) {
            const SearchSpace space = kernel->space(float_sum(n), device());
            const Configuration standard = kernel->default_configuration(float_sum(n), device());
            EXPECT_EQ(standard.text(),
                      kernel->default_of(float_sum(n), device(), &space).configuration.text());
            EXPECT_LT(space.find(standard), space.size());
        }
    }
}

TEST(KernelTemplate, AcceptsWhatItsSpaceHoldsAndWhatIsOnlyNotWorthTrying) {
    for (const std::int64_t n : {1, 5000, 1 << 20}) {
        const SearchSpace space = reduce().space(float_sum(n), device());
        ASSERT_GT(space.size(), 0U);
        for (std::size_t i = 0; i < space.size(); ++i) {
            EXPECT_TRUE(reduce().accepts(space.at(i), float_sum(n), device()))
                << space.at(i).text();
        }
        const Configuration slow =
            configuration(text_with({{"blocks_per_sm", "16"}, {"block", "1024"}}));  // two waves
        EXPECT_EQ(space.find(slow), space.size());
        EXPECT_TRUE(reduce().accepts(slow, float_sum(n), device()));
    }
}

TEST(KernelTemplate, AcceptsNothingThatAConstraintForbids) {
    const auto accepts = [](const std::map<std::string, std::string>& changes,
                            const Problem& problem) {
        return reduce().accepts(configuration(text_with(changes)), problem, device());
    };
    EXPECT_TRUE(accepts({}, float_sum()));
    EXPECT_FALSE(accepts({{"items_per_thread", "2"}}, float_sum()));  // half a pack
    EXPECT_FALSE(accepts({{"cluster", "4"}}, float_sum()));
    EXPECT_TRUE(accepts({{"cluster", "4"}, {"finish", "cluster"}}, float_sum()));
    EXPECT_FALSE(accepts({{"finish", "packed"}}, float_sum()));
    EXPECT_FALSE(accepts({{"finish", "atomic"}}, float_sum()));
    Problem any = float_sum();
    any.types["determinism"] = "any";
    EXPECT_TRUE(accepts({{"finish", "atomic"}}, any));
    const Problem integers =
        problem_of(ElementType::int8, ReduceOp::sum, 1 << 20, ElementType::int32);
    EXPECT_TRUE(accepts({{"finish", "atomic"}}, integers));
    EXPECT_TRUE(accepts({{"finish", "packed"}}, integers));
    const Problem index =
        problem_of(ElementType::float32, ReduceOp::arg_min, 1 << 20, ElementType::int64);
    EXPECT_TRUE(accepts({}, index));
    EXPECT_FALSE(accepts({{"finish", "slots"}}, index));
    EXPECT_TRUE(accepts({{"finish", "slots"}, {"index_bytes", "4"}}, index));
    EXPECT_FALSE(accepts({{"index_bytes", "4"}}, integers));
    EXPECT_FALSE(accepts({{"index_bytes", "4"}}, problem_of(ElementType::float64, ReduceOp::arg_min,
                                                            1 << 20, ElementType::int64)));
}

TEST(KernelTemplate, AnswersNoSizeBucketThatReaches32BitsWithNarrowIndexes) {
    const auto narrow = configuration(text_with({{"index_bytes", "4"}}));
    const auto of = [](std::int64_t n) {
        return problem_of(ElementType::int8, ReduceOp::arg_max, n, ElementType::int64);
    };
    constexpr std::int64_t kMost = 3'611'622'602;
    EXPECT_TRUE(reduce().accepts(narrow, of(kMost), device()));
    EXPECT_FALSE(reduce().accepts(narrow, of(kMost + 1), device()));
    EXPECT_LT(size_bucket(of(kMost).sizes), size_bucket(of(kMost + 1).sizes));
}

TEST(KernelTemplate, SearchesNarrowIndexesAloneWhereTheyAreLegal) {
    const auto expect_all = [](ElementType element, ReduceOp op, std::int64_t n,
                               std::int64_t bytes) {
        const SearchSpace space =
            reduce().space(problem_of(element, op, n, ElementType::int64), device());
        ASSERT_GT(space.size(), 0U);
        for (std::size_t i = 0; i < space.size(); ++i) {
            EXPECT_EQ(std::get<std::int64_t>(space.at(i).at("index_bytes")), bytes);
        }
    };
    expect_all(ElementType::float32, ReduceOp::arg_max, 1 << 20, 4);
    expect_all(ElementType::float32, ReduceOp::arg_max, std::int64_t{1} << 32, 8);
    expect_all(ElementType::int64, ReduceOp::arg_max, 1 << 20, 8);
    expect_all(ElementType::int64, ReduceOp::sum, 1 << 20, 8);
}

TEST(KernelTemplate, SaysHowReproducibleAConfigurationIs) {
    const auto reproducibility = [](const std::string& finish, const Problem& problem) {
        return reduce().reproducibility(configuration(text_with({{"finish", finish}})), problem,
                                        device());
    };
    EXPECT_EQ(reproducibility("ticket", float_sum()), "fixed");
    EXPECT_EQ(reproducibility("atomic", float_sum()), "any");
    const Problem integers =
        problem_of(ElementType::int32, ReduceOp::sum, 1 << 20, ElementType::int32);
    EXPECT_EQ(reproducibility("atomic", integers), "exact");
    const Problem index =
        problem_of(ElementType::float32, ReduceOp::arg_min, 1 << 20, ElementType::int64);
    EXPECT_EQ(reproducibility("ticket", index), "exact");
}

TEST(KernelTemplate, RefusesAWordForReproducibilityThatIsNone) {
    TemplateSource source = reduce().source();
    const std::string word = "'fixed'";
    source.text.replace(source.text.find(word), word.size(), "'often'");
    const KernelTemplate changed(source);
    expect_error(ErrorKind::usage, "is not 'exact', 'fixed' or 'any'", [&] {
        (void)changed.reproducibility(configuration(text_with({})), float_sum(), device());
    });
}

TEST(KernelTemplate, HasAReferenceThatTakesTheSameArguments) {
    const auto reference = reduce().reference(float_sum(), device(), configuration(text_with({})));
    ASSERT_TRUE(reference);
    EXPECT_EQ(reference->instance.expressions,
              std::vector<std::string>{"jitune::reduce_plainly<float, float, float, jitune::Sum>"});
    const Launch launch = reference->rule.plan(std::array{std::int64_t{1} << 20}).launch;
    EXPECT_EQ(launch.step_count, 1U);
    EXPECT_EQ(launch.steps[0].grid.x, 1U);
    EXPECT_EQ(launch.steps[0].block.x, 1024U);
}

TEST(KernelTemplate, LaunchesWholeClustersAndSharedMemoryForItsBulkCopies) {
    const auto step = [](const std::map<std::string, std::string>& changes, std::int64_t n) {
        const LaunchRule rule =
            reduce().launch_rule(float_sum(), device(), configuration(text_with(changes)));
        return rule.plan(std::array{n}).launch.steps[0];
    };
    EXPECT_EQ(step({}, 1).grid.x, 1U);
    EXPECT_EQ(step({}, 5000).grid.x, 2U);
    EXPECT_EQ(step({}, 1 << 30).grid.x, 32U);
    EXPECT_EQ(step({}, 1).programmatic, 1U);
    const std::map<std::string, std::string> cluster{{"finish", "cluster"}, {"cluster", "8"}};
    EXPECT_EQ(step(cluster, 1).grid.x, 8U);
    EXPECT_EQ(step(cluster, 1).cluster, 8U);
    EXPECT_EQ(step({{"bulk_stages", "4"}}, 1 << 20).shared_bytes, 4U * 256 * 16 * 4);
}

TEST(KernelTemplate, EveryLegalConfigurationHasALaunchRule) {
    for (const std::int64_t n : {1, 5000, 1 << 20}) {
        const SearchSpace space = reduce().space(float_sum(n), device());
        for (std::size_t i = 0; i < space.size(); ++i) {
            EXPECT_NO_THROW(
                static_cast<void>(reduce().launch_rule(float_sum(n), device(), space.at(i))));
        }
    }
}

TEST(KernelTemplate, CopiesConstantsThatStandBehindTheKernels) {
    const KernelTemplate kernel(
        {"blur.cu",
         "/* jitune template\nkernel = \"blur\"\nbackend = \"cuda\"\nsizes = [\"n\", \"taps\"]\n"
         "[parameters]\nblock = { values = [64, 128], default = 64 }\n[arguments]\n"
         "out = { access = \"out\", type = \"float32\", count = \"n\" }\n"
         "filter = { access = \"in\", type = \"float64\", count = \"2 * taps\", constant = "
         "\"weights\" }\n"
         "[[launch]]\nentry = \"first\"\narguments = [\"out\"]\ncooperative = \"block = 128\"\n"
         "[[launch]]\nentry = \"second\"\narguments = [\"out\"]\n"
         "[reference]\nentry = \"plain\"\narguments = [\"out\"]\n*/",
         {}});
    const Problem problem{"blur", {}, {100, 7}};
    const Configuration block = Configuration::parse("block=128", kernel.front_matter().parameters);
    EXPECT_EQ(kernel.instance(problem, block).expressions,
              (std::vector<std::string>{"first", "second", "&weights"}));
    const Launch launch = kernel.launch_rule(problem, device(), block).plan(problem.sizes).launch;
    EXPECT_EQ(launch.array_count, 2);
    ASSERT_EQ(launch.constant_count, 1);
    EXPECT_EQ(launch.constants[0].array, 1);
    EXPECT_EQ(launch.constants[0].entry, 2);
    EXPECT_EQ(launch.constants[0].bytes, 2U * 7 * 8);
    EXPECT_EQ(launch.steps[0].cooperative, 1U);
    EXPECT_EQ(launch.steps[1].cooperative, 0U);
    const auto reference = kernel.reference(problem, device(), block);
    EXPECT_EQ(reference->instance.expressions, (std::vector<std::string>{"plain", "&weights"}));
    EXPECT_EQ(reference->rule.plan(problem.sizes).launch.constants[0].entry, 1);
}

TEST(KernelTemplate, CountsWithATypeParameterThatIsAnInteger) {
    const KernelTemplate window(
        {"window.cu",
         "/* jitune template\nkernel = \"window\"\nbackend = \"cuda\"\n"
         "sizes = [\"n\"]\nconstraints = [\"step <= halo\"]\n"
         "[types.radius]\nrange = \"1..32\"\n[parameters]\n"
         "step = { values = [4, 16, 64], default = 4 }\n"
         "[derived]\nhalo = \"2 * radius\"\n[arguments]\n"
         "out = { access = \"out\", type = \"int32\", count = \"n - halo\" }\n"
         "[[launch]]\nentry = \"window\"\ntemplate = [\"radius\", \"step\"]\n"
         "arguments = [\"out\"]\nblock = \"32\"\ngrid = \"ceil_div(n, halo)\"\n*/",
         {}});
    Problem problem{"window", {{"radius", "10"}}, {100}};
    EXPECT_NO_THROW(window.check(problem));
    EXPECT_EQ(window.space(problem, device()).size(), 2U);
    const Configuration four = Configuration::parse("step=4", window.front_matter().parameters);
    EXPECT_EQ(window.instance(problem, four).expressions.front(), "window<10, 4>");
    const LaunchRule::Plan plan = window.launch_rule(problem, device(), four).plan(problem.sizes);
    EXPECT_EQ(plan.launch.steps[0].grid.x, 5U);
    EXPECT_EQ(window.value_of(window.front_matter().arguments[0].amount, problem),
              Scalar(std::int64_t{80}));
    problem.types["radius"] = "33";
    expect_error(ErrorKind::usage, "window.cu: radius cannot be \"33\"; use one of 1..32",
                 [&] { window.check(problem); });
}

TEST(KernelTemplate, RefusesTypesAndSizesItDoesNotHave) {
    Problem problem = float_sum();
    EXPECT_NO_THROW(reduce().check(problem));
    problem.types["element"] = "float8";
    expect_error(ErrorKind::usage, "element cannot be \"float8\"; use one of bfloat16",
                 [&] { reduce().check(problem); });
    problem.types.erase("element");
    expect_error(ErrorKind::usage, "needs a name for its type parameter element",
                 [&] { reduce().check(problem); });
    for (const std::vector<std::int64_t>& sizes :
         {std::vector<std::int64_t>{}, {0}, {-1}, {4, 4}}) {
        problem = float_sum();
        problem.sizes = sizes;
        expect_error(ErrorKind::usage, "needs the sizes n, each at least 1",
                     [&] { reduce().check(problem); });
    }
}

TEST(KernelTemplate, KeysAProblemByItsBucketAndTheDeviceClass) {
    const RecordKey key = reduce().key(float_sum(1 << 20), device());
    EXPECT_EQ(key.kernel, "reduce");
    EXPECT_EQ(key.types,
              "accumulator=float32 determinism=run_to_run element=float32 operation=sum "
              "result=float32");
    EXPECT_EQ(key.bucket, 40);
    EXPECT_EQ(key.alignment, 4);
    EXPECT_EQ(key.device_class, "cuda fake");
    EXPECT_EQ(key.template_hash.size(), 32U);
    EXPECT_EQ(reduce().key(float_sum((1 << 20) + 1), device()), key);
    EXPECT_NE(reduce().key(float_sum(1 << 21), device()), key);
}

TEST(KernelTemplate, KeysChangeWithTheTextAndWithEachHeader) {
    const TemplateSource source{reduce().source()};
    const std::string same = KernelTemplate(source).hash();
    EXPECT_EQ(same, reduce().hash());

    TemplateSource other_text = source;
    other_text.text += "\n";
    EXPECT_NE(KernelTemplate(other_text).hash(), same);

    ASSERT_FALSE(source.headers.empty());
    TemplateSource other_header = source;
    other_header.headers[0].second += "\n";
    EXPECT_NE(KernelTemplate(other_header).hash(), same);

    TemplateSource other_name = source;
    other_name.headers[0].first += "x";
    EXPECT_NE(KernelTemplate(other_name).hash(), same);

    TemplateSource moved = source;  // a byte from the end of the text to the header's name
    moved.headers[0].first = moved.text.back() + moved.headers[0].first;
    moved.text.pop_back();
    EXPECT_NE(KernelTemplate(moved).hash(), same);
}

TEST(KernelTemplate, KeysChangeWithWhatTheFrontMatterIncludes) {
    TemplateSource source = reduce().source();
    const auto included = std::ranges::find_if(
        source.headers, [](const auto& header) { return header.first == "reduce_types.toml"; });
    ASSERT_NE(included, source.headers.end());
    std::string& text = included->second;
    text.replace(text.find("\"float\""), 7, "\"double\"");
    const KernelTemplate changed(source);
    EXPECT_NE(changed.hash(), reduce().hash());
    EXPECT_EQ(changed.instance(float_sum(), configuration(text_with({}))).expressions[1],
              "jitune::reduce_partials<double, float, float, jitune::Sum, 256, 8>");
}

TEST(KernelTemplate, RefusesANulByte) {
    TemplateSource source = reduce().source();
    source.text += std::string("\0int x;", 7);
    expect_error(ErrorKind::usage, "NUL byte", [&] { KernelTemplate{source}; });
    source.text = reduce().source().text;
    source.headers.at(0).second += '\0';
    expect_error(ErrorKind::usage, "NUL byte", [&] { KernelTemplate{source}; });
}

TEST(KernelTemplate, HostReduceUsesAllCoresUnlessThereIsTooLittleToDo) {
    const KernelTemplate& host = reduce_kernel(ReduceKind::all, PlatformKind::host).kernel_template;
    const auto threads = [&](std::int64_t n) {
        const Configuration standard = host.default_configuration(float_sum(n), device());
        const LaunchRule rule = host.launch_rule(float_sum(n), device(), standard);
        return rule.plan(std::array{n}).launch.cells[2];
    };
    EXPECT_EQ(threads(1 << 24), 4U);
    EXPECT_EQ(threads(1), 1U);
}

}  // namespace
}  // namespace jitune::internal
