// SPDX-License-Identifier: Apache-2.0
#include "fixtures/fault_vfs.hpp"
#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

/// SQLite's own allocator, which can be told to fail in one call or from one call on. SQLite's
/// interface has no room for a pointer to the state, so that is static.
class FaultMemory {
public:
    static void install() {
        ASSERT_EQ(sqlite3_shutdown(), SQLITE_OK);
        ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &state().real), SQLITE_OK);
        sqlite3_mem_methods methods = state().real;
        methods.xMalloc = [](int size) -> void* {
            return fails() ? nullptr : state().real.xMalloc(size);
        };
        methods.xRealloc = [](void* old, int size) -> void* {
            return fails() ? nullptr : state().real.xRealloc(old, size);
        };
        ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods), SQLITE_OK);
        // Small allocations must go through it, too.
        ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0), SQLITE_OK);
        ASSERT_EQ(sqlite3_initialize(), SQLITE_OK);
    }
    static void remove() {
        ASSERT_EQ(sqlite3_shutdown(), SQLITE_OK);
        ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_MALLOC, &state().real), SQLITE_OK);
        ASSERT_EQ(sqlite3_initialize(), SQLITE_OK);
    }

    static void fail_at(int call, bool forever) {
        state().calls = 0;
        state().fail_at = call;
        state().forever = forever;
    }
    static bool has_failed() { return state().fail_at != 0 && state().calls >= state().fail_at; }

private:
    struct State {
        sqlite3_mem_methods real{};
        int calls = 0, fail_at = 0;
        bool forever = false;
    };
    static State& state() {
        static State state;
        return state;
    }
    static bool fails() {
        ++state().calls;
        return state().fail_at != 0 && (state().forever ? state().calls >= state().fail_at
                                                        : state().calls == state().fail_at);
    }
};

/// Opens, finds and saves with a failure at each call in turn, and checks the file afterwards.
class Faults : public StoreFixture {
protected:
    void SetUp() override {
        open()->save({}, winner_of(1));
        good_ = bytes();
    }

    /// True if the new winner was acknowledged.
    virtual bool use_the_store() {
        bool saved = false;
        store_error([&] {
            const auto store = open();
            store_error([&] { EXPECT_EQ(store->find(key_of(1), sizes_of(1)), winner_of(1)); });
            const std::vector<Measurement> one{measurement_of(2)};
            store->save(one, winner_of(2));
            saved = true;
            EXPECT_EQ(store->bad_rows(), 0);
        });
        return saved;
    }

    virtual void expect_intact(bool saved) {
        const auto store = open();
        EXPECT_EQ(store->find(key_of(1), sizes_of(1)), winner_of(1));
        const std::optional<Winner> second = store->find(key_of(2), sizes_of(2));
        const std::vector<Measurement> measurements = store->measurements().of(key_of(2));
        EXPECT_TRUE(second ? *second == winner_of(2) : !saved);
        EXPECT_EQ(measurements.size(), second ? 1U : 0U) << "half a transaction";
        EXPECT_EQ(store->verify().problems, std::vector<std::string>{});
        EXPECT_EQ(warnings_, std::vector<std::string>{}) << "a good file was set aside";
    }

    /// Returns the number of the last call that was made to fail: of each at first, then of
    /// every `step`th, to save time.
    template <class Source>
    int fail_each_call(Source& source, bool forever, int step = 1) {
        constexpr int kFirst = 300;
        for (int call = 1;; call += call < kFirst ? 1 : step) {
            SCOPED_TRACE(testing::Message() << "call " << call << (forever ? " on" : ""));
            std::filesystem::remove(file_next_to_it("-journal"));
            write(good_);
            source.fail_at(call, forever);
            const bool saved = use_the_store();
            const bool reached = source.has_failed();
            source.fail_at(0, false);
            expect_intact(saved);
            if (!reached || HasFailure()) {
                EXPECT_TRUE(saved);
                return call - 1;
            }
        }
    }

    std::string good_;
};

