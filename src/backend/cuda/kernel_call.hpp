#pragma once

#include <cuda.h>

#include <array>

#include "backend/backend.hpp"

namespace jitune {

/// One step of a launch as cuLaunchKernelEx wants it. Points into itself and into the cells, which
/// must outlive it.
class KernelCall {
public:
    /// Fills only what the step uses: every warm call makes one.
    KernelCall(const LaunchStep& step, Cells& cells, Stream stream) {
        for (std::size_t i = 0; i < step.argument_count; ++i) {
            arguments_[i] = &cells[step.arguments[i]];
        }
        arguments_[step.argument_count] = nullptr;
        config_.gridDimX = step.grid.x;
        config_.gridDimY = step.grid.y;
        config_.gridDimZ = step.grid.z;
        config_.blockDimX = step.block.x;
        config_.blockDimY = step.block.y;
        config_.blockDimZ = step.block.z;
        config_.sharedMemBytes = step.shared_bytes;
        config_.hStream = stream;
        config_.attrs = attributes_.data();
        config_.numAttrs = 0;
        if (step.cluster > 1) {
            CUlaunchAttribute& attribute = attributes_[config_.numAttrs++];
            attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
            attribute.value.clusterDim = {step.cluster, 1, 1};
        }
        if (step.programmatic != 0) {
            CUlaunchAttribute& attribute = attributes_[config_.numAttrs++];
            attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
            attribute.value.programmaticStreamSerializationAllowed = 1;
        }
    }
    KernelCall(const KernelCall&) = delete;
    KernelCall& operator=(const KernelCall&) = delete;

    [[nodiscard]] const CUlaunchConfig* config() const { return &config_; }
    /// Where the arguments are; null after the last.
    void** arguments() { return arguments_.data(); }

private:
    CUlaunchConfig config_;
    std::array<void*, kMaxArguments + 1> arguments_;
    std::array<CUlaunchAttribute, 2> attributes_;
};

}  // namespace jitune
