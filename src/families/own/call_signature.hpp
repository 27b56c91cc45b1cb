// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/launch.hpp"
#include "jitune/tuned_kernel.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {

/// The sizes of one call in the template's order. Allocates only for more than eight sizes.
class OrderedSizes {
public:
    explicit OrderedSizes(std::size_t count) : count_(count) {
        if (count > few_.size()) {
            many_.resize(count);
        }
    }

    /// All zero until they are assigned.
    [[nodiscard]] std::span<std::int64_t> span() {
        return {count_ > few_.size() ? many_.data() : few_.data(), count_};
    }
    [[nodiscard]] std::span<const std::int64_t> span() const {
        return {count_ > few_.size() ? many_.data() : few_.data(), count_};
    }

private:
    std::size_t count_;
    std::array<std::int64_t, 8> few_{};
    std::vector<std::int64_t> many_;
};

/// The sizes and arguments that calls of a TunedKernel must bring. Immutable.
class CallSignature {
public:
    /// `types` are the names of all type parameters of the template.
    CallSignature(const KernelTemplate& kernel, const std::map<std::string, std::string>& types);

    /// Throws Error(usage) for another number of sizes, an unknown or repeated name and a size
    /// below 1.
    [[nodiscard]] OrderedSizes order(KernelSizes sizes) const;

    /// The cells of the arguments as ReadyLaunch takes them. Throws Error(usage) for another number
    /// of arguments, another type and a misaligned or null pointer.
    [[nodiscard]] std::array<void*, kMaxArguments> cells(KernelArguments arguments) const {
        return cells(arguments.size(), [&](std::size_t i) { return arguments[i]; });
    }
    /// The same for `count` arguments, of which `argument` gives each.
    template <class Get>
    [[nodiscard]] std::array<void*, kMaxArguments> cells(std::size_t count, Get argument) const;

    /// As TunedKernel::parameters(), for sizes of order(). Throws Error(usage) if an array would
    /// have more elements than can be counted.
    [[nodiscard]] std::vector<KernelParameter> parameters(const KernelTemplate& kernel,
                                                          const Problem& problem) const;

private:
    struct Argument {
        std::string name;
        ElementType type;
        bool is_value;
        std::uint64_t alignment;

        [[nodiscard]] bool fits(const KernelArgument& given) const;
    };

    /// Throws Error(usage) for an unknown name.
    [[nodiscard]] std::size_t place_of(std::string_view name) const;
    /// The elements of an array, whose `amount` is evaluated; -1 if it depends on more.
    [[nodiscard]] std::int64_t count_of(const ArgumentSpec& argument,
                                        const std::optional<Scalar>& amount) const;
    [[noreturn]] void refuse(const std::string& reason) const;
    [[noreturn]] void refuse_size_count(std::size_t given) const;
    [[noreturn]] void refuse_size(std::size_t place, std::int64_t value) const;
    [[noreturn]] void refuse_name(std::string_view name) const;
    [[noreturn]] void refuse_argument_count(std::size_t given) const;
    [[noreturn]] void refuse_argument(const Argument& argument, const KernelArgument& given) const;

    std::string template_name_;
    std::vector<std::string> sizes_;
    std::vector<Argument> arguments_;
};

// Inline: on the path of every call.
inline bool CallSignature::Argument::fits(const KernelArgument& given) const {
    using Kind = KernelArgument::Kind;
    if (is_value) {
        return given.kind() == Kind::value && given.type() == type;
    }
    return given.kind() != Kind::value && given.bits() != 0 &&
           (given.kind() == Kind::untyped_pointer || given.type() == type) &&
           (given.bits() & (alignment - 1)) == 0;
}

inline OrderedSizes CallSignature::order(KernelSizes sizes) const {
    if (sizes.size() != sizes_.size()) [[unlikely]] {
        refuse_size_count(sizes.size());
    }
    OrderedSizes result(sizes.size());
    const std::span<std::int64_t> values = result.span();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::size_t place = sizes[i].name.empty() ? i : place_of(sizes[i].name);
        if (values[place] != 0 || sizes[i].value < 1) [[unlikely]] {
            refuse_size(place, sizes[i].value);
        }
        values[place] = sizes[i].value;
    }
    return result;
}

template <class Get>
std::array<void*, kMaxArguments> CallSignature::cells(std::size_t count, Get argument) const {
    if (count != arguments_.size()) [[unlikely]] {
        refuse_argument_count(count);
    }
    std::array<void*, kMaxArguments> result;
    for (std::size_t i = 0; i < count; ++i) {
        const KernelArgument given = argument(i);
        if (!arguments_[i].fits(given)) [[unlikely]] {
            refuse_argument(arguments_[i], given);
        }
        result[i] = argument_of(given.bits());
    }
    return result;
}

}  // namespace jitune::internal
