// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake/fake_cuda.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

/// A cuda platform over a fake. At the end nothing may have leaked, been misused, or be current
/// that was not.
class FakeCudaFixture : public ::testing::Test {
protected:
    FakeCudaFixture() { restart(); }

    void TearDown() override {
        platform.reset();
        EXPECT_EQ(fake.violations(), std::vector<std::string>{});
        if (!expect_leaks_) {
            EXPECT_EQ(fake.leaks(), std::vector<std::string>{});
        }
        EXPECT_EQ(fake.current(), nullptr);
    }

    /// A platform that has not been used.
    void restart() {
        CudaTables tables = fake.tables();
        tables.nvrtc = [this, load = tables.nvrtc] {
            ++nvrtc_loads;
            return load();
        };
        platform = make_cuda_platform(tables, Log(LogLevel::off));
    }

    Device& device() { return platform->device(0); }

    static std::vector<Instance> instances(std::vector<std::vector<std::string>> expressions) {
        std::vector<Instance> result;
        for (auto& list : expressions) {
            result.push_back({std::move(list)});
        }
        return result;
    }
    Binary compile(const std::string& expression) {
        return std::get<Binary>(device().compile({}, instances({{expression}})).at(0));
    }
    std::shared_ptr<const Program> load(const std::string& expression) {
        return device().load(compile(expression));
    }

    /// One block of 64 threads, no arguments.
    static Launch plain_launch() {
        Launch launch{};
        launch.step_count = 1;
        launch.steps[0].grid = {1, 1, 1};
        launch.steps[0].block = {1, 1, 1};
        launch.steps[0].grid.x = 2;
        launch.steps[0].block.x = 64;
        return launch;
    }

    /// The app's stream, in the primary context.
    CUstream stream() {
        if (stream_ == nullptr) {
            const CUcontext before = fake.current();
            fake.make_current(fake.primary_context(0));
            stream_ = fake.make_stream();
            fake.make_current(before);
        }
        return stream_;
    }

    /// The whole way: compile, load, allocate, upload, run, download.
    std::vector<float> double_on_the_device(const std::vector<float>& values) {
        fake.on_launch = [](FakeLaunch& launch) {
            auto* data = reinterpret_cast<float*>(launch.arguments.at(0));
            for (std::uint64_t i = 0; i < launch.arguments.at(1); ++i) {
                data[i] *= 2;
            }
            return CUDA_SUCCESS;
        };
        const auto program = load("twice<float, 3>");
        const auto bench = device().make_bench();
        const auto memory = bench->allocate(values.size() * sizeof(float));
        bench->upload(memory->data(), std::as_bytes(std::span(values)));
        Launch launch = plain_launch();
        launch.steps[0].argument_count = 2;
        launch.steps[0].arguments = {0, 1};
        launch.cells = {reinterpret_cast<std::uintptr_t>(memory->data()), values.size()};
        if (const auto failure = bench->run(*program, launch, std::chrono::milliseconds(100))) {
            throw Error(ErrorKind::device, failure->reason);
        }
        std::vector<float> result(values.size());
        bench->download(std::as_writable_bytes(std::span(result)), memory->data());
        return result;
    }

    float read_float(const void* address, CUstream from) {
        float value = 0;
        device().read_back(std::as_writable_bytes(std::span(&value, 1)), address, from);
        return value;
    }

    static bool all_zero(const void* data, std::size_t bytes) {
        const auto* first = static_cast<const unsigned char*>(data);
        return std::all_of(first, first + bytes, [](unsigned char c) { return c == 0; });
    }

    static std::string with_byte(std::string text, std::size_t at, int value) {
        text.at(at) = static_cast<char>(value);
        return text;
    }

    /// The message of the Error that `act` throws.
    template <class Act>
    static std::string expect_error(ErrorKind kind, const Act& act) {
        try {
            act();
        } catch (const Error& error) {
            EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
            return error.what();
        }
        ADD_FAILURE() << "no error";
        return "";
    }

    FakeCuda fake{2};
    std::unique_ptr<Platform> platform;
    int nvrtc_loads = 0;
    bool expect_leaks_ = false;

private:
    CUstream stream_ = nullptr;
};

}  // namespace jitune::internal
