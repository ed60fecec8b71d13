#include "python/arrays.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>  // required in every file that casts strings

#include <array>
#include <cstring>
#include <map>

#include "paddle/program.h"

namespace oarlock::python {
namespace {

constexpr std::size_t kCopyBytes = 32768;  // up to this size a copy is cheaper than a foreign owner
constexpr int kBuffer = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;

// Whether NumPy has no dtype of its own for `d`; arrays of such elements have one of ml_dtypes.
bool is_ml_dtype(DType d) {
  return d == DType::bfloat16 || d == DType::float8_e4m3fn || d == DType::float8_e5m2;
}

/// NumPy functions and dtypes, looked up once.
struct NumpyModule {
  nb::object module = nb::module_::import_("numpy");
  nb::object empty = module.attr("empty");
  nb::object ascontiguousarray = module.attr("ascontiguousarray");
  nb::object uint8 = module.attr("uint8"), uint16 = module.attr("uint16");
  std::map<DType, nb::object> dtypes;

  const nb::object& dtype(DType d) {
    nb::object& found = dtypes[d];
    if (!found.is_valid()) {
      std::string_view name = name_of(d);
      nb::object named = nb::str(name.data(), name.size());
      found = is_ml_dtype(d) ? module.attr("dtype")(nb::module_::import_("ml_dtypes").attr(named))
                             : module.attr("dtype")(named);
    }
    return found;
  }
};

NumpyModule* instance = nullptr;  // never destroyed: the interpreter ends before static objects

NumpyModule& numpy_module() { return *instance; }

// The dtype of a buffer, from its format (a character of Python's `struct`) and its item size, on
// which the dtypes of `l` and of complex numbers depend.
DType dtype_from_buffer(const Py_buffer& b) {
  const char* f = b.format ? b.format : "B";
  if (*f == '<' || *f == '=' || *f == '@' || *f == '|') ++f;
  if (f[0] == 'Z')
    return b.itemsize == 8 ? DType::complex64 : b.itemsize == 16 ? DType::complex128 : DType::none;
  if (f[0] == 0 || f[1] != 0) return DType::none;
  if (f[0] == '?') return DType::boolean;
  if (std::strchr("efd", f[0]))
    return b.itemsize == 2   ? DType::float16
           : b.itemsize == 4 ? DType::float32
           : b.itemsize == 8 ? DType::float64
                             : DType::none;
  bool is_signed = std::strchr("bhilq", f[0]) != nullptr;
  if (!is_signed && !std::strchr("BHILQ", f[0])) return DType::none;
  switch (b.itemsize) {
    case 1:
      return is_signed ? DType::int8 : DType::uint8;
    case 2:
      return is_signed ? DType::int16 : DType::uint16;
    case 4:
      return is_signed ? DType::int32 : DType::uint32;
    case 8:
      return is_signed ? DType::int64 : DType::uint64;
    default:
      return DType::none;
  }
}

std::string dtype_name_of_array(nb::handle array) {
  return nb::hasattr(array, "dtype")
             ? nb::cast<std::string>(nb::str(array.attr("dtype").attr("name")))
             : "";
}

nb::object copy_to_numpy(const Tensor& tensor) {
  nb::object shape = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(tensor.shape().size())));
  for (std::size_t i = 0; i < tensor.shape().size(); ++i)
    PyTuple_SetItem(shape.ptr(), static_cast<Py_ssize_t>(i),
                    PyLong_FromLongLong(tensor.shape()[i]));
  bool plain = !is_ml_dtype(tensor.dtype());
  nb::object array =
      numpy_module().empty(shape, plain ? numpy_module().dtype(tensor.dtype())
                                  : size_of(tensor.dtype()) == 2 ? numpy_module().uint16
                                                                 : numpy_module().uint8);
  Py_buffer buffer;
  if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) != 0)
    throw nb::python_error();
  if (tensor.byte_size()) std::memcpy(buffer.buf, tensor.data(), tensor.byte_size());
  PyBuffer_Release(&buffer);
  return plain ? array : nb::object(array.attr("view")(numpy_module().dtype(tensor.dtype())));
}

nb::dlpack::dtype to_dlpack_dtype(DType d) {
  auto bits = static_cast<std::uint8_t>(size_of(d) * 8);
  auto code = d == DType::boolean                               ? nb::dlpack::dtype_code::Bool
              : d == DType::complex64 || d == DType::complex128 ? nb::dlpack::dtype_code::Complex
              : is_floating(d) && d != DType::bfloat16          ? nb::dlpack::dtype_code::Float
              : d == DType::int8 || d == DType::int16 || d == DType::int32 || d == DType::int64
                  ? nb::dlpack::dtype_code::Int
                  : nb::dlpack::dtype_code::UInt;
  return {static_cast<std::uint8_t>(code), bits, 1};
}

DType dtype_from_dlpack(nb::dlpack::dtype d) {
  constexpr auto bfloat = static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bfloat);
  if (d == nb::dlpack::dtype{bfloat, 16, 1}) return DType::bfloat16;
  for (const DTypeRow& row : kDTypes)
    if (!is_ml_dtype(row.dtype) && to_dlpack_dtype(row.dtype) == d) return row.dtype;
  return DType::none;
}

