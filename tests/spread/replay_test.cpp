// SPDX-License-Identifier: Apache-2.0
// Calls on several GPUs that come again: what they ask of the driver, and that they stay right.

#include <map>
#include <numeric>
#include <string>
#include <thread>

#include "fixtures/expect_error.hpp"
#include "fixtures/shards_fixture.hpp"
#include "fixtures/stencil_case.hpp"

namespace jitune::internal {
namespace {

using Calls = std::map<std::string, int>;

const std::vector<double> kWeights{1, 2, 4}, kReversed{4, 2, 1};

class ShardReplay : public ShardsFixture {
protected:
    /// An array in shards, each on a GPU of its own, and arrays for as many outputs.
    struct Arrays {
        std::vector<std::int32_t> values;
        std::vector<Shard<std::int32_t>> shards;
        std::vector<std::int32_t*> outputs;
    };

    Arrays arrays(const std::vector<std::int64_t>& counts, std::int32_t first = 0) {
        Arrays made;
        made.values.resize(
            static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0LL)));
        std::iota(made.values.begin(), made.values.end(), first);
        made.shards = shards_of(made.values, counts);
        made.outputs = arrays_of<std::int32_t>(counts);
        return made;
    }

    void call(const Arrays& on,
              const Stencil& stencil = {.radius = 2, .boundary = Boundary::wrap}) {
        tuned_stencil(on.shards, on.outputs, stencil, ShardOutput::own, *session_);
    }

    /// Calls, writes over the inputs at once, judges the outputs, and writes the inputs anew.
    void expect_right(const Arrays& on,
                      const Stencil& stencil = {.radius = 2, .boundary = Boundary::wrap}) {
        call(on, stencil);
        write_over(on.shards);
        std::vector<std::int32_t> got;
        const std::int32_t* from = on.values.data();
        for (std::size_t i = 0; i < on.shards.size(); ++i) {
            const Shard<std::int32_t>& shard = on.shards[i];
            const auto part = read(on.outputs[i], shard.count, shard);
            got.insert(got.end(), part.begin(), part.end());
            fake_.driver().cuMemsetD8Async(address(on.outputs[i]), 0xee,
                                           static_cast<std::size_t>(shard.count) * sizeof *from,
                                           shard.stream);
            fake_.driver().cuMemcpyHtoDAsync(address(shard.data), from,
                                             static_cast<std::size_t>(shard.count) * sizeof *from,
                                             shard.stream);
            from += shard.count;
        }
        EXPECT_EQ(judge_stencil(on.values, stencil, got), "");
    }

    /// The driver calls of `act`.
    template <class Act>
    Calls calls_of(const Act& act) {
        Calls before = fake_.all_calls();
        act();
        Calls made;
        for (const auto& [function, count] : fake_.all_calls()) {
            if (count != before[function]) {
                made[function] = count - before[function];
            }
        }
        return made;
    }

    int replays() { return fake_.calls("cuGraphLaunch"); }
};

TEST_F(ShardReplay, AsksLittleOfTheDriverWhenACallComesAgain) {
    const Arrays on = arrays({30, 40, 20});
    const Stencil stencil{.radius = 2, .boundary = Boundary::zero};
    call(on, stencil);
    // Step by step: two kernels and two copying kernels for each GPU, and waits between neighbours
    // both when they send and before they work on what was sent.
    const Arrays other = arrays({30, 40, 20});
    EXPECT_EQ(calls_of([&] { call(other, stencil); }).at("cuLaunchKernelEx"), 12);
    call(on, stencil);
    const Calls expected{{"cuStreamIsCapturing", 3},
                         {"cuStreamGetId", 3},
                         {"cuThreadExchangeStreamCaptureMode", 2},
                         {"cuEventQuery", 1},
                         {"cuEventRecordWithFlags", 3},
                         {"cuCtxPushCurrent", 1},
                         {"cuGraphLaunch", 1},
                         {"cuCtxPopCurrent", 1},
                         {"cuStreamWaitEvent", 3}};
    for (int again = 0; again < 3; ++again) {
        EXPECT_EQ(calls_of([&] { call(on, stencil); }), expected);
    }
}

TEST_F(ShardReplay, StepByStepEachGpuWaitsForItsNeighboursOnly) {
    const Stencil stencil{.radius = 2, .boundary = Boundary::zero};
    const Arrays on = arrays({30, 40, 20});
    call(on, stencil);
    Arrays moved = on;
    moved.outputs = arrays_of<std::int32_t>({30, 40, 20});
    const Calls made = calls_of([&] { call(moved, stencil); });
    EXPECT_EQ(made.at("cuLaunchKernelEx"), 12);
    EXPECT_EQ(made.at("cuEventRecordWithFlags"), 9);  // forked, sent and joined
    EXPECT_EQ(made.at("cuStreamWaitEvent"), 3 + 4 + 4 + 3);
    EXPECT_EQ(made.count("cuMemcpyDtoDAsync"), 0U);
    EXPECT_EQ(made.count("cuMemcpyPeerAsync"), 0U);
}

