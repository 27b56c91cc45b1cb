// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/custom_operation.hpp"

#include <functional>
#include <limits>
#include <set>

#include "families/reduce/reduce_kernel.hpp"
#include "fixtures/custom_operations.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

using Change = std::function<void(CustomOperation&)>;

CustomOperation changed(const Change& change) {
    CustomOperation operation = log_sum_exp("__expf", "__logf");
    change(operation);
    return operation;
}

/// One for each field that makes an operation another one.
const std::vector<Change> kChanges{
    [](CustomOperation& operation) { operation.name = "other"; },
    [](CustomOperation& operation) { operation.definitions += " "; },
    [](CustomOperation& operation) { operation.state = "float2"; },
    [](CustomOperation& operation) { operation.identity = "{}"; },
    [](CustomOperation& operation) { operation.map = "Pair{x, 2.0f}"; },
    [](CustomOperation& operation) { operation.combine = "b"; },
    [](CustomOperation& operation) { operation.finish = "a.top"; },
    [](CustomOperation& operation) { operation.tolerance = 1e-5; },
};

TEST(CustomOperation, HasAnotherFingerprintForEveryChange) {
    const CustomOperation operation = changed([](CustomOperation&) {});
    EXPECT_EQ(fingerprint(operation), fingerprint(CustomOperation(operation)));
    std::set<std::uint64_t> seen{fingerprint(operation)};
    for (const Change& change : kChanges) {
        EXPECT_TRUE(seen.insert(fingerprint(changed(change))).second);
    }
}

TEST(CustomOperation, HasAnotherFingerprintWhereTextMovesFromFieldToField) {
    const auto moved = [](std::string identity, std::string map) {
        return fingerprint(changed([&](CustomOperation& operation) {
            operation.identity = std::move(identity);
            operation.map = std::move(map);
        }));
    };
    EXPECT_NE(moved("ab", "c"), moved("a", "bc"));
}

TEST(CustomOperation, RefusesEachEmptyFieldByItsName) {
    const auto refused = [](const std::string& field, const Change& change) {
        expect_error(ErrorKind::usage, "its " + field + " is empty",
                     [&] { refuse_bad_operation(changed(change)); });
    };
    refused("name", [](CustomOperation& operation) { operation.name = ""; });
    refused("state", [](CustomOperation& operation) { operation.state = " "; });
    refused("identity", [](CustomOperation& operation) { operation.identity = "\n"; });
    refused("map", [](CustomOperation& operation) { operation.map = "\t"; });
    refused("combine", [](CustomOperation& operation) { operation.combine = ""; });
    refused("finish", [](CustomOperation& operation) { operation.finish = ""; });
    EXPECT_NO_THROW(refuse_bad_operation(
        changed([](CustomOperation& operation) { operation.definitions = ""; })));
}

TEST(CustomOperation, HasAnotherFingerprintForAnotherResult) {
    EXPECT_NE(fingerprint(changed(
                  [](CustomOperation& operation) { operation.result = ElementType::float32; })),
              fingerprint(changed(
                  [](CustomOperation& operation) { operation.result = ElementType::float64; })));
}

TEST(CustomOperation, RefusesAnUnmatchedBracket) {
    const auto refused = [](const std::string& map, const std::string& bracket) {
        expect_error(ErrorKind::usage, "its map has an unmatched \"" + bracket + "\"", [&] {
            refuse_bad_operation(changed([&](CustomOperation& one) { one.map = map; }));
        });
    };
    refused("Pair{x, 1.0f", "{");
    refused("x)", ")");
    refused("(x]", "]");
    for (const char* map :
         {"x == ')' ? \"(\\\"\"[0] : (x)", "(x + 1'000)", "x // it's (odd", "(x /* don't ) */)"}) {
        EXPECT_NO_THROW(refuse_bad_operation(changed([&](CustomOperation& one) { one.map = map; })))
            << map;
    }
}

TEST(CustomOperation, RefusesAPreprocessorDirective) {
    const auto refused = [](const std::string& field, const std::string& line,
                            const Change& change) {
        expect_error(ErrorKind::usage, "its " + field + " has the line \"" + line + "\"",
                     [&] { refuse_bad_operation(changed(change)); });
    };
    refused("definitions", "#include \"x.h\"",
            [](CustomOperation& one) { one.definitions += "\n #include \"x.h\"  // mine"; });
    refused("state", "#include <x.h>",
            [](CustomOperation& one) { one.state = "%:include <x.h>\n" + one.state; });
    refused("map", "#include <x.h>",
            [](CustomOperation& one) { one.map = "/* \n */ ?\?=include <x.h>\n" + one.map; });
    refused("finish", "#embed \"x\"",
            [](CustomOperation& one) { one.finish += "\\\n\n#em\\\nbed \"x\""; });
    for (const char* map : {"x /*\n#include <x.h>\n*/", "x // \\\n#include <x.h>", "x == \"#\"[0]",
                            "(x, R\"(\n#include <x.h>\n)\"[0])"}) {
        EXPECT_NO_THROW(refuse_bad_operation(changed([&](CustomOperation& one) { one.map = map; })))
            << map;
    }
}

TEST(CustomOperation, RefusesAnInvalidName) {
    for (const std::string& name :
         {std::string("log sum"), std::string("2nd"), std::string("a\"b"), std::string(65, 'a')}) {
        expect_error(ErrorKind::usage, "its name must be", [&] {
            refuse_bad_operation(
                changed([&](CustomOperation& operation) { operation.name = name; }));
        });
    }
}

TEST(CustomOperation, RefusesAnInvalidTolerance) {
    for (const double tolerance : {-1.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
        expect_error(ErrorKind::usage, "its tolerance is", [&] {
            refuse_bad_operation(
                changed([&](CustomOperation& operation) { operation.tolerance = tolerance; }));
        });
    }
    EXPECT_NO_THROW(
        refuse_bad_operation(changed([](CustomOperation& operation) { operation.tolerance = 0; })));
}

TEST(CustomOperation, ItsHeaderHoldsEachFieldUnderItsName) {
    const CustomOperation operation = log_sum_exp("__expf", "__logf");
    const std::string header = custom_header(operation);
    const auto holds = [&](const std::string& field, const std::string& text) {
        const std::string line = "#line 1 \"log_sum_exp." + field + "\"\n" + text + "\n";
        EXPECT_NE(header.find(line), std::string::npos) << header << "\ndoes not hold\n" << line;
    };
    holds("definitions", operation.definitions);
    holds("state", operation.state);
    holds("identity", operation.identity);
    holds("map", operation.map);
    holds("combine", operation.combine);
    holds("finish", operation.finish);
}

TEST(CustomOperation, ItsKernelIsAnotherTemplateForEveryShapeAndBackend) {
    const CustomOperation operation = log_sum_exp("__expf", "__logf");
    const CustomOperation other = indexed_xor();
    for (const ReduceKind kind :
         {ReduceKind::all, ReduceKind::rows, ReduceKind::columns, ReduceKind::segments}) {
        for (const PlatformKind platform : {PlatformKind::cuda, PlatformKind::host}) {
            const std::string hash =
                custom_reduce_kernel(kind, platform, operation).kernel_template.hash();
            EXPECT_EQ(custom_reduce_kernel(kind, platform, operation).kernel_template.hash(), hash);
            EXPECT_NE(custom_reduce_kernel(kind, platform, other).kernel_template.hash(), hash);
            EXPECT_NE(reduce_kernel(kind, platform).kernel_template.hash(), hash);
        }
    }
}

}  // namespace
}  // namespace jitune::internal
