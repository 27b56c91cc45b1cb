// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "jitune/element_type.hpp"
#include "jitune/export.hpp"
#include "jitune/session.hpp"

struct CUstream_st;  // cudaStream_t and CUstream point to this

JITUNE_BEGIN_NAMESPACE

/// A size of a call, by position or by name: `n`, `{"n", n}`.
struct KernelSize {
    template <std::integral T>
    KernelSize(T size) : value(static_cast<std::int64_t>(size)) {}  // NOLINT
    template <std::integral T>
    KernelSize(std::string_view size_name, T size)
        : name(size_name), value(static_cast<std::int64_t>(size)) {}

    std::string_view name;  ///< empty: by position
    std::int64_t value;
};

/// A pointer to the elements of an array, or a scalar; it knows its type. Made where one is
/// expected. A void* stands for an array of any type.
class KernelArgument {
public:
    enum class Kind : std::uint8_t { pointer, untyped_pointer, value };

    template <Element T>
    KernelArgument(const T* pointer)  // NOLINT(google-explicit-constructor)
        : KernelArgument(Kind::pointer, kElementType<T>, pointer) {}
    KernelArgument(const void* pointer)  // NOLINT(google-explicit-constructor)
        : KernelArgument(Kind::untyped_pointer, ElementType::uint8, pointer) {}
    template <Element T>
    requires(std::is_object_v<T>) KernelArgument(T value)  // NOLINT(google-explicit-constructor)
        : kind_(Kind::value), type_(kElementType<T>) {
        std::memcpy(&bits_, &value, sizeof value);
    }

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] ElementType type() const { return type_; }
    /// The address, or the value in the low bytes.
    [[nodiscard]] std::uint64_t bits() const { return bits_; }

private:
    KernelArgument(Kind kind, ElementType type, const void* pointer)
        : bits_(reinterpret_cast<std::uintptr_t>(pointer)), kind_(kind), type_(type) {}

    std::uint64_t bits_ = 0;
    Kind kind_;
    ElementType type_;
};

/// A kernel of your own: a kernel template in a file, which is tuned for the device and the sizes
/// that it is called with. docs/tutorial/your_kernel.md says what is in the file.
///
///     jitune::TunedKernel multiply("matmul.cu");
///     multiply.launch({m, n, k}, {a, b, c}, stream);
///
/// The first call for a size bucket takes the winner from the database, and on a miss follows
/// Options::on_miss, which may take Options::budget; later calls only launch: no lock, no
/// allocation. Safe from any thread; threads that need the same winner wait for one of them. The
/// session must outlive it. A moved-from kernel may only be assigned to or destroyed.
///
/// All functions throw Error: usage (no such file; front matter that is wrong, with file and line;
/// sizes, types or arguments that the template has not), unavailable, compile with the compiler's
/// words, device, verify (no configuration gave the right result), not_prepared, forked.
class JITUNE_API TunedKernel {
public:
    /// Reads the template. `types` names those type parameters that have several names:
    /// {{"element", "float32"}}.
    explicit TunedKernel(const std::filesystem::path& file,
                         const std::map<std::string, std::string>& types = {},
                         Session& session = Session::standard());
    ~TunedKernel();
    TunedKernel(TunedKernel&& other) noexcept;
    TunedKernel& operator=(TunedKernel&& other) noexcept;

    /// Launches on `stream`, of which the host backend has none: there the call returns when the
    /// work is done. `arguments` are those of access in, out, inout and value, in the front
    /// matter's order; pointers are to the device's memory (the host's, for a template of the host
    /// backend) and as aligned as the front matter asks for. Each size is at least 1.
    void launch(std::initializer_list<KernelSize> sizes,
                std::initializer_list<KernelArgument> arguments,
                CUstream_st* stream = nullptr) const;

    /// Does everything slow ahead of time, for the calling thread's current device, and says what
    /// will be launched. A stream whose first launch is being captured must have had a launch of
    /// these sizes before where the kernel has work memory.
    DispatchInfo prepare(std::initializer_list<KernelSize> sizes) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

JITUNE_END_NAMESPACE
