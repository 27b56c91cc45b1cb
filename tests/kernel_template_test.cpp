#include "engine/kernel_template.hpp"

#include <algorithm>

#include "expect_error.hpp"
#include "fake_sum.hpp"
#include "ops/reduce_kernel.hpp"

namespace jitune {
namespace {

const DeviceInfo& device() {
    static const FakeBackend backend;
    return backend.info();
}

Problem float_sum(std::int64_t n = 1 << 20) {
    return reduce_problem(ElementType::float32, ReduceOp::sum, n);
}

const KernelTemplate& reduce() {
    return reduce_kernel("cuda").kernel_template;
}

Configuration configuration(const std::string& text) {
    return Configuration::parse(text, reduce().front_matter().parameters);
}

const char* const kDefault =
    "block=256 items_per_thread=16 pack_bytes=16 blocks_per_sm=8 finish=last_block";

TEST(KernelTemplate, InstantiatesReduceFromTypedValues) {
    const Instance instance = reduce().instance(float_sum(), configuration(kDefault));
    ASSERT_EQ(instance.expressions.size(), 2U);
    EXPECT_EQ(instance.expressions[0],
              "jitune::reduce<float, float, jitune::Sum, 256, 16, 16, jitune::Finish::last_block>");
    EXPECT_EQ(instance.expressions[1], "jitune::reduce_partials<float, jitune::Sum, 256>");
}

TEST(KernelTemplate, InstantiatesEachTypeAndOperationByItsCppName) {
    const Problem problem = reduce_problem(ElementType::int64, ReduceOp::max, 1 << 20);
    const Instance instance = reduce().instance(problem, configuration(kDefault));
    EXPECT_EQ(instance.expressions[1], "jitune::reduce_partials<long long, jitune::Max, 256>");
}

TEST(KernelTemplate, TakesItsDefaultsWhereTheyAreLegal) {
    const SearchSpace space = reduce().space(float_sum(), device());
    EXPECT_EQ(reduce().default_configuration(space).text(), kDefault);
}

TEST(KernelTemplate, TakesTheNearestLegalConfigurationWhereTheDefaultIsForbidden) {
    // One tile: more than one block per SM makes no difference.
    const SearchSpace space = reduce().space(float_sum(100), device());
    EXPECT_EQ(space.find(configuration(kDefault)), space.size());
    EXPECT_EQ(reduce().default_configuration(space).text(),
              "block=256 items_per_thread=16 pack_bytes=16 blocks_per_sm=1 finish=last_block");
}

TEST(KernelTemplate, AcceptsExactlyWhatItsSpaceHolds) {
    for (const std::int64_t n : {1, 5000, 1 << 20}) {
        const SearchSpace space = reduce().space(float_sum(n), device());
        const SearchSpace all(reduce().front_matter().parameters, {});
        ASSERT_GT(space.size(), 0U);
        ASSERT_LT(space.size(), all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Configuration one = all.at(i);
            EXPECT_EQ(reduce().accepts(one, float_sum(n), device()), space.find(one) < space.size())
                << one.text();
        }
    }
}

TEST(KernelTemplate, EveryLegalConfigurationHasALaunchRule) {
    for (const std::int64_t n : {1, 5000, 1 << 20}) {
        const SearchSpace space = reduce().space(float_sum(n), device());
        for (std::size_t i = 0; i < space.size(); ++i) {
            EXPECT_NO_THROW(reduce().launch_rule(float_sum(n), device(), space.at(i)));
        }
    }
}

TEST(KernelTemplate, RefusesTypesAndSizesItDoesNotHave) {
    Problem problem = float_sum();
    EXPECT_NO_THROW(reduce().check(problem));
    problem.types["element"] = "float8";
    expect_error(ErrorKind::usage, "element is \"float8\"; there is float32",
                 [&] { reduce().check(problem); });
    problem.types.erase("element");
    expect_error(ErrorKind::usage, "element is \"\"", [&] { reduce().check(problem); });
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
    EXPECT_EQ(key.types, "accumulator=float32 element=float32 operation=sum");
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

TEST(KernelTemplate, RefusesANulByte) {
    TemplateSource source = reduce().source();
    source.text += std::string("\0int x;", 7);
    expect_error(ErrorKind::usage, "NUL byte", [&] { KernelTemplate{source}; });
    source.text = reduce().source().text;
    source.headers.at(0).second += '\0';
    expect_error(ErrorKind::usage, "NUL byte", [&] { KernelTemplate{source}; });
}

TEST(KernelTemplate, HostReduceUsesAllCoresUnlessThereIsTooLittleToDo) {
    const KernelTemplate& host = reduce_kernel("host").kernel_template;
    const auto threads = [&](std::int64_t n) {
        const Configuration standard =
            host.default_configuration(host.space(float_sum(n), device()));
        const LaunchRule rule = host.launch_rule(float_sum(n), device(), standard);
        return rule.plan(std::array{n}).launch.cells[2];
    };
    EXPECT_EQ(threads(1 << 24), 4U);
    EXPECT_EQ(threads(1), 1U);
}

}  // namespace
}  // namespace jitune
