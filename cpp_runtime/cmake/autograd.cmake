# The module oarlock.core._tape: calls of ops, the recorded graph and the backward engine.  It uses only the C interfaces of CPython
# and NumPy, because nanobind would add its own cost to every op call.
if(CMAKE_VERSION VERSION_LESS 3.26)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
else()
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
endif()
execute_process(COMMAND ${Python_EXECUTABLE} -c "import numpy; print(numpy.get_include())" OUTPUT_STRIP_TRAILING_WHITESPACE
  OUTPUT_VARIABLE NUMPY_INCLUDE RESULT_VARIABLE NUMPY_MISSING)
if(NUMPY_MISSING)
  message(FATAL_ERROR "${Python_EXECUTABLE} has no NumPy to build against")
endif()
file(GLOB autograd_sources CONFIGURE_DEPENDS ${OARLOCK_NATIVE}/autograd/*.cpp)
if(TARGET Python::SABIModule AND SKBUILD_SABI_VERSION)
  Python_add_library(_tape MODULE USE_SABI ${SKBUILD_SABI_VERSION} WITH_SOABI ${autograd_sources})
else()
  Python_add_library(_tape MODULE WITH_SOABI ${autograd_sources})
endif()
target_include_directories(_tape PRIVATE ${OARLOCK_NATIVE})
target_include_directories(_tape SYSTEM PRIVATE ${NUMPY_INCLUDE})
target_compile_definitions(_tape PRIVATE NPY_TARGET_VERSION=NPY_1_25_API_VERSION)
enable_unity_build(_tape ${OARLOCK_NATIVE}/autograd/numpy_c_api.cpp)  # a unit of its own imports NumPy's C API
install(TARGETS _tape LIBRARY DESTINATION oarlock/core COMPONENT python)
