// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include <cuda_runtime_api.h>

namespace jitune::bench {

/// Calls captured one after the other into a CUDA graph.
class Chain {
public:
    /// Captures what `enqueue` enqueues on `stream`, which must be ready to be captured: what is
    /// loaded at first use has been loaded.
    Chain(cudaStream_t stream, const std::function<void()>& enqueue);

    /// Enqueues a replay.
    void replay() const;

private:
    struct GraphDestroy {
        using pointer = cudaGraphExec_t;
        void operator()(cudaGraphExec_t graph) const noexcept { cudaGraphExecDestroy(graph); }
    };

    cudaStream_t stream_;
    std::unique_ptr<cudaGraphExec_t, GraphDestroy> graph_;
};

}  // namespace jitune::bench
