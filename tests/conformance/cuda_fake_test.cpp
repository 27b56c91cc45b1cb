// SPDX-License-Identifier: Apache-2.0
// The fake driver passes the tests of a driver.
#include <algorithm>

#include "conformance/cuda_subject.hpp"
#include "fake/fake_cuda.hpp"

namespace jitune::internal {
namespace {

CUresult run_kernel(FakeLaunch& launch) {
    const std::uint64_t threads = std::uint64_t{launch.grid.x} * launch.block.x;
    if (launch.expression == "count") {
        *reinterpret_cast<int*>(launch.arguments.at(0)) += static_cast<int>(threads);
    } else {
        auto* const values = reinterpret_cast<float*>(launch.arguments.at(0));
        for (std::uint64_t i = 0; i < std::min(threads, launch.arguments.at(1)); ++i) {
            values[i] *= 2;
        }
    }
    return CUDA_SUCCESS;
}

class FakeSubject final : public CudaSubject {
public:
    FakeSubject() {
        fake_.on_launch = run_kernel;
        fake_.on_compile = [](const std::string& expression) -> std::optional<std::string> {
            if (expression.starts_with("no_such_kernel")) {
                return "no kernel of this name";
            }
            return std::nullopt;
        };
    }

    std::unique_ptr<Platform> make_platform() override {
        return make_cuda_platform(fake_.tables(), Log(LogLevel::off));
    }
    const DriverTable& driver() override { return fake_.driver(); }
    CUstream make_stream() override { return fake_.make_stream(); }

    void begin_capture(CUstream stream, CUstreamCaptureMode) override {
        captured_before_ = fake_.captured().size();
        fake_.begin_capture(stream);
    }
    bool end_capture_and_run(CUstream stream) override {
        const bool alive = fake_.end_capture(stream);
        std::vector<FakeLaunch> captured = fake_.captured();
        for (std::size_t i = captured_before_; alive && i < captured.size(); ++i) {
            run_kernel(captured[i]);
        }
        return alive;
    }

    void end_streams() override {}  // the fake ends the app's streams
    std::vector<std::string> complaints() override {
        std::vector<std::string> all = fake_.violations();
        const std::vector<std::string> leaks = fake_.leaks();
        all.insert(all.end(), leaks.begin(), leaks.end());
        return all;
    }

private:
    FakeCuda fake_;
    std::size_t captured_before_ = 0;
};

INSTANTIATE_TEST_SUITE_P(OfTheFake, CudaConformance,
                         testing::Values([]() -> std::unique_ptr<CudaSubject> {
                             return std::make_unique<FakeSubject>();
                         }),
                         [](const auto&) { return "Driver"; });

}  // namespace
}  // namespace jitune::internal
