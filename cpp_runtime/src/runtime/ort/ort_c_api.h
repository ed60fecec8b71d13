// The used part of ONNX Runtime's C API, declared by hand because no package has its header.  The
// API is a table of function pointers that only grows; the index of a function never changes.  All
// functions here exist since 1.18 unless noted.  Types are opaque; enums are ints.
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
struct TensorRtOptions;

using LogSink = void (*)(void*, int severity, const char*, const char*, const char*, const char*);

/// One function of the table.
template <int Number, class Function>
struct Slot {
  static constexpr int number = Number;
  using type = Function*;
};

using GetErrorMessage = Slot<2, const char*(const Status*)>;
using CreateEnvWithCustomLogger = Slot<4, Status*(LogSink, void*, int, const char*, Env**)>;
using DisableTelemetryEvents = Slot<6, Status*(const Env*)>;
using CreateSession = Slot<7, Status*(const Env*, const char*, const SessionOptions*, Session**)>;
using CreateSessionFromArray =
    Slot<8, Status*(const Env*, const void*, std::size_t, const SessionOptions*, Session**)>;
using Run = Slot<9, Status*(Session*, const RunOptions*, const char* const*, const Value* const*,
                            std::size_t, const char* const*, std::size_t, Value**)>;
using CreateSessionOptions = Slot<10, Status*(SessionOptions**)>;
using SetOptimizedModelFilePath = Slot<11, Status*(SessionOptions*, const char*)>;
using SetSessionExecutionMode = Slot<13, Status*(SessionOptions*, int)>;
using EnableProfiling = Slot<14, Status*(SessionOptions*, const char*)>;
using DisableMemPattern = Slot<17, Status*(SessionOptions*)>;
using DisableCpuMemArena = Slot<19, Status*(SessionOptions*)>;
using SetSessionGraphOptimizationLevel = Slot<23, Status*(SessionOptions*, int)>;
using SetIntraOpNumThreads = Slot<24, Status*(SessionOptions*, int)>;
using SetInterOpNumThreads = Slot<25, Status*(SessionOptions*, int)>;
using SessionGetInputCount = Slot<30, Status*(const Session*, std::size_t*)>;
using SessionGetOutputCount = Slot<31, Status*(const Session*, std::size_t*)>;
using SessionGetInputTypeInfo = Slot<33, Status*(const Session*, std::size_t, TypeInfo**)>;
using SessionGetOutputTypeInfo = Slot<34, Status*(const Session*, std::size_t, TypeInfo**)>;
using SessionGetInputName = Slot<36, Status*(const Session*, std::size_t, Allocator*, char**)>;
using SessionGetOutputName = Slot<37, Status*(const Session*, std::size_t, Allocator*, char**)>;
using CreateRunOptions = Slot<39, Status*(RunOptions**)>;
using RunOptionsSetTerminate = Slot<46, Status*(RunOptions*)>;
using RunOptionsUnsetTerminate = Slot<47, Status*(RunOptions*)>;
using CreateTensorWithDataAsOrtValue =
    Slot<49, Status*(const MemoryInfo*, void*, std::size_t, const std::int64_t*, std::size_t, int,
                     Value**)>;
