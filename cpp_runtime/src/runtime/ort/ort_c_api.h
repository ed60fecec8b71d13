// The used part of ONNX Runtime's C API, declared by hand because no package has its header.  The
// API is a table of function pointers that only grows; the index of a function never changes. The
// functions that this header declares exist since ONNX Runtime 1.18 unless a comment names a later
// version. ONNX Runtime's types are declared as opaque types, its enums as ints.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "oarlock/error.h"

namespace oarlock::ort {

struct Env;
struct Status;
struct Session;
struct SessionOptions;
struct RunOptions;
struct Value;
struct TypeInfo;
struct TensorInfo;
struct MemoryInfo;
struct Allocator;
struct CudaOptions;
struct EpSubgraph;
struct EpNode;
struct IoBinding;
struct EpDevice;
struct TensorRtOptions;

// Values of the enums OrtAllocatorType and OrtMemType.
inline constexpr int kDeviceAllocator = 0;
inline constexpr int kDefaultMemory = 0, kHostReadableMemory = -1;

using LogSink = void (*)(void*, int severity, const char*, const char*, const char*, const char*);

/// The index and the type of one function in the function table of ONNX Runtime's C API.
template <int Index, class Function>
struct ApiFunctionTraits {
  static constexpr int index = Index;
  using type = Function*;
};

using GetErrorMessage = ApiFunctionTraits<2, const char*(const Status*)>;
using CreateEnvWithCustomLogger =
    ApiFunctionTraits<4, Status*(LogSink, void*, int, const char*, Env**)>;
using DisableTelemetryEvents = ApiFunctionTraits<6, Status*(const Env*)>;
using CreateSession =
    ApiFunctionTraits<7, Status*(const Env*, const char*, const SessionOptions*, Session**)>;
using CreateSessionFromArray = ApiFunctionTraits<8, Status*(const Env*, const void*, std::size_t,
                                                            const SessionOptions*, Session**)>;
using Run = ApiFunctionTraits<9, Status*(Session*, const RunOptions*, const char* const*,
                                         const Value* const*, std::size_t, const char* const*,
                                         std::size_t, Value**)>;
using CreateSessionOptions = ApiFunctionTraits<10, Status*(SessionOptions**)>;
using SetOptimizedModelFilePath = ApiFunctionTraits<11, Status*(SessionOptions*, const char*)>;
using SetSessionExecutionMode = ApiFunctionTraits<13, Status*(SessionOptions*, int)>;
using EnableProfiling = ApiFunctionTraits<14, Status*(SessionOptions*, const char*)>;
using DisableMemPattern = ApiFunctionTraits<17, Status*(SessionOptions*)>;
using DisableCpuMemArena = ApiFunctionTraits<19, Status*(SessionOptions*)>;
using SetSessionGraphOptimizationLevel = ApiFunctionTraits<23, Status*(SessionOptions*, int)>;
using SetIntraOpNumThreads = ApiFunctionTraits<24, Status*(SessionOptions*, int)>;
using SetInterOpNumThreads = ApiFunctionTraits<25, Status*(SessionOptions*, int)>;
using SessionGetInputCount = ApiFunctionTraits<30, Status*(const Session*, std::size_t*)>;
using SessionGetOutputCount = ApiFunctionTraits<31, Status*(const Session*, std::size_t*)>;
using SessionGetInputTypeInfo =
    ApiFunctionTraits<33, Status*(const Session*, std::size_t, TypeInfo**)>;
using SessionGetOutputTypeInfo =
    ApiFunctionTraits<34, Status*(const Session*, std::size_t, TypeInfo**)>;
using SessionGetInputName =
    ApiFunctionTraits<36, Status*(const Session*, std::size_t, Allocator*, char**)>;
using SessionGetOutputName =
    ApiFunctionTraits<37, Status*(const Session*, std::size_t, Allocator*, char**)>;
using CreateRunOptions = ApiFunctionTraits<39, Status*(RunOptions**)>;
using RunOptionsSetTerminate = ApiFunctionTraits<46, Status*(RunOptions*)>;
using RunOptionsUnsetTerminate = ApiFunctionTraits<47, Status*(RunOptions*)>;
using CreateTensorWithDataAsOrtValue =
    ApiFunctionTraits<49, Status*(const MemoryInfo*, void*, std::size_t, const std::int64_t*,
                                  std::size_t, int, Value**)>;
using GetTensorMutableData = ApiFunctionTraits<51, Status*(Value*, void**)>;
using CastTypeInfoToTensorInfo =
    ApiFunctionTraits<55, Status*(const TypeInfo*, const TensorInfo**)>;
using GetTensorElementType = ApiFunctionTraits<60, Status*(const TensorInfo*, int*)>;
using GetDimensionsCount = ApiFunctionTraits<61, Status*(const TensorInfo*, std::size_t*)>;
using GetDimensions = ApiFunctionTraits<62, Status*(const TensorInfo*, std::int64_t*, std::size_t)>;
using GetSymbolicDimensions =
    ApiFunctionTraits<63, Status*(const TensorInfo*, const char**, std::size_t)>;
using GetTensorTypeAndShape = ApiFunctionTraits<65, Status*(const Value*, TensorInfo**)>;
using CreateMemoryInfo = ApiFunctionTraits<68, Status*(const char*, int, int, int, MemoryInfo**)>;
using CreateCpuMemoryInfo = ApiFunctionTraits<69, Status*(int, int, MemoryInfo**)>;
using AllocatorAlloc = ApiFunctionTraits<75, Status*(Allocator*, std::size_t, void**)>;
using AllocatorFree = ApiFunctionTraits<76, Status*(Allocator*, void*)>;
using GetAllocatorWithDefaultOptions = ApiFunctionTraits<78, Status*(Allocator**)>;
using ReleaseEnv = ApiFunctionTraits<92, void(Env*)>;
using ReleaseStatus = ApiFunctionTraits<93, void(Status*)>;
using ReleaseMemoryInfo = ApiFunctionTraits<94, void(MemoryInfo*)>;
using ReleaseSession = ApiFunctionTraits<95, void(Session*)>;
using ReleaseValue = ApiFunctionTraits<96, void(Value*)>;
using ReleaseRunOptions = ApiFunctionTraits<97, void(RunOptions*)>;
using ReleaseTypeInfo = ApiFunctionTraits<98, void(TypeInfo*)>;
using ReleaseTensorInfo = ApiFunctionTraits<99, void(TensorInfo*)>;
using ReleaseSessionOptions = ApiFunctionTraits<100, void(SessionOptions*)>;
using SessionEndProfiling = ApiFunctionTraits<110, Status*(Session*, Allocator*, char**)>;
using GetAvailableProviders = ApiFunctionTraits<125, Status*(char***, int*)>;
using ReleaseAvailableProviders = ApiFunctionTraits<126, Status*(char**, int)>;
using AddSessionConfigEntry =
    ApiFunctionTraits<130, Status*(SessionOptions*, const char*, const char*)>;
using CreateAllocator =
    ApiFunctionTraits<131, Status*(const Session*, const MemoryInfo*, Allocator**)>;
using ReleaseAllocator = ApiFunctionTraits<132, void(Allocator*)>;
using RunWithBinding =
    ApiFunctionTraits<133, Status*(Session*, const RunOptions*, const IoBinding*)>;
using CreateIoBinding = ApiFunctionTraits<134, Status*(Session*, IoBinding**)>;
using ReleaseIoBinding = ApiFunctionTraits<135, void(IoBinding*)>;
using BindInput = ApiFunctionTraits<136, Status*(IoBinding*, const char*, const Value*)>;
using BindOutput = ApiFunctionTraits<137, Status*(IoBinding*, const char*, const Value*)>;
using BindOutputToDevice =
    ApiFunctionTraits<138, Status*(IoBinding*, const char*, const MemoryInfo*)>;
using GetBoundOutputValues =
    ApiFunctionTraits<140, Status*(const IoBinding*, Allocator*, Value***, std::size_t*)>;
using AddRunConfigEntry = ApiFunctionTraits<165, Status*(RunOptions*, const char*, const char*)>;
using AppendTensorRt = ApiFunctionTraits<170, Status*(SessionOptions*, const TensorRtOptions*)>;
using CreateTensorRtOptions = ApiFunctionTraits<171, Status*(TensorRtOptions**)>;
using UpdateTensorRtOptions = ApiFunctionTraits<172, Status*(TensorRtOptions*, const char* const*,
                                                             const char* const*, std::size_t)>;
using ReleaseTensorRtOptions = ApiFunctionTraits<174, void(TensorRtOptions*)>;
using RegisterAllocator = ApiFunctionTraits<176, Status*(Env*, Allocator*)>;
using AppendCuda = ApiFunctionTraits<204, Status*(SessionOptions*, const CudaOptions*)>;
using CreateCudaOptions = ApiFunctionTraits<205, Status*(CudaOptions**)>;
using UpdateCudaOptions = ApiFunctionTraits<206, Status*(CudaOptions*, const char* const*,
                                                         const char* const*, std::size_t)>;
using ReleaseCudaOptions = ApiFunctionTraits<208, void(CudaOptions*)>;
using AppendProvider =
    ApiFunctionTraits<216, Status*(SessionOptions*, const char*, const char* const*,
                                   const char* const*, std::size_t)>;
using SetEnvLogLevel = ApiFunctionTraits<226, Status*(Env*, int severity)>;
using GetBuildInfoString = ApiFunctionTraits<254, const char*()>;
using SetDeterministicCompute = ApiFunctionTraits<273, Status*(SessionOptions*, bool)>;
using AddExternalInitializersFromFilesInMemory =
    ApiFunctionTraits<279, Status*(SessionOptions*, const char* const*, char* const*,
                                   const std::size_t*, std::size_t)>;
// Since 1.22.
using RegisterProviderLibrary =
    ApiFunctionTraits<301, Status*(Env*, const char* name, const char* path)>;
using GetEpDevices =
    ApiFunctionTraits<303, Status*(const Env*, const EpDevice* const**, std::size_t*)>;
using AppendProviderDevices =
    ApiFunctionTraits<304, Status*(SessionOptions*, Env*, const EpDevice* const*, std::size_t,
                                   const char* const*, const char* const*, std::size_t)>;
using EpDeviceName = ApiFunctionTraits<312, const char*(const EpDevice*)>;
// Since 1.24.
using SessionGetPlacement =
    ApiFunctionTraits<407, Status*(const Session*, const EpSubgraph* const**, std::size_t*)>;
using EpSubgraphGetName = ApiFunctionTraits<408, Status*(const EpSubgraph*, const char**)>;
using EpSubgraphGetNodes =
    ApiFunctionTraits<409, Status*(const EpSubgraph*, const EpNode* const**, std::size_t*)>;
using EpNodeGetOperator = ApiFunctionTraits<412, Status*(const EpNode*, const char**)>;
using GetTensorTypeAndShapeData =
    ApiFunctionTraits<414, Status*(const Value*, int*, const std::int64_t**, std::size_t*)>;

/// The function table that `OrtApiBase::GetApi` returns. `get` looks up one function by its index.
class Api {
 public:
  Api() = default;
  explicit Api(const void* table) : table_(static_cast<const Entry*>(table)) {}

