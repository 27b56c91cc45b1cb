// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/binary_table.hpp"

#include <fmt/format.h>

#include "fixtures/store_fixture.hpp"
#include "tuner_db/open_store.hpp"

namespace jitune::internal {
namespace {

KeptBinary binary_of(int instance, const std::string& used_at = "2026-11-20T16:00:00Z") {
    return {"reduce",
            "element=float32 operation=sum",
            "block=256",
            "0123456789abcdef0123456789abcdef",
            "cuda cc=90 sm=132",
            fmt::format("{:032}", instance),
            "NVRTC 13.0",
            "cubin",
            {"one", "two"},
            used_at,
            std::string("\0code", 5)};
}

std::string day(int number) {
    return fmt::format("2026-11-{:02}T16:00:00Z", number);
}

class BinaryStore : public StoreFixture {
protected:
    /// The instances from `first` to `last` that a table has.
    static std::vector<int> those_in(BinaryTable& table, int first, int last) {
        std::vector<int> found;
        for (int i = first; i <= last; ++i) {
            if (!table.find(binary_of(i)).records.empty()) {
                found.push_back(i);
            }
        }
        return found;
    }
};

TEST_F(BinaryStore, FindsCodeOfTheSameTemplateDeviceClassAndInstance) {
    open()->keep(std::vector{binary_of(1)});
    EXPECT_EQ(open()->binaries(binary_of(1)), std::vector{binary_of(1)});
    KeptBinary other = binary_of(1);
    other.template_hash = "other";
    EXPECT_TRUE(open()->binaries(other).empty());
    other = binary_of(1);
    other.device_class = "other";
    EXPECT_TRUE(open()->binaries(other).empty());
    EXPECT_TRUE(open()->binaries(binary_of(2)).empty());
}

TEST_F(BinaryStore, HasCodeOfSeveralCompilersThatUsedLastFirst) {
    KeptBinary newer = binary_of(1, day(22));
    newer.compiler = "NVRTC 13.1";
    open()->keep(std::vector{newer, binary_of(1, day(21))});
    EXPECT_EQ(open()->binaries(binary_of(1)), (std::vector{newer, binary_of(1, day(21))}));
    open()->keep(std::vector{binary_of(1, day(23))});
    EXPECT_EQ(open()->binaries(binary_of(1)), (std::vector{binary_of(1, day(23)), newer}));
}

TEST_F(BinaryStore, KeepsTheRowsThatWereUsedLast) {
    sqlite::Connection connection = open_store_in_memory().connection;
    BinaryTable table(connection, {.rows = 3, .bytes = 1000});
    table.put(std::vector{binary_of(1, day(11)), binary_of(2, day(13)), binary_of(3, day(12))});
    table.put(std::vector{binary_of(1, day(14))});
    table.put(std::vector{binary_of(4, day(15))});
    EXPECT_EQ(those_in(table, 1, 4), (std::vector{1, 2, 4}));
}

TEST_F(BinaryStore, KeepsSoManyBytes) {
    sqlite::Connection connection = open_store_in_memory().connection;
    BinaryTable table(connection, {.rows = 100, .bytes = 1000});
    for (int i = 1; i <= 9; ++i) {
        KeptBinary large = binary_of(i, day(i));
        large.image = std::string(240, 'x');
        table.put(std::vector{large});
    }
    EXPECT_EQ(those_in(table, 1, 9), (std::vector{6, 7, 8, 9}));
    KeptBinary too_large = binary_of(10, day(10));
    too_large.image = std::string(251, 'x');
    table.put(std::vector{too_large});
    EXPECT_EQ(those_in(table, 1, 10), (std::vector{6, 7, 8, 9}));
}

TEST_F(BinaryStore, LeavesADamagedRowOutAndReplacesIt) {
    for (const char* damage : {"image = x'00'", "compiler = 'other'", "symbols = 'three'"}) {
        std::filesystem::remove(path_);
        open()->keep(std::vector{binary_of(1)});
        sql(std::string("UPDATE binary SET ") + damage);
        const auto store = open();
        warnings_.clear();
        EXPECT_TRUE(store->binaries(binary_of(1)).empty()) << damage;
        EXPECT_EQ(store->bad_rows(), 1);
        ASSERT_EQ(warnings_.size(), 1U);
        EXPECT_TRUE(warnings_[0].ends_with(": compiled code of reduce is damaged and not used"));
        EXPECT_EQ(store->verify().problems,
                  std::vector<std::string>{"binary 1: wrong digest, type, sizes, times or bound"});
        store->keep(std::vector{binary_of(1)});
        EXPECT_EQ(store->binaries(binary_of(1)), std::vector{binary_of(1)});
    }
}

TEST_F(BinaryStore, RefusesToWriteWhatMayOnlyBeRead) {
    open();
    EXPECT_NE(store_error([&] { open(Access::read_only)->keep(std::vector{binary_of(1)}); }), "");
}

}  // namespace
}  // namespace jitune::internal
