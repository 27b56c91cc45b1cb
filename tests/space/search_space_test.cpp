// SPDX-License-Identifier: Apache-2.0
#include "space/search_space.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

Parameter integers(std::string name, const std::vector<std::int64_t>& values) {
    return {std::move(name), {values.begin(), values.end()}, 0};
}

Parameter words(std::string name, const std::vector<std::string>& values) {
    return {std::move(name), {values.begin(), values.end()}, 0};
}

SearchSpace space_of(std::vector<Parameter> parameters, const std::vector<std::string>& texts) {
    std::vector<Expression> constraints;
    for (const std::string& text : texts) {
        constraints.push_back(Expression::parse(text));
    }
    return SearchSpace(std::move(parameters), constraints);
}

std::vector<std::string> texts_of(const SearchSpace& space) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < space.size(); ++i) {
        texts.push_back(space.at(i).text());
    }
    return texts;
}

std::map<std::string, Scalar> values_of(const Configuration& configuration) {
    std::map<std::string, Scalar> values;
    for (const auto& [name, value] : configuration.entries()) {
        values[name] = to_scalar(value);
    }
    return values;
}

/// Without a plan: every combination, the last parameter fastest, filtered by evaluate().
std::vector<std::string> brute_force(const std::vector<Parameter>& parameters,
                                     const std::vector<std::string>& texts) {
    std::vector<Expression> constraints;
    for (const std::string& text : texts) {
        constraints.push_back(Expression::parse(text));
    }
    std::vector<Configuration> all{Configuration()};
    for (const Parameter& parameter : parameters) {
        std::vector<Configuration> longer;
        for (const Configuration& start : all) {
            for (const Value& value : parameter.values) {
                auto entries = start.entries();
                entries.emplace_back(parameter.name, value);
                longer.emplace_back(std::move(entries));
            }
        }
        all = std::move(longer);
    }
    std::vector<std::string> valid;
    for (const Configuration& configuration : all) {
        const auto values = values_of(configuration);
        const auto holds = [&](const Expression& constraint) {
            return is_true(constraint.bind(values).constant_value().value());
        };
        if (std::all_of(constraints.begin(), constraints.end(), holds)) {
            valid.push_back(configuration.text());
        }
    }
    return valid;
}

void expect_refused(std::vector<Parameter> parameters, const std::vector<std::string>& constraints,
                    const std::vector<std::string_view>& because) {
    try {
        space_of(std::move(parameters), constraints);
        ADD_FAILURE() << "the space was accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        for (const std::string_view part : because) {
            EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos)
                << "\"" << part << "\" is not in: " << error.what();
        }
    }
}

TEST(SearchSpace, HoldsTheCombinationsThatSatisfyAllConstraints) {
    const SearchSpace space = space_of(
        {integers("block", {256, 32}), integers("items", {1, 8}), words("finish", {"b", "a"})},
        {"block * items <= 256", "finish = 'a' OR items = 1"});
    EXPECT_EQ(texts_of(space),
              (std::vector<std::string>{"block=256 items=1 finish=b", "block=256 items=1 finish=a",
                                        "block=32 items=1 finish=b", "block=32 items=1 finish=a",
                                        "block=32 items=8 finish=a"}));
}

TEST(SearchSpace, HoldsEverythingWithoutConstraints) {
    EXPECT_EQ(space_of({integers("a", {1, 2, 3}), words("b", {"x", "y"})}, {}).size(), 6U);
}

TEST(SearchSpace, AgreesWithBruteForceOnRandomSpaces) {
    std::mt19937_64 random(99);
    const auto below = [&](std::size_t bound) {
        return static_cast<std::size_t>(random() % bound);
    };
    const std::vector<std::string> pool{"p0 * p1 <= 12",
                                        "p1 <= p2",
                                        "p3 % p0 = 0",
                                        "p0 + p1 + p2 + p3 < 14",
                                        "mode = 'fast' OR p0 > 1",
                                        "iif(mode = 'slow', p1 < 4, p2 < 4)",
                                        "p2 / (p1 - 2) < 2",
                                        "p3 NOT IN (p0, 2)",
                                        "max(p0, p3) > 2",
                                        "p0 <> 3 AND (p1 < 5 AND mode < 'slow') AND p2 > 1",
                                        "p1 / 2.0 <= p3 - 0.5",
                                        "p3 = p0 / 0.5 AND p0 = p3 - p0",
                                        "iif(p1 > 2, 'odd', 'slow') = mode",
                                        "p2 = iif(p1 = 4, 'slow', 4 / (p1 - 2))",
                                        "mode > p0 AND abs(p1 - p3) <= ceil_div(p2, 3)",
                                        "mode <> 'odd'",
                                        "p1 = p2"};
    int spaces = 0;
    for (int i = 0; i < 100; ++i) {
        std::vector<Parameter> parameters;
        for (int p = 0; p < 4; ++p) {
            std::vector<std::int64_t> values;
            for (const std::int64_t value : {5, 1, 4, 2, 3, 8}) {
                if (values.empty() || below(2) == 0) {
                    values.push_back(value);
                }
            }
            parameters.push_back(integers(fmt::format("p{}", p), values));
        }
        parameters.insert(parameters.begin() + static_cast<std::ptrdiff_t>(below(5)),
                          words("mode", {"slow", "fast", "odd"}));
        std::vector<std::string> constraints;
        for (const std::string& text : pool) {
            if (below(4) == 0) {
                constraints.push_back(text);
            }
        }
        const std::vector<std::string> expected = brute_force(parameters, constraints);
        if (expected.empty()) {
            expect_refused(parameters, constraints, {"no configuration satisfies"});
        } else {
            ASSERT_EQ(texts_of(space_of(parameters, constraints)), expected);
            ++spaces;
        }
    }
    EXPECT_GT(spaces, 50);
}

