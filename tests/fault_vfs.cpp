#include "fault_vfs.hpp"

#include <new>

namespace jitune {

namespace {

/// What SQLite sees of an open file. The real one lies right behind it.
struct FaultFile : sqlite3_file {
    FaultVfs* owner;

    [[nodiscard]] sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

/// A method of a file that passes the call on, unless it must fail with `Code`.
template <auto Method, int Code>
struct Pass;

template <class... Args, int (*sqlite3_io_methods::*Method)(sqlite3_file*, Args...), int Code>
struct Pass<Method, Code> {
    static int call(sqlite3_file* file, Args... args) {
        auto* fault = static_cast<FaultFile*>(file);
        if (Code != SQLITE_OK && fault->owner->fails()) {
            return Code;
        }
        return (fault->real()->pMethods->*Method)(fault->real(), args...);
    }
};

sqlite3_io_methods make_methods() {
    using Io = sqlite3_io_methods;
    sqlite3_io_methods methods{};
    methods.iVersion = 1;
    methods.xClose = Pass<&Io::xClose, SQLITE_OK>::call;
    methods.xRead = Pass<&Io::xRead, SQLITE_IOERR_READ>::call;
    methods.xWrite = Pass<&Io::xWrite, SQLITE_FULL>::call;
    methods.xTruncate = Pass<&Io::xTruncate, SQLITE_IOERR_TRUNCATE>::call;
    methods.xSync = Pass<&Io::xSync, SQLITE_IOERR_FSYNC>::call;
    methods.xFileSize = Pass<&Io::xFileSize, SQLITE_IOERR_FSTAT>::call;
    methods.xLock = Pass<&Io::xLock, SQLITE_IOERR_LOCK>::call;
    methods.xUnlock = Pass<&Io::xUnlock, SQLITE_OK>::call;
    methods.xCheckReservedLock = Pass<&Io::xCheckReservedLock, SQLITE_IOERR_LOCK>::call;
    methods.xFileControl = Pass<&Io::xFileControl, SQLITE_OK>::call;
    methods.xSectorSize = Pass<&Io::xSectorSize, SQLITE_OK>::call;
    methods.xDeviceCharacteristics = Pass<&Io::xDeviceCharacteristics, SQLITE_OK>::call;
    return methods;
}

FaultVfs& owner_of(sqlite3_vfs* vfs) {
    return *static_cast<FaultVfs*>(vfs->pAppData);
}

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    auto* fault = new (file) FaultFile{{nullptr}, &owner_of(vfs)};
    if (fault->owner->fails()) {
        return SQLITE_CANTOPEN;
    }
    sqlite3_vfs* real = fault->owner->real();
    const int code = real->xOpen(real, name, fault->real(), flags, out_flags);
    fault->pMethods = fault->real()->pMethods != nullptr ? fault->owner->methods() : nullptr;
    return code;
}

int delete_file(sqlite3_vfs* vfs, const char* name, int sync) {
    FaultVfs& owner = owner_of(vfs);
    return owner.fails() ? SQLITE_IOERR_DELETE : owner.real()->xDelete(owner.real(), name, sync);
}

int access_file(sqlite3_vfs* vfs, const char* name, int flags, int* answer) {
    FaultVfs& owner = owner_of(vfs);
    return owner.fails() ? SQLITE_IOERR_ACCESS
                         : owner.real()->xAccess(owner.real(), name, flags, answer);
}

}  // namespace

FaultVfs::FaultVfs() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_), methods_(make_methods()) {
    vfs_.zName = "fault";
    vfs_.pNext = nullptr;
    vfs_.pAppData = this;
    vfs_.szOsFile = static_cast<int>(sizeof(FaultFile)) + real_->szOsFile;
    vfs_.xOpen = open_file;
    vfs_.xDelete = delete_file;
    vfs_.xAccess = access_file;
    sqlite3_vfs_register(&vfs_, 1);
}

FaultVfs::~FaultVfs() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_, 1);
}

void FaultVfs::fail_at(int call, bool forever) {
    calls_ = 0;
    fail_at_ = call;
    forever_ = forever;
}

bool FaultVfs::fails() {
    ++calls_;
    return fail_at_ != 0 && (forever_ ? calls_ >= fail_at_ : calls_ == fail_at_);
}

}  // namespace jitune