TEST_F(ShardReplay, IsRightWhateverChangesFromCallToCall) {
    const Arrays one = arrays({30, 40, 20});
    const Arrays other = arrays({30, 40, 20}, 1000);
    for (int again = 0; again < 5; ++again) {
        SCOPED_TRACE(again);
        expect_right(one);
        expect_right(other);
        expect_right(one, {.radius = 9, .boundary = Boundary::zero});  // more work memory
    }
    EXPECT_EQ(replays(), 3 * 3);
    const int before = replays();
    Arrays moved = one;
    moved.outputs = arrays_of<std::int32_t>({30, 40, 20});
    expect_right(moved);
    moved.shards[1].stream = stream_on(1);  // its data comes on this stream
    fake_.driver().cuStreamSynchronize(one.shards[1].stream);
    expect_right(moved);
    moved = arrays({20, 40, 30});
    expect_right(moved);
    EXPECT_EQ(replays(), before);
}

/// The GPUs have not come to the last call yet.
TEST_F(ShardReplay, GoesStepByStepWhereTheHostHasTime) {
    const Arrays on = arrays({30, 40, 20});
    for (int again = 0; again < 3; ++again) {
        expect_right(on);
    }
    EXPECT_EQ(replays(), 1);
    for (const bool is_behind : {true, false, true, true, false, false}) {
        if (is_behind) {
            fake_.fail("cuEventQuery", 1, CUDA_ERROR_NOT_READY);
        }
        const int before = replays();
        expect_right(on);
        EXPECT_EQ(replays() - before, is_behind ? 0 : 1);
        fake_.mend();
    }
    EXPECT_EQ(fake_.calls("cuStreamBeginCapture"), 1);
}

TEST_F(ShardReplay, FollowsOneCallWithAnotherOnItsOutputs) {
    const Stencil stencil{.radius = 2, .boundary = Boundary::wrap};
    const Arrays there = arrays({30, 40, 20});
    Arrays back = there;
    for (std::size_t i = 0; i < 3; ++i) {
        back.shards[i].data = there.outputs[i];
        back.outputs[i] = const_cast<std::int32_t*>(there.shards[i].data);
    }
    std::vector<std::int32_t> right = there.values;
    for (int again = 0; again < 4; ++again) {
        for (const Arrays* const on : {&there, static_cast<const Arrays*>(&back)}) {
            call(*on, stencil);
            std::vector<std::int32_t> got;
            for (std::size_t i = 0; i < 3; ++i) {
                const auto part = read(on->outputs[i], on->shards[i].count, on->shards[i]);
                got.insert(got.end(), part.begin(), part.end());
            }
            EXPECT_EQ(judge_stencil(right, stencil, got), "");
            right = got;
        }
    }
    EXPECT_EQ(replays(), 4);
}

/// The base and the weights travel as values of the launch.
TEST_F(ShardReplay, AnotherBaseOrOtherWeightsAreAnotherCall) {
    const auto shards = shards_of(std::vector<std::int32_t>(90, 1), {10, 20}, kGpus, 3);
    const auto outputs = arrays_of<float>({30, 60});
    for (const double base : {2.0, 10.0, 2.0, 10.0, 2.0, 10.0}) {
        tuned_entropy(shards, 3, outputs, {.base = base}, ShardOutput::own, *session_);
    }
    EXPECT_EQ(replays(), 2);
    const Arrays on = arrays({30, 40, 20});
    for (const auto* const weights : {&kWeights, &kReversed, &kWeights, &kReversed, &kWeights}) {
        call(on, {.radius = 1, .weights = *weights, .boundary = Boundary::clamp});
    }
    EXPECT_EQ(replays(), 3);
}

TEST_F(ShardReplay, AStreamThatIsCapturedIsRefusedStill) {
    const Arrays on = arrays({30, 40, 20});
    for (int again = 0; again < 3; ++again) {
        expect_right(on);
    }
    const int before = replays();
    fake_.begin_capture(on.shards[2].stream);
    expect_error(ErrorKind::not_prepared, "cannot be captured", [&] { call(on); });
    EXPECT_TRUE(fake_.end_capture(on.shards[2].stream));
    EXPECT_EQ(replays(), before);
}

