// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/chain.hpp"

#include "reduce_compare/cuda_call.hpp"

namespace jitune::bench {

namespace {

struct TemplateDestroy {
    using pointer = cudaGraph_t;
    void operator()(cudaGraph_t graph) const noexcept { cudaGraphDestroy(graph); }
};
using Template = std::unique_ptr<cudaGraph_t, TemplateDestroy>;

Template captured(cudaStream_t stream, const std::function<void()>& enqueue) {
    cuda_call(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin a capture");
    cudaGraph_t graph = nullptr;
    try {
        enqueue();
    } catch (...) {
        cudaStreamEndCapture(stream, &graph);
        throw;
    }
    cuda_call(cudaStreamEndCapture(stream, &graph), "end a capture");
    return Template(graph);
}

}  // namespace

Chain::Chain(cudaStream_t stream, const std::function<void()>& enqueue) : stream_(stream) {
    const Template graph = captured(stream, enqueue);
    cudaGraphExec_t exec = nullptr;
    cuda_call(cudaGraphInstantiate(&exec, graph.get(), 0), "instantiate a graph");
    graph_.reset(exec);
    cuda_call(cudaGraphUpload(exec, stream), "upload a graph");
}

void Chain::replay() const {
    cuda_call(cudaGraphLaunch(graph_.get(), stream_), "cudaGraphLaunch");
}

}  // namespace jitune::bench
