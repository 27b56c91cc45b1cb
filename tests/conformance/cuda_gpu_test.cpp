// SPDX-License-Identifier: Apache-2.0
// The driver of a GPU passes the tests that the fake one passes. Skipped where there is no GPU.
#include "backend/cuda/driver/cuda_platform.hpp"
#include "conformance/cuda_subject.hpp"

namespace jitune::internal {
namespace {

class GpuSubject final : public CudaSubject {
public:
    std::unique_ptr<Platform> make_platform() override {
        return make_cuda_platform(Log(LogLevel::warning));
    }
    const DriverTable& driver() override {
        if (driver_ == nullptr) {
            driver_ = load_driver();
        }
        return *driver_;
    }

    CUstream make_stream() override {
        CUstream stream = nullptr;
        EXPECT_EQ(driver().cuStreamCreate(&stream, CU_STREAM_DEFAULT), CUDA_SUCCESS);
        streams_.push_back(stream);
        return stream;
    }
    void begin_capture(CUstream stream, CUstreamCaptureMode mode) override {
        EXPECT_EQ(driver().cuStreamBeginCapture(stream, mode), CUDA_SUCCESS);
    }
    bool end_capture_and_run(CUstream stream) override {
        CUgraph graph = nullptr;
        CUgraphExec replay = nullptr;
        const bool done = driver().cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS &&
                          driver().cuGraphInstantiateWithFlags(&replay, graph, 0) == CUDA_SUCCESS &&
                          driver().cuGraphLaunch(replay, stream) == CUDA_SUCCESS &&
                          driver().cuStreamSynchronize(stream) == CUDA_SUCCESS;
        if (replay != nullptr) {
            driver().cuGraphExecDestroy(replay);
        }
        if (graph != nullptr) {
            driver().cuGraphDestroy(graph);
        }
        return done;
    }

    void end_streams() override {
        for (const CUstream stream : streams_) {
            EXPECT_EQ(driver().cuStreamDestroy(stream), CUDA_SUCCESS);
        }
        streams_.clear();
    }
    std::vector<std::string> complaints() override { return {}; }

private:
    std::shared_ptr<const DriverTable> driver_;
    std::vector<CUstream> streams_;
};

INSTANTIATE_TEST_SUITE_P(OfTheGpu, CudaConformance,
                         testing::Values([]() -> std::unique_ptr<CudaSubject> {
                             return std::make_unique<GpuSubject>();
                         }),
                         [](const auto&) { return "Driver"; });

}  // namespace
}  // namespace jitune::internal