TEST(SearchSpace, FindsExactlyTheConfigurationsItHolds) {
    const SearchSpace space =
        space_of({integers("a", {4, 2, 1}), integers("b", {1, 2, 3})}, {"a >= b"});
    for (std::size_t i = 0; i < space.size(); ++i) {
        EXPECT_EQ(space.find(space.at(i)), i);
    }
    const auto find = [&](std::vector<Configuration::Entry> entries) {
        return space.find(Configuration(std::move(entries)));
    };
    const std::int64_t one = 1;
    EXPECT_EQ(find({{"b", one}, {"a", one}}), space.size() - 1) << "the order of entries is free";
    EXPECT_EQ(find({{"a", one}, {"b", std::int64_t{2}}}), space.size())
        << "a constraint forbids it";
    EXPECT_EQ(find({{"a", std::int64_t{3}}, {"b", one}}), space.size()) << "3 is not listed";
    EXPECT_EQ(find({{"a", one}}), space.size());
    EXPECT_EQ(find({}), space.size());
}

TEST(SearchSpace, KnowsTheNeighboursOfEachConfiguration) {
    const SearchSpace space = space_of(
        {integers("a", {4, 2, 1}), integers("b", {1, 2, 3}), words("c", {"x", "y"})}, {"a >= b"});
    const auto apart = [&](std::size_t one, std::size_t other) {
        int different = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            different += space.position(one, i) != space.position(other, i) ? 1 : 0;
        }
        return different;
    };
    for (std::size_t one = 0; one < space.size(); ++one) {
        std::vector<std::size_t> expected;
        for (std::size_t other = 0; other < space.size(); ++other) {
            if (apart(one, other) == 1) {
                expected.push_back(other);
            }
        }
        std::vector<std::size_t> found = space.neighbours(one);
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, expected);
    }
}

TEST(SearchSpace, IsTheSameInWhateverOrderItIsWritten) {
    std::vector<Parameter> parameters{integers("a", {1, 2, 3, 4}), integers("b", {1, 2, 4, 8}),
                                      integers("c", {1, 2, 3}), integers("d", {0, 1}),
                                      integers("e", {5, 6, 7})};
    std::vector<std::string> constraints{"a * b <= 8", "b % c = 0", "c + d < 4", "d = 0 OR a > 1"};
    const auto sorted_texts = [&] {
        std::multiset<std::vector<std::string>> all;
        const SearchSpace space = space_of(parameters, constraints);
        for (std::size_t i = 0; i < space.size(); ++i) {
            std::vector<std::string> words;
            const Configuration configuration = space.at(i);
            for (const auto& [name, value] : configuration.entries()) {
                words.push_back(name + "=" + to_string(value));
            }
            std::sort(words.begin(), words.end());
            all.insert(words);
        }
        return all;
    };
    const auto expected = sorted_texts();
    std::mt19937_64 random(3);
    for (int i = 0; i < 20; ++i) {
        std::shuffle(parameters.begin(), parameters.end(), random);
        std::shuffle(constraints.begin(), constraints.end(), random);
        ASSERT_EQ(sorted_texts(), expected);
    }
}

