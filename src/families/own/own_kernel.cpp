// SPDX-License-Identifier: Apache-2.0
#include "families/own/own_kernel.hpp"

#include <algorithm>
#include <tuple>

#include "families/own/kernel_file.hpp"
#include "support/hash.hpp"

namespace jitune::internal {

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

OwnKernel::OwnKernel(Engine& of, Kernel its_kernel,
                     const std::map<std::string, std::string>& type_names)
    : engine(of),
      kernel(std::move(its_kernel)),
      types(complete_types(kernel.kernel_template, type_names)),
      signature(std::make_shared<const CallSignature>(kernel.kernel_template, types)) {
    const FrontMatter& front = kernel.kernel_template.front_matter();
    identity = quick_hash(kernel.kernel_template.hash() + types_text({front.kernel, types, {}}), 0);
    is_host = runs_on_cpu(front.platform);
    is_exact = front.constrains_sizes();
}

/// The key has room for three sizes. A fourth size stands in the variant, which these kernels do
/// not need otherwise; more sizes stand there as their hash.
CallKey OwnKernel::Call::memo_key(const StreamSite& site) const {
    constexpr std::size_t kPlain = std::tuple_size_v<CallSizes>;
    CallKey key;
    key.site = site.serial();
    key.problem = {&kTag, own_.identity, 0};
    std::copy_n(sizes_.begin(), std::min(sizes_.size(), kPlain), key.sizes.begin());
    if (sizes_.size() > kPlain) {
        key.problem.variant = sizes_.size() == kPlain + 1
                                  ? static_cast<std::uint64_t>(sizes_[kPlain])
                                  : hash_of(sizes_.subspan(kPlain));
    }
    return key;
}

DispatchKey OwnKernel::Call::table_key(const Device& device) const {
    return {
        &device, {&kTag, own_.identity, own_.is_exact ? hash_of(sizes_) : 0}, size_bucket(sizes_)};
}

const Resolved& OwnKernel::Call::answer(Engine& resolver, const DispatchKey& key,
                                        Device& device) const {
    return resolver.resolve(key, {device, own_.kernel,
                                  kernel_problem(own_.kernel.kernel_template,
                                                 {sizes_.begin(), sizes_.end()}, own_.types)});
}

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;

namespace {

Device& device_to_prepare(const OwnKernel& own, const char* call) {
    StreamSite& site = own.site(nullptr);
    site.refuse_capture(call);
    return site.device();
}

}  // namespace

PreparedKernel::State::State(const OwnKernel& own, std::span<const std::int64_t> sizes,
                             const char* call)
    : State(own, sizes, device_to_prepare(own, call)) {}

PreparedKernel::State::State(const OwnKernel& own, std::span<const std::int64_t> sizes,
                             Device& device)
    : launch(own.engine, device, OwnKernel::Call(own, sizes)), signature(own.signature) {}

JITUNE_END_NAMESPACE
