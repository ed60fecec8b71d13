# The library for C++ and C programs: find_package(oarlock CONFIG) gives oarlock::oarlock; pkg-config knows `oarlock`.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

option(BUILD_SHARED_LIBS "Shared instead of static" OFF)

add_library(oarlock)
target_link_libraries(oarlock PRIVATE $<BUILD_INTERFACE:oarlock_core> PUBLIC ${CMAKE_DL_LIBS})
target_include_directories(oarlock PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(oarlock PUBLIC cxx_std_20)
# Before version 1 each minor version has an ABI of its own.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(abi_version 0.${PROJECT_VERSION_MINOR})
else()
  set(abi_version ${PROJECT_VERSION_MAJOR})
endif()
set_target_properties(oarlock PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${abi_version})
add_library(oarlock::oarlock ALIAS oarlock)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/oarlock)
install(TARGETS oarlock EXPORT oarlock-targets COMPONENT library)
install(TARGETS oarlock-runner COMPONENT library)
install(DIRECTORY include/oarlock DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(EXPORT oarlock-targets NAMESPACE oarlock:: DESTINATION ${package_dir} COMPONENT library)
write_basic_package_version_file(oarlock-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/oarlock-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/oarlock-config-version.cmake
  DESTINATION ${package_dir} COMPONENT library)
configure_file(cmake/oarlock.pc.in oarlock.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/oarlock.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