TEST_F(ShardReplay, DoesNotBreakACaptureOfTheApp) {
    const Arrays on = arrays({30, 40, 20});
    const CUstream captured = stream_on(0);
    call(on);  // compiles and allocates
    EXPECT_EQ(tuned_reduce(on.shards, ReduceOp::max, *session_), 89);
    fake_.begin_capture(captured);
    for (int again = 0; again < 3; ++again) {
        call(on);
        EXPECT_EQ(tuned_reduce(on.shards, ReduceOp::max, *session_), 89);
    }
    fake_.fail("cuGraphLaunch", 1, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    expect_error(ErrorKind::device, "replay a call", [&] { call(on); });
    EXPECT_TRUE(fake_.end_capture(captured));
    EXPECT_EQ(replays(), 3);
}

TEST_F(ShardReplay, ADriverThatFailsGivesAnErrorAndTheNextCallAnswers) {
    const Arrays on = arrays({30, 40, 20});
    fake_.order().watch(false);          // what a call that failed has left is in no order
    for (const int known : {1, 2, 3}) {  // calls before: the next is captured, or replayed
        int errors = 0;
        for (int nth = 1;; ++nth) {
            start(fake_.tables());
            for (int i = 0; i < known; ++i) {
                call(on);
            }
            const int before = fake_.total_calls();
            fake_.fail_nth_call(nth, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
            try {
                call(on);
            } catch (const Error& error) {
                ++errors;
                EXPECT_NE(error.kind(), ErrorKind::usage) << error.what();
            }
            const bool over = fake_.total_calls() - before < nth;
            fake_.mend();
            EXPECT_EQ(fake_.current(), nullptr);
            for (int again = 0; again < 3; ++again) {
                expect_right(on);
            }
            if (over) {
                break;
            }
        }
        EXPECT_GE(errors, known == 1 ? 40 : 6) << known;
    }
}

TEST_F(ShardReplay, CallsOfSeveralThreadsDoNotMix) {
    const Arrays on = arrays({30, 40, 20});
    std::vector<Arrays> each(2, on);
    for (Arrays& own : each) {
        own.outputs = arrays_of<std::int32_t>({30, 40, 20});
    }
    std::vector<std::thread> threads;
    for (const Arrays& own : each) {
        threads.emplace_back([&] {
            for (int again = 0; again < 30; ++again) {
                call(own);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(replays(), 2 * 28);
    for (const Arrays& own : each) {
        expect_right(own);
    }
}

TEST_F(ShardReplay, CopiesOfTheDriverDoWhatNoKernelCan) {
    fake_.fail("cuDeviceCanAccessPeer", 1, CUDA_ERROR_INVALID_DEVICE, true);
    const Arrays on = arrays({30, 40, 20});
    for (int again = 0; again < 4; ++again) {
        expect_right(on);
    }
    EXPECT_GT(fake_.calls("cuMemcpyPeerAsync"), 0);
    EXPECT_EQ(fake_.calls("cuStreamBeginCapture"), 1);
    EXPECT_EQ(replays(), 0);
}

TEST_F(ShardReplay, IsRightWithoutTheCopyingKernel) {
    call(arrays({30, 40, 20}));
    start(fake_.tables());
    const Arrays on = arrays({30, 40, 20});
    fake_.fail("cuLibraryGetKernel", 4, CUDA_ERROR_NOT_FOUND);  // after that of each GPU
    for (int again = 0; again < 4; ++again) {
        expect_right(on);
    }
    EXPECT_EQ(replays(), 0);
    fake_.mend();
}

TEST_F(ShardReplay, NoStreamsOfAContextThatTheAppMayEnd) {
    Arrays on = arrays({30, 40, 20});
    std::vector<CUcontext> contexts;
    for (int gpu = 0; gpu < kGpus; ++gpu) {
        contexts.push_back(fake_.make_context(gpu));
        fake_.make_current(contexts.back());
        CUstream_st*& stream = on.shards[static_cast<std::size_t>(gpu)].stream;
        fake_.driver().cuStreamSynchronize(stream);
        stream = fake_.make_stream();
    }
    fake_.make_current(nullptr);
    for (int again = 0; again < 3; ++again) {
        call(on);
    }
    EXPECT_EQ(replays(), 0);
    for (const CUcontext context : contexts) {
        EXPECT_TRUE(fake_.end_context(context));
    }
}

/// More calls than are remembered, each of which comes twice in a row.
TEST_F(ShardReplay, OldCallsAreForgotten) {
    const Arrays on = arrays({30, 40, 20});
    for (int turn = 0; turn < 2; ++turn) {
        for (int radius = 1; radius <= 25; ++radius) {
            for (const Boundary boundary : kBoundaries) {
                const Stencil stencil{.radius = radius, .boundary = boundary};
                if (boundary != Boundary::valid) {
                    call(on, stencil);
                    call(on, stencil);
                }
            }
        }
    }
    EXPECT_EQ(replays(), 0);
    expect_right(on);
}

TEST_F(ShardReplay, ReadsTheResultsOfAllGpusAtOnce) {
    const auto shards = shards_of(std::vector<std::int32_t>(90, 1), {30, 40, 20});
    EXPECT_EQ(tuned_reduce(shards, ReduceOp::sum, *session_), 90);
    const Calls made =
        calls_of([&] { EXPECT_EQ(tuned_reduce(shards, ReduceOp::sum, *session_), 90); });
    EXPECT_EQ(made.at("cuLaunchKernelEx"), 3);
    EXPECT_EQ(made.at("cuMemcpyDtoHAsync"), 3);
    EXPECT_EQ(made.at("cuStreamSynchronize"), 3);
    fake_.fail("cuStreamSynchronize", 1, CUDA_ERROR_INVALID_HANDLE);
    expect_error(ErrorKind::device, "read results back",
                 [&] { static_cast<void>(tuned_reduce(shards, ReduceOp::sum, *session_)); });
    EXPECT_EQ(fake_.calls("cuMemcpyDtoHAsync"), 9);  // all were enqueued before the first wait
    fake_.mend();
}

}  // namespace
}  // namespace jitune::internal
