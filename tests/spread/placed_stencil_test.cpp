// SPDX-License-Identifier: Apache-2.0
// The stencil of host memory in chunks, on two host backends in the place of GPUs.

#include "families/stencil/stencil_call.hpp"
#include "fixtures/machine_fixture.hpp"
#include "fixtures/stencil_case.hpp"

namespace jitune::internal {
namespace {

using Processors = Placement::Processors;

class PlacedStencil : public MachineFixture {
protected:
    template <class T>
    void expect_right(const Stencil& stencil, std::int64_t n, const Placement& placement) {
        const std::vector<T> input = stencil_inputs<T>(n);
        const detail::StencilRequest request{kElementType<T>, stencil, n};
        StencilWeights weights(request);
        std::vector<T> output(static_cast<std::size_t>(stencil_outputs(n, stencil)));
        run_placed_stencil(machine_, placement, request, input.data(), weights.data(),
                           output.data());
        EXPECT_EQ(judge_stencil(input, stencil, output), "")
            << stencil_text(stencil, n) << " chunks of " << placement.chunk_bytes;
    }
};

TEST_F(PlacedStencil, EndsOfTheArrayFollowTheBoundary) {
    const auto weights = stencil_weights<float>(3);
    for (const Boundary boundary : kBoundaries) {
        for (const std::int64_t n : {7, 8, 1031}) {  // also far beyond the array's own end
            expect_right<float>({.radius = 3, .weights = weights, .boundary = boundary}, n,
                                placement(2, 2, 100));
        }
        expect_right<std::int32_t>({.radius = 32, .boundary = boundary}, 65, placement(2, 2, 40));
        expect_right<double>({.radius = 32, .mean = true, .boundary = boundary}, 40'009,
                             placement(1, 3, 30'000));
    }
    expect_right<std::int32_t>({.radius = 32, .boundary = Boundary::wrap}, 1, placement(1, 1, 1));
}

TEST_F(PlacedStencil, RunsOnTheHostAndOnAllProcessors) {
    expect_right<float>({.radius = 2}, 5000, placement(0, 1, 1, Processors::host));
    expect_right<float>({.radius = 2}, 5000, placement(2, 2, 3000, Processors::all));
    expect_right<float>({.radius = 2}, 5000,
                        placement(1, 1, 3000, Processors::gpus, Staging::pageable));
}

TEST_F(PlacedStencil, UntunedCallsTakeTheTemplatesDefault) {
    const detail::StencilRequest request{ElementType::float32, {}, 1000};
    const Resolved& resolved = resolve_stencil(engine_, machine_.device(), request, kFastAlignment);
    EXPECT_TRUE(resolved.info.configuration.starts_with("processors=host"))
        << resolved.info.configuration;
}

}  // namespace
}  // namespace jitune::internal