TEST(SearchSpace, DoesNotVisitWhatItsConstraintsExclude) {
    // 10^15 combinations, chained; the constraint that is written last must bind early.
    std::vector<Parameter> parameters;
    std::vector<std::string> constraints;
    for (int i = 0; i < 15; ++i) {
        parameters.push_back(integers(fmt::format("p{}", i), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
        if (i > 0) {
            constraints.push_back(fmt::format("p{} = p{}", i, i < 8 ? 15 - i : i / 4));
        }
    }
    constraints.push_back("p7 = 3");
    EXPECT_GE(space_of(parameters, constraints).size(), 1U);
    constraints.push_back("p7 + p8 > 18");
    constraints.push_back("p7 + p8 < 18");
    expect_refused(parameters, constraints, {"p7 + p8 > 18"});
}

TEST(SearchSpace, RefusesMoreThanCanBeCounted) {
    std::vector<Parameter> parameters;
    for (int i = 0; i < 20; ++i) {
        parameters.push_back(integers(fmt::format("p{}", i), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    }
    expect_refused(parameters, {}, {"more than 2^63 combinations"});
    parameters.resize(12);
    expect_refused(parameters, {}, {"configurations satisfy the constraints", "fewer values"});
}

TEST(SearchSpace, TreatsNullAsNotSatisfied) {
    EXPECT_EQ(space_of({integers("a", {0, 1, 2})}, {"4 / a > 0"}).size(), 2U);
}

TEST(SearchSpace, TakesParametersWhoseNamesMeanSomethingInSql) {
    const SearchSpace space = space_of({integers("rowid", {7, 9}), integers("select", {1}),
                                        words("p0", {"x"}), integers("i", {0, 5})},
                                       {"rowid = 9", "select = 1", "p0 = 'x'", "i > 0"});
    EXPECT_EQ(texts_of(space), std::vector<std::string>{"rowid=9 select=1 p0=x i=5"});
}

TEST(SearchSpace, TakesConstraintsThatAreConstants) {
    EXPECT_EQ(space_of({integers("a", {1, 2})}, {"1 < 2"}).size(), 2U);
    const Expression limit = Expression::parse("needs <= limit")
                                 .bind({{"needs", std::int64_t{9}}, {"limit", std::int64_t{4}}});
    try {
        SearchSpace({integers("a", {1, 2})}, {limit});
        ADD_FAILURE() << "the space was accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("\"needs <= limit\""), std::string::npos);
    }
}

TEST(SearchSpace, NamesTheConstraintThatEmptiesIt) {
    const std::vector<Parameter> parameters{integers("a", {1, 2}), integers("b", {1, 2}),
                                            integers("c", {1, 2})};
    expect_refused(parameters, {"a > 0", "b > 2", "c > 3"}, {"\"b > 2\""});
    expect_refused(parameters, {"a < b", "c > 1", "b < a", "c < 2"},
                   {"together", "\"a < b\", \"c > 1\", \"b < a\""});
}

TEST(SearchSpace, RefusesNamesThatAreNoParameters) {
    expect_refused({integers("block", {1})}, {"block <= max_threads"},
                   {"\"block <= max_threads\"", "\"max_threads\"", "the parameters are block"});
    expect_refused({integers("block", {1})}, {"Block = 1"},
                   {"\"Block\", which is not a parameter"});
}

TEST(SearchSpace, RefusesParametersThatMakeNoSpace) {
    expect_refused({}, {}, {"0 parameters"});
    expect_refused({integers("a", {})}, {}, {"parameter a has 0 values"});
    expect_refused({integers("a", {1, 2, 1})}, {}, {"parameter a lists a value twice"});
    expect_refused({integers("a", {1}), integers("A", {1})}, {}, {"two parameters are called A"});
    expect_refused({{"a", {Value(std::int64_t{1}), Value("x")}, 0}}, {},
                   {"mixes integers and names"});
    expect_refused({integers("a b", {1})}, {}, {"\"a b\" cannot name a parameter"});
    expect_refused({integers("x\"; DROP", {1})}, {}, {"cannot name a parameter"});
    expect_refused({integers("and", {1})}, {}, {"\"and\" cannot name a parameter"});
    expect_refused({words("a", {"x'y"})}, {}, {"cannot be a value"});
}

TEST(SearchSpace, HoldsUpTo255ValuesAnd60Parameters) {
    std::vector<std::int64_t> values;
    for (std::int64_t value = 0; value < 255; ++value) {
        values.push_back(value);
    }
    EXPECT_EQ(space_of({integers("a", values)}, {}).at(254).text(), "a=254");
    values.push_back(255);
    expect_refused({integers("a", values)}, {}, {"256 values; 1 to 255"});

    std::vector<Parameter> parameters;
    for (int i = 0; i < 60; ++i) {
        parameters.push_back(integers(fmt::format("p{}", i), {1}));
    }
    EXPECT_EQ(space_of(parameters, {"p0 = p59"}).size(), 1U);
    parameters.push_back(integers("p60", {1}));
    expect_refused(parameters, {}, {"61 parameters; 1 to 60"});
}

TEST(SearchSpace, TakesConstraintsThatNestDeeply) {
    std::string deep = "a";
    for (int i = 0; i < 120; ++i) {
        deep = "(1 + " + deep + ")";
    }
    EXPECT_EQ(space_of({integers("a", {1, -200})}, {deep + " > 0"}).size(), 1U);
}

}  // namespace
}  // namespace jitune::internal
