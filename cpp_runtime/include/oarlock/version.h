/* The version of the library: CMake, the shared library's name and the Python package read it from
 * this file.  For C and C++. */
#ifndef OARLOCK_VERSION_H
#define OARLOCK_VERSION_H

#define OARLOCK_VERSION_MAJOR 0
#define OARLOCK_VERSION_MINOR 1
#define OARLOCK_VERSION_PATCH 0

/* 10000 * major + 100 * minor + patch, for comparisons in #if. */
#define OARLOCK_VERSION_NUMBER \
  (OARLOCK_VERSION_MAJOR * 10000 + OARLOCK_VERSION_MINOR * 100 + OARLOCK_VERSION_PATCH)

#define OARLOCK_VERSION_TEXT_OF(major, minor, patch) #major "." #minor "." #patch
#define OARLOCK_VERSION_TEXT(major, minor, patch) OARLOCK_VERSION_TEXT_OF(major, minor, patch)
/* "major.minor.patch" */
#define OARLOCK_VERSION \
  OARLOCK_VERSION_TEXT(OARLOCK_VERSION_MAJOR, OARLOCK_VERSION_MINOR, OARLOCK_VERSION_PATCH)

#endif
