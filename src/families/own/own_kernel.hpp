// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "dispatch/answer/call.hpp"
#include "dispatch/answer/prepared_launch.hpp"
#include "families/own/call_signature.hpp"

namespace jitune::internal {

/// A kernel that a caller brings, in a file or as a formula, with all that its calls need.
/// Immutable; the engine must outlive it.
struct OwnKernel {
    /// Throws Error(usage) for types that the template does not have.
    OwnKernel(Engine& of, Kernel its_kernel, const std::map<std::string, std::string>& type_names);

    [[nodiscard]] StreamSite& site(Stream stream) const {
        return is_host ? engine.host().site(nullptr) : engine.cuda().site(stream);
    }

    class Call;

    Engine& engine;
    Kernel kernel;
    std::map<std::string, std::string> types;
    std::shared_ptr<const CallSignature> signature;
    std::uint64_t identity = 0;  ///< hash of the template's text and the types
    bool is_host = false;
    bool is_exact = false;  ///< each size has an answer of its own, not each size bucket
};

/// A launch with good sizes and arguments. Refers to the kernel and the sizes, which must outlive
/// it.
class OwnKernel::Call {
public:
    static constexpr const char* kFirstCall = "the first launch of a kernel or a formula";

    /// `cells` as of CallSignature::cells(); empty if the call is not launched.
    Call(const OwnKernel& own, std::span<const std::int64_t> sizes,
         std::span<void* const> cells = {})
        : own_(own), sizes_(sizes), cells_(cells) {}

    [[nodiscard]] CallKey memo_key(const StreamSite& site) const;
    [[nodiscard]] DispatchKey table_key(const Device& device) const;
    [[nodiscard]] std::span<const std::int64_t> sizes() const { return sizes_; }
    [[nodiscard]] std::span<void* const> arguments() const { return cells_; }
    const Resolved& answer(Engine& resolver, const DispatchKey& key, Device& device) const;

private:
    const OwnKernel& own_;
    std::span<const std::int64_t> sizes_;
    std::span<void* const> cells_;
};

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE

struct PreparedKernel::State {
    /// `call` is what the caller prepares by, for messages. Throws as PreparedLaunch does.
    State(const internal::OwnKernel& own, std::span<const std::int64_t> sizes, const char* call);
    /// On a device of the kernel's platform.
    State(const internal::OwnKernel& own, std::span<const std::int64_t> sizes,
          internal::Device& device);

    internal::PreparedLaunch launch;
    std::shared_ptr<const internal::CallSignature> signature;
};

JITUNE_END_NAMESPACE
