# The wheel: the modules oarlock.loader._runtime, oarlock.core._tape and oarlock.core._kernels, and the runner.
include(${CMAKE_CURRENT_LIST_DIR}/autograd.cmake)
if(NOT nanobind_DIR)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE
    OUTPUT_VARIABLE nanobind_DIR)
endif()
find_package(nanobind CONFIG REQUIRED)

nanobind_add_module(_runtime NB_STATIC STABLE_ABI NOMINSIZE
  src/python/arrays.cpp src/python/bindings.cpp src/python/ctrl_c.cpp
  src/python/py_pipeline.cpp src/python/py_session.cpp)
target_link_libraries(_runtime PRIVATE oarlock_core)
enable_unity_build(_runtime)
target_compile_options(_runtime PRIVATE $<$<CONFIG:Release>:-O1>)
foreach(library nanobind-static nanobind-static-abi3)
  if(TARGET ${library})
    enable_unity_build(${library})
  endif()
endforeach()
# The stub is made by importing the module, which needs the libraries of the sanitizers, and a Python
# of the target.
if(NOT OARLOCK_SANITIZE)
  if(CMAKE_CROSSCOMPILING)
    set(Python_EXECUTABLE ${OARLOCK_TARGET_PYTHON})
  endif()
  nanobind_add_stub(_runtime_stub MODULE _runtime OUTPUT _runtime.pyi PYTHON_PATH $<TARGET_FILE_DIR:_runtime>
    DEPENDS _runtime)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/_runtime.pyi DESTINATION oarlock/loader COMPONENT python)
endif()

# The module oarlock.core._kernels.
file(GLOB kernel_bindings CONFIGURE_DEPENDS ${OARLOCK_NATIVE}/python/*.cpp)
nanobind_add_module(_kernels NB_STATIC STABLE_ABI NOMINSIZE ${kernel_bindings} ${kernel_objects})
target_include_directories(_kernels PRIVATE ${OARLOCK_NATIVE} src)
target_include_directories(_kernels SYSTEM PRIVATE ${NUMPY_INCLUDE})
target_compile_definitions(_kernels PRIVATE NPY_TARGET_VERSION=NPY_1_25_API_VERSION)
target_link_libraries(_kernels PRIVATE Threads::Threads)
enable_unity_build(_kernels ${OARLOCK_NATIVE}/python/kernel_module.cpp)  # a unit of its own imports NumPy's C API
target_compile_options(_kernels PRIVATE $<$<CONFIG:Release>:-O2>)
install(TARGETS _kernels LIBRARY DESTINATION oarlock/core COMPONENT python)

install(TARGETS _runtime LIBRARY DESTINATION oarlock/loader COMPONENT python)
if(SKBUILD)
  install(TARGETS oarlock-runner RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
endif()
