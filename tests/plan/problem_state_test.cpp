// SPDX-License-Identifier: Apache-2.0
#include "plan/problem_state.hpp"

#include <string>

#include <gtest/gtest.h>

#include "plan/deliveries.hpp"
#include "plan/task_name.hpp"
#include "support/process_identity.hpp"

namespace jitune::internal {
namespace {

const std::string kTask = "node7.cluster+8d-1+402653+4711+123456+0";

TEST(ProblemState, ReadsTheNamesThatItWrites) {
    const ProblemState waiting{.rank = 17, .failures = 1, .losses = 2};
    EXPECT_EQ(waiting.name(), "0000017.1.2.1.waiting");
    EXPECT_EQ(problem_state(waiting.name()), waiting);
    ProblemState claimed = waiting;
    claimed.kind = ProblemState::Kind::claimed;
    claimed.since = 1764100000;
    claimed.task = kTask;
    EXPECT_EQ(problem_state(claimed.name()), claimed);
    EXPECT_EQ(claimed.waiting(), waiting);
}

TEST(ProblemState, RefusesNamesOfStrangers) {
    for (const std::string& name :
         {std::string(), std::string("."), std::string("0000017.1.2.1"),
          std::string("17.1.2.1.waiting"), std::string("-000017.1.2.1.waiting"),
          std::string("0000017.1.2.1.waiting.more"), std::string("0000017.1.2.1.claimed"),
          std::string("0000017.1.2.1.claimed.5.a+b"), "0000017.1.2.1.claimed.x." + kTask,
          "0000017.1.2.1.claimed.5." + kTask + "/..", "0000017.1.2.1.dead.5." + kTask,
          "99999999999999999999999.1.2.1.waiting" + std::string(),
          "0000017.1.2.1.done.5." + std::string(300, 'a') + "+b+c+d+e+f",
          std::string("0000017.1.2.1.claimed.5.a+b+c+d+e+\xff")}) {
        EXPECT_EQ(problem_state(name), std::nullopt) << name;
        EXPECT_FALSE(delivery(name)) << name;
    }
}

TEST(TaskName, FitsIntoAFileNameWhateverTheHostIsCalled) {
    const std::string odd(300, '/');
    const std::string task =
        task_name("host=" + odd + " boot=8d-1 pids=5 pid=4711 start=99 more=1", 3);
    EXPECT_TRUE(is_task_name(task)) << task;
    EXPECT_EQ(task.find('/'), std::string::npos);
    EXPECT_TRUE(is_task_name(task_name("", 0)) || task_name("", 0) == "0");
}

TEST(TaskName, KnowsThatThisProcessRunsAndAnEarlierOneDoesNot) {
    const std::string identity = process_identity();
    EXPECT_FALSE(has_task_ended(task_name(identity, 0)));
    std::string earlier = identity.substr(0, identity.rfind('=') + 1) + "1";
    EXPECT_TRUE(has_task_ended(task_name(earlier, 0)));
    earlier.replace(0, earlier.find(' '), "host=another");
    EXPECT_FALSE(has_task_ended(task_name(earlier, 0)));
}

}  // namespace
}  // namespace jitune::internal
