#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "host_fixture.hpp"
#include "support/embedded.hpp"

namespace jitune {
namespace {

struct Corner {
    int unroll, simd_bytes;
};
constexpr Corner kCorners[] = {{1, 16}, {8, 16}, {2, 32}, {4, 32}, {1, 64}, {8, 64}};
constexpr const char* kOperations[] = {"jitune::Sum", "jitune::Min", "jitune::Max"};
constexpr int kThreads[] = {1, 2, 3, 7, 64};

template <class T>
constexpr const char* kTypeText = nullptr;
template <>
constexpr const char* kTypeText<int> = "int";
template <>
constexpr const char* kTypeText<long long> = "long long";
template <>
constexpr const char* kTypeText<float> = "float";
template <>
constexpr const char* kTypeText<double> = "double";

std::string embedded_text(std::string_view name) {
    for (const embedded::File& file : embedded::kernel_templates) {
        if (file.name == name) {
            return std::string(file.text);
        }
    }
    ADD_FAILURE() << "no embedded " << name;
    return "";
}

template <class Element, class Accumulator>
std::string expression(const std::string& operation, const Corner& corner) {
    return fmt::format("jitune::reduce<{}, {}, {}, {}, {}>", kTypeText<Element>,
                       kTypeText<Accumulator>, operation, corner.unroll, corner.simd_bytes);
}

/// Compiles and loads the instances; one program each.
std::vector<std::shared_ptr<const Program>> load_all(const std::vector<Instance>& instances) {
    static const std::unique_ptr<Platform> host = make_host_platform(Log(LogLevel::off));
    Backend& backend = host->device(0);
    const TemplateSource source{
        "reduce.host.cpp",
        embedded_text("reduce.host.cpp"),
        {{"jitune_operations.h", embedded_text("include/jitune_operations.h")}}};
    std::vector<std::shared_ptr<const Program>> programs;
    for (const CompileOutcome& outcome : backend.compile(source, instances)) {
        if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
            ADD_FAILURE() << failure->log;
            return {};
        }
        programs.push_back(backend.load(std::get<Binary>(outcome)));
    }
    return programs;
}

template <class Accumulator, class Element>
Accumulator launch(const Program& program, const Element* values, std::size_t n, int threads) {
    Accumulator result{};
    program.launch(launch_with(values, std::uint64_t{n}, threads, &result), nullptr);
    return result;
}

template <class T>
std::vector<T> random_values(std::size_t n) {
    std::mt19937_64 random(n);
    std::vector<T> values(n);
    for (T& value : values) {
        if constexpr (std::is_floating_point_v<T>) {
            value = std::uniform_real_distribution<T>(-1, 3)(random);
        } else {
            value = static_cast<T>(random());
        }
    }
    return values;
}

/// Every operation with every corner of the space.
template <class T>
class ReduceHostKernel : public testing::Test {
protected:
    static void SetUpTestSuite() {
        if (!programs_.empty()) {
            return;  // another suite of the same type has compiled them
        }
        std::vector<Instance> instances;
        for (const char* operation : kOperations) {
            for (const Corner& corner : kCorners) {
                instances.push_back({{expression<T, T>(operation, corner)}});
            }
        }
        const auto programs = load_all(instances);
        for (std::size_t i = 0; i < programs.size(); ++i) {
            programs_[kOperations[i / std::size(kCorners)]].push_back(programs[i]);
        }
    }

    /// Hands every result for the values to `check`.
    template <class Check>
    static void reduce(const std::string& operation, const T* values, std::size_t n, Check check) {
        ASSERT_EQ(programs_[operation].size(), std::size(kCorners));
        for (std::size_t i = 0; i < std::size(kCorners); ++i) {
            for (const int threads : kThreads) {
                SCOPED_TRACE(fmt::format("{} unroll={} simd={} threads={} n={}", operation,
                                         kCorners[i].unroll, kCorners[i].simd_bytes, threads, n));
                check(launch<T>(*programs_[operation][i], values, n, threads));
            }
        }
    }
    static void expect(const std::string& operation, const std::vector<T>& values, T expected) {
        reduce(operation, values.data(), values.size(), [&](T result) {
            if (expected != expected) {
                EXPECT_NE(result, result);
            } else {
                EXPECT_EQ(result, expected);
            }
        });
    }

