// SPDX-License-Identifier: Apache-2.0
// The structs of DLPack 1.3 that jitune reads (github.com/dmlc/dlpack, include/dlpack/dlpack.h).
// Debian's package is older. Names and layouts are DLPack's.
#pragma once

#include <stdint.h>

enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLCUDAManaged = 13 };
enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4, kDLBool = 6 };

typedef struct {
    uint32_t major, minor;
} DLPackVersion;

typedef struct {
    int32_t device_type, device_id;
} DLDevice;

typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} DLDataType;

typedef struct {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t* shape;
    int64_t* strides;  // in elements; null: compact and row-major
    uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

// The same with a version: what tables of functions give and take.
typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void* manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned* self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

// The table of functions of a framework, behind the attribute __dlpack_c_exchange_api__ of its type
// of arrays: a capsule named "dlpack_exchange_api".
typedef struct DLPackExchangeAPIHeader {
    DLPackVersion version;
    struct DLPackExchangeAPIHeader* prev_api;  // of an older major version
} DLPackExchangeAPIHeader;

typedef struct {
    DLPackExchangeAPIHeader header;
    // A new tensor of the prototype's device, dtype and shape; set_error is called where it fails.
    int (*managed_tensor_allocator)(DLTensor* prototype, DLManagedTensorVersioned** out,
                                    void* error_ctx,
                                    void (*set_error)(void* error_ctx, const char* kind,
                                                      const char* message));
    void* managed_tensor_from_py_object_no_sync;
    int (*managed_tensor_to_py_object_no_sync)(DLManagedTensorVersioned* tensor,
                                               void** out);               // takes the tensor
    int (*dltensor_from_py_object_no_sync)(void* object, DLTensor* out);  // lends; may be null
    int (*current_work_stream)(int32_t device_type, int32_t device_id, void** stream);
} DLPackExchangeAPI;
