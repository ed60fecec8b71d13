# The kernels: one object library per instruction set, all from the same source, and what chooses among them.
add_library(oarlock_kernels OBJECT src/kernels/dispatch.cpp src/kernels/pool.cpp)
target_include_directories(oarlock_kernels PUBLIC src)
find_package(Threads REQUIRED)
target_link_libraries(oarlock_kernels PUBLIC Threads::Threads)

# The vectorizer, without the unrolling of -O3, which made the module a third larger and nothing faster.  No flag that
# changes what NaN and infinities do.
set(kernel_flags -O2 -ftree-vectorize -fno-math-errno -fno-trapping-math -ffp-contract=fast)
function(add_kernels name)
  add_library(oarlock_kernels_${name} OBJECT src/kernels/table.cpp)
  target_include_directories(oarlock_kernels_${name} PRIVATE src)
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
