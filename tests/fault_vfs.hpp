#pragma once

#include <sqlite3.h>

namespace jitune {

/// While it lives, SQLite's files go through it, and it can make one of their system calls fail, or
/// all from one on. Without shared memory, so that there is no WAL.
class FaultVfs {
public:
    FaultVfs();
    ~FaultVfs();
    FaultVfs(const FaultVfs&) = delete;
    FaultVfs& operator=(const FaultVfs&) = delete;

    /// The `call`-th call from now fails (1 is the next; 0: none), and those after it if `forever`.
    void fail_at(int call, bool forever);

    /// Whether that call has been reached.
    [[nodiscard]] bool has_failed() const { return fail_at_ != 0 && calls_ >= fail_at_; }

    /// Counts a call, and says whether it must fail.
    bool fails();

    [[nodiscard]] sqlite3_vfs* real() const { return real_; }
    [[nodiscard]] const sqlite3_io_methods* methods() const { return &methods_; }

private:
    sqlite3_vfs* real_;
    sqlite3_vfs vfs_;
    sqlite3_io_methods methods_;
    int calls_ = 0;
    int fail_at_ = 0;
    bool forever_ = false;
};

}  // namespace jitune
