// SPDX-License-Identifier: Apache-2.0
#include "jitune/tuned_kernel.hpp"

#include <algorithm>

#include "dispatch/answer/prepared_launch.hpp"
#include "dispatch/session_access.hpp"
#include "families/own/call_capture.hpp"
#include "families/own/call_signature.hpp"
#include "families/own/kernel_file.hpp"
#include "support/hash.hpp"

JITUNE_BEGIN_NAMESPACE
using namespace internal;

namespace {

constexpr KernelTag kTag;

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

}  // namespace

struct TunedKernel::State {
    State(const std::filesystem::path& file, const std::map<std::string, std::string>& type_names,
          const std::vector<std::string>& compile_options, Session& session);

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
    mutable CallCapture capture;
};

TunedKernel::State::State(const std::filesystem::path& file,
                          const std::map<std::string, std::string>& type_names,
                          const std::vector<std::string>& compile_options, Session& session)
    : engine(SessionAccess::engine(session)),
      kernel(kernel_from_file(file, compile_options)),
      types(complete_types(kernel.kernel_template, type_names)),
      signature(std::make_shared<const CallSignature>(kernel.kernel_template, types)),
      capture(engine.log()) {
    const FrontMatter& front = kernel.kernel_template.front_matter();
    identity = quick_hash(kernel.kernel_template.hash() + types_text({front.kernel, types, {}}), 0);
    is_host = runs_on_cpu(front.platform);
    is_exact = front.constrains_sizes();
    capture.ask_environment(front.kernel);
}

/// A launch with good sizes and arguments. Refers to the state and the sizes, which must outlive
/// it.
class TunedKernel::State::Call {
public:
    static constexpr const char* kFirstCall = "the first launch of a TunedKernel";

    /// `cells` as of CallSignature::cells(); empty if the call is not launched.
    Call(const State& state, const OrderedSizes& sizes, std::span<void* const> cells = {})
        : state_(state), sizes_(sizes.span()), cells_(cells) {}

    /// The key has room for three sizes. A fourth size stands in the variant, which these kernels
    /// do not need otherwise; more sizes stand there as their hash.
    [[nodiscard]] CallKey memo_key(const StreamSite& site) const {
        constexpr std::size_t kPlain = std::tuple_size_v<CallSizes>;
        CallKey key;
        key.site = site.serial();
        key.problem = {&kTag, state_.identity, 0};
        std::copy_n(sizes_.begin(), std::min(sizes_.size(), kPlain), key.sizes.begin());
        if (sizes_.size() > kPlain) {
            key.problem.variant = sizes_.size() == kPlain + 1
                                      ? static_cast<std::uint64_t>(sizes_[kPlain])
                                      : hash_of(sizes_.subspan(kPlain));
        }
        return key;
    }
    [[nodiscard]] DispatchKey table_key(const Device& device) const {
        return {&device,
                {&kTag, state_.identity, state_.is_exact ? hash_of(sizes_) : 0},
                size_bucket(sizes_)};
    }
    [[nodiscard]] std::span<const std::int64_t> sizes() const { return sizes_; }
    [[nodiscard]] std::span<void* const> arguments() const { return cells_; }
    const Resolved& answer(Engine& resolver, const DispatchKey& key, Device& device) const {
        return resolver.resolve(
            key, {device, state_.kernel,
                  kernel_problem(state_.kernel.kernel_template, {sizes_.begin(), sizes_.end()},
                                 state_.types)});
    }

private:
    const State& state_;
    std::span<const std::int64_t> sizes_;
    std::span<void* const> cells_;
};

TunedKernel::TunedKernel(const std::filesystem::path& file,
                         const std::map<std::string, std::string>& types, Session& session)
    : TunedKernel(file, types, {}, session) {}

TunedKernel::TunedKernel(const std::filesystem::path& file,
                         const std::map<std::string, std::string>& types,
                         const std::vector<std::string>& compile_options, Session& session) try
    : state_(std::make_unique<const State>(file, types, compile_options, session)) {
} catch (...) {
    throw_as_error();
}

TunedKernel::~TunedKernel() = default;
TunedKernel::TunedKernel(TunedKernel&&) noexcept = default;
TunedKernel& TunedKernel::operator=(TunedKernel&&) noexcept = default;

void TunedKernel::launch(KernelSizes sizes, KernelArguments arguments, CUstream_st* stream) const
    try {
    const State& state = *state_;
    state.engine.refuse_fork();
    const OrderedSizes ordered = state.signature->order(sizes);
    const auto cells = state.signature->cells(arguments);
    StreamSite& site = state.site(stream);
    const State::Call call(state, ordered, cells);
    if (state.capture.is_asked()) [[unlikely]] {
        const auto values = ordered.span();
        const KernelTemplate& kernel = state.kernel.kernel_template;
        const Problem problem = kernel_problem(kernel, {values.begin(), values.end()}, state.types);
        state.capture.launch(kernel, problem, state.signature->parameters(kernel, problem),
                             cells.data(), site, stream,
                             [&] { internal::launch(state.engine, site, call, stream); });
        return;
    }
    internal::launch(state.engine, site, call, stream);
} catch (...) {
    throw_as_error();
}

void TunedKernel::capture(const std::filesystem::path& folder, std::size_t most_bytes) const try {
    state_->capture.ask(folder, most_bytes);
} catch (...) {
    throw_as_error();
}

std::vector<KernelParameter> TunedKernel::parameters(KernelSizes sizes) const try {
    const KernelTemplate& kernel = state_->kernel.kernel_template;
    const OrderedSizes ordered = state_->signature->order(sizes);
    const auto values = ordered.span();
    return state_->signature->parameters(
        kernel, kernel_problem(kernel, {values.begin(), values.end()}, state_->types));
} catch (...) {
    throw_as_error();
}

bool TunedKernel::is_host() const {
    return state_->is_host;
}

struct PreparedKernel::State {
    PreparedLaunch launch;
    std::shared_ptr<const CallSignature> signature;
};

PreparedKernel TunedKernel::prepare(KernelSizes sizes) const try {
    const State& state = *state_;
    state.engine.refuse_fork();
    const OrderedSizes ordered = state.signature->order(sizes);
    StreamSite& site = state.site(nullptr);
    site.refuse_capture("TunedKernel::prepare");
    return PreparedKernel(std::unique_ptr<PreparedKernel::State>(new PreparedKernel::State{
        PreparedLaunch(state.engine, site.device(), State::Call(state, ordered)),
        state.signature}));
} catch (...) {
    throw_as_error();
}

PreparedKernel::PreparedKernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
PreparedKernel::~PreparedKernel() = default;
PreparedKernel::PreparedKernel(PreparedKernel&&) noexcept = default;
PreparedKernel& PreparedKernel::operator=(PreparedKernel&&) noexcept = default;

void PreparedKernel::operator()(KernelArguments arguments, CUstream_st* stream) const try {
    const State& state = *state_;
    state.launch.refuse_fork();
    state.launch(state.signature->cells(arguments).data(), stream);
} catch (...) {
    throw_as_error();
}

const DispatchInfo& PreparedKernel::info() const {
    return state_->launch.info();
}

JITUNE_END_NAMESPACE
