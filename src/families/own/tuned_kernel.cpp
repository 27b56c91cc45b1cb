// SPDX-License-Identifier: Apache-2.0
#include "jitune/tuned_kernel.hpp"

#include <array>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dispatch/call_memo.hpp"
#include "dispatch/session_access.hpp"
#include "families/own/kernel_file.hpp"
#include "support/hash.hpp"

JITUNE_BEGIN_NAMESPACE
using namespace internal;

namespace {

constexpr std::size_t kMostSizes = 8;
constexpr char kKind = 0;  // its address tells these keys from those of other operations

/// The sizes of one call in the template's order.
struct CallShape {
    std::array<std::int64_t, kMostSizes> values{};
    std::size_t count = 0;

    [[nodiscard]] std::span<const std::int64_t> span() const { return {values.data(), count}; }
};

std::uint64_t hash_of(std::span<const std::int64_t> sizes) {
    const auto* bytes = reinterpret_cast<const char*>(sizes.data());
    return quick_hash({bytes, sizes.size_bytes()}, 0) | 1;
}

/// What an argument of a call must be.
struct WantedArgument {
    std::string name;
    ElementType type;
    bool is_value;
    std::uint64_t alignment;

    [[nodiscard]] bool fits(const KernelArgument& given) const {
        using Kind = KernelArgument::Kind;
        if (is_value) {
            return given.kind() == Kind::value && given.type() == type;
        }
        return given.kind() != Kind::value && given.bits() != 0 &&
               (given.kind() == Kind::untyped_pointer || given.type() == type) &&
               (given.bits() & (alignment - 1)) == 0;
    }
};

}  // namespace

struct TunedKernel::State {
    State(const std::filesystem::path& file, const std::map<std::string, std::string>& type_names,
          Session& its_session);

    [[nodiscard]] CallShape shape(std::initializer_list<KernelSize> sizes) const;
    [[nodiscard]] std::array<void*, kMaxArguments> arrays(
        std::initializer_list<KernelArgument> arguments) const;
    [[nodiscard]] StreamSite& site(Stream stream) const {
        return is_host ? engine.host().site(nullptr) : engine.cuda().site(stream);
    }
    [[nodiscard]] CallKey call_key(const CallShape& shape, const StreamSite& site) const;
    [[nodiscard]] const Resolved& resolve(const CallShape& shape, StreamSite& site) const;
    [[noreturn]] void refuse_sizes(const char* why) const;
    [[noreturn]] void refuse_argument(const WantedArgument& wanted) const;

    Kernel kernel;
    Engine& engine;
    std::map<std::string, std::string> types;
    std::vector<WantedArgument> wanted;
    std::uint64_t identity = 0;  ///< of the template's text and the types
    bool is_host = false;
    bool is_exact = false;  ///< one answer for each size and not for each bucket
};

TunedKernel::State::State(const std::filesystem::path& file,
                          const std::map<std::string, std::string>& type_names,
                          Session& its_session)
    : kernel(kernel_from_file(file)), engine(SessionAccess::engine(its_session)) {
    const FrontMatter& front = kernel.kernel_template.front_matter();
    if (front.sizes.size() > kMostSizes) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: more than {} sizes", file.string(), kMostSizes));
    }
    const Problem problem = kernel_problem(
        kernel.kernel_template, std::vector<std::int64_t>(front.sizes.size(), 1), type_names);
    types = problem.types;
    identity = quick_hash(kernel.kernel_template.hash() + types_text(problem), 0);
    is_host = front.platform == PlatformKind::host;
    is_exact = front.constrains_sizes();
    for (const ArgumentSpec& argument : front.arguments) {
        if (is_given(argument.access)) {
            const auto type = types.find(argument.type);
            const ElementType element =
                parse_element_type(type == types.end() ? argument.type : type->second);
            wanted.push_back({argument.name, element, argument.access == Access::value,
                              static_cast<std::uint64_t>(argument.alignment.value_or(
                                  static_cast<std::int64_t>(bytes_of(element))))});
        }
    }
}

void TunedKernel::State::refuse_sizes(const char* why) const {
    throw Error(ErrorKind::usage,
                fmt::format("{}: {}; its sizes are {}", kernel.kernel_template.source().name, why,
                            fmt::join(kernel.kernel_template.front_matter().sizes, ", ")));
}

