// SPDX-License-Identifier: Apache-2.0
#include "jitune/tuned_kernel.hpp"

#include <algorithm>

#include "dispatch/call_memo.hpp"
#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "families/own/call_signature.hpp"
#include "families/own/kernel_file.hpp"
#include "support/hash.hpp"

JITUNE_BEGIN_NAMESPACE
using namespace internal;

namespace {

constexpr char kKind = 0;  // its address tells these keys from those of other operations

std::uint64_t hash_of(std::span<const std::int64_t> sizes) {
    const auto* bytes = reinterpret_cast<const char*>(sizes.data());
    return quick_hash({bytes, sizes.size_bytes()}, 0) | 1;
}

/// The names of all type parameters; throws Error(usage) as kernel_problem() does.
std::map<std::string, std::string> complete_types(const KernelTemplate& kernel,
                                                  const std::map<std::string, std::string>& types) {
    const std::vector<std::int64_t> ones(kernel.front_matter().sizes.size(), 1);
    return kernel_problem(kernel, ones, types).types;
}

std::unique_ptr<DeviceMemory> allocate(Device& device, std::size_t bytes, void*& data) {
    auto memory = bytes == 0 ? nullptr : device.allocate_zeroed(bytes);
    data = memory == nullptr ? nullptr : memory->data();
    return memory;
}

}  // namespace

struct TunedKernel::State {
    State(const std::filesystem::path& file, const std::map<std::string, std::string>& type_names,
          Session& session);

    [[nodiscard]] StreamSite& site(Stream stream) const {
        return is_host ? engine.host().site(nullptr) : engine.cuda().site(stream);
    }
    [[nodiscard]] CallKey memo_key(std::span<const std::int64_t> sizes,
                                   const StreamSite& site) const;
    [[nodiscard]] const Resolved& resolve(std::span<const std::int64_t> sizes,
                                          const StreamSite& site) const;

    Engine& engine;
    Kernel kernel;
    std::map<std::string, std::string> types;
    std::shared_ptr<const CallSignature> signature;
    std::uint64_t identity = 0;  ///< hash of the template's text and the types
    bool is_host = false;
    bool is_exact = false;  ///< each size has an answer of its own, not each size bucket
};

TunedKernel::State::State(const std::filesystem::path& file,
                          const std::map<std::string, std::string>& type_names, Session& session)
    : engine(SessionAccess::engine(session)),
      kernel(kernel_from_file(file)),
      types(complete_types(kernel.kernel_template, type_names)),
      signature(std::make_shared<const CallSignature>(kernel.kernel_template, types)) {
    const FrontMatter& front = kernel.kernel_template.front_matter();
    identity = quick_hash(kernel.kernel_template.hash() + types_text({front.kernel, types, {}}), 0);
    is_host = front.platform == PlatformKind::host;
    is_exact = front.constrains_sizes();
}

/// The key has room for three sizes. A fourth size stands in the variant, which these kernels do
/// not need otherwise; more sizes stand there as their hash.
CallKey TunedKernel::State::memo_key(std::span<const std::int64_t> sizes,
                                     const StreamSite& site) const {
    constexpr std::size_t kPlain = std::tuple_size_v<CallSizes>;
    CallKey key;
    key.site = site.serial();
    key.problem = {&kKind, identity, 0};
    std::copy_n(sizes.begin(), std::min(sizes.size(), kPlain), key.sizes.begin());
    if (sizes.size() > kPlain) {
        key.problem.variant = sizes.size() == kPlain + 1 ? static_cast<std::uint64_t>(sizes[kPlain])
                                                         : hash_of(sizes.subspan(kPlain));
    }
    return key;
}

const Resolved& TunedKernel::State::resolve(std::span<const std::int64_t> sizes,
                                            const StreamSite& site) const {
    const DispatchKey key{
        &site.device(), {&kKind, identity, is_exact ? hash_of(sizes) : 0}, size_bucket(sizes)};
    if (const Resolved* known = engine.table().find(key)) {
        return *known;
    }
    site.refuse_capture("the first launch of a TunedKernel");
    return engine.resolve(
        key, {site.device(), kernel,
              kernel_problem(kernel.kernel_template, {sizes.begin(), sizes.end()}, types)});
}

TunedKernel::TunedKernel(const std::filesystem::path& file,
                         const std::map<std::string, std::string>& types, Session& session)
    : state_(std::make_unique<const State>(file, types, session)) {}

TunedKernel::~TunedKernel() = default;
TunedKernel::TunedKernel(TunedKernel&&) noexcept = default;
TunedKernel& TunedKernel::operator=(TunedKernel&&) noexcept = default;

void TunedKernel::launch(KernelSizes sizes, KernelArguments arguments, CUstream_st* stream) const {
    const State& state = *state_;
    state.engine.refuse_fork();
    const OrderedSizes ordered = state.signature->order(sizes);
    const auto cells = state.signature->cells(arguments);
    StreamSite& site = state.site(stream);
    const CallKey key = state.memo_key(ordered.span(), site);
    CallMemo& memo = CallMemo::here();
    const ReadyLaunch* ready = memo.find(key);
    if (ready == nullptr) [[unlikely]] {
        ready = &memo.prepare(key, ordered.span(), state.resolve(ordered.span(), site), site);
    }
    (*ready)(cells.data(), stream);
}

struct PreparedKernel::State {
    Engine& engine;
    std::shared_ptr<const CallSignature> signature;
    DispatchInfo info;
    std::unique_ptr<ReadyLaunch> launch;
    std::unique_ptr<DeviceMemory> plain, zeroed;  ///< work memory, or null
};

PreparedKernel TunedKernel::prepare(KernelSizes sizes) const {
    const State& state = *state_;
    state.engine.refuse_fork();
    const OrderedSizes ordered = state.signature->order(sizes);
    StreamSite& site = state.site(nullptr);
    site.refuse_capture("TunedKernel::prepare");
    const Resolved& resolved = state.resolve(ordered.span(), site);
    auto prepared = std::make_unique<PreparedKernel::State>(PreparedKernel::State{
        state.engine, state.signature, resolved.info, nullptr, nullptr, nullptr});
    const LaunchRule::Plan plan = resolved.rule.plan(ordered.span());
    Scratch scratch;
    prepared->plain = allocate(site.device(), plan.scratch.plain, scratch.plain);
    prepared->zeroed = allocate(site.device(), plan.scratch.zeroed, scratch.zeroed);
    resolved.program->prepare(resolved.rule.bind(plan, scratch), prepared->launch);
    return PreparedKernel(std::move(prepared));
}

PreparedKernel::PreparedKernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
PreparedKernel::~PreparedKernel() = default;
PreparedKernel::PreparedKernel(PreparedKernel&&) noexcept = default;
PreparedKernel& PreparedKernel::operator=(PreparedKernel&&) noexcept = default;

void PreparedKernel::operator()(KernelArguments arguments, CUstream_st* stream) const {
    const State& state = *state_;
    state.engine.refuse_fork();
    (*state.launch)(state.signature->cells(arguments).data(), stream);
}

const DispatchInfo& PreparedKernel::info() const {
    return state_->info;
}

JITUNE_END_NAMESPACE
