#include "runtime/violated_guard_finder.h"

#include "oarlock/error.h"

namespace oarlock {

// Creates a session that computes only guards of variables before the failed op, and checks these
// guards. The failed op is known from the name of ONNX Runtime's node, which may be fused from
// several ops. If this session fails too, an earlier op failed, so the search is repeated with the
// first half of the guards.
void ViolatedGuardFinder::locate(const Guards& guards, std::size_t failed_op, const Create& create,
                                 const Run& run) {
  std::lock_guard hold(mutex_);
  for (std::size_t count = guards.num_guards_computed_before_op(failed_op); count > 0; count /= 2) {
    std::vector<std::size_t> indices = guards.indices_of_first_n_computed_guards(count);
    Strings outputs;
    for (std::size_t index : indices) outputs.push_back(guards.fetch_names()[index]);
    std::vector<const char*> names;
    for (const std::string& name : outputs) names.push_back(name.c_str());
    auto entry = sessions_.find(count);
    if (entry == sessions_.end()) {
      if (sessions_.size() == kMaxSessions) return;
      ort::SessionHandle session;
      try {
        session = create(outputs);
      } catch (const Error&) {
        continue;
      }
      entry = sessions_.emplace(count, std::move(session)).first;
    }
    std::vector<Tensor> values;
    try {
      values = run(entry->second.get(), names);
    } catch (const Error&) {
      continue;
    }
    for (std::size_t i = 0; i < indices.size(); ++i)
      guards.check_fetched_value(indices[i], values[i]);
    return;
  }
}

}  // namespace oarlock
