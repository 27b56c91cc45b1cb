// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <array>

#include "backend/argument_list.hpp"
#include "backend/device.hpp"

namespace jitune::internal {

/// One step of a launch as cuLaunchKernelEx wants it, but for the stream and the arrays. Points
/// into itself.
class KernelCall {
public:
    KernelCall() = default;
    KernelCall(const KernelCall&) = delete;
    KernelCall& operator=(const KernelCall&) = delete;

    /// As ArgumentList::set.
    void set(CUkernel kernel, const Launch& launch, const LaunchStep& step, Cells& cells) {
        function_ = reinterpret_cast<CUfunction>(kernel);
        arguments_.set(launch, step, cells);
        config_ = {step.grid.x,  step.grid.y,       step.grid.z, step.block.x, step.block.y,
                   step.block.z, step.shared_bytes, nullptr,     nullptr,      0};
        config_.attrs = attributes_.data();
        if (step.cluster > 1) {
            CUlaunchAttribute& attribute = attributes_[config_.numAttrs++];
            attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
            attribute.value.clusterDim = {step.cluster, 1, 1};
        }
        if (step.cooperative != 0) {
            CUlaunchAttribute& attribute = attributes_[config_.numAttrs++];
            attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
            attribute.value.cooperative = 1;
        }
        if (step.programmatic != 0) {
            CUlaunchAttribute& attribute = attributes_[config_.numAttrs++];
            attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
            attribute.value.programmaticStreamSerializationAllowed = 1;
        }
    }

    CUresult operator()(decltype(&::cuLaunchKernelEx) launch, void* const* arrays,
                        Stream stream) const {
        CUlaunchConfig config = config_;
        config.hStream = stream;
        ArgumentList::Addresses arguments;
        arguments_.fill(arguments, arrays);
        return launch(&config, function_, arguments.data(), nullptr);
    }

private:
    CUfunction function_ = nullptr;
    CUlaunchConfig config_{};
    ArgumentList arguments_;
    std::array<CUlaunchAttribute, 3> attributes_;
};

}  // namespace jitune::internal
