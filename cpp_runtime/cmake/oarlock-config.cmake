include(${CMAKE_CURRENT_LIST_DIR}/oarlock-targets.cmake)