    static inline std::map<std::string, std::vector<std::shared_ptr<const Program>>> programs_;
};

using ElementTypes = testing::Types<int, long long, float, double>;
TYPED_TEST_SUITE(ReduceHostKernel, ElementTypes);

template <class T>
void expect_sum(const T* values, std::size_t n, T result) {
    if constexpr (std::is_integral_v<T>) {
        std::make_unsigned_t<T> sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += static_cast<std::make_unsigned_t<T>>(values[i]);
        }
        EXPECT_EQ(result, static_cast<T>(sum));
    } else {
        long double sum = 0, magnitude = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += static_cast<long double>(values[i]);
            magnitude += std::abs(static_cast<long double>(values[i]));
        }
        // 256 additions and the unrolling's round within a block, no more for any n.
        const long double bound = 270 * std::numeric_limits<T>::epsilon() / 2 * magnitude;
        EXPECT_LE(std::abs(static_cast<long double>(result) - sum), bound);
    }
}

TYPED_TEST(ReduceHostKernel, AgreesWithALoopForAwkwardSizesAndAddresses) {
    for (const std::size_t n : {1, 2, 3, 31, 32, 33, 511, 512, 513, 4097, 65'537, 200'003}) {
        const auto values = random_values<TypeParam>(n + 3);
        for (std::size_t offset = 0; offset < 4; ++offset) {
            const TypeParam* data = values.data() + offset;
            this->reduce("jitune::Sum", data, n,
                         [&](TypeParam result) { expect_sum(data, n, result); });
            const auto [low, high] = std::minmax_element(data, data + n);
            this->reduce("jitune::Min", data, n,
                         [&, least = *low](TypeParam result) { EXPECT_EQ(result, least); });
            this->reduce("jitune::Max", data, n,
                         [&, most = *high](TypeParam result) { EXPECT_EQ(result, most); });
        }
    }
}

TYPED_TEST(ReduceHostKernel, ReadsNothingBesideTheValues) {
    for (const std::size_t n : {1, 33, 1000}) {
        std::vector<TypeParam> values(n + 2, TypeParam(1));
        values.front() = values.back() = TypeParam(1000);
        this->reduce("jitune::Sum", values.data() + 1, n,
                     [&](TypeParam result) { EXPECT_EQ(result, TypeParam(n)); });
        this->reduce("jitune::Max", values.data() + 1, n,
                     [&](TypeParam result) { EXPECT_EQ(result, TypeParam(1)); });
    }
}

