# Unity builds: the compiler reads the headers once for many files, which makes a build from scratch several times cheaper.  With a
# compiler launcher such as ccache, separate files are better: a change recompiles one of them.
set(OARLOCK_UNITY AUTO CACHE STRING "Compile many files at once: ON, OFF, or AUTO (for wheels without a compiler launcher)")
set_property(CACHE OARLOCK_UNITY PROPERTY STRINGS AUTO ON OFF)
if(NOT OARLOCK_UNITY STREQUAL "AUTO")
  set(unity_build ${OARLOCK_UNITY})
elseif(SKBUILD AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(unity_build ON)
else()
  set(unity_build OFF)
endif()

# Compiles up to 24 source files of a target at once.  Further arguments: files that are compiled alone.
function(enable_unity_build target)
  if(NOT unity_build)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It warns about anonymous namespaces as if each source file were a header.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    # Collect garbage rarely: a compiler process stays far below 1 GB.
    target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-heapsize=524288")
  endif()
endfunction()
