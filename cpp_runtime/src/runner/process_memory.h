// Memory of this process, as Linux tells it.
#pragma once

namespace oarlock::runner {

/// A line of /proc/self/status in MB: `VmRSS:`, or `RssAnon:`, which leaves mapped files out; 0
/// where there is none.
double status_mb(const char* key);

}  // namespace oarlock::runner
