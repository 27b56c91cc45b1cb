// SPDX-License-Identifier: Apache-2.0
#include "cli/db/winner_filter.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

Winner winner_of(const std::string& kernel, const std::string& types) {
    Winner winner;
    winner.key.kernel = kernel;
    winner.key.types = types;
    winner.key.device_class = "cuda cc=90";
    return winner;
}

/// A sum and a kernel of a user.
std::vector<Winner> two_winners() {
    return {winner_of("reduce", "accumulator=float32 element=float32 operation=sum"),
            winner_of("dot_product", "element=quaternion operation=dot")};
}

/// The number of winners, and the warnings.
std::pair<std::size_t, std::string> chosen(const WinnerFilter& filter,
                                           std::vector<Winner> winners) {
    std::string warnings;
    const Log log(LogLevel::warning, [&](LogLevel, std::string_view text) { warnings += text; });
    const std::size_t count = filter.of(std::move(winners), log).size();
    return {count, warnings};
}

using Chosen = std::pair<std::size_t, std::string>;

TEST(WinnerFilter, RefusesNamesThatNothingKnows) {
    const auto refuse = [](const WinnerFilter& filter, const std::string& list) {
        expect_error(ErrorKind::usage, list, [&] { static_cast<void>(chosen(filter, {})); });
    };
    refuse({.kernel = "reduec"}, "one of entropy, reduce, reduce_columns, reduce_rows");
    refuse({.type = "float8"}, "\"float8\": use one of bfloat16, float16");
    refuse({.op = "summ"}, "--op: neither the built-in kernels nor the stored winners know");
    refuse({.kernel = "dot_product"}, "--kernel");
    expect_error(ErrorKind::usage, "dot_product, entropy",
                 [] { WinnerFilter{.kernel = "dot"}.refuse_unknown_names(two_winners()); });
}

TEST(WinnerFilter, KnowsTheNamesOfStoredKernels) {
    for (const WinnerFilter& filter :
         {WinnerFilter{.kernel = "dot_product"}, WinnerFilter{.type = "quaternion"},
          WinnerFilter{.op = "dot"}}) {
        EXPECT_EQ(chosen(filter, two_winners()), Chosen(1, ""));
    }
}

TEST(WinnerFilter, WarnsWhereNoWinnerMatches) {
    EXPECT_EQ(chosen({}, two_winners()), Chosen(2, ""));
    EXPECT_EQ(chosen({.op = "sum"}, two_winners()), Chosen(1, ""));
    EXPECT_EQ(chosen({.kernel = "reduce_rows", .op = "max"}, two_winners()),
              Chosen(0, "no winner matches --kernel reduce_rows --op max"));
    EXPECT_EQ(chosen({.device_class = "cc=120"}, two_winners()),
              Chosen(0, "no winner matches --device-class cc=120"));
    EXPECT_EQ(chosen({}, {}), Chosen(0, "the database has no winners, or none that is intact"));
}

TEST(WinnerFilter, TellsSeveralThatMatchByTheSizesThatTheyServe) {
    std::vector<Winner> winners{two_winners().front(), two_winners().front()};
    winners[0].sizes = "n=4096";
    winners[1].sizes = "n=8192";
    winners[0].range.covers = "n=4000..4999";
    winners[1].range.covers = "n=5000..9999";
    for (const char* const served :
         {": reduce float32 sum n=4000..4999", ": reduce float32 sum n=5000..9999"}) {
        expect_error(ErrorKind::usage, served,
                     [&] { static_cast<void>(WinnerFilter{.op = "sum"}.only_one(winners)); });
    }
}

}  // namespace
}  // namespace jitune::internal
