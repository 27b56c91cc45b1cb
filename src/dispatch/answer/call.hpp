// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>

#include "backend/stream_site.hpp"
#include "dispatch/answer/call_memo.hpp"
#include "dispatch/engine.hpp"

namespace jitune::internal {

/// The address of a tag identifies a kernel in the keys of its calls (ProblemWords::kernel). A
/// family declares one for each of its kernels: `static constexpr KernelTag kTag;`.
struct KernelTag {
    std::uint8_t unused = 0;
};

/// One call of a kernel, with sizes and pointers that have been checked. Every family has a type of
/// calls, and all calls take the path below.
///
/// memo_key and table_key find the launch that this thread has made before and the answer of the
/// engine; `sizes` and `arguments` are in the template's order, arguments as ReadyLaunch takes
/// them; `answer` does the slow work of a miss; kFirstCall names such a call in messages: "the
/// first tuned_reduce of a problem".
template <class Call>
concept KernelCall = requires(const Call& call, const StreamSite& site, Device& device,
                              Engine& engine, const DispatchKey& key) {
    { call.memo_key(site) } -> std::same_as<CallKey>;
    { call.table_key(device) } -> std::same_as<DispatchKey>;
    { call.sizes() } -> std::convertible_to<std::span<const std::int64_t>>;
    { call.arguments().data() } -> std::convertible_to<void* const*>;
    { call.answer(engine, key, device) } -> std::same_as<const Resolved&>;
    { Call::kFirstCall } -> std::convertible_to<const char*>;
};

/// The answer for `device`: from the dispatch table, on a miss from the engine.
template <KernelCall Call>
const Resolved& resolve(Engine& engine, Device& device, const Call& call) {
    const DispatchKey key = call.table_key(device);
    const Resolved* const known = engine.table().find(key, call.sizes());
    return known != nullptr ? *known : call.answer(engine, key, device);
}

/// As resolve() above, for a handle that keeps the answer.
template <KernelCall Call>
const Resolved& resolve_prepared(Engine& engine, Device& device, const Call& call) {
    const Resolved& answer =
        engine.prepared(call.table_key(device), call.sizes(), resolve(engine, device, call));
    return answer.is_retired.load(std::memory_order_relaxed) ? resolve(engine, device, call)
                                                             : answer;
}

/// As the first resolve(), for a launch on `site`. Throws Error(not_prepared) on a miss while the
/// stream is captured.
template <KernelCall Call>
const Resolved& resolve(Engine& engine, StreamSite& site, const Call& call) {
    const DispatchKey key = call.table_key(site.device());
    const Resolved* const known = engine.table().find(key, call.sizes());
    if (known != nullptr) {
        return *known;
    }
    site.refuse_capture(Call::kFirstCall);
    return call.answer(engine, key, site.device());
}

/// Launches what this thread has launched before for the same problem, sizes and site: the path of
/// nearly every call. Returns false if there is no such launch.
template <KernelCall Call>
inline bool launch_known(const StreamSite& site, const Call& call, Stream stream) {
    const ReadyLaunch* const known = CallMemo::here().find(call.memo_key(site));
    if (known == nullptr) [[unlikely]] {
        return false;
    }
    (*known)(call.arguments().data(), stream);
    return true;
}

/// Launches an answer and remembers the launch for this thread, unless the answer is a makeshift,
/// or another answer has taken its place meanwhile.
template <KernelCall Call>
void launch_new(StreamSite& site, const Call& call, const Resolved& resolved, Stream stream) {
    // Make the key before is_retired is read: a thread whose key has the serial of a replacement
    // then also sees that the old answer is retired.
    const CallKey key = call.memo_key(site);
    if (resolved.is_makeshift || resolved.is_retired.load(std::memory_order_relaxed)) [[unlikely]] {
        CallMemo once;
        const ReadyLaunch& ready = once.prepare(key, call.sizes(), resolved, site);
        return ready(call.arguments().data(), stream);
    }
    const ReadyLaunch& ready = CallMemo::here().prepare(key, call.sizes(), resolved, site);
    ready(call.arguments().data(), stream);
}

/// The site of `stream` for a call on device memory. If there is no such site, it calls
/// `refuse_bad_arguments` first, so that bad arguments are reported before a missing device.
template <class Check>
StreamSite& device_data_site(Engine& engine, Stream stream, const Check& refuse_bad_arguments) {
    try {
        return engine.cuda().site(stream);
    } catch (const Error& error) {
        refuse_bad_arguments();
        if (error.kind() != ErrorKind::unavailable) {
            throw;
        }
        throw Error(error.kind(),
                    std::string(error.what()) +
                        ". A pointer stands for device memory: pass a span for host memory",
                    error.native_code());
    }
}

/// Enqueues the call on `stream`, a stream of `site`.
template <KernelCall Call>
void launch(Engine& engine, StreamSite& site, const Call& call, Stream stream) {
    if (!launch_known(site, call, stream)) [[unlikely]] {
        launch_new(site, call, resolve(engine, site, call), stream);
    }
}

/// As above, with an answer that is known already.
template <KernelCall Call>
void launch(StreamSite& site, const Call& call, const Resolved& resolved, Stream stream) {
    if (!launch_known(site, call, stream)) [[unlikely]] {
        launch_new(site, call, resolved, stream);
    }
}

}  // namespace jitune::internal
