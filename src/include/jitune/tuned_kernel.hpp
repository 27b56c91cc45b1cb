// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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

/// A pointer to the elements of an array, or a scalar, with its element type. Pointers and scalars
/// convert to it. A void* stands for an array of any type.
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
    /// Containers are refused: nothing would tell in which memory their elements lie.
    template <class Container>
    requires(Element<typename Container::value_type>&& requires(const Container& all) {
        all.data();
        all.size();
    }) KernelArgument(const Container& /*unused*/) {  // NOLINT(google-explicit-constructor)
        static_assert(sizeof(Container) == 0,
                      "jitune takes a pointer to the first element, not a container: give "
                      "x.data(), in device memory where the call is for a GPU");
    }

    /// Of a type that is known at run time only: a pointer to elements of it, and a scalar, whose
    /// value is in the low bytes.
    [[nodiscard]] static KernelArgument array(ElementType type, const void* pointer) {
        return {Kind::pointer, type, pointer};
    }
    [[nodiscard]] static KernelArgument scalar(ElementType type, std::uint64_t bits) {
        KernelArgument argument(Kind::value, type, nullptr);
        argument.bits_ = bits;
        return argument;
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

/// The sizes of one call, in any number: a list in braces, or a vector, array or span that is made
/// at run time. By position they are in the order of the template's `sizes`.
using KernelSizes = std::span<const KernelSize>;

/// The arguments of one call, made as KernelSizes are: those of access in, out, inout and value, in
/// the order of the template's [arguments]. Pointers are to the memory of the template's device and
/// as aligned as the template asks for.
using KernelArguments = std::span<const KernelArgument>;

/// An argument that the template declares.
struct KernelParameter {
    std::string name;
    ElementType type;
    bool is_value;    ///< a scalar, not an array
    bool is_written;  ///< an array that the kernel writes
    /// Elements that the array must have at least; -1 if the template does not tell from the
    /// sizes alone.
    std::int64_t count;
};

class MapReduce;

/// A TunedKernel or a formula for fixed sizes on one device, with everything slow done ahead: calls
/// only launch, so that they can be captured into a CUDA graph. Calls share work memory: do not let
/// two of them, or a call and a graph that holds one, run at the same time. The handle must outlive
/// its launches and graphs, and its Session must outlive the handle. What it was prepared by need
/// not.
class JITUNE_API PreparedKernel {
public:
    ~PreparedKernel();
    PreparedKernel(PreparedKernel&& other) noexcept;
    PreparedKernel& operator=(PreparedKernel&& other) noexcept;

    /// Launches on `stream`; on the host, which has no streams, returns when the work is done.
    /// Throws Error: usage (arguments that do not fit the template), device, forked.
    void operator()(KernelArguments arguments, CUstream_st* stream = nullptr) const;
    void operator()(std::initializer_list<KernelArgument> arguments,
                    CUstream_st* stream = nullptr) const {
        (*this)(KernelArguments(arguments), stream);
    }

    /// The configuration that the calls launch, and its origin.
    [[nodiscard]] const DispatchInfo& info() const;

private:
    friend class MapReduce;
    friend class TunedKernel;
    struct State;
    explicit PreparedKernel(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// A kernel of your own: a kernel template in a file, which is tuned for the device and the sizes
/// that it is called with. docs/tutorial/your_kernel.md says what is in the file.
///
///     jitune::TunedKernel multiply("matmul.cu");
///     multiply.launch({m, n, k}, {a, b, c}, stream);
///
/// The first call for a size bucket takes the winner from the database. Without a stored winner it
/// follows Options::on_miss, which may take Options::budget. Later calls only launch: no lock, and
/// up to eight sizes no allocation. Safe from any thread; threads that need the same winner wait
/// for the one that tunes. The session must outlive the kernel. A moved-from kernel may only be
/// assigned to or destroyed.
///
/// All functions throw Error: usage (no such file; wrong front matter, with file and line; sizes,
/// types or arguments that do not fit the template), unavailable (for example, there is no worker
/// to tune in: see Options::worker), compile with the compiler's words, device, verify (no
/// configuration gave the right result), not_prepared, forked.
class JITUNE_API TunedKernel {
public:
    /// Reads the template. `types` selects a name for each type parameter that has several:
    /// {{"element", "float32"}}.
    explicit TunedKernel(const std::filesystem::path& file,
                         const std::map<std::string, std::string>& types = {},
                         Session& session = Session::standard());
    /// As above, with options for the compiler behind those of the template: {"--use_fast_math"}.
    /// They are part of the template's hash: such a kernel has winners of its own.
    TunedKernel(const std::filesystem::path& file, const std::map<std::string, std::string>& types,
                const std::vector<std::string>& compile_options,
                Session& session = Session::standard());
    ~TunedKernel();
    TunedKernel(TunedKernel&& other) noexcept;
    TunedKernel& operator=(TunedKernel&& other) noexcept;

    /// The arguments that a call with these sizes must bring, in their order: for callers who know
    /// how long their arrays are. Calls do not check lengths.
    [[nodiscard]] std::vector<KernelParameter> parameters(KernelSizes sizes) const;

    /// Whether the kernel is for the host, so that its arrays are in host memory.
    [[nodiscard]] bool is_host() const;

    /// Launches on `stream`; a kernel for the host has no streams and returns when the work is
    /// done. Each size is at least 1. While `stream` is captured, throws Error(not_prepared) if no
    /// call of the same size bucket came before, or if the kernel needs more scratch memory than
    /// the stream has; the capture stays valid. Capture a call of the handle of prepare() instead.
    void launch(KernelSizes sizes, KernelArguments arguments, CUstream_st* stream = nullptr) const;
    void launch(std::initializer_list<KernelSize> sizes,
                std::initializer_list<KernelArgument> arguments,
                CUstream_st* stream = nullptr) const {
        launch(KernelSizes(sizes), KernelArguments(arguments), stream);
    }
    void launch(KernelSizes sizes, std::initializer_list<KernelArgument> arguments,
                CUstream_st* stream = nullptr) const {
        launch(sizes, KernelArguments(arguments), stream);
    }
    void launch(std::initializer_list<KernelSize> sizes, KernelArguments arguments,
                CUstream_st* stream = nullptr) const {
        launch(KernelSizes(sizes), arguments, stream);
    }

    /// Has the next launch() write its sizes, scalars and arrays, before and after it, into
    /// `folder`, which is new or empty, so that `jitune tune FILE --from-capture FOLDER` tunes on
    /// them. That launch waits for its stream, and throws Error(usage) if it cannot be captured:
    /// its arrays have more than `most_bytes` bytes, the sizes do not say how long they are, a file
    /// cannot be written; Error(not_prepared) of a stream that is being captured comes as usage,
    /// too. The files hold the app's data. The environment asks for the same by JITUNE_CAPTURE; a
    /// call that cannot be captured is then a warning. Calls of handles are not captured.
    void capture(const std::filesystem::path& folder,
                 std::size_t most_bytes = std::size_t{1} << 30) const;

    /// Finds or tunes, compiles, loads and allocates for these sizes on the calling thread's
    /// current CUDA device (device 0 if none is current), or on the host.
    [[nodiscard]] PreparedKernel prepare(KernelSizes sizes) const;
    [[nodiscard]] PreparedKernel prepare(std::initializer_list<KernelSize> sizes) const {
        return prepare(KernelSizes(sizes));
    }

private:
    struct State;
    std::unique_ptr<const State> state_;
};

JITUNE_END_NAMESPACE
