// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake/fake_cuda_state.hpp"

// How the fake's driver functions begin. A function that gives something back does so even when
// told to fail: a real driver may answer with the error of an earlier launch.

namespace jitune::internal {

inline constexpr FakeNeeds kNothing{.init = false};
inline constexpr FakeNeeds kInit{};
inline constexpr FakeNeeds kContext{.context = true};
inline constexpr FakeNeeds kContextNoCapture{.context = true, .no_capture = true};
inline constexpr FakeNeeds kNoCapture{.no_capture = true};

/// One call of the fake: the lock and the answer of enter().
class FakeCall {
public:
    FakeCall(const char* function, FakeNeeds needs)
        : state(fake_state()), lock_(state.mutex), result(state.enter(function, needs)) {}

    FakeCuda::State& state;

private:
    std::lock_guard<std::recursive_mutex> lock_;

public:
    CUresult result;
};

#define ENTER(function, needs)                            \
    FakeCall call(function, needs);                       \
    [[maybe_unused]] FakeCuda::State& state = call.state; \
    if (call.result != CUDA_SUCCESS) {                    \
        return call.result;                               \
    }

#define ENTER_ON_STREAM(function, needs)                    \
    ENTER(function, needs)                                  \
    CUresult stream_result = CUDA_SUCCESS;                  \
    FakeStream* stream = state.find(handle, stream_result); \
    if (stream == nullptr) {                                \
        return stream_result;                               \
    }

/// Destroys a thing of `all`, whatever enter() answered.
template <class Thing>
CUresult destroy(const char* function, std::set<Thing*>& all, void* handle, FakeNeeds needs) {
    FakeCall call(function, needs);
    auto* thing = static_cast<Thing*>(handle);
    if (all.erase(thing) == 0) {
        return call.state.violate(std::string(function) + " of a handle that does not exist",
                                  CUDA_ERROR_INVALID_HANDLE);
    }
    delete thing;
    return call.result;
}

// The functions of the fake's DriverTable, by subject.
void fill_device_functions(DriverTable& table);
void fill_memory_functions(DriverTable& table);
void fill_stream_functions(DriverTable& table);
void fill_launch_functions(DriverTable& table);
void fill_texture_functions(DriverTable& table);

}  // namespace jitune::internal
