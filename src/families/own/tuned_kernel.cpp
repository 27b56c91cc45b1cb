// SPDX-License-Identifier: Apache-2.0
#include "jitune/tuned_kernel.hpp"

#include "dispatch/session_access.hpp"
#include "families/own/call_capture.hpp"
#include "families/own/kernel_file.hpp"
#include "families/own/own_kernel.hpp"

JITUNE_BEGIN_NAMESPACE
using namespace internal;

struct TunedKernel::State : OwnKernel {
    State(const std::filesystem::path& file, const std::map<std::string, std::string>& type_names,
          const std::vector<std::string>& compile_options, Session& session)
        : OwnKernel(SessionAccess::engine(session), kernel_from_file(file, compile_options),
                    type_names),
          capture(engine.log()) {
        capture.ask_environment(kernel.kernel_template.front_matter().kernel);
    }

    mutable CallCapture capture;
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
    const OwnKernel::Call call(state, ordered.span(), cells);
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

PreparedKernel TunedKernel::prepare(KernelSizes sizes) const try {
    const State& state = *state_;
    state.engine.refuse_fork();
    const OrderedSizes ordered = state.signature->order(sizes);
    return PreparedKernel(
        std::make_unique<PreparedKernel::State>(state, ordered.span(), "TunedKernel::prepare"));
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
