#pragma once

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "backend/host/host_backend.hpp"
#include "backend/host/host_device.hpp"
#include "ops/machine.hpp"
#include "ops/placement.hpp"
#include "support/temp_dir.hpp"

namespace jitune {

/// A machine with two GPUs, in whose place are host backends.
class MachineFixture : public testing::Test {
protected:
    static Options quick_options() {
        Options options;
        options.database.clear();
        options.on_miss = TunePolicy::template_default;
        options.log_level = LogLevel::error;
        return options;
    }

    explicit MachineFixture(const Options& options = quick_options()) : engine_(options) {}

    static Placement placement(int gpus, int slots, std::size_t chunk_bytes,
                               Placement::Processors processors = Placement::Processors::gpus,
                               Staging staging = Staging::pinned) {
        return {processors, gpus, slots, chunk_bytes, staging, nullptr};
    }

    HostBackend first_{describe_host(this_host()), Log(LogLevel::off)};
    HostBackend second_{describe_host(this_host()), Log(LogLevel::off)};
    Engine engine_;
    Machine machine_{engine_, engine_.host().device(0), {&first_, &second_}};
};

}  // namespace jitune
