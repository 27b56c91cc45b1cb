// SPDX-License-Identifier: Apache-2.0
#include "dispatch/dispatch_table.hpp"

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
    EXPECT_EQ(table.find(key(1)), nullptr);
    const Resolved& added = table.add(key(1), resolved("one"));
    EXPECT_EQ(table.find(key(1)), &added);
    EXPECT_EQ(added.info.configuration, "one");
    EXPECT_EQ(table.find(key(2)), nullptr);
}

/// A part of a key that alter() changes, by one of kOthers steps.
struct KeyPart {
    const char* name;
    void (*alter)(DispatchKey& key, int step);
};
constexpr int kOthers = 20'000;  // about 20 of them share a list of the table with the key
constexpr char kAddresses[kOthers + 1] = {};
constexpr KeyPart kKeyParts[] = {
    {"device", [](DispatchKey& key, int step) { key.device = kAddresses + step; }},
    {"kernel", [](DispatchKey& key, int step) { key.problem.kernel = kAddresses + step; }},
    {"types",
     [](DispatchKey& key, int step) { key.problem.types += static_cast<std::uint64_t>(step); }},
    {"variant",
     [](DispatchKey& key, int step) { key.problem.variant += static_cast<std::uint64_t>(step); }},
    {"bucket", [](DispatchKey& key, int step) { key.bucket += step; }},
};

TEST(DispatchTable, TellsKeysOfOneListApartByEveryPart) {
    DispatchTable table;
    table.add(key(1), resolved("one"));
    for (const KeyPart& part : kKeyParts) {
        SCOPED_TRACE(part.name);
        int of_one_list = 0;
        for (int step = 1; step <= kOthers; ++step) {
            DispatchKey other = key(1);
            part.alter(other, step);
            ASSERT_EQ(table.find(other), nullptr) << "step " << step;
            of_one_list += DispatchKey::mix(other) == DispatchKey::mix(key(1)) ? 1 : 0;
        }
        EXPECT_GT(of_one_list, 0) << "no altered key shared the list, so none was compared";
    }
}

TEST(DispatchTable, KeepsTheFirstOfTwoEntries) {
    DispatchTable table;
    const Resolved& first = table.add(key(1), resolved("first"));
    EXPECT_EQ(&table.add(key(1), resolved("second")), &first);
    EXPECT_EQ(table.find(key(1))->info.configuration, "first");
}

TEST(DispatchTable, ServesManyThreadsThatAddAndFind) {
    DispatchTable table;
    std::vector<std::vector<const Resolved*>> seen(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < kKeys; ++i) {
                const int k = (i + t * 37) % kKeys;
                const Resolved* found = table.find(key(k));
                if (found == nullptr) {
                    found = &table.add(key(k), resolved(std::to_string(k)));
                }
                EXPECT_EQ(found->info.configuration, std::to_string(k));
                EXPECT_EQ(table.find(key(k)), found);
                seen[static_cast<std::size_t>(t)].push_back(table.find(key(i)));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (int i = 0; i < kKeys; ++i) {
        const Resolved* stands = table.find(key(i));
        ASSERT_NE(stands, nullptr);
        for (const auto& by_thread : seen) {
            const Resolved* saw = by_thread[static_cast<std::size_t>(i)];
            EXPECT_TRUE(saw == nullptr || saw == stands);
        }
    }
}

}  // namespace
}  // namespace jitune::internal
