#include <chrono>
#include <gtest/gtest.h>
#include <fmt/format.h>
#include "fake_reduce.hpp"
#include "fake_cuda_state.hpp"
#include "engine/engine.hpp"
#include "jitune/reduce.hpp"
namespace jitune {
TEST(Probe, Times) {
  for (int budget : {0, 1, 4}) {
  FakeCuda fake(2);
  fake.on_launch = [](FakeLaunch& l) { l.nanoseconds = 1e6; return run_reduce(l); };
  Options o; o.database.clear(); o.budget = std::chrono::milliseconds(budget ? budget : 4); 
  if (!budget) o.on_miss = TunePolicy::template_default;
  o.log_level = LogLevel::info;
  std::vector<std::unique_ptr<Platform>> ps;
  ps.push_back(make_cuda_platform(fake.tables(), Log(LogLevel::debug)));
  {
  Session s(std::make_unique<Engine>(o, std::move(ps)));
  std::vector<float> v(5001, 1);
  auto t = std::chrono::steady_clock::now();
  EXPECT_EQ(tuned_reduce<float>(v.data() + 1, 5000, ReduceOp::sum, s), 5000);
  fmt::print("budget {} ms {} calls {}\n", budget, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t).count(), fake.total_calls());
  for (auto& [f, n] : fake_state().calls) fmt::print("{} {}\n", f, n);
  fmt::print("{}\n", s.counters().tunings);
  }
  for (auto& l : fake.leaks()) fmt::print("{}\n", l);
  }
}
}
