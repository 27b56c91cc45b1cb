#include "ops/reduce_workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <type_traits>

#include <gtest/gtest.h>

#include "ops/reduce_kernel.hpp"

namespace jitune {
namespace {

template <class T>
using Values = std::vector<T>;

/// The elements of a case, with their offset from an aligned address.
template <class T>
struct Data {
    Values<T> values;
    std::size_t offset = 0;
};

template <class T>
Data<T> data_of(const Case& one) {
    const InputArray& input = one.inputs.at(0);
    Data<T> data{Values<T>(input.bytes / sizeof(T)), input.offset / sizeof(T)};
    auto* bytes = reinterpret_cast<std::byte*>(data.values.data());
    for (std::size_t done = 0; done < input.bytes;) {
        const std::size_t step = std::min(input.pattern->size(), input.bytes - done);
        std::memcpy(bytes + done, input.pattern->data(), step);
        done += step;
    }
    return data;
}

template <class T>
T reduce(ReduceOp op, const Values<T>& values, bool ignore_nan = false) {
    if (op == ReduceOp::sum) {
        using Total = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
        Total total = 0;
        for (const T value : values) {
            total += static_cast<Total>(value);
        }
        return static_cast<T>(total);
    }
    using Limits = std::numeric_limits<T>;
    T best = op == ReduceOp::min ? Limits::max() : Limits::lowest();
    for (const T value : values) {
        if (value != value && !ignore_nan) {
            return value;
        }
        if (op == ReduceOp::min ? value < best : value > best) {
            best = value;
        }
    }
    return best;
}

template <class T>
bool accepts(const Case& one, T result) {
    std::vector<std::byte> bytes(sizeof result);
    std::memcpy(bytes.data(), &result, sizeof result);
    return one.judge(std::span(&bytes, 1)).empty();
}

template <class T>
class ReduceWorkloadTest : public testing::Test {
protected:
    static constexpr ElementType kType = detail::kElementType<T>;
    static constexpr ReduceOp kOps[] = {ReduceOp::sum, ReduceOp::min, ReduceOp::max};

    /// Whether a check case notices that `fault` happens to its data, which is left alone where
    /// the fault answers false.
    using Fault = std::function<bool(Data<T>&)>;
    bool notices(ReduceOp op, const Fault& fault) {
        const auto& cases = checks(op);
        return std::any_of(cases.begin(), cases.end(), [&](const Case& one) {
            Data<T> data = data_of<T>(one);
            return fault(data) && !accepts(one, reduce(op, data.values));
        });
    }
    /// As above for each of these elements, counted from the front and from the back.
    bool notices_each(ReduceOp op, const std::function<void(Values<T>&, std::size_t)>& fault) {
        for (const std::size_t index : {0, 1, 2, 3, 4, 7, 15, 30, 31, 32, 63, 255, 256, 1023, 4096,
                                        65'536, 262'144, 1'048'000}) {
            for (const bool from_back : {false, true}) {
                const auto at = [&](Data<T>& data) {
                    const std::size_t n = data.values.size();
                    if (index < n) {
                        fault(data.values, from_back ? n - 1 - index : index);
                    }
                    return index < n;
                };
                if (!notices(op, at)) {
                    ADD_FAILURE() << "not noticed at " << index << (from_back ? " from back" : "");
                    return false;
                }
            }
        }
        return true;
    }