using GetTensorMutableData = Slot<51, Status*(Value*, void**)>;
using CastTypeInfoToTensorInfo = Slot<55, Status*(const TypeInfo*, const TensorInfo**)>;
using GetTensorElementType = Slot<60, Status*(const TensorInfo*, int*)>;
using GetDimensionsCount = Slot<61, Status*(const TensorInfo*, std::size_t*)>;
using GetDimensions = Slot<62, Status*(const TensorInfo*, std::int64_t*, std::size_t)>;
using GetSymbolicDimensions = Slot<63, Status*(const TensorInfo*, const char**, std::size_t)>;
using GetTensorTypeAndShape = Slot<65, Status*(const Value*, TensorInfo**)>;
using CreateMemoryInfo = Slot<68, Status*(const char*, int, int, int, MemoryInfo**)>;
using CreateCpuMemoryInfo = Slot<69, Status*(int, int, MemoryInfo**)>;
using AllocatorAlloc = Slot<75, Status*(Allocator*, std::size_t, void**)>;
using AllocatorFree = Slot<76, Status*(Allocator*, void*)>;
using GetAllocatorWithDefaultOptions = Slot<78, Status*(Allocator**)>;
using ReleaseEnv = Slot<92, void(Env*)>;
using ReleaseStatus = Slot<93, void(Status*)>;
using ReleaseMemoryInfo = Slot<94, void(MemoryInfo*)>;
using ReleaseSession = Slot<95, void(Session*)>;
using ReleaseValue = Slot<96, void(Value*)>;
using ReleaseRunOptions = Slot<97, void(RunOptions*)>;
using ReleaseTypeInfo = Slot<98, void(TypeInfo*)>;
using ReleaseTensorInfo = Slot<99, void(TensorInfo*)>;
using ReleaseSessionOptions = Slot<100, void(SessionOptions*)>;
using SessionEndProfiling = Slot<110, Status*(Session*, Allocator*, char**)>;
using GetAvailableProviders = Slot<125, Status*(char***, int*)>;
using ReleaseAvailableProviders = Slot<126, Status*(char**, int)>;
using AddSessionConfigEntry = Slot<130, Status*(SessionOptions*, const char*, const char*)>;
using CreateAllocator = Slot<131, Status*(const Session*, const MemoryInfo*, Allocator**)>;
using ReleaseAllocator = Slot<132, void(Allocator*)>;
using RunWithBinding = Slot<133, Status*(Session*, const RunOptions*, const IoBinding*)>;
using CreateIoBinding = Slot<134, Status*(Session*, IoBinding**)>;
using ReleaseIoBinding = Slot<135, void(IoBinding*)>;
using BindInput = Slot<136, Status*(IoBinding*, const char*, const Value*)>;
using BindOutput = Slot<137, Status*(IoBinding*, const char*, const Value*)>;
using BindOutputToDevice = Slot<138, Status*(IoBinding*, const char*, const MemoryInfo*)>;
using GetBoundOutputValues =
    Slot<140, Status*(const IoBinding*, Allocator*, Value***, std::size_t*)>;
using AddRunConfigEntry = Slot<165, Status*(RunOptions*, const char*, const char*)>;
using AppendTensorRt = Slot<170, Status*(SessionOptions*, const TensorRtOptions*)>;
using CreateTensorRtOptions = Slot<171, Status*(TensorRtOptions**)>;
using UpdateTensorRtOptions =
    Slot<172, Status*(TensorRtOptions*, const char* const*, const char* const*, std::size_t)>;
using ReleaseTensorRtOptions = Slot<174, void(TensorRtOptions*)>;
using AppendCuda = Slot<204, Status*(SessionOptions*, const CudaOptions*)>;
using CreateCudaOptions = Slot<205, Status*(CudaOptions**)>;
using UpdateCudaOptions =
    Slot<206, Status*(CudaOptions*, const char* const*, const char* const*, std::size_t)>;
using ReleaseCudaOptions = Slot<208, void(CudaOptions*)>;
using GetBuildInfoString = Slot<254, const char*()>;
using SetDeterministicCompute = Slot<273, Status*(SessionOptions*, bool)>;
// Since 1.24.
using SessionGetPlacement =
    Slot<407, Status*(const Session*, const EpSubgraph* const**, std::size_t*)>;
using EpSubgraphGetName = Slot<408, Status*(const EpSubgraph*, const char**)>;
using EpSubgraphGetNodes =
    Slot<409, Status*(const EpSubgraph*, const EpNode* const**, std::size_t*)>;
using EpNodeGetOperator = Slot<412, Status*(const EpNode*, const char**)>;
using GetTensorTypeAndShapeData =
    Slot<414, Status*(const Value*, int*, const std::int64_t**, std::size_t*)>;

/// The table of functions.
class Api {
 public:
  Api() = default;
  explicit Api(const void* table) : table_(static_cast<const Entry*>(table)) {}

  template <class S>
  typename S::type get() const {
    return reinterpret_cast<typename S::type>(table_[S::number]);
  }
  /// Calls a function that returns a Status.  Throws Error(engine) with ONNX Runtime's message.
  template <class S, class... Args>
  void call(Args... args) const {
    if (Status* status = get<S>()(args...)) fail(status);
  }
  [[noreturn]] void fail(Status* status) const {
    std::string message = get<GetErrorMessage>()(status);
    get<ReleaseStatus>()(status);
    bool no_memory = message.find("allocat") != std::string::npos ||
                     message.find("bad_alloc") != std::string::npos;
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
