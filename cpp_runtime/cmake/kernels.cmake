# The compiled kernels of the eager runtime: one object library per instruction set, all from the same sources, and a dispatcher that
# chooses among them at run time.
add_library(oarlock_kernels OBJECT ${OARLOCK_NATIVE}/kernels/instruction_set_dispatch.cpp ${OARLOCK_NATIVE}/kernels/thread_pool.cpp
  ${OARLOCK_NATIVE}/kernels/indexing.cpp ${OARLOCK_NATIVE}/kernels/sorting.cpp)
target_include_directories(oarlock_kernels PUBLIC ${OARLOCK_NATIVE} src)
find_package(Threads REQUIRED)
target_link_libraries(oarlock_kernels PUBLIC Threads::Threads)
enable_unity_build(oarlock_kernels)

# -O2 with the vectorizer: -O3 unrolls loops, which made the module a third larger and no faster.  No flag changes how NaN and
# infinities behave.
set(kernel_flags -O2 -ftree-vectorize -fno-math-errno -fno-trapping-math -ffp-contract=fast)
function(add_kernels name)
  add_library(oarlock_kernels_${name} OBJECT ${OARLOCK_NATIVE}/kernels/instruction_set_kernels.cpp)
  target_include_directories(oarlock_kernels_${name} PRIVATE ${OARLOCK_NATIVE} src)
  target_compile_definitions(oarlock_kernels_${name} PRIVATE OARLOCK_SET=${name})
  target_compile_options(oarlock_kernels_${name} PRIVATE ${kernel_flags} ${ARGN})
  target_link_libraries(oarlock_kernels INTERFACE oarlock_kernels_${name})
  set(kernel_objects ${kernel_objects} $<TARGET_OBJECTS:oarlock_kernels_${name}> PARENT_SCOPE)
endfunction()

set(kernel_objects $<TARGET_OBJECTS:oarlock_kernels>)
add_kernels(baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_kernels(avx2 -mavx2 -mfma)
  add_kernels(avx512 -mavx2 -mfma -mavx512f -mavx512vl -mavx512bw -mavx512dq -mprefer-vector-width=512)
endif()
