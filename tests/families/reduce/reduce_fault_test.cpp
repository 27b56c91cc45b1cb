// SPDX-License-Identifier: Apache-2.0
// Which mistakes of a kernel the checks of ReduceWorkload notice.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "fixtures/reduce_case.hpp"
#include "types/element_visit.hpp"

namespace jitune::internal {
namespace {

using namespace reduce_case;

/// A lost element of these is always seen, whatever it is.
constexpr Op kSums[] = {Op::sum, Op::mean, Op::sum_abs, Op::sum_of_squares, Op::norm};

std::vector<std::size_t> all_of(const ElementRun& run) {
    std::vector<std::size_t> taken(run.count);
    std::iota(taken.begin(), taken.end(), std::size_t{0});
    return taken;
}

using Taken = std::vector<std::size_t>;
/// Changes what a run's result is made of; false where it has nothing to change.
using Fault = std::function<bool(const Seen&, Taken&)>;

/// Whether any case notices the fault in its first or last result.
bool noticed(ReduceKind kind, const ReduceTypes& types, const std::vector<Case>& cases,
             const Fault& fault) {
    return std::any_of(cases.begin(), cases.end(), [&](const Case& one) {
        const Seen seen(kind, types, one);
        for (std::size_t result : {std::size_t{0}, seen.layout.results() - 1}) {
            Taken taken = all_of(seen.layout.run(result));
            if (fault(seen, taken) && seen.notices(result, taken)) {
                return true;
            }
        }
        return false;
    });
}

Fault missing(std::size_t index, bool from_back) {
    return [=](const Seen&, Taken& taken) {
        if (index >= taken.size() || taken.size() < 2) {
            return false;
        }
        const std::size_t at = from_back ? taken.size() - 1 - index : index;
        taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(at));
        return true;
    };
}

Fault twice(std::size_t index) {
    return [=](const Seen&, Taken& taken) {
        if (index < taken.size()) {
            taken.push_back(taken[index]);
        }
        return index < taken.size();
    };
}

void for_each_type(const std::function<void(ReduceKind, const ReduceTypes&)>& use,
                   std::initializer_list<Op> only = {}) {
    for (const ReduceKind kind : kKinds) {
        for (int op = 0; op < static_cast<int>(Op::custom); ++op) {
            if (only.size() > 0 && std::find(only.begin(), only.end(), Op(op)) == only.end()) {
                continue;
            }
            for (const E element : {E::uint32, E::bfloat16}) {
                use(kind, types_of(element, Op(op)));
            }
        }
    }
}

TEST(ReduceFault, NoticesAnyElementMissingFromASumOrAddedTwice) {
    for (const E element : element_types()) {
        for (const Op op : kSums) {
            const ReduceTypes types = types_of(element, op);
            const auto cases = checks_of(ReduceKind::all, types);
            for (const std::size_t index : {0, 1, 2, 3, 7, 15, 30, 31, 63, 255, 1023, 65'536}) {
                for (const bool back : {false, true}) {
                    EXPECT_TRUE(noticed(ReduceKind::all, types, cases, missing(index, back)))
                        << name(ReduceKind::all, types) << " " << index;
                }
            }
            for (const std::size_t index : {0, 1, 31, 1024, 65'536}) {
                EXPECT_TRUE(noticed(ReduceKind::all, types, cases, twice(index)))
                    << name(ReduceKind::all, types) << " " << index << " twice";
            }
        }
    }
}

TEST(ReduceFault, NoticesAnyElementMissingFromASumOf16BitsOrAddedTwice) {
    for (const E element : {E::float16, E::bfloat16}) {
        for (const Op op : {Op::sum, Op::mean}) {
            const ReduceTypes types{element, op, element};
            const auto cases = checks_of(ReduceKind::all, types);
            for (const std::size_t index : {0, 1, 7, 31, 1023, 65'536, 500'000}) {
                EXPECT_TRUE(noticed(ReduceKind::all, types, cases, missing(index, false)))
                    << name(ReduceKind::all, types) << " " << index;
                EXPECT_TRUE(noticed(ReduceKind::all, types, cases, twice(index)))
                    << name(ReduceKind::all, types) << " " << index << " twice";
            }
        }
        for (const Op op : {Op::sum_abs, Op::sum_of_squares, Op::norm}) {  // first and last ones
            const ReduceTypes types{element, op, element};
            const auto cases = checks_of(ReduceKind::all, types);
            for (const bool back : {false, true}) {
                EXPECT_TRUE(noticed(ReduceKind::all, types, cases, missing(0, back)))
                    << name(ReduceKind::all, types);
            }
        }
    }
}

TEST(ReduceFault, NoticesASingleElementMissingFromTheLongestSum) {
    for (const E element : kFloats) {
        for (const Op op : kSums) {
            const ReduceTypes types = types_of(element, op);
            const auto cases = checks_of(ReduceKind::all, types);
            EXPECT_TRUE(noticed(ReduceKind::all, types, cases, missing(500'000, false)))
                << name(ReduceKind::all, types);
        }
    }
}

TEST(ReduceFault, NoticesTheFirstMiddleOrLastElementOfARunMissing) {
    const Fault middle = [](const Seen& seen, Taken& taken) {
        return taken.size() > 2 && missing((taken.size() - 1) / 2, false)(seen, taken);
    };

    for_each_type([&](ReduceKind kind, const ReduceTypes& types) {
        const auto cases = checks_of(kind, types);
        for (const Fault& fault : {missing(0, false), middle, missing(0, true)}) {
            EXPECT_TRUE(noticed(kind, types, cases, fault)) << name(kind, types);
        }
    });
}

TEST(ReduceFault, NoticesAHeadOrTailLeftOutForEveryPack) {
    const auto head_of = [](const Seen& seen, std::size_t pack) {
        const std::size_t offset = seen.what->arguments[0].offset / bytes_of(seen.types.element);
        return std::min(seen.layout.elements(), (pack - offset % pack) % pack);
    };
    for (const E element : element_types()) {
        for (const Op op :
             {Op::sum, Op::min, Op::max, Op::arg_min, Op::arg_max, Op::max_abs, Op::all, Op::any}) {
            const ReduceTypes types = types_of(element, op);
            const auto cases = checks_of(ReduceKind::all, types);
            for (std::size_t pack = 2; pack * bytes_of(element) <= 16; pack *= 2) {
                const Fault no_head = [&](const Seen& seen, Taken& taken) {
                    const std::size_t head = head_of(seen, pack);
                    taken.erase(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(head));
                    return head > 0 && !taken.empty();
                };
                const Fault no_tail = [&](const Seen& seen, Taken& taken) {
                    const std::size_t tail = (taken.size() - head_of(seen, pack)) % pack;
                    taken.resize(taken.size() - tail);
                    return tail > 0 && !taken.empty();
                };
                EXPECT_TRUE(noticed(ReduceKind::all, types, cases, no_head))
                    << name(ReduceKind::all, types) << " head, pack " << pack;
                EXPECT_TRUE(noticed(ReduceKind::all, types, cases, no_tail))
                    << name(ReduceKind::all, types) << " tail, pack " << pack;
            }
        }
    }
}

TEST(ReduceFault, NoticesOneResultThatWasNotWritten) {
    for_each_type(
        [](ReduceKind kind, const ReduceTypes& types) {
            for (const Case& one : checks_of(kind, types)) {
                const Seen seen(kind, types, one);
                Bytes results = seen.right_answer();
                ASSERT_TRUE(seen.accepts(results)) << name(kind, types) << " " << one.name;
                std::fill(results.end() - static_cast<std::ptrdiff_t>(bytes_of(types.result)),
                          results.end(), std::byte{0xa5});
                EXPECT_FALSE(seen.accepts(results)) << name(kind, types) << " " << one.name;
            }
        },
        {Op::sum, Op::arg_min, Op::all, Op::norm});
}

TEST(ReduceFault, NoticesWhenTheLastOfEqualElementsWins) {
    for (const ReduceKind kind : kKinds) {
        for (const E element : {E::int8, E::uint64, E::float32}) {
            for (const Op op : {Op::arg_min, Op::arg_max}) {
                const ReduceTypes types = types_of(element, op);
                const auto cases = checks_of(kind, types);
                EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const Case& one) {
                    const Seen seen(kind, types, one);
                    Taken taken = all_of(seen.layout.run(0));
                    if (taken.empty()) {
                        return false;
                    }
                    std::reverse(taken.begin(), taken.end());
                    std::int64_t index = 0;
                    std::memcpy(&index, seen.answer_of(0, taken).data(), sizeof index);
                    index = static_cast<std::int64_t>(taken.size()) - 1 - index;
                    Bytes results = seen.right_answer();
                    std::memcpy(results.data(), &index, sizeof index);
                    return !seen.accepts(results);
                })) << name(kind, types);
            }
        }
    }
}

TEST(ReduceFault, NoticesANanThatIsIgnored) {
    for (const ReduceKind kind : kKinds) {
        for (const E element : {E::float16, E::float32}) {
            for (const Op op : {Op::max, Op::max_abs, Op::arg_min, Op::sum, Op::count_nonzero}) {
                const ReduceTypes types = types_of(element, op);
                const auto cases = checks_of(kind, types);
                EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const Case& one) {
                    Seen seen(kind, types, one);
                    visit_element(element, [&]<class T>(T) {
                        for (std::size_t i = 0; i < seen.values.size(); i += sizeof(T)) {
                            T value;
                            std::memcpy(&value, &seen.values[i], sizeof value);
                            if (std::isnan(static_cast<float>(value))) {
                                std::memset(&seen.values[i], 0, sizeof value);
                            }
                        }
                    });
                    return !seen.accepts(seen.right_answer());
                })) << name(kind, types);
            }
        }
    }
}

}  // namespace
}  // namespace jitune::internal
