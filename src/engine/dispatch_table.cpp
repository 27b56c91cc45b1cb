#include "engine/dispatch_table.hpp"

namespace jitune {

struct DispatchTable::Node {
    DispatchKey key;
    std::unique_ptr<const Resolved> resolved;
    Node* next = nullptr;
};

namespace {

std::size_t mix(const DispatchKey& key) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
    std::uint64_t hash = reinterpret_cast<std::uintptr_t>(key.backend);
    hash = (hash ^ reinterpret_cast<std::uintptr_t>(key.kernel)) * kOdd;
    hash = (hash ^ key.types) * kOdd;
    hash = (hash ^ static_cast<std::uint64_t>(key.bucket)) * kOdd;
    return static_cast<std::size_t>(hash >> 54);
}

}  // namespace

std::uint64_t next_serial() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

DispatchTable::~DispatchTable() {
    for (std::atomic<Node*>& head : heads_) {
        for (Node* node = head.load(); node != nullptr;) {
            const std::unique_ptr<Node> owned(node);
            node = owned->next;
        }
    }
}

const Resolved* DispatchTable::find(const DispatchKey& key) const {
    static_assert(kHeads == 1 << 10, "mix() gives 10 bits");
    for (const Node* node = heads_[mix(key)].load(std::memory_order_acquire); node != nullptr;
         node = node->next) {
        if (node->key == key) {
            return node->resolved.get();
        }
    }
    return nullptr;
}

const Resolved& DispatchTable::add(const DispatchKey& key,
                                   std::unique_ptr<const Resolved> resolved) {
    auto node = std::make_unique<Node>(Node{key, std::move(resolved), nullptr});
    std::atomic<Node*>& head = heads_[mix(key)];
    node->next = head.load(std::memory_order_acquire);
    do {
        for (const Node* other = node->next; other != nullptr; other = other->next) {
            if (other->key == key) {
                return *other->resolved;
            }
        }
    } while (!head.compare_exchange_weak(node->next, node.get(), std::memory_order_release,
                                         std::memory_order_acquire));
    return *node.release()->resolved;
}

}  // namespace jitune
