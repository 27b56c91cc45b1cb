// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "fuzz/fuzz_target.hpp"
#include "plan/deliveries.hpp"
#include "plan/problem_state.hpp"
#include "plan/task_name.hpp"

using namespace jitune::internal;

/// Names of files in a plan: what is read is written alike.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string name(FuzzInput(data, size).rest());
    const auto state = problem_state(name);
    promise(!state || state->name() == name, "a state is written as it was read");
    const auto one = delivery(name);
    promise(!one || one->name() == name, "a delivery is written as it was read");
    promise(task_name(name, size).find('/') == std::string::npos, "a task's name is a file's");
    has_task_ended(name);
    return 0;
}
