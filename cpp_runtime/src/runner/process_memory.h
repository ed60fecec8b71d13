// Memory use of this process.
#pragma once

namespace oarlock::runner {

/// A value of /proc/self/status in MB: `VmRSS:`, or `RssAnon:`, which excludes mapped files; 0 if
/// missing.
double proc_status_megabytes(const char* key);

}  // namespace oarlock::runner