nb::object share_with_numpy(const Tensor& tensor) {
  auto* copy = new Tensor(tensor);  // shares the memory
  nb::capsule owner(copy, [](void* p) noexcept { delete static_cast<Tensor*>(p); });
  std::vector<std::size_t> shape(tensor.shape().begin(), tensor.shape().end());
  nb::ndarray<nb::numpy> array(copy->data(), shape.size(), shape.data(), owner, nullptr,
                               to_dlpack_dtype(tensor.dtype()));
  nb::object result = nb::cast(array);
  return is_ml_dtype(tensor.dtype())
             ? nb::object(result.attr("view")(numpy_module().dtype(tensor.dtype())))
             : result;
}

}  // namespace

InputBuffers::~InputBuffers() {
  for (Py_buffer& buffer : buffers_)
    if (buffer.obj) PyBuffer_Release(&buffer);
}

bool InputBuffers::try_set_without_copy(std::size_t index, PyObject* array) {
  Py_buffer& buffer = buffers_[index];
  if (PyObject_GetBuffer(array, &buffer, kBuffer) != 0) {
    PyErr_Clear();
    buffer.obj = nullptr;
    return false;
  }
  static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
  auto* shape = reinterpret_cast<const std::int64_t*>(buffer.shape);
  views_[index] = TensorView(dtype_from_buffer(buffer),
                             {shape, static_cast<std::size_t>(buffer.ndim)}, buffer.buf);
  return views_[index].dtype != DType::none;
}

// Shares the host memory of another library's tensor through DLPack. A conversion to an ndarray
// would fail for bfloat16, which NumPy does not have.
bool InputBuffers::try_set_from_dlpack(std::size_t index, nb::handle array) {
  HostTensor tensor;
  if (!nb::hasattr(array, "__dlpack__")) return false;
  nb::object capsule;
  try {
    // nanobind marks a capsule as used only if it did not call this method itself; without the
    // mark, an array that returns the same capsule again would be freed twice.
    capsule = array.attr("__dlpack__")();
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;  // Ctrl-C
    return false;
  }
  if (!PyCapsule_CheckExact(capsule.ptr()) || !nb::try_cast(capsule, tensor)) return false;
  DType dtype = dtype_from_dlpack(tensor.dtype());
  if (dtype == DType::none) return false;
  views_[index] = TensorView(dtype, {tensor.shape_ptr(), tensor.ndim()}, tensor.data());
  tensors_.push_back(std::move(tensor));
  return true;
}

void InputBuffers::set(std::size_t index, nb::handle array, const std::string& name) {
  if (try_set_without_copy(index, array.ptr())) return;
  if (buffers_[index].obj) PyBuffer_Release(&buffers_[index]);
  if (try_set_from_dlpack(index, array)) return;
  nb::object whole;
  try {
    bool only_dlpack = nb::hasattr(array, "__dlpack__") && !nb::hasattr(array, "__array__");
    nb::object strided =
        only_dlpack ? numpy_module().module.attr("from_dlpack")(array) : nb::borrow(array);
    whole = numpy_module().ascontiguousarray(strided);
    nb::object shape = numpy_module().module.attr("shape")(
        strided);  // ascontiguousarray turns 0-D arrays into [1]
    if (!shape.equal(whole.attr("shape"))) whole = whole.attr("reshape")(shape);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;  // Ctrl-C
    throw Error(ErrorCode::input,
                "run: input '" + name + "' is not an array in host memory (" +
                    nb::cast<std::string>(nb::str(error.type().attr("__name__"))) + ": " +
                    nb::cast<std::string>(nb::str(error.value())) + ")");
  }
  DType named = find_dtype_by_name(dtype_name_of_array(whole));
  bool foreign = is_ml_dtype(named);
  bool swapped = !foreign && named != DType::none;  // the byte order
  if (swapped)
    whole = whole.attr("astype")(whole.attr("dtype").attr("newbyteorder")("="),
                                 nb::arg("copy") = false);
  if (foreign)
    whole = whole.attr("view")(size_of(named) == 2 ? numpy_module().uint16 : numpy_module().uint8);
  if (!try_set_without_copy(index, whole.ptr()))
    throw Error(ErrorCode::input,
                "run: input '" + name + "' has elements of type " + dtype_name_of_array(whole));
  if (foreign) views_[index].dtype = named;
}

void import_numpy_module() { instance = new NumpyModule; }

nb::object to_numpy(const Tensor& tensor) {
  try {
    return tensor.byte_size() <= kCopyBytes ? copy_to_numpy(tensor) : share_with_numpy(tensor);
  } catch (const nb::python_error& error) {
    // NumPy rejects a shape whose non-zero dims have a product that overflows, even if another dim
    // is 0.
    if (!error.matches(PyExc_ValueError)) throw;
    throw Error(ErrorCode::engine, "run: an output is " +
                                       format_type(tensor.dtype(), tensor.shape()) +
                                       ", which NumPy cannot hold");
  }
}

}  // namespace oarlock::python
