// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.hpp"
#include "space/expression.hpp"

using namespace jitune::internal;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    answers_or_refuses([&] {
        const Expression expression = Expression::parse(FuzzInput(data, size).rest());
        promise(!expression.tree_text().empty(), "there is a text for each expression");
        const auto found = expression.names();
        const std::vector<std::string> names(found.begin(), found.end());
        std::map<std::string, Scalar> values;
        std::vector<std::int64_t> slots;
        for (const std::string& name : names) {
            slots.push_back(static_cast<std::int64_t>(slots.size()) - 1);
            values[name] = slots.back();
        }
        const Scalar evaluated = expression.for_slots(names).evaluate(slots);
        const Scalar folded = *expression.bind(values).constant_value();
        promise(to_string(folded) == to_string(evaluated), "folding keeps the value");
    });
    return 0;
}