  template <class S>
  typename S::type get() const {
    return reinterpret_cast<typename S::type>(table_[S::index]);
  }
  /// Calls a function that returns a Status.  Throws Error(engine) with ONNX Runtime's message.
  template <class S, class... Args>
  void call(Args... args) const {
    if (Status* status = get<S>()(args...)) fail(status);
  }
  [[noreturn]] void fail(Status* status) const {
    std::string message = get<GetErrorMessage>()(status);
    get<ReleaseStatus>()(status);
    bool no_memory = false;
    for (const char* phrase : {"ailed to allocate", "bad_alloc", "Available memory of"})
      no_memory = no_memory || message.find(phrase) != std::string::npos;
    throw Error(ErrorCode::engine, (no_memory ? "engine: out of memory: " : "engine: ") + message);
  }

 private:
  using Entry = void (*)();
  const Entry* table_ = nullptr;
};

/// Deleter of an ONNX Runtime object.
template <class T, class Release>
struct Deleter {
  const Api* api = nullptr;
  void operator()(T* object) const { api->get<Release>()(object); }
};
template <class T, class Release>
using Handle = std::unique_ptr<T, Deleter<T, Release>>;

using SessionHandle = Handle<Session, ReleaseSession>;
using OptionsHandle = Handle<SessionOptions, ReleaseSessionOptions>;
using RunOptionsHandle = Handle<RunOptions, ReleaseRunOptions>;
using ValueHandle = Handle<Value, ReleaseValue>;
using TensorInfoHandle = Handle<TensorInfo, ReleaseTensorInfo>;
using TypeInfoHandle = Handle<TypeInfo, ReleaseTypeInfo>;
using BindingHandle = Handle<IoBinding, ReleaseIoBinding>;
using AllocatorHandle = Handle<Allocator, ReleaseAllocator>;
using MemoryHandle = Handle<MemoryInfo, ReleaseMemoryInfo>;

/// Calls a function whose last argument receives the new object.
template <class H, class S, class... Args>
H make(const Api& api, Args... args) {
  typename H::pointer made = nullptr;
  api.call<S>(args..., &made);
  return H(made, typename H::deleter_type{&api});
}

}  // namespace oarlock::ort
