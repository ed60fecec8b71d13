// Bindings of the kernels that update all parameters of an optimizer in one call.
#include "python/kernel_arrays.h"

namespace oarlock::python {
namespace {

/// The arrays of one parameter: inputs, state that is updated in place, and the new value.
struct ParameterArrays {
  KernelOperand parameter, gradient, result;
  std::vector<KernelOperand> state;
};

/// Reads every row `(parameter, gradient, state..., numbers...)` and allocates the results. Returns
/// false if there are no rows, or if arrays are not contiguous or differ in dtype or shape.
bool try_read_rows_and_allocate_results(nb::list rows, std::size_t states,
                                        std::vector<ParameterArrays>& jobs) {
  for (nb::handle row : rows) {
    ParameterArrays job{
        KernelOperand(row[0]), KernelOperand(row[1]), KernelOperand(nb::none()), {}};
    if (!are_nonempty_real_of_same_dtype({&job.parameter, &job.gradient}) ||
        !job.parameter.same_shape(job.gradient))
      return false;
    if (!jobs.empty() && job.parameter.type() != jobs[0].parameter.type()) return false;
    for (std::size_t i = 0; i < states; ++i) {
      KernelOperand state(row[2 + i]);
      if (!are_nonempty_real_of_same_dtype({&job.parameter, &state}) ||
          !state.same_shape(job.parameter) || !state.is_contiguous_and_writable())
        return false;
      job.state.push_back(std::move(state));
    }
    jobs.push_back(std::move(job));
  }
  for (ParameterArrays& job : jobs)
    job.result = empty(job.parameter.rank(), job.parameter.shape(), job.parameter.type());
  return !jobs.empty();
}

std::vector<Size> concatenation_offsets(const std::vector<ParameterArrays>& jobs) {
  std::vector<Size> starts{0};
  for (const ParameterArrays& job : jobs) starts.push_back(starts.back() + job.parameter.size());
  return starts;
}

nb::object to_result_list(std::vector<ParameterArrays>& jobs) {
  nb::list list;
  for (ParameterArrays& job : jobs) list.append(to_object(std::move(job.result)));
  return list;
}

template <class T>
T read_number_in_row(nb::handle row, int index) {
  return static_cast<T>(nb::cast<double>(row[index]));
}

nb::object adam(nb::list rows, double beta1, double beta2) {
  std::vector<ParameterArrays> jobs;
  if (!try_read_rows_and_allocate_results(rows, 2, jobs)) return not_implemented();
  auto starts = concatenation_offsets(jobs);
  dispatch_real_type(jobs[0].parameter.type(), [&]<class T>(T) {
    std::vector<kernels::AdamParameterUpdate<T>> steps;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      ParameterArrays& job = jobs[i];
      nb::handle row = rows[i];
      steps.push_back({job.parameter.data<T>(), job.gradient.data<T>(), job.state[0].address<T>(),
                       job.state[1].address<T>(), job.result.address<T>(), T(beta1), T(beta2),
                       T(1 - beta1), T(1 - beta2), read_number_in_row<T>(row, 4),
                       read_number_in_row<T>(row, 5), read_number_in_row<T>(row, 6)});
    }
    ScopedGilReleaseForWork free(starts.back());
    kernels::kernel_table<T>().update_parameters_by_adam(static_cast<Size>(steps.size()),
                                                         starts.data(), steps.data());
  });
  return to_result_list(jobs);
}

nb::object momentum(nb::list rows, bool has_velocity, double factor, bool nesterov) {
  std::vector<ParameterArrays> jobs;
  if (!try_read_rows_and_allocate_results(rows, has_velocity ? 1 : 0, jobs))
    return not_implemented();
  auto starts = concatenation_offsets(jobs);
  dispatch_real_type(jobs[0].parameter.type(), [&]<class T>(T) {
    std::vector<kernels::MomentumParameterUpdate<T>> steps;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      ParameterArrays& job = jobs[i];
      steps.push_back({job.parameter.data<T>(), job.gradient.data<T>(),
                       has_velocity ? job.state[0].address<T>() : nullptr, job.result.address<T>(),
                       T(factor), read_number_in_row<T>(rows[i], has_velocity ? 3 : 2), nesterov});
    }
    ScopedGilReleaseForWork free(starts.back());
    kernels::kernel_table<T>().update_parameters_by_momentum(static_cast<Size>(steps.size()),
                                                             starts.data(), steps.data());
  });
  return to_result_list(jobs);
}

}  // namespace

void bind_optimizer_update(nb::module_& m) {
  m.def("adam", &adam, nb::arg("rows"), nb::arg("beta1"), nb::arg("beta2"),
        "rows: (parameter, gradient, first, second, epsilon, rate, keep) -> new parameters; the "
        "moments change in place");
  m.def("momentum", &momentum, nb::arg("rows"), nb::arg("has_velocity"), nb::arg("momentum"),
        nb::arg("nesterov"),
        "rows: (parameter, gradient, velocity if there is one, rate) -> new parameters; the "
        "velocity changes in place");
}

}  // namespace oarlock::python