CallShape TunedKernel::State::shape(std::initializer_list<KernelSize> sizes) const {
    const std::vector<std::string>& names = kernel.kernel_template.front_matter().sizes;
    if (sizes.size() != names.size()) [[unlikely]] {
        refuse_sizes("a call gives another number of sizes");
    }
    CallShape shape;
    shape.count = names.size();
    std::size_t place = 0;
    for (const KernelSize& size : sizes) {
        std::size_t index = place++;
        if (!size.name.empty()) {
            for (index = 0; index < names.size() && names[index] != size.name;) {
                ++index;
            }
        }
        if (index == names.size() || shape.values[index] != 0) [[unlikely]] {
            refuse_sizes("a call names a size that there is not, or one twice");
        }
        if (size.value < 1) [[unlikely]] {
            refuse_sizes("a call gives a size below 1");
        }
        shape.values[index] = size.value;
    }
    return shape;
}

void TunedKernel::State::refuse_argument(const WantedArgument& argument) const {
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "{}: argument {} must be {} {}{}", kernel.kernel_template.source().name, argument.name,
            argument.is_value ? "a value of" : "a pointer to", to_string(argument.type),
            argument.is_value ? "" : fmt::format(", aligned to {} bytes", argument.alignment)));
}

std::array<void*, kMaxArguments> TunedKernel::State::arrays(
    std::initializer_list<KernelArgument> arguments) const {
    if (arguments.size() != wanted.size()) [[unlikely]] {
        throw Error(ErrorKind::usage, fmt::format("{}: {} arguments were given, it takes {}",
                                                  kernel.kernel_template.source().name,
                                                  arguments.size(), wanted.size()));
    }
    std::array<void*, kMaxArguments> result;
    std::size_t place = 0;
    for (const KernelArgument& argument : arguments) {
        if (!wanted[place].fits(argument)) [[unlikely]] {
            refuse_argument(wanted[place]);
        }
        result[place++] = reinterpret_cast<void*>(argument.bits());
    }
    return result;
}

CallKey TunedKernel::State::call_key(const CallShape& shape, const StreamSite& site) const {
    constexpr std::size_t kPlain = std::tuple_size_v<CallSizes>;
    CallKey key;
    key.site = site.serial();
    key.problem = {&kKind, identity, 0};
    std::copy_n(shape.values.begin(), kPlain, key.sizes.begin());
    if (shape.count > kPlain) {
        key.problem.variant = shape.count == kPlain + 1
                                  ? static_cast<std::uint64_t>(shape.values[kPlain])
                                  : hash_of(shape.span().subspan(kPlain));
    }
    return key;
}

const Resolved& TunedKernel::State::resolve(const CallShape& shape, StreamSite& site) const {
    const DispatchKey key{&site.device(),
                          {&kKind, identity, is_exact ? hash_of(shape.span()) : 0},
                          size_bucket(shape.span())};
    if (const Resolved* known = engine.table().find(key)) {
        return *known;
    }
    site.refuse_capture("the first launch of a TunedKernel");
    const auto sizes = shape.span();
    return engine.resolve(
        key, {site.device(), kernel,
              kernel_problem(kernel.kernel_template, {sizes.begin(), sizes.end()}, types)});
}

TunedKernel::TunedKernel(const std::filesystem::path& file,
                         const std::map<std::string, std::string>& types, Session& session)
    : state_(std::make_unique<State>(file, types, session)) {}

TunedKernel::~TunedKernel() = default;
TunedKernel::TunedKernel(TunedKernel&&) noexcept = default;
TunedKernel& TunedKernel::operator=(TunedKernel&&) noexcept = default;

void TunedKernel::launch(std::initializer_list<KernelSize> sizes,
                         std::initializer_list<KernelArgument> arguments,
                         CUstream_st* stream) const {
    const State& state = *state_;
    state.engine.refuse_fork();
    const CallShape shape = state.shape(sizes);
    const auto arrays = state.arrays(arguments);
    StreamSite& site = state.site(stream);
    const CallKey key = state.call_key(shape, site);
    CallMemo& memo = CallMemo::here();
    const ReadyLaunch* ready = memo.find(key);
    if (ready == nullptr) [[unlikely]] {
        ready = &memo.prepare(key, shape.span(), state.resolve(shape, site), site);
    }
    (*ready)(arrays.data(), stream);
}

DispatchInfo TunedKernel::prepare(std::initializer_list<KernelSize> sizes) const {
    state_->engine.refuse_fork();
    return state_->resolve(state_->shape(sizes), state_->site(nullptr)).info;
}

JITUNE_END_NAMESPACE
