// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <cuda_runtime_api.h>

#include "reduce_compare/cuda_call.hpp"

namespace jitune::bench {

/// Times work on one stream with device events.
class Stopwatch {
public:
    explicit Stopwatch(cudaStream_t stream) : stream_(stream), begin_(event()), end_(event()) {}

    /// Device time between the stream's reaching what `enqueue` enqueues and its end. Host time
    /// counts only where the stream runs dry. Waits for the stream.
    template <class Enqueue>
    [[nodiscard]] double device_us(const Enqueue& enqueue) const {
        cuda_call(cudaEventRecord(begin_.get(), stream_), "cudaEventRecord");
        enqueue();
        cuda_call(cudaEventRecord(end_.get(), stream_), "cudaEventRecord");
        cuda_call(cudaEventSynchronize(end_.get()), "wait for what is timed");
        float ms = 0;
        cuda_call(cudaEventElapsedTime(&ms, begin_.get(), end_.get()), "cudaEventElapsedTime");
        return static_cast<double>(ms) * 1e3;
    }

private:
    struct EventDestroy {
        using pointer = cudaEvent_t;
        void operator()(cudaEvent_t event) const noexcept { cudaEventDestroy(event); }
    };
    using Event = std::unique_ptr<cudaEvent_t, EventDestroy>;

    static Event event() {
        cudaEvent_t event = nullptr;
        cuda_call(cudaEventCreate(&event), "cudaEventCreate");
        return Event(event);
    }

    cudaStream_t stream_;
    Event begin_;
    Event end_;
};

}  // namespace jitune::bench
