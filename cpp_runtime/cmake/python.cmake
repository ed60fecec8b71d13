# The modules oarlock.loader._runtime, oarlock.core._tape and oarlock.core._kernels and the runner, as the wheel wants them.
if(CMAKE_VERSION VERSION_LESS 3.26)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
else()
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
endif()
if(NOT nanobind_DIR)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE
    OUTPUT_VARIABLE nanobind_DIR)
endif()
find_package(nanobind CONFIG REQUIRED)

nanobind_add_module(_runtime NB_STATIC STABLE_ABI NOMINSIZE
  src/python/arrays.cpp src/python/bindings.cpp src/python/py_session.cpp)
target_link_libraries(_runtime PRIVATE oarlock_core)
nanobind_add_stub(_runtime_stub MODULE _runtime OUTPUT _runtime.pyi PYTHON_PATH $<TARGET_FILE_DIR:_runtime>
  DEPENDS _runtime)

# The objects that op calls touch: plain CPython and NumPy, without nanobind.
execute_process(COMMAND ${Python_EXECUTABLE} -c "import numpy; print(numpy.get_include())" OUTPUT_STRIP_TRAILING_WHITESPACE
  OUTPUT_VARIABLE NUMPY_INCLUDE RESULT_VARIABLE NUMPY_MISSING)
if(NUMPY_MISSING)
  message(FATAL_ERROR "${Python_EXECUTABLE} has no NumPy to build against")
endif()
set(OARLOCK_TAPE src/tape/mode.cpp src/tape/module.cpp src/tape/numpy.cpp src/tape/op.cpp src/tape/tensor.cpp src/tape/walk.cpp)
if(TARGET Python::SABIModule AND SKBUILD_SABI_VERSION)
  Python_add_library(_tape MODULE USE_SABI ${SKBUILD_SABI_VERSION} WITH_SOABI ${OARLOCK_TAPE})
else()
  Python_add_library(_tape MODULE WITH_SOABI ${OARLOCK_TAPE})
endif()
target_include_directories(_tape PRIVATE src)
target_include_directories(_tape SYSTEM PRIVATE ${NUMPY_INCLUDE})
target_compile_definitions(_tape PRIVATE NPY_TARGET_VERSION=NPY_1_25_API_VERSION)
install(TARGETS _tape LIBRARY DESTINATION oarlock/core COMPONENT python)

# The module oarlock.core._kernels.
nanobind_add_module(_kernels NB_STATIC STABLE_ABI NOMINSIZE
  src/python/kernel_module.cpp src/python/kernel_conv.cpp src/python/kernel_elementwise.cpp src/python/kernel_matmul.cpp
  src/python/kernel_norm.cpp src/python/kernel_pooling.cpp src/python/kernel_recurrent.cpp
  src/python/kernel_softmax.cpp src/python/kernel_update.cpp
  ${kernel_objects})
target_include_directories(_kernels PRIVATE src)
target_include_directories(_kernels SYSTEM PRIVATE ${NUMPY_INCLUDE})
target_compile_definitions(_kernels PRIVATE NPY_TARGET_VERSION=NPY_1_25_API_VERSION)
target_link_libraries(_kernels PRIVATE Threads::Threads)
install(TARGETS _kernels LIBRARY DESTINATION oarlock/core COMPONENT python)

install(TARGETS _runtime LIBRARY DESTINATION oarlock/loader COMPONENT python)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/_runtime.pyi DESTINATION oarlock/loader COMPONENT python)
if(SKBUILD)
  install(TARGETS oarlock-runner RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
endif()
