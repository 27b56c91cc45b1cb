#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/call_memo.hpp"
#include "engine/engine.hpp"
#include "expect_error.hpp"
#include "fake_sum.hpp"
#include "support/temp_dir.hpp"

namespace jitune {

/// Engines over one fake device and one database file. The fastest configuration is
/// kFastest.
class EngineFixture : public testing::Test {
protected:
    static constexpr const char* kFastest = "block=128 items=4";

    EngineFixture() {
        backend_.kernel = right_sum;
        backend_.on(fake_sum(128, 4)).ns = 400;
        options_.database = dir_.path() / "tuning.db";
        options_.log_sink = [this](LogLevel, std::string_view line) {
            warnings_.emplace_back(line);
        };
    }

    std::unique_ptr<Engine> make_engine() { return make_engine_on({&backend_}); }
    std::unique_ptr<Engine> make_engine_on(const std::vector<FakeBackend*>& devices) {
        std::vector<std::unique_ptr<Platform>> platforms;
        platforms.push_back(std::make_unique<FakePlatform>("cuda", devices));
        return std::make_unique<Engine>(options_, std::move(platforms));
    }

    const Resolved& resolve(Engine& engine, std::int64_t n = 1000) {
        const Problem problem = fake_sum_problem(n);
        return engine.resolve(fake_sum_key(backend_, kernel_, problem), backend_, kernel_, problem);
    }
    DispatchInfo info(Engine& engine, std::int64_t n = 1000) { return resolve(engine, n).info; }

    /// Expects the sum of n ones from what the engine answers with.
    void expect_right(const Resolved& resolved, std::int64_t n = 1000) {
        std::vector<std::int32_t> values(static_cast<std::size_t>(n), 1);
        std::int32_t result = 0;
        const std::array<void*, 2> arrays{values.data(), &result};
        StreamSite& site = backend_.site();
        CallMemo memo;
        memo.prepare({site.serial(), {}, {n}}, std::array{n}, resolved, site)(arrays.data(),
                                                                              nullptr);
        EXPECT_EQ(result, n);
    }

    /// Fills the database with the winner for n.
    void tune_before(std::int64_t n = 1000) { resolve(*make_engine(), n); }

    TempDir dir_;
    FakeBackend backend_;
    Kernel kernel_ = fake_sum_kernel();
    Options options_;
    std::vector<std::string> warnings_;
};

}  // namespace jitune
