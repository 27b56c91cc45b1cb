// SPDX-License-Identifier: Apache-2.0
#include "worklist_trace.hpp"

#include "cli/families/reduce_problems.hpp"
#include "cli/formats/json_file.hpp"
#include "families/reduce/reduce_types.hpp"

namespace jitune::bench {

namespace {

using namespace jitune::internal;

TracedCall call_of(const Json& row) {
    const auto kind = parse_reduce_kind(text_member(row, "shape"));
    std::vector<std::int64_t> sizes;
    for (const Json& size : list_member(row, "sizes")) {
        sizes.push_back(size.get<std::int64_t>());
    }
    if (sizes.size() != (kind == ReduceKind::all ? 1U : 2U)) {
        throw Error(ErrorKind::usage, "a whole array has one size, other shapes have two");
    }
    const ElementType element = parse_element_type(text_member(row, "type"));
    const ReduceOp op = parse_reduce_op(text_member(row, "op"));
    const detail::ReduceShape shape{kind, sizes.size() == 1 ? 1 : sizes.front(), sizes.back()};
    return {{element, results_of(element, op).front(), op, shape}, integer_member(row, "calls")};
}

}  // namespace

std::vector<TracedCall> read_trace(const std::filesystem::path& path) {
    const Json document = read_json(path);
    std::vector<TracedCall> calls;
    for (const Json& row : list_member(document, "calls")) {
        calls.push_back(call_of(row));
    }
    return calls;
}

}  // namespace jitune::bench