    const std::vector<Case>& checks(ReduceOp op) {
        auto& made = checks_[op];
        if (made.empty()) {
            made = workload_.checks(reduce_problem(kType, op, 12'345));
        }
        return made;
    }

    static void drop(Values<T>& values, std::size_t index) {
        values.erase(values.begin() + static_cast<std::ptrdiff_t>(index));
    }
    static void twice(Values<T>& values, std::size_t index) { values.push_back(values[index]); }

    ReduceWorkload workload_;
    std::map<ReduceOp, std::vector<Case>> checks_;
};

using Types = testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(ReduceWorkloadTest, Types);

TYPED_TEST(ReduceWorkloadTest, AcceptsTheRightResultInEveryCase) {
    for (const ReduceOp op : this->kOps) {
        for (const Case& one : this->checks(op)) {
            EXPECT_TRUE(accepts(one, reduce(op, data_of<TypeParam>(one).values)))
                << one.name << " " << to_string(op);
        }
    }
}

TYPED_TEST(ReduceWorkloadTest, NoticesAnyElementMissingInASum) {
    EXPECT_TRUE(this->notices_each(ReduceOp::sum, this->drop));
}

TYPED_TEST(ReduceWorkloadTest, NoticesAnyElementAddedTwice) {
    EXPECT_TRUE(this->notices_each(ReduceOp::sum, this->twice));
}

TYPED_TEST(ReduceWorkloadTest, NoticesTheFirstLastOrMiddleElementMissing) {
    for (const ReduceOp op : this->kOps) {
        for (const int half : {0, 1, 2}) {
            EXPECT_TRUE(this->notices(op,
                                      [&](Data<TypeParam>& data) {
                                          const std::size_t last = data.values.size() - 1;
                                          this->drop(data.values,
                                                     last * static_cast<std::size_t>(half) / 2);
                                          return last > 0;
                                      }))
                << to_string(op) << " " << half;
        }
    }
}

TYPED_TEST(ReduceWorkloadTest, NoticesAHeadOrTailLeftOutForEveryPack) {
    for (const ReduceOp op : this->kOps) {
        for (std::size_t pack = 2; pack * sizeof(TypeParam) <= 16; pack *= 2) {
            const auto head_of = [&](const Data<TypeParam>& data) {
                return std::min(data.values.size(), (pack - data.offset % pack) % pack);
            };
            EXPECT_TRUE(this->notices(op,
                                      [&](Data<TypeParam>& data) {
                                          const std::size_t head = head_of(data);
                                          data.values.erase(data.values.begin(),
                                                            data.values.begin() +
                                                                static_cast<std::ptrdiff_t>(head));
                                          return head > 0;
                                      }))
                << to_string(op) << " head, pack " << pack;
            EXPECT_TRUE(this->notices(op,
                                      [&](Data<TypeParam>& data) {
                                          const std::size_t tail =
                                              (data.values.size() - head_of(data)) % pack;
                                          data.values.resize(data.values.size() - tail);
                                          return tail > 0;
                                      }))
                << to_string(op) << " tail, pack " << pack;
        }
    }
}

TYPED_TEST(ReduceWorkloadTest, NoticesAnOutputThatWasNotWritten) {
    for (const ReduceOp op : this->kOps) {
        for (const Case& one : this->checks(op)) {
            TypeParam poison;
            std::memset(&poison, 0xa5, sizeof poison);
            EXPECT_FALSE(accepts(one, poison)) << one.name;
            EXPECT_FALSE(accepts(one, TypeParam{0})) << one.name;
        }
    }
}

TYPED_TEST(ReduceWorkloadTest, NoticesANanThatIsIgnored) {
    if (!std::is_floating_point_v<TypeParam>) {
        GTEST_SKIP() << "integers have no NaN";
    }
    for (const ReduceOp op : {ReduceOp::min, ReduceOp::max}) {
        const auto& cases = this->checks(op);
        EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const Case& one) {
            return !accepts(one, reduce(op, data_of<TypeParam>(one).values, true));
        })) << to_string(op);
    }
}

TYPED_TEST(ReduceWorkloadTest, MisalignsItsDataByEachOffset) {
    std::set<std::size_t> misalignments;
    for (const Case& one : this->checks(ReduceOp::sum)) {
        misalignments.insert(data_of<TypeParam>(one).offset % (16 / sizeof(TypeParam)));
    }
    EXPECT_EQ(misalignments.size(), 16 / sizeof(TypeParam));
}

TYPED_TEST(ReduceWorkloadTest, TimesTheProblemItself) {
    for (const ReduceOp op : this->kOps) {
        for (const std::int64_t n : {1, 1000, 3'000'000}) {
            const Case timed = this->workload_.timed(reduce_problem(this->kType, op, n));
            EXPECT_EQ(timed.sizes, std::vector<std::int64_t>{n});
            const Data<TypeParam> data = data_of<TypeParam>(timed);
            ASSERT_EQ(data.values.size(), static_cast<std::size_t>(n));
            EXPECT_TRUE(accepts(timed, reduce(op, data.values))) << n;
        }
    }
}

TYPED_TEST(ReduceWorkloadTest, NeedsNoMoreMemoryForALargerProblem) {
    const auto timed = [&](std::int64_t n) {
        return this->workload_.timed(reduce_problem(this->kType, ReduceOp::sum, n));
    };
    EXPECT_EQ(timed(std::int64_t{1} << 33).inputs[0].pattern, timed(1000).inputs[0].pattern);
}

}  // namespace
}  // namespace jitune
