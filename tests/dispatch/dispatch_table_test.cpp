// SPDX-License-Identifier: Apache-2.0
#include "dispatch/answer/dispatch_table.hpp"

#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

constexpr int kThreads = 64;
constexpr int kKeys = 3000;  // more than the table has heads

DispatchKey key(int i) {
    static const int anchors[4] = {};
    return {&anchors[i % 2],
            {&anchors[2 + i % 3 % 2], static_cast<std::uint64_t>(i % 5),
             static_cast<std::uint64_t>(i % 3)},
            i};
}

std::unique_ptr<const Resolved> resolved(const std::string& configuration) {
    auto result = std::make_unique<Resolved>();
    result->info.configuration = configuration;
    return result;
}

TEST(DispatchTable, FindsWhatWasAdded) {
    DispatchTable table;
    EXPECT_EQ(table.find(key(1), {}), nullptr);
    const Resolved& added = table.add(key(1), {}, resolved("one"));
    EXPECT_EQ(table.find(key(1), {}), &added);
    EXPECT_EQ(added.info.configuration, "one");
    EXPECT_EQ(table.find(key(2), {}), nullptr);
}

struct DispatchKeyPart {
    const char* name;
    void (*set)(DispatchKey& key, std::uint64_t value);
};
const void* address(std::uint64_t value) {
    return reinterpret_cast<const void*>(value);
}
constexpr DispatchKeyPart kDispatchKeyParts[] = {
    {"device", [](DispatchKey& key, std::uint64_t value) { key.device = address(value); }},
    {"kernel", [](DispatchKey& key, std::uint64_t value) { key.problem.kernel = address(value); }},
    {"types", [](DispatchKey& key, std::uint64_t value) { key.problem.types = value; }},
    {"variant", [](DispatchKey& key, std::uint64_t value) { key.problem.variant = value; }},
    {"bucket", [](DispatchKey& key, std::uint64_t value) { key.bucket = std::int64_t(value); }},
};

/// Two keys are compared only where they share a list, so each part takes values until some do.
TEST(DispatchTable, TellsKeysOfOneListApartByEveryPart) {
    constexpr int kValues = 20'000;
    DispatchTable table;
    table.add(key(1), {}, resolved("one"));
    std::mt19937_64 random(1);
    for (const DispatchKeyPart& part : kDispatchKeyParts) {
        SCOPED_TRACE(part.name);
        int of_one_list = 0;
        for (int i = 0; i < kValues; ++i) {
            DispatchKey other = key(1);
            part.set(other, random());
            ASSERT_EQ(table.find(other, {}), nullptr) << "value " << i;
            of_one_list += DispatchKey::mix(other) == DispatchKey::mix(key(1)) ? 1 : 0;
        }
        EXPECT_GT(of_one_list, 0) << "no other key shared the list, so none was compared";
    }
}

TEST(DispatchTable, HasAnAnswerForEachRangeOfAKey) {
    const auto serving = [](std::int64_t from, std::int64_t to) {
        auto answer = std::make_unique<Resolved>();
        answer->serves = {{from}, {to}};
        return answer;
    };
    const auto at = [](const std::int64_t& n) { return std::span(&n, 1); };
    DispatchTable table;
    const Resolved& low = table.add(key(1), at(10), serving(5, 20));
    const Resolved& high = table.add(key(1), at(30), serving(21, 40));
    EXPECT_NE(&low, &high);
    EXPECT_EQ(&table.add(key(1), at(20), serving(20, 20)), &low);
    EXPECT_EQ(table.find(key(1), at(4)), nullptr);
    EXPECT_EQ(table.find(key(1), at(5)), &low);
    EXPECT_EQ(table.find(key(1), at(20)), &low);
    EXPECT_EQ(table.find(key(1), at(21)), &high);
    EXPECT_EQ(table.find(key(1), at(41)), nullptr);
    EXPECT_EQ(table.find(key(2), at(10)), nullptr);
}

TEST(DispatchTable, KeepsTheFirstOfTwoEntries) {
    DispatchTable table;
    const Resolved& first = table.add(key(1), {}, resolved("first"));
    EXPECT_EQ(&table.add(key(1), {}, resolved("second")), &first);
    EXPECT_EQ(table.find(key(1), {})->info.configuration, "first");
}

std::unique_ptr<Resolved> resolved_for(const std::string& configuration, std::int64_t from,
                                       std::int64_t to) {
    auto result = std::make_unique<Resolved>();
    result->info.configuration = configuration;
    result->serves = {{from}, {to}};
    return result;
}

TEST(DispatchTable, AReplacedAnswerIsFoundForNoSizeAnyMore) {
    DispatchTable table;
    const auto at = [&](int of, std::int64_t n) {
        const Resolved* found = table.find(key(of), std::array{n});
        return found == nullptr ? "" : found->info.configuration;
    };
    const Resolved& old =
        table.add(key(1), std::array<std::int64_t, 1>{5}, resolved_for("old", 1, 9));
    table.add(key(2), std::array<std::int64_t, 1>{5}, resolved_for("other", 1, 9));
    table.replace(key(1), resolved_for("new", 4, 6));
    EXPECT_EQ(at(1, 5), "new");
    EXPECT_EQ(at(1, 7), "") << "to be looked up anew";
    EXPECT_EQ(at(2, 5), "other");
    EXPECT_EQ(old.info.configuration, "old") << "for those that have it";
    EXPECT_TRUE(old.is_retired);
    table.add(key(1), std::array<std::int64_t, 1>{7}, resolved_for("next", 7, 9));
    EXPECT_EQ(at(1, 5), "new");
    EXPECT_EQ(at(1, 7), "next");
}

TEST(DispatchTable, ServesManyThreadsThatAddAndFind) {
    DispatchTable table;
    std::vector<std::vector<const Resolved*>> seen(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < kKeys; ++i) {
                const int k = (i + t * 37) % kKeys;
                const Resolved* found = table.find(key(k), {});
                if (found == nullptr) {
                    found = &table.add(key(k), {}, resolved(std::to_string(k)));
                }
                EXPECT_EQ(found->info.configuration, std::to_string(k));
                EXPECT_EQ(table.find(key(k), {}), found);
                seen[static_cast<std::size_t>(t)].push_back(table.find(key(i), {}));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (int i = 0; i < kKeys; ++i) {
        const Resolved* stands = table.find(key(i), {});
        ASSERT_NE(stands, nullptr);
        for (const auto& by_thread : seen) {
            const Resolved* saw = by_thread[static_cast<std::size_t>(i)];
            EXPECT_TRUE(saw == nullptr || saw == stands);
        }
    }
}

}  // namespace
}  // namespace jitune::internal
