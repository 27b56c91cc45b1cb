// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/compile_for.hpp"
#include "backend/kernel_inspector.hpp"

namespace jitune::internal {

/// A device that a template is checked for. It need not be there.
struct CheckDevice {
    DeviceInfo info;
    CompileFor compile;                                     ///< thread-safe
    std::shared_ptr<const KernelInspector> inspector = {};  ///< null: nothing tells of its code
};

/// Instances of one template that are compiled for several devices, on all cores. Equal instances
/// of one device are compiled once. Used by one thread.
class CheckJobs {
public:
    /// `source` and the devices must outlive it.
    explicit CheckJobs(const TemplateSource& source) : source_(source) {}

    /// Where outcome() has the instance's outcome after run().
    std::size_t add(const CheckDevice& device, const Instance& instance);

    /// Compiles. Throws what a compiler throws.
    void run();

    [[nodiscard]] const CompileOutcome& outcome(std::size_t place) const {
        return outcomes_.at(place);
    }

private:
    struct Job {
        const CheckDevice* device;
        std::vector<Instance> instances;  ///< of one program
        std::vector<std::size_t> places;
    };
    void compile(const Job& job);

    const TemplateSource& source_;
    std::map<std::string, std::size_t> places_;
    std::map<std::string, std::size_t> open_jobs_;  ///< that have room, by device and program
    std::vector<Job> jobs_;
    std::vector<CompileOutcome> outcomes_;
};

}  // namespace jitune::internal