TEST_F(Faults, OfAnyFileCallLoseNoWinner) {
    FaultVfs files;
    for (const bool forever : {false, true}) {
        EXPECT_GT(fail_each_call(files, forever), 30);
    }
}

/// A reader cannot undo half a commit, and says so; the next writer does, and loses nothing.
TEST_F(Faults, ThatLeaveAJournalAreExplainedAndUndone) {
    FaultVfs files;
    int journals = 0;
    for (const int kind : {0, SQLITE_IOERR_READ, SQLITE_FULL, SQLITE_IOERR_FSYNC}) {
        bool reached = true;
        for (int call = 1; reached; ++call) {
            SCOPED_TRACE(testing::Message() << "calls of kind " << kind << " from " << call);
            std::filesystem::remove(file_next_to_it("-journal"));
            write(good_);
            files.fail_at(call, true, kind);
            const bool saved = use_the_store();
            reached = files.has_failed();
            files.fail_at(0, false);
            const std::string answer = refusal(Access::read_only);
            if (!answer.empty()) {
                ++journals;
                EXPECT_NE(answer.find("a writer ended in the middle of a commit"),
                          std::string::npos)
                    << answer;
                EXPECT_NE(answer.find("the next process that writes"), std::string::npos);
                EXPECT_FALSE(saved);
            }
            expect_intact(saved);
            EXPECT_EQ(refusal(Access::read_only), "") << "the writer has undone the commit";
        }
    }
    EXPECT_GT(journals, 15);
}

TEST_F(Faults, OfAnyAllocationLoseNoWinner) {
    FaultMemory::install();
    FaultMemory memory;
    for (const bool forever : {false, true}) {
        EXPECT_GT(fail_each_call(memory, forever, 11), 300);
    }
    FaultMemory::remove();
}

TEST_F(Faults, OfAnyFileCallLeaveANewDatabaseUsable) {
    FaultVfs files;
    bool reached = true;
    for (int call = 1; reached; ++call) {
        SCOPED_TRACE(call);
        std::filesystem::remove(file_next_to_it("-journal"));
        std::filesystem::remove(path_);
        files.fail_at(call, false);
        store_error([&] { open()->save({}, winner_of(1)); });
        reached = files.has_failed();
        files.fail_at(0, false);
        open()->save({}, winner_of(2));
        EXPECT_EQ(open()->find(key_of(2), sizes_of(2)), winner_of(2));
        ASSERT_EQ(warnings_, std::vector<std::string>{});
    }
}

/// The same of a choice, where an earlier one of its objective is pinned.
class ChoiceFaults : public Faults {
protected:
    void SetUp() override {
        Winner earlier = choice_of("block=1");
        ASSERT_TRUE(open()->save_choice(earlier, sizes_of(1)));
        good_ = bytes();
    }

    static Winner choice_of(const std::string& configuration) {
        Winner winner = winner_of(1);
        winner.configuration = configuration;
        winner.certainty.conditions = "objective=energy";
        return winner;
    }

    bool use_the_store() override {
        bool saved = false;
        Winner choice = choice_of("block=2");
        store_error([&] { saved = open()->save_choice(choice, sizes_of(1)); });
        EXPECT_EQ(choice.pinned, saved) << "the caller's choice says what was committed";
        return saved;
    }

    void expect_intact(bool saved) override {
        const auto store = open();
        const std::optional<Winner> found = store->find(key_of(1), sizes_of(1));
        ASSERT_TRUE(found);
        EXPECT_TRUE(found->pinned) << found->configuration;
        EXPECT_TRUE(found->configuration == "block=2" || !saved) << found->configuration;
        EXPECT_EQ(store->winners().size(), 1U);
        EXPECT_EQ(store->verify().problems, std::vector<std::string>{});
    }
};

TEST_F(ChoiceFaults, OfAnyFileCallLeaveTheEarlierChoiceOrTheNewOne) {
    FaultVfs files;
    for (const bool forever : {false, true}) {
        EXPECT_GT(fail_each_call(files, forever), 30);
    }
}

}  // namespace
}  // namespace jitune::internal
