// Which execution provider of ONNX Runtime runs how many nodes of each op type in a session.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "runtime/ort/ort_library.h"

namespace oarlock {

/// The number of nodes per provider and op type.
using OpCountsByProvider = std::map<std::string, std::map<std::string, std::size_t>>;

/// The placement that ONNX Runtime reports; empty before 1.24.  The session must have been created
/// with `session.record_ep_graph_assignment_info`.
OpCountsByProvider query_op_counts_by_provider(const Library& library, const ort::Session* session);

/// The compute nodes that run on the CPU, as one line; "" for none.  Shape computations are
/// excluded: they belong on the CPU.
std::string describe_compute_ops_on_cpu(const OpCountsByProvider& placement);

}  // namespace oarlock
