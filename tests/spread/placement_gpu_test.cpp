// SPDX-License-Identifier: Apache-2.0
// Host memory on this machine's GPUs: every form of placement gives what the host gives.

#include "dispatch/session_access.hpp"
#include "families/entropy/entropy_call.hpp"
#include "families/stencil/stencil_call.hpp"
#include "families/stencil/stencil_kernel.hpp"
#include "fixtures/await_tunings.hpp"
#include "fixtures/entropy_case.hpp"
#include "fixtures/gpu_fixture.hpp"
#include "fixtures/stencil_case.hpp"
#include "jitune/stencil.hpp"
#include "spread/machine.hpp"

namespace jitune::internal {
namespace {

class PlacementGpu : public GpuFixture {
protected:
    using Processors = Placement::Processors;

    Machine& machine() { return Machine::of(SessionAccess::engine(session_)); }
    int gpus() { return static_cast<int>(machine().gpus().size()); }

    template <class T>
    void expect_right(const Placement& placement, bool as_bytes, std::int64_t rows,
                      std::int64_t columns, const Entropy& entropy) {
        const EntropyCase<T> one(rows, columns, entropy);
        std::vector<float> output(one.elements.size(), -1);
        run_placed_entropy(machine(), placement, as_bytes,
                           {kElementType<T>, rows, columns, entropy}, one.elements.data(),
                           output.data());
        EXPECT_EQ(one.judge(output), "") << rows << "x" << columns << " gpus=" << placement.gpus
                                         << " chunk=" << placement.chunk_bytes;
    }
};

TEST_F(PlacementGpu, ChunksOnOneGpuAndOnAllAreRight) {
    for (const int gpus : {1, this->gpus()}) {
        for (const std::size_t chunk : {30'000, 4 << 20}) {
            for (const Processors processors : {Processors::gpus, Processors::all}) {
                const Placement placement{processors, gpus, 4, chunk, Staging::pinned, nullptr};
                expect_right<float>(placement, false, 1009, 1021, {});
                expect_right<float>(placement, true, 1009, 1021, {});
                expect_right<std::int32_t>(placement, true, 300, 517, {15, 256});
                expect_right<std::uint8_t>(placement, false, 300, 517, {7, 20});
            }
        }
    }
    const Placement direct{Processors::gpus, 1, 1, 1 << 20, Staging::pageable, nullptr};
    expect_right<float>(direct, false, 1009, 1021, {});
}

TEST_F(PlacementGpu, ManyCallsFromManyThreadsAreRight) {
    const Placement placement{Processors::gpus, gpus(), 4, 100'000, Staging::pinned, nullptr};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 20; ++i) {
                expect_right<float>(placement, i % 2 == 0, 401, 400, {});
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TEST_F(PlacementGpu, StencilsSeeTheirBoundaries) {
    const Placement placement{Processors::gpus, gpus(), 3, 50'000, Staging::pinned, nullptr};
    for (const Boundary boundary : kBoundaries) {
        const Stencil stencil{.radius = 7, .boundary = boundary};
        const std::vector<float> input = stencil_inputs<float>(200'003);
        const detail::StencilRequest request{ElementType::float32, stencil, 200'003};
        StencilWeights weights(request);
        std::vector<float> output(static_cast<std::size_t>(stencil_outputs(200'003, stencil)));
        run_placed_stencil(machine(), placement, request, input.data(), weights.data(),
                           output.data());
        EXPECT_EQ(judge_stencil(input, stencil, output), "") << to_string(boundary);
    }
}

TEST_F(PlacementGpu, AutoIsTunedOnceAndRight) {
    Options options = quick_options(TunePolicy::now);
    options.device = "auto";
    Session session(options);
    const EntropyCase<float> one(1024, 1000, {});
    std::vector<float> output(one.elements.size());
    tuned_entropy(one.elements, 1024, 1000, output, {}, session);
    EXPECT_EQ(one.judge(output), "");
    await_tunings(session);
    const auto tunings = session.counters().tunings;
    EXPECT_GE(tunings, 3) << "the host's kernel, a GPU's, and where to run";
    tuned_entropy(one.elements, 1024, 1000, output, {}, session);
    EXPECT_EQ(session.counters().tunings, tunings);
    EXPECT_EQ(one.judge(output), "");
}

}  // namespace
}  // namespace jitune::internal