TYPED_TEST(ReduceHostKernel, KnowsTheExtremes) {
    using Limits = std::numeric_limits<TypeParam>;
    const TypeParam lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    const TypeParam highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
    for (const std::size_t n : {1, 5, 1000, 100'000}) {
        this->expect("jitune::Min", std::vector<TypeParam>(n, highest), highest);
        this->expect("jitune::Max", std::vector<TypeParam>(n, lowest), lowest);
        std::vector<TypeParam> values(n, TypeParam(1));
        values[n / 2] = lowest;
        this->expect("jitune::Min", values, lowest);
        values[n / 2] = highest;
        this->expect("jitune::Max", values, highest);
    }
}

TYPED_TEST(ReduceHostKernel, AnswersTheSameEachTime) {
    const auto values = random_values<TypeParam>(300'001);
    for (const auto& program : this->programs_["jitune::Sum"]) {
        for (const int threads : kThreads) {
            const auto first = launch<TypeParam>(*program, values.data(), values.size(), threads);
            for (int again = 0; again < 5; ++again) {
                EXPECT_EQ(launch<TypeParam>(*program, values.data(), values.size(), threads),
                          first);
            }
        }
    }
}

template <class T>
class ReduceHostKernelOfIntegers : public ReduceHostKernel<T> {};
using IntegerTypes = testing::Types<int, long long>;
TYPED_TEST_SUITE(ReduceHostKernelOfIntegers, IntegerTypes);

TYPED_TEST(ReduceHostKernelOfIntegers, WrapsSums) {
    using Limits = std::numeric_limits<TypeParam>;
    std::vector<TypeParam> values(1001, TypeParam(0));
    values[3] = Limits::max();
    values[997] = 2;
    this->expect("jitune::Sum", values, Limits::min() + 1);
    this->expect("jitune::Sum", std::vector<TypeParam>(100'000, Limits::min()), 0);
}

template <class T>
class ReduceHostKernelOfFloats : public ReduceHostKernel<T> {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ReduceHostKernelOfFloats, FloatTypes);

TYPED_TEST(ReduceHostKernelOfFloats, ANaNAnywhereIsTheAnswer) {
    const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
    for (const std::size_t n : {1, 2, 33, 700}) {
        for (std::size_t place = 0; place < n; place += 1 + place / 40) {
            std::vector<TypeParam> values(n, TypeParam(1));
            values[place] = place % 2 == 0 ? nan : -nan;
            for (const char* operation : kOperations) {
                this->expect(operation, values, nan);
            }
        }
    }
    std::vector<TypeParam> many(100'000, TypeParam(1));
    many[99'000] = nan;
    for (const char* operation : kOperations) {
        this->expect(operation, many, nan);
    }
}

TYPED_TEST(ReduceHostKernelOfFloats, SumsInfinitiesAsArithmeticSays) {
    using Limits = std::numeric_limits<TypeParam>;
    std::vector<TypeParam> values(5000, TypeParam(1));
    values[4321] = Limits::infinity();
    this->expect("jitune::Sum", values, Limits::infinity());
    values[5] = -Limits::infinity();
    this->expect("jitune::Sum", values, Limits::quiet_NaN());
    this->expect("jitune::Sum", std::vector<TypeParam>(5000, Limits::max()), Limits::infinity());
    this->expect("jitune::Sum", std::vector<TypeParam>(5000, -Limits::max()), -Limits::infinity());
}

TYPED_TEST(ReduceHostKernelOfFloats, CountsPastThePrecisionOfAnElement) {
    // One float32 accumulator stops at 2^24, four of them at 2^26.
    const std::size_t n = sizeof(TypeParam) == 4 ? (std::size_t{1} << 26) + 16 : 1'000'003;
    const std::vector<TypeParam> values(n, TypeParam(1));
    for (const auto& program : this->programs_["jitune::Sum"]) {
        EXPECT_EQ(launch<TypeParam>(*program, values.data(), n, 1), TypeParam(n));
        EXPECT_EQ(launch<TypeParam>(*program, values.data(), n, 2), TypeParam(n));
    }
}

TEST(ReduceHostKernelOfFloat64, KeepsWhatTheTotalRoundsAway) {
    // Blocks that sum to 1 on top of 2^60: each is lost in a plain total.
    const Corner corner{1, 16};
    const auto programs = load_all({{{expression<double, double>("jitune::Sum", corner)}}});
    ASSERT_EQ(programs.size(), 1U);
    constexpr std::size_t kBlock = 512, kBlocks = 1000;
    std::vector<double> values(kBlock * kBlocks, 0);
    for (std::size_t block = 1; block + 1 < kBlocks; ++block) {
        values[block * kBlock] = 1;
    }
    values.front() = std::ldexp(1.0, 60);
    values.back() = -std::ldexp(1.0, 60);
    EXPECT_EQ(launch<double>(*programs.front(), values.data(), values.size(), 1), 998);
}

TEST(ReduceHostKernelOfMixedTypes, AccumulatesInTheWiderType) {
    std::vector<Instance> instances;
    for (const Corner& corner : kCorners) {
        instances.push_back({{expression<int, long long>("jitune::Sum", corner)}});
        instances.push_back({{expression<float, double>("jitune::Max", corner)}});
    }
    const auto programs = load_all(instances);
    const std::vector<int> integers(100'003, std::numeric_limits<int>::max());
    const std::vector<float> floats(100'003, 0.1F);
    for (std::size_t i = 0; i < programs.size(); i += 2) {
        EXPECT_EQ(launch<long long>(*programs[i], integers.data(), integers.size(), 2),
                  2147483647LL * 100'003);
        EXPECT_EQ(launch<double>(*programs[i + 1], floats.data(), floats.size(), 2),
                  static_cast<double>(0.1F));
    }
}

}  // namespace
}  // namespace jitune
