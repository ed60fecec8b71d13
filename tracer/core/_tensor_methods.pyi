"""The methods that `tensor.patch` sets on Tensor."""

# Written by `python -m tests.tools.type_stubs`.

from collections.abc import Sequence
from typing import Any, Literal, overload

from oarlock.core.tensor import Tensor
from oarlock.core.type_aliases import (
    Axes,
    DTypeLike,
    Operand,
    PlaceLike,
    Scalar,
    Shape,
    Size,
    TensorLike,
)

class TensorMethods:
    @property
    def T(self) -> Tensor:
        """The tensor with reversed axes, the transpose of a matrix: Tensor [*], dtype of x."""
    def __abs__(self, name: str | None = None) -> Tensor:
        """Absolute value."""
    def __add__(self, y: Operand) -> Tensor: ...
    def __and__(self, y: Operand) -> Tensor: ...
    def __contains__(self, item: Any) -> bool:
        """Operator `in`: whether any element equals a number or tensor."""
    def __eq__(self, y: Operand) -> Tensor: ...  # type: ignore[override]
    def __floordiv__(self, y: Operand) -> Tensor: ...
    def __ge__(self, y: Operand) -> Tensor: ...
    def __gt__(self, y: Operand) -> Tensor: ...
    def __invert__(self) -> Tensor:
        """Operator ~: logical for bool, bitwise for integers."""
    def __le__(self, y: Operand) -> Tensor: ...
    def __lt__(self, y: Operand) -> Tensor: ...
    def __matmul__(self, y: Operand) -> Tensor: ...
    def __mod__(self, y: Operand) -> Tensor: ...
    def __mul__(self, y: Operand) -> Tensor: ...
    def __ne__(self, y: Operand) -> Tensor: ...  # type: ignore[override]
    def __neg__(self, name: str | None = None) -> Tensor:
        """Negate elementwise."""
    def __or__(self, y: Operand) -> Tensor: ...
    def __pow__(self, y: Operand) -> Tensor: ...
    def __radd__(self, y: Operand) -> Tensor: ...
    def __rfloordiv__(self, y: Operand) -> Tensor: ...
    def __rmatmul__(self, y: Operand) -> Tensor: ...
    def __rmod__(self, y: Operand) -> Tensor: ...
    def __rmul__(self, y: Operand) -> Tensor: ...
    def __rpow__(self, y: Operand) -> Tensor: ...
    def __rsub__(self, y: Operand) -> Tensor: ...
    def __rtruediv__(self, y: Operand) -> Tensor: ...
    def __setitem__(self, index: Any, value: Any) -> None:
        """Assign `value` to x[index]: x refers to a new tensor, so that recorded uses of the old
        value stay valid.
        """
    def __sub__(self, y: Operand) -> Tensor: ...
    def __truediv__(self, y: Operand) -> Tensor: ...
    def __xor__(self, y: Operand) -> Tensor: ...
    def _add_with_axis(self, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
        """x + y, with y aligned at `axis` of x."""
    def _divide_with_axis(self, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
        """x / y, with y aligned at `axis` of x."""
    def _multiply_with_axis(self, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
        """x * y, with y aligned at `axis` of x."""
    def _subtract_with_axis(self, y: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
        """x - y, with y aligned at `axis` of x."""
    def abs(self, name: str | None = None) -> Tensor:
        """Absolute value."""
    def abs_(self, name: str | None = None) -> Tensor:
        """Absolute value, in place."""
    def acos(self, name: str | None = None) -> Tensor:
        """Inverse cosine, an angle in radians."""
    def acos_(self, name: str | None = None) -> Tensor:
        """Inverse cosine, an angle in radians, in place."""
    def acosh(self, name: str | None = None) -> Tensor:
        """Inverse hyperbolic cosine."""
    def acosh_(self, name: str | None = None) -> Tensor:
        """Inverse hyperbolic cosine, in place."""
    def add(self, y: Operand, name: str | None = None) -> Tensor:
        """Add elementwise, with broadcasting."""
    def add_(self, y: Operand, name: str | None = None) -> Tensor:
        """Add elementwise, with broadcasting, in place."""
    def addmm(
        self, x: Tensor, y: Tensor, beta: float = 1.0, alpha: float = 1.0, name: str | None = None
    ) -> Tensor:
        """Add a matrix and the product of two matrices."""
    def addmm_(
        self, x: Tensor, y: Tensor, beta: float = 1.0, alpha: float = 1.0, name: str | None = None
    ) -> Tensor:
        """Add a matrix and the product of two matrices, in place."""
    def all(
        self, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
    ) -> Tensor:
        """Whether all elements over axes are True."""
    def allclose(
        self,
        y: Tensor,
        rtol: float = 1e-05,
        atol: float = 1e-08,
        equal_nan: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Whether all elements are equal up to a tolerance."""
    def amax(
        self, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
    ) -> Tensor:
        """Largest element over axes; equal maxima share the gradient."""
    def amin(
        self, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
    ) -> Tensor:
        """Smallest element over axes; equal minima share the gradient."""
    def angle(self, name: str | None = None) -> Tensor:
        """Argument of complex numbers, in radians; 0 or pi for real numbers."""
    def any(
        self, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
    ) -> Tensor:
        """Whether any element over axes is True."""
    def argmax(
        self,
        axis: int | None = None,
        keepdim: bool = False,
        dtype: DTypeLike = "int64",
        name: str | None = None,
    ) -> Tensor:
        """Index of the largest element along one axis."""
    def argmin(
        self,
        axis: int | None = None,
        keepdim: bool = False,
        dtype: DTypeLike = "int64",
        name: str | None = None,
    ) -> Tensor:
        """Index of the smallest element along one axis."""
    def argsort(self, axis: int = -1, descending: bool = False, name: str | None = None) -> Tensor:
        """Indices that sort a tensor along one axis."""
    def as_complex(self, name: str | None = None) -> Tensor:
        """Create complex numbers from the pairs of real and imaginary parts in the last axis."""
    def as_real(self, name: str | None = None) -> Tensor:
        """Split complex numbers into their real and imaginary parts, in a new last axis."""
    def as_strided(
        self, shape: Sequence[int], stride: Sequence[int], offset: int = 0, name: str | None = None
    ) -> Tensor:
        """Return the elements at given strides, in a new shape."""
    def asin(self, name: str | None = None) -> Tensor:
        """Inverse sine, an angle in radians."""
    def asin_(self, name: str | None = None) -> Tensor:
        """Inverse sine, an angle in radians, in place."""
    def asinh(self, name: str | None = None) -> Tensor:
        """Inverse hyperbolic sine."""
    def asinh_(self, name: str | None = None) -> Tensor:
        """Inverse hyperbolic sine, in place."""
    def astype(self, dtype: DTypeLike) -> Tensor:
        """Convert the elements to another dtype."""
    def atan(self, name: str | None = None) -> Tensor:
        """Inverse tangent, an angle in radians."""
    def atan2(self, y: Operand, name: str | None = None) -> Tensor:
        """Angle of the points (y, x), in radians."""
    def atan_(self, name: str | None = None) -> Tensor:
        """Inverse tangent, an angle in radians, in place."""
    def atanh(self, name: str | None = None) -> Tensor:
        """Inverse hyperbolic tangent."""
    def atanh_(self, name: str | None = None) -> Tensor:
        """Inverse hyperbolic tangent, in place."""
    def atleast_1d(self, name: str | None = None) -> Any:
        """Insert axes of size 1 until each tensor has at least 1 axes."""
    def atleast_2d(self, name: str | None = None) -> Any:
        """Insert axes of size 1 until each tensor has at least 2 axes."""
    def atleast_3d(self, name: str | None = None) -> Any:
        """Insert axes of size 1 until each tensor has at least 3 axes."""
    def backward(self, grad_tensor: Tensor | None = None, retain_graph: bool = False) -> None:
        """Compute the gradients of this tensor with respect to the leaves it depends on."""
    def bernoulli(self, name: str | None = None) -> Tensor:
        """Draw 1 with given probabilities, otherwise 0."""
    def bincount(
        self, weights: Tensor | None = None, minlength: int = 0, name: str | None = None
    ) -> Tensor:
        """Number of occurrences of each integer from 0 on, or the sum of their weights."""
    def bitwise_and(self, y: Operand, name: str | None = None) -> Tensor:
        """Bitwise and of two elements."""
    def bitwise_and_(self, y: Operand, name: str | None = None) -> Tensor:
        """Bitwise and of two elements, in place."""
    def bitwise_not(self, out: Tensor | None = None, name: str | None = None) -> Tensor:
        """Bitwise complement of each element."""
    def bitwise_not_(self, out: Tensor | None = None, name: str | None = None) -> Tensor:
        """Bitwise complement of each element, in place."""
    def bitwise_or(self, y: Operand, name: str | None = None) -> Tensor:
        """Bitwise or of two elements."""
    def bitwise_or_(self, y: Operand, name: str | None = None) -> Tensor:
        """Bitwise or of two elements, in place."""
    def bitwise_xor(self, y: Operand, name: str | None = None) -> Tensor:
        """Bitwise exclusive or of two elements."""
    def bitwise_xor_(self, y: Operand, name: str | None = None) -> Tensor:
        """Bitwise exclusive or of two elements, in place."""
    @property
    def block(self) -> Any:
        """The global block of the default main program, a Block."""
    def bmm(self, y: Tensor, name: str | None = None) -> Tensor:
        """Products of two batches of matrices."""
    def broadcast_shape(self, y_shape: Sequence[int]) -> list[int]:
        """Shape that two shapes broadcast to."""
    def broadcast_tensors(self, name: str | None = None) -> list[Tensor]:
        """Broadcast several tensors to their common shape."""
    def broadcast_to(self, shape: Shape, name: str | None = None) -> Tensor:
        """Broadcast a tensor to a shape."""
    def bucketize(
        self,
        sorted_sequence: Tensor,
        out_int32: bool = False,
        right: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Index of the bucket of each element, for buckets with sorted boundaries."""
    def cast(self, dtype: DTypeLike) -> Tensor:
        """Convert the elements to another dtype."""
    def cast_(self, dtype: DTypeLike) -> Tensor:
        """Convert the elements to another dtype, in place."""
    def cauchy_(self, loc: float = 0, scale: float = 1, name: str | None = None) -> Tensor:
        """Fill a tensor with random numbers from a Cauchy distribution, in place."""
    def cdist(
        self,
        y: Tensor,
        p: float = 2.0,
        compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
        name: str | None = None,
    ) -> Tensor:
        """The p-norms of the differences of all pairs of rows."""
    def ceil(self, name: str | None = None) -> Tensor:
        """Round up to an integer."""
    def ceil_(self, name: str | None = None) -> Tensor:
        """Round up to an integer, in place."""
    def cholesky(self, upper: bool = False, name: str | None = None) -> Tensor:
        """Cholesky decomposition of positive definite matrices."""
    def cholesky_solve(self, y: Tensor, upper: bool = False, name: str | None = None) -> Tensor:
        """Solve systems of linear equations with a Cholesky factor y: the z with (y y^H) z = x."""
    def chunk(self, chunks: int, axis: int | Tensor = 0, name: str | None = None) -> list[Tensor]:
        """Split a tensor along one axis into equal parts."""
    def clear_grad(self, set_to_zero: bool = True) -> None:
        """Set the accumulated gradient to zero, or delete it."""
    def clip(
        self, min: Scalar | None = None, max: Scalar | None = None, name: str | None = None
    ) -> Tensor:
        """Limit the elements to an interval."""
    def clip_(
        self, min: Scalar | None = None, max: Scalar | None = None, name: str | None = None
    ) -> Tensor:
        """Limit the elements to an interval, in place."""
    def clone(self, name: str | None = None) -> Tensor:
        """Copy a tensor; gradients flow to the original."""
    def combinations(
        self, r: int = 2, with_replacement: bool = False, name: str | None = None
    ) -> Tensor:
        """All combinations of r elements of a vector."""
    def concat(self, axis: int | Tensor = 0, name: str | None = None) -> Tensor:
        """Join tensors along an existing axis."""
    def cond(self, p: float | str | None = None, name: str | None = None) -> Tensor:
        """Condition number of each matrix: the norm of x times the norm of its inverse."""
    def conj(self, name: str | None = None) -> Tensor:
        """Complex conjugate; real numbers are unchanged."""
    def contiguous(self) -> Tensor:
        """Return the tensor itself: all tensors count as contiguous."""
    def copy_(self, other: TensorLike, blocking: bool = True) -> Tensor:
        """Copy the elements of another tensor into this one, in place."""
    def corrcoef(self, rowvar: bool = True, name: str | None = None) -> Tensor:
        """Matrix of the correlation coefficients of variables (Pearson)."""
    def cos(self, name: str | None = None) -> Tensor:
        """Cosine of angles in radians."""
    def cos_(self, name: str | None = None) -> Tensor:
        """Cosine of angles in radians, in place."""
    def cosh(self, name: str | None = None) -> Tensor:
        """Hyperbolic cosine."""
    def cosh_(self, name: str | None = None) -> Tensor:
        """Hyperbolic cosine, in place."""
    def count_nonzero(
        self, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
    ) -> Tensor:
        """Number of elements over axes that are not 0."""
    def cov(
        self,
        rowvar: bool = True,
        ddof: bool = True,
        fweights: Tensor | None = None,
        aweights: Tensor | None = None,
        name: str | None = None,
    ) -> Tensor:
        """Covariance matrix of variables."""
    def cpu(self) -> Tensor:
        """Return the tensor on the CPU."""
    def crop(
        self, shape: Shape | None = None, offsets: Shape | None = None, name: str | None = None
    ) -> Tensor:
        """Return a rectangular block of a tensor."""
    def cross(self, y: Tensor, axis: int = 9, name: str | None = None) -> Tensor:
        """Cross product of vectors of three elements."""
    def cuda(self, device_id: int | None = None, blocking: bool = True) -> Tensor:
        """Return the tensor on a GPU."""
    def cummax(
        self, axis: int | None = None, dtype: DTypeLike = "int64", name: str | None = None
    ) -> tuple[Tensor, Tensor]:
        """Cumulative maximum along one axis, and the indices of the maxima."""
    def cummin(
        self, axis: int | None = None, dtype: DTypeLike = "int64", name: str | None = None
    ) -> tuple[Tensor, Tensor]:
        """Cumulative minimum along one axis, and the indices of the minima."""
    def cumprod(
        self, dim: int | None = None, dtype: DTypeLike | None = None, name: str | None = None
    ) -> Tensor:
        """Cumulative product along one axis."""
    def cumprod_(
        self, dim: int | None = None, dtype: DTypeLike | None = None, name: str | None = None
    ) -> Tensor:
        """Cumulative product along one axis, in place."""
    def cumsum(
        self, axis: int | None = None, dtype: DTypeLike | None = None, name: str | None = None
    ) -> Tensor:
        """Cumulative sum along one axis."""
    def cumsum_(
        self, axis: int | None = None, dtype: DTypeLike | None = None, name: str | None = None
    ) -> Tensor:
        """Cumulative sum along one axis, in place."""
    def cumulative_trapezoid(
        self,
        x: Tensor | None = None,
        dx: float | Tensor | None = None,
        axis: int = -1,
        name: str | None = None,
    ) -> Tensor:
        """Cumulative integral along one axis by the trapezoidal rule."""
    def deg2rad(self, name: str | None = None) -> Tensor:
        """Convert angles from degrees to radians."""
    def detach_(self) -> Tensor:
        """Make this tensor a leaf without gradient, in place."""
    def diag(self, offset: int = 0, padding_value: float = 0, name: str | None = None) -> Tensor:
        """Create a matrix with a diagonal, or return a diagonal of a matrix."""
    def diag_embed(self, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
        """Diagonal matrices whose diagonals are the vectors in the last axis."""
    def diagflat(self, offset: int = 0, name: str | None = None) -> Tensor:
        """Diagonal matrix of all elements of a tensor, which is flattened."""
    def diagonal(
        self, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None
    ) -> Tensor:
        """Diagonal of two axes, as the last axis."""
    def diagonal_scatter(
        self, y: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None
    ) -> Tensor:
        """Return a copy of a tensor with given elements on a diagonal of two axes."""
    def diff(
        self,
        n: int = 1,
        axis: int = -1,
        prepend: Tensor | None = None,
        append: Tensor | None = None,
        name: str | None = None,
    ) -> Tensor:
        """Differences of neighbors along one axis."""
    def digamma(self, name: str | None = None) -> Tensor:
        """Digamma function: the derivative of the logarithm of the gamma function."""
    def digamma_(self, name: str | None = None) -> Tensor:
        """Digamma function: the derivative of the logarithm of the gamma function, in place."""
    def dist(self, y: Tensor, p: float = 2, name: str | None = None) -> Tensor:
        """The p-norm of all elements of a difference."""
    def divide(self, y: Operand, name: str | None = None) -> Tensor:
        """Divide elementwise, with broadcasting."""
    def divide_(self, y: Operand, name: str | None = None) -> Tensor:
        """Divide elementwise, with broadcasting, in place."""
    def dot(self, y: Tensor, name: str | None = None) -> Tensor:
        """Inner product of vectors over the last axis."""
    def eig(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Eigenvalues and eigenvectors of general matrices."""
    def eigvals(self, name: str | None = None) -> Tensor:
        """Eigenvalues of general matrices."""
    def eigvalsh(self, UPLO: str = "L", name: str | None = None) -> Tensor:
        """Eigenvalues of symmetric or Hermitian matrices."""
    def element_size(self) -> int:
        """Number of bytes of an element."""
    def equal(self, y: Operand, name: str | None = None) -> Tensor:
        """Whether two elements are equal."""
    def equal_(self, y: Operand, name: str | None = None) -> Tensor:
        """Whether two elements are equal, in place."""
    def equal_all(self, y: Tensor, name: str | None = None) -> Tensor:
        """Whether two tensors have the same shape and equal elements."""
    def erf(self, name: str | None = None) -> Tensor:
        """Error function."""
    def erf_(self, name: str | None = None) -> Tensor:
        """Error function, in place."""
    def erfinv(self, name: str | None = None) -> Tensor:
        """Inverse of the error function."""
    def erfinv_(self, name: str | None = None) -> Tensor:
        """Inverse of the error function, in place."""
    def exp(self, name: str | None = None) -> Tensor:
        """Exponential function."""
    def exp_(self, name: str | None = None) -> Tensor:
        """Exponential function, in place."""
    def expand(self, shape: Shape, name: str | None = None) -> Tensor:
        """Broadcast a tensor to a shape."""
    def expand_as(self, y: Tensor, name: str | None = None) -> Tensor:
        """Broadcast a tensor to the shape of another one."""
    def expm1(self, name: str | None = None) -> Tensor:
        """Exponential function minus 1, accurate for small x."""
    def expm1_(self, name: str | None = None) -> Tensor:
        """Exponential function minus 1, accurate for small x, in place."""
    def exponential_(self, lam: float = 1.0, name: str | None = None) -> Tensor:
        """Fill a tensor with random numbers from an exponential distribution, in place."""
    def fill_(self, value: Scalar) -> Tensor:
        """Set all elements to one value, in place."""
    def fill_diagonal_(
        self, value: float, offset: int = 0, wrap: bool = False, name: str | None = None
    ) -> Tensor:
        """Set the elements of a diagonal to one value, in place."""
    def fill_diagonal_tensor(
        self, y: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None
    ) -> Tensor:
        """Return a copy of a tensor with given elements on a diagonal of two axes."""
    def fill_diagonal_tensor_(
        self, y: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None
    ) -> Tensor:
        """Set the elements on a diagonal of two axes, in place."""
    def flatten(self, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Tensor:
        """Merge neighboring axes into one."""
    def flatten_(self, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Tensor:
        """Merge neighboring axes into one, in place."""
    def flip(self, axis: Axes | Tensor, name: str | None = None) -> Tensor:
        """Reverse the order of the elements along axes."""
    def floor(self, name: str | None = None) -> Tensor:
        """Round down to an integer."""
    def floor_(self, name: str | None = None) -> Tensor:
        """Round down to an integer, in place."""
    def floor_divide(self, y: Operand, name: str | None = None) -> Tensor:
        """Divide elementwise and round the quotient down."""
    def floor_divide_(self, y: Operand, name: str | None = None) -> Tensor:
        """Divide elementwise and round the quotient down, in place."""
    def floor_mod(self, y: Operand, name: str | None = None) -> Tensor:
        """Remainder of a division, with the sign of the divisor."""
    def floor_mod_(self, y: Operand, name: str | None = None) -> Tensor:
        """Remainder of a division, with the sign of the divisor, in place."""
    def fmax(self, y: Operand, name: str | None = None) -> Tensor:
        """Larger of two elements, ignoring NaN."""
    def fmin(self, y: Operand, name: str | None = None) -> Tensor:
        """Smaller of two elements, ignoring NaN."""
    def frac(self, name: str | None = None) -> Tensor:
        """Fractional part of each element, with its sign."""
    def frac_(self, name: str | None = None) -> Tensor:
        """Fractional part of each element, with its sign, in place."""
    def frexp(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Split numbers into mantissas and exponents of 2."""
    def gather(
        self, index: Tensor, axis: int | Tensor | None = None, name: str | None = None
    ) -> Tensor:
        """Take slices of a tensor along one axis."""
    def gather_nd(self, index: Tensor, name: str | None = None) -> Tensor:
        """Take elements or slices of a tensor at positions along its first axes."""
    def gcd(self, y: Tensor, name: str | None = None) -> Tensor:
        """Greatest common divisor of integers."""
    def gcd_(self, y: Tensor, name: str | None = None) -> Tensor:
        """Greatest common divisor of integers, in place."""
    def geometric_(self, probs: float | Tensor, name: str | None = None) -> Tensor:
        """Fill a tensor with random numbers from a geometric distribution, in place."""
    def greater_equal(self, y: Operand, name: str | None = None) -> Tensor:
        """Whether the first element is greater than or equal to the second."""
    def greater_equal_(self, y: Operand, name: str | None = None) -> Tensor:
        """Whether the first element is greater than or equal to the second, in place."""
    def greater_than(self, y: Operand, name: str | None = None) -> Tensor:
        """Whether the first element is greater than the second."""
    def greater_than_(self, y: Operand, name: str | None = None) -> Tensor:
        """Whether the first element is greater than the second, in place."""
    def heaviside(self, y: Operand, name: str | None = None) -> Tensor:
        """Heaviside step function."""
    def histogram(
        self, bins: int = 100, min: int = 0, max: int = 0, name: str | None = None
    ) -> Tensor:
        """Number of elements in each of several equal intervals."""
    def householder_product(self, tau: Tensor, name: str | None = None) -> Tensor:
        """First columns of a product of Householder reflections."""
    def hypot(self, y: Tensor, name: str | None = None) -> Tensor:
        """Length of the hypotenuse of right triangles."""
    def hypot_(self, y: Tensor, name: str | None = None) -> Tensor:
        """Length of the hypotenuse of right triangles, in place."""
    def i0(self, name: str | None = None) -> Tensor:
        """Modified Bessel function of the first kind of order 0."""
    def i0_(self, name: str | None = None) -> Tensor:
        """Modified Bessel function of the first kind of order 0, in place."""
    def i0e(self, name: str | None = None) -> Tensor:
        """Exponentially scaled modified Bessel function of the first kind of order 0."""
    def i1(self, name: str | None = None) -> Tensor:
        """Modified Bessel function of the first kind of order 1."""
    def i1e(self, name: str | None = None) -> Tensor:
        """Exponentially scaled modified Bessel function of the first kind of order 1."""
    def imag(self, name: str | None = None) -> Tensor:
        """Imaginary part of complex numbers."""
    def index_add(self, index: Tensor, axis: int, value: Tensor, name: str | None = None) -> Tensor:
        """Add values to slices along one axis."""
    def index_add_(
        self, index: Tensor, axis: int, value: Tensor, name: str | None = None
    ) -> Tensor:
        """Add values to slices along one axis, in place."""
    def index_fill(
        self, index: Tensor, axis: int, value: Scalar, name: str | None = None
    ) -> Tensor:
        """Set slices along one axis to one value."""
    def index_fill_(
        self, index: Tensor, axis: int, value: Scalar, name: str | None = None
    ) -> Tensor:
        """Set slices along one axis to one value, in place."""
    def index_put(
        self,
        indices: Sequence[Tensor],
        value: Tensor,
        accumulate: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Assign values at indices, or add them."""
    def index_put_(
        self,
        indices: Sequence[Tensor],
        value: Tensor,
        accumulate: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Assign values at indices, or add them, in place."""
    def index_sample(self, index: Tensor) -> Tensor:
        """Take elements of each row of a matrix."""
    def index_select(self, index: Tensor, axis: int = 0, name: str | None = None) -> Tensor:
        """Take slices of a tensor along one axis."""
    def inner(self, y: Tensor, name: str | None = None) -> Tensor:
        """Inner products of all pairs of vectors in the last axes."""
    def inverse(self, name: str | None = None) -> Tensor:
        """Inverse of each matrix."""
    def is_complex(self) -> bool:
        """Whether the dtype of a tensor is complex."""
    def is_contiguous(self) -> bool:
        """Return True: all tensors count as contiguous."""
    def is_empty(self, name: str | None = None) -> Tensor:
        """Whether a tensor has no elements."""
    def is_floating_point(self) -> bool:
        """Whether the dtype of a tensor is a real floating one: float16, bfloat16, float32 or
        float64.
        """
    def is_integer(self) -> bool:
        """Whether the dtype of a tensor is an integer one; bool is not."""
    def is_same_shape(self, y: Tensor) -> bool:
        """Whether two tensors have the same shape."""
    def isclose(
        self,
        y: Tensor,
        rtol: float = 1e-05,
        atol: float = 1e-08,
        equal_nan: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Whether elements are equal up to a tolerance."""
    def isfinite(self, name: str | None = None) -> Tensor:
        """Whether each element is neither infinite nor NaN."""
    def isinf(self, name: str | None = None) -> Tensor:
        """Whether each element is infinite."""
    def isnan(self, name: str | None = None) -> Tensor:
        """Whether each element is NaN."""
    def istft(
        self,
        n_fft: int,
        hop_length: int | None = None,
        win_length: int | None = None,
        window: Tensor | None = None,
        center: bool = True,
        normalized: bool = False,
        onesided: bool = True,
        length: int | None = None,
        return_complex: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Inverse short-time Fourier transform: the signal of a spectrogram."""
    def kron(self, y: Tensor, name: str | None = None) -> Tensor:
        """Kronecker product: each element of one tensor times all of another one."""
    def kthvalue(
        self, k: int, axis: int | None = None, keepdim: bool = False, name: str | None = None
    ) -> tuple[Tensor, Tensor]:
        """The k-th smallest element along one axis, and its index."""
    def lcm(self, y: Tensor, name: str | None = None) -> Tensor:
        """Least common multiple of integers."""
    def lcm_(self, y: Tensor, name: str | None = None) -> Tensor:
        """Least common multiple of integers, in place."""
    def ldexp(self, y: Tensor, name: str | None = None) -> Tensor:
        """Multiply by a power of 2."""
    def ldexp_(self, y: Tensor, name: str | None = None) -> Tensor:
        """Multiply by a power of 2, in place."""
    def lerp(self, y: Tensor, weight: float | Tensor, name: str | None = None) -> Tensor:
        """Linear interpolation between two tensors."""
    def lerp_(self, y: Tensor, weight: float | Tensor, name: str | None = None) -> Tensor:
        """Linear interpolation between two tensors, in place."""
    def less_equal(self, y: Operand, name: str | None = None) -> Tensor:
        """Whether the first element is less than or equal to the second."""
    def less_equal_(self, y: Operand, name: str | None = None) -> Tensor:
        """Whether the first element is less than or equal to the second, in place."""
    def less_than(self, y: Operand, name: str | None = None) -> Tensor:
        """Whether the first element is less than the second."""
    def less_than_(self, y: Operand, name: str | None = None) -> Tensor:
        """Whether the first element is less than the second, in place."""
    def lgamma(self, name: str | None = None) -> Tensor:
        """Logarithm of the absolute value of the gamma function."""
    def lgamma_(self, name: str | None = None) -> Tensor:
        """Logarithm of the absolute value of the gamma function, in place."""
    def log(self, name: str | None = None) -> Tensor:
        """Natural logarithm."""
    def log10(self, name: str | None = None) -> Tensor:
        """Logarithm to base 10."""
    def log10_(self, name: str | None = None) -> Tensor:
        """Logarithm to base 10, in place."""
    def log1p(self, name: str | None = None) -> Tensor:
        """Natural logarithm of 1 + x, accurate for small x."""
    def log1p_(self, name: str | None = None) -> Tensor:
        """Natural logarithm of 1 + x, accurate for small x, in place."""
    def log2(self, name: str | None = None) -> Tensor:
        """Logarithm to base 2."""
    def log2_(self, name: str | None = None) -> Tensor:
        """Logarithm to base 2, in place."""
    def log_(self, name: str | None = None) -> Tensor:
        """Natural logarithm, in place."""
    def logaddexp(self, y: Tensor, name: str | None = None) -> Tensor:
        """Logarithm of the sum of two exponentials, without overflow."""
    def logcumsumexp(
        self, axis: int | None = None, dtype: DTypeLike | None = None, name: str | None = None
    ) -> Tensor:
        """Logarithm of the cumulative sum of exponentials along one axis, without overflow."""
    def logical_and(self, y: Operand, name: str | None = None) -> Tensor:
        """Logical and of two elements."""
    def logical_and_(self, y: Operand, name: str | None = None) -> Tensor:
        """Logical and of two elements, in place."""
    def logical_not(self, out: Tensor | None = None, name: str | None = None) -> Tensor:
        """Logical not of each element."""
    def logical_not_(self, out: Tensor | None = None, name: str | None = None) -> Tensor:
        """Logical not of each element, in place."""
    def logical_or(self, y: Operand, name: str | None = None) -> Tensor:
        """Logical or of two elements."""
    def logical_or_(self, y: Operand, name: str | None = None) -> Tensor:
        """Logical or of two elements, in place."""
    def logical_xor(self, y: Operand, name: str | None = None) -> Tensor:
        """Logical exclusive or: whether exactly one of two elements is True."""
    def logical_xor_(self, y: Operand, name: str | None = None) -> Tensor:
        """Logical exclusive or: whether exactly one of two elements is True, in place."""
    def logit(self, eps: float | None = None, name: str | None = None) -> Tensor:
        """Inverse of the sigmoid function: the logarithm of the odds."""
    def logit_(self, eps: float | None = None, name: str | None = None) -> Tensor:
        """Inverse of the sigmoid function: the logarithm of the odds, in place."""
    def logsumexp(
        self, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
    ) -> Tensor:
        """Logarithm of the sum of exponentials over axes, without overflow."""
    def lstsq(
        self,
        y: Tensor,
        rcond: float | None = None,
        driver: str | None = None,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Least squares: the z of minimal norm that minimizes the norm of x z - y."""
    def lu(
        self, pivot: bool = True, get_infos: bool = False, name: str | None = None
    ) -> tuple[Tensor, ...]:
        """LU decomposition of matrices with row pivoting, packed into one matrix."""
    def lu_unpack(
        self,
        y: Tensor,
        unpack_ludata: bool = True,
        unpack_pivots: bool = True,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Permutation and triangular matrices of an LU decomposition."""
    def masked_fill(self, mask: Tensor, value: Scalar, name: str | None = None) -> Tensor:
        """Replace elements at which a mask is True by one value."""
    def masked_fill_(self, mask: Tensor, value: Scalar, name: str | None = None) -> Tensor:
        """Replace elements at which a mask is True by one value, in place."""
    def masked_select(self, mask: Tensor, name: str | None = None) -> Tensor:
        """Elements at which a mask is True, as a vector."""
    def matmul(
        self,
        y: Tensor,
        transpose_x: bool = False,
        transpose_y: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Matrix product over the last two axes; the other axes broadcast."""
    def matrix_power(self, n: int, name: str | None = None) -> Tensor:
        """Power of each matrix with an integer exponent."""
    def max(
        self, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
    ) -> Tensor:
        """Largest element over axes; NaN if any element is NaN."""
    def maximum(self, y: Operand, name: str | None = None) -> Tensor:
        """Larger of two elements, with broadcasting."""
    def mean(
        self, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
    ) -> Tensor:
        """Arithmetic mean of the elements over axes."""
    def median(
        self, axis: int | None = None, keepdim: bool = False, name: str | None = None
    ) -> Tensor:
        """Median over axes; NaN if any element is NaN."""
    def min(
        self, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
    ) -> Tensor:
        """Smallest element over axes; NaN if any element is NaN."""
    def minimum(self, y: Operand, name: str | None = None) -> Tensor:
        """Smaller of two elements, with broadcasting."""
    def mm(self, mat2: Tensor, name: str | None = None) -> Tensor:
        """Product of two matrices, the same as `matmul`."""
    def mod(self, y: Operand, name: str | None = None) -> Tensor:
        """Remainder of a division, with the sign of the divisor."""
    def mod_(self, y: Operand, name: str | None = None) -> Tensor:
        """Remainder of a division, with the sign of the divisor, in place."""
    def mode(
        self, axis: int = -1, keepdim: bool = False, name: str | None = None
    ) -> tuple[Tensor, Tensor]:
        """The most frequent element along one axis, and its index."""
    def moveaxis(
        self, source: int | Sequence[int], destination: int | Sequence[int], name: str | None = None
    ) -> Tensor:
        """Move axes to new positions; the others keep their order."""
    def multi_dot(self, name: str | None = None) -> Tensor:
        """Product of several matrices, multiplied in the cheapest order."""
    def multigammaln(self, p: int, name: str | None = None) -> Tensor:
        """Logarithm of the multivariate gamma function."""
    def multigammaln_(self, p: int, name: str | None = None) -> Tensor:
        """Logarithm of the multivariate gamma function, in place."""
    def multinomial(
        self, num_samples: int = 1, replacement: bool = False, name: str | None = None
    ) -> Tensor:
        """Draw indices with probabilities proportional to given weights."""
    def multiplex(self, index: Tensor, name: str | None = None) -> Tensor:
        """Choose each row from one of several tensors."""
    def multiply(self, y: Operand, name: str | None = None) -> Tensor:
        """Multiply elementwise, with broadcasting."""
    def multiply_(self, y: Operand, name: str | None = None) -> Tensor:
        """Multiply elementwise, with broadcasting, in place."""
    def mv(self, vec: Tensor, name: str | None = None) -> Tensor:
        """Product of a matrix and a vector."""
    def nan_to_num(
        self,
        nan: float = 0.0,
        posinf: float | None = None,
        neginf: float | None = None,
        name: str | None = None,
    ) -> Tensor:
        """Replace NaN and infinities by finite numbers."""
    def nan_to_num_(
        self,
        nan: float = 0.0,
        posinf: float | None = None,
        neginf: float | None = None,
        name: str | None = None,
    ) -> Tensor:
        """Replace NaN and infinities by finite numbers, in place."""
    def nanmean(
        self, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
    ) -> Tensor:
        """Mean of the elements over axes that are not NaN."""
    def nanmedian(
        self, axis: Axes | Tensor | None = None, keepdim: bool = False, name: str | None = None
    ) -> Tensor:
        """Median over axes of the elements that are not NaN."""
    def nanquantile(
        self,
        q: float | Sequence[float] | Tensor,
        axis: Axes | Tensor | None = None,
        keepdim: bool = False,
    ) -> Tensor:
        """Quantiles over axes of the elements that are not NaN, with linear interpolation."""
    def nansum(
        self,
        axis: Axes | Tensor | None = None,
        dtype: DTypeLike | None = None,
        keepdim: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Sum of the elements over axes, with NaN counted as 0."""
    def neg(self, name: str | None = None) -> Tensor:
        """Negate elementwise."""
    def neg_(self, name: str | None = None) -> Tensor:
        """Negate elementwise, in place."""
    def nextafter(self, y: Operand, name: str | None = None) -> Tensor:
        """Next floating-point number after x in the direction of y."""
    @overload
    def nonzero(self, as_tuple: Literal[False] = False) -> Tensor:
        """Positions of the elements that are not 0."""
    @overload
    def nonzero(self, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
    @overload
    def nonzero(self, as_tuple: bool) -> Any: ...
    def norm(
        self,
        p: float | str = "fro",
        axis: Axes | Tensor | None = None,
        keepdim: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """The p-norm over one axis, two axes or all elements."""
    def normal_(self, mean: float = 0.0, std: float = 1.0, name: str | None = None) -> Tensor:
        """Fill a tensor with random numbers from a normal distribution, in place."""
    def not_equal(self, y: Operand, name: str | None = None) -> Tensor:
        """Whether two elements are different."""
    def not_equal_(self, y: Operand, name: str | None = None) -> Tensor:
        """Whether two elements are different, in place."""
    def numel(self, name: str | None = None) -> Tensor:
        """Number of elements of a tensor, as a tensor."""
    def outer(self, y: Tensor, name: str | None = None) -> Tensor:
        """Products of all pairs of elements of two tensors, which are flattened."""
    def pca_lowrank(
        self, q: int | None = None, center: bool = True, niter: int = 2, name: str | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Largest singular values and vectors of matrices, by random projection."""
    def pin_memory(self, blocking: bool = True) -> Tensor:
        """Return the tensor itself: there is no pinned memory."""
    def pinv(
        self, rcond: float | Tensor = 1e-15, hermitian: bool = False, name: str | None = None
    ) -> Tensor:
        """Pseudo-inverse of each matrix, from the singular values (Moore-Penrose)."""
    def polar(self, angle: Tensor, name: str | None = None) -> Tensor:
        """Create complex numbers from absolute values and angles."""
    def polygamma(self, n: int, name: str | None = None) -> Tensor:
        """Derivative of order n of the digamma function."""
    def polygamma_(self, n: int, name: str | None = None) -> Tensor:
        """Derivative of order n of the digamma function, in place."""
    def pow(self, y: Operand, name: str | None = None) -> Tensor:
        """Raise to a power elementwise."""
    def pow_(self, y: Operand, name: str | None = None) -> Tensor:
        """Raise to a power elementwise, in place."""
    def prod(
        self,
        axis: Axes | Tensor | None = None,
        keepdim: bool = False,
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Tensor:
        """Product of the elements over axes."""
    def put_along_axis(
        self,
        indices: Tensor,
        values: Scalar,
        axis: int,
        reduce: str = "assign",
        include_self: bool = True,
        broadcast: bool = True,
    ) -> Tensor:
        """Write values at positions along one axis, with different positions per row."""
    def put_along_axis_(
        self,
        indices: Tensor,
        values: Scalar,
        axis: int,
        reduce: str = "assign",
        include_self: bool = True,
        broadcast: bool = True,
    ) -> Tensor:
        """Write values at positions along one axis, with different positions per row, in place."""
    @overload
    def qr(self, mode: Literal["r"], name: str | None = None) -> Tensor:
        """QR decomposition of matrices."""
    @overload
    def qr(
        self, mode: Literal["reduced", "complete"] = "reduced", name: str | None = None
    ) -> tuple[Tensor, Tensor]: ...
    @overload
    def qr(self, mode: str, name: str | None = None) -> Any: ...
    def quantile(
        self,
        q: float | Sequence[float] | Tensor,
        axis: Axes | Tensor | None = None,
        keepdim: bool = False,
    ) -> Tensor:
        """Quantiles over axes with linear interpolation; NaN if any element is NaN."""
    def rad2deg(self, name: str | None = None) -> Tensor:
        """Convert angles from radians to degrees."""
    def rank(self) -> Tensor:
        """Number of axes of a tensor, as a tensor."""
    def real(self, name: str | None = None) -> Tensor:
        """Real part of complex numbers."""
    def reciprocal(self, name: str | None = None) -> Tensor:
        """Reciprocal of each element."""
    def reciprocal_(self, name: str | None = None) -> Tensor:
        """Reciprocal of each element, in place."""
    def remainder(self, y: Operand, name: str | None = None) -> Tensor:
        """Remainder of a division, with the sign of the divisor."""
    def remainder_(self, y: Operand, name: str | None = None) -> Tensor:
        """Remainder of a division, with the sign of the divisor, in place."""
    def renorm(self, p: float, axis: int, max_norm: float) -> Tensor:
        """Scale slices along one axis so that their p-norm is at most a limit."""
    def renorm_(self, p: float, axis: int, max_norm: float) -> Tensor:
        """Scale slices along one axis so that their p-norm is at most a limit, in place."""
    def repeat_interleave(
        self, repeats: int | Tensor, axis: int | None = None, name: str | None = None
    ) -> Tensor:
        """Repeat each slice along one axis several times in a row."""
    def reshape(self, shape: Shape, name: str | None = None) -> Tensor:
        """Return a tensor with the same elements in another shape."""
    def reshape_(self, shape: Shape, name: str | None = None) -> Tensor:
        """Return a tensor with the same elements in another shape, in place."""
    def reverse(self, axis: Axes | Tensor, name: str | None = None) -> Tensor:
        """Reverse the order of the elements along axes, the same as `flip`."""
    def roll(
        self, shifts: Axes | Tensor, axis: Axes | Tensor | None = None, name: str | None = None
    ) -> Tensor:
        """Shift the elements cyclically along axes."""
    def rot90(self, k: int = 1, axes: Sequence[int] = ..., name: str | None = None) -> Tensor:
        """Rotate by multiples of 90 degrees in the plane of two axes."""
    def round(self, name: str | None = None) -> Tensor:
        """Round to the nearest integer, halves away from zero."""
    def round_(self, name: str | None = None) -> Tensor:
        """Round to the nearest integer, halves away from zero, in place."""
    def rsqrt(self, name: str | None = None) -> Tensor:
        """Reciprocal of the square root."""
    def rsqrt_(self, name: str | None = None) -> Tensor:
        """Reciprocal of the square root, in place."""
    def scale(
        self,
        scale: float | Tensor = 1.0,
        bias: float = 0.0,
        bias_after_scale: bool = True,
        act: str | None = None,
        name: str | None = None,
    ) -> Tensor:
        """Multiply by a number and add a number."""
    def scale_(
        self,
        scale: float | Tensor = 1.0,
        bias: float = 0.0,
        bias_after_scale: bool = True,
        act: str | None = None,
        name: str | None = None,
    ) -> Tensor:
        """Multiply by a number and add a number, in place."""
    def scatter(
        self, index: Tensor, updates: Tensor, overwrite: bool = True, name: str | None = None
    ) -> Tensor:
        """Replace rows of a tensor, or add to rows that are set to zero first."""
    def scatter_(
        self, index: Tensor, updates: Tensor, overwrite: bool = True, name: str | None = None
    ) -> Tensor:
        """Replace rows of a tensor, or add to rows that are set to zero first, in place."""
    def scatter_nd(self, updates: Tensor, shape: Shape, name: str | None = None) -> Tensor:
        """Add values to a tensor of zeros, at positions along its first axes."""
    def scatter_nd_add(self, index: Tensor, updates: Tensor, name: str | None = None) -> Tensor:
        """Add values to elements or slices of a tensor, at positions along its first axes."""
    def searchsorted(
        self, values: Tensor, out_int32: bool = False, right: bool = False, name: str | None = None
    ) -> Tensor:
        """Positions at which values can be inserted into sorted rows without changing the order."""
    def select_scatter(
        self, values: Tensor, axis: int, index: int, name: str | None = None
    ) -> Tensor:
        """Return a copy of a tensor with one slice along an axis replaced."""
    def sgn(self, name: str | None = None) -> Tensor:
        """Sign of real numbers, direction of complex numbers."""
    def shard_index(
        self, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1
    ) -> Tensor:
        """Convert indices of classes to indices within one shard of the classes."""
    def sigmoid(self, name: str | None = None) -> Tensor:
        """Sigmoid (logistic) function."""
    def sigmoid_(self, name: str | None = None) -> Tensor:
        """Apply the sigmoid function to this tensor, in place."""
    def sign(self, name: str | None = None) -> Tensor:
        """Sign of each element."""
    def sin(self, name: str | None = None) -> Tensor:
        """Sine of angles in radians."""
    def sin_(self, name: str | None = None) -> Tensor:
        """Sine of angles in radians, in place."""
    def sinh(self, name: str | None = None) -> Tensor:
        """Hyperbolic sine."""
    def sinh_(self, name: str | None = None) -> Tensor:
        """Hyperbolic sine, in place."""
    def slice(
        self, axes: Sequence[int], starts: Sequence[Size] | Tensor, ends: Sequence[Size] | Tensor
    ) -> Tensor:
        """Take a range of positions along each of several axes."""
    def solve(self, y: Tensor, name: str | None = None) -> Tensor:
        """Solve systems of linear equations: the z with x z = y."""
    def sort(self, axis: int = -1, descending: bool = False, name: str | None = None) -> Tensor:
        """Sort a tensor along one axis."""
    def split(
        self, num_or_sections: int | Sequence[Size], axis: int | Tensor = 0, name: str | None = None
    ) -> list[Tensor]:
        """Split a tensor along one axis into equal parts, or into parts of given sizes."""
    def sqrt(self, name: str | None = None) -> Tensor:
        """Square root."""
    def sqrt_(self, name: str | None = None) -> Tensor:
        """Square root, in place."""
    def square(self, name: str | None = None) -> Tensor:
        """Square of each element."""
    def square_(self, name: str | None = None) -> Tensor:
        """Square of each element, in place."""
    def squeeze(self, axis: Axes | Tensor | None = None, name: str | None = None) -> Tensor:
        """Remove axes of size 1."""
    def squeeze_(self, axis: Axes | Tensor | None = None, name: str | None = None) -> Tensor:
        """Remove axes of size 1, in place."""
    def stack(self, axis: int = 0, name: str | None = None) -> Tensor:
        """Join tensors of one shape along a new axis."""
    def stanh(
        self, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None
    ) -> Tensor:
        """Scaled hyperbolic tangent."""
    def std(
        self,
        axis: Axes | Tensor | None = None,
        unbiased: bool = True,
        keepdim: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Standard deviation of the elements over axes."""
    def stft(
        self,
        n_fft: int,
        hop_length: int | None = None,
        win_length: int | None = None,
        window: Tensor | None = None,
        center: bool = True,
        pad_mode: str = "reflect",
        normalized: bool = False,
        onesided: bool = True,
        name: str | None = None,
    ) -> Tensor:
        """Short-time Fourier transform: Fourier transforms of windowed overlapping frames."""
    def strided_slice(
        self,
        axes: Sequence[int],
        starts: Sequence[Size] | Tensor,
        ends: Sequence[Size] | Tensor,
        strides: Sequence[Size] | Tensor,
        name: str | None = None,
    ) -> Tensor:
        """Take every n-th position of a range along each of several axes."""
    def subtract(self, y: Operand, name: str | None = None) -> Tensor:
        """Subtract elementwise, with broadcasting."""
    def subtract_(self, y: Operand, name: str | None = None) -> Tensor:
        """Subtract elementwise, with broadcasting, in place."""
    def sum(
        self,
        axis: Axes | Tensor | None = None,
        dtype: DTypeLike | None = None,
        keepdim: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Sum of the elements over axes."""
    def t(self, name: str | None = None) -> Tensor:
        """Transpose a matrix; return vectors and scalars as they are."""
    def t_(self, name: str | None = None) -> Tensor:
        """Transpose a matrix; return vectors and scalars as they are, in place."""
    def take(self, index: Tensor, mode: str = "raise", name: str | None = None) -> Tensor:
        """Take elements of a tensor at positions in its flattened form."""
    def take_along_axis(self, indices: Tensor, axis: int, broadcast: bool = True) -> Tensor:
        """Take elements at positions along one axis, with different positions per row."""
    def tan(self, name: str | None = None) -> Tensor:
        """Tangent of angles in radians."""
    def tan_(self, name: str | None = None) -> Tensor:
        """Tangent of angles in radians, in place."""
    def tanh(self, name: str | None = None) -> Tensor:
        """Hyperbolic tangent."""
    def tanh_(self, name: str | None = None) -> Tensor:
        """Hyperbolic tangent, in place."""
    def tensordot(
        self,
        y: Tensor,
        axes: int | Sequence[int] | Sequence[Sequence[int]] | Tensor = 2,
        name: str | None = None,
    ) -> Tensor:
        """Sum of products over pairs of axes of two tensors."""
    def tile(self, repeat_times: Shape, name: str | None = None) -> Tensor:
        """Repeat a tensor along its axes."""
    def to(
        self,
        *args: DTypeLike | PlaceLike | Tensor | bool | None,
        **kwargs: DTypeLike | PlaceLike | Tensor | bool | None,
    ) -> Tensor:
        """Change the dtype or the device of a tensor."""
    def topk(
        self,
        k: Size,
        axis: int | None = None,
        largest: bool = True,
        sorted: bool = True,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor]:
        """The k largest or smallest elements along one axis, and their indices."""
    def trace(
        self, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None
    ) -> Tensor:
        """Sum of the elements on a diagonal of two axes."""
    def transpose(self, perm: Sequence[int], name: str | None = None) -> Tensor:
        """Permute the axes of a tensor."""
    def transpose_(self, perm: Sequence[int], name: str | None = None) -> Tensor:
        """Permute the axes of a tensor, in place."""
    def trapezoid(
        self,
        x: Tensor | None = None,
        dx: float | Tensor | None = None,
        axis: int = -1,
        name: str | None = None,
    ) -> Tensor:
        """Integral along one axis by the trapezoidal rule."""
    def tril(self, diagonal: int = 0, name: str | None = None) -> Tensor:
        """Lower triangle of matrices; the elements above a diagonal are set to zero."""
    def tril_(self, diagonal: int = 0, name: str | None = None) -> Tensor:
        """Lower triangle of matrices; the elements above a diagonal are set to zero, in place."""
    def triu(self, diagonal: int = 0, name: str | None = None) -> Tensor:
        """Upper triangle of matrices; the elements below a diagonal are set to zero."""
    def triu_(self, diagonal: int = 0, name: str | None = None) -> Tensor:
        """Upper triangle of matrices; the elements below a diagonal are set to zero, in place."""
    def trunc(self, name: str | None = None) -> Tensor:
        """Round towards zero to an integer."""
    def trunc_(self, name: str | None = None) -> Tensor:
        """Round towards zero to an integer, in place."""
    def unbind(self, axis: int = 0) -> list[Tensor]:
        """Return the slices along one axis, without that axis."""
    def unflatten(
        self, axis: int, shape: Sequence[Size] | Tensor, name: str | None = None
    ) -> Tensor:
        """Split one axis into several."""
    def unfold(self, axis: int, size: int, step: int, name: str | None = None) -> Tensor:
        """Sliding windows along one axis, as a new last axis."""
    def uniform_(
        self, min: float = -1.0, max: float = 1.0, seed: int = 0, name: str | None = None
    ) -> Tensor:
        """Fill a tensor with random numbers from a uniform distribution, in place."""
    @overload
    def unique(
        self,
        return_index: Literal[False] = False,
        return_inverse: Literal[False] = False,
        return_counts: Literal[False] = False,
        axis: int | None = ...,
        dtype: DTypeLike = ...,
        name: str | None = ...,
    ) -> Tensor:
        """Sorted distinct elements of a tensor, or its distinct slices along one axis."""
    @overload
    def unique(
        self,
        *,
        return_index: Literal[True],
        return_inverse: bool = ...,
        return_counts: bool = ...,
        axis: int | None = ...,
        dtype: DTypeLike = ...,
        name: str | None = ...,
    ) -> tuple[Tensor, ...]: ...
    @overload
    def unique(
        self,
        return_index: bool = ...,
        *,
        return_inverse: Literal[True],
        return_counts: bool = ...,
        axis: int | None = ...,
        dtype: DTypeLike = ...,
        name: str | None = ...,
    ) -> tuple[Tensor, ...]: ...
    @overload
    def unique(
        self,
        return_index: bool = ...,
        return_inverse: bool = ...,
        *,
        return_counts: Literal[True],
        axis: int | None = ...,
        dtype: DTypeLike = ...,
        name: str | None = ...,
    ) -> tuple[Tensor, ...]: ...
    @overload
    def unique(
        self,
        return_index: bool = ...,
        return_inverse: bool = ...,
        return_counts: bool = ...,
        axis: int | None = ...,
        dtype: DTypeLike = ...,
        name: str | None = ...,
    ) -> Any: ...
    @overload
    def unique_consecutive(
        self,
        return_inverse: Literal[False] = False,
        return_counts: Literal[False] = False,
        axis: int | None = ...,
        dtype: DTypeLike = ...,
        name: str | None = ...,
    ) -> Tensor:
        """Remove elements, or slices along one axis, that equal their predecessor."""
    @overload
    def unique_consecutive(
        self,
        *,
        return_inverse: Literal[True],
        return_counts: bool = ...,
        axis: int | None = ...,
        dtype: DTypeLike = ...,
        name: str | None = ...,
    ) -> tuple[Tensor, ...]: ...
    @overload
    def unique_consecutive(
        self,
        return_inverse: bool = ...,
        *,
        return_counts: Literal[True],
        axis: int | None = ...,
        dtype: DTypeLike = ...,
        name: str | None = ...,
    ) -> tuple[Tensor, ...]: ...
    @overload
    def unique_consecutive(
        self,
        return_inverse: bool = ...,
        return_counts: bool = ...,
        axis: int | None = ...,
        dtype: DTypeLike = ...,
        name: str | None = ...,
    ) -> Any: ...
    def unsqueeze(self, axis: Axes | Tensor, name: str | None = None) -> Tensor:
        """Insert axes of size 1."""
    def unsqueeze_(self, axis: Axes | Tensor, name: str | None = None) -> Tensor:
        """Insert axes of size 1, in place."""
    def unstack(self, axis: int = 0, num: int | None = None) -> list[Tensor]:
        """Return the slices along one axis, without that axis."""
    def value(self) -> Tensor:
        """Return the tensor itself."""
    def vander(
        self, n: int | None = None, increasing: bool = False, name: str | None = None
    ) -> Tensor:
        """Vandermonde matrix: powers of the elements of a vector."""
    def var(
        self,
        axis: Axes | Tensor | None = None,
        unbiased: bool = True,
        keepdim: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Variance of the elements over axes."""
    def view(self, shape_or_dtype: Shape | DTypeLike, name: str | None = None) -> Tensor:
        """Return a tensor with the same elements in another shape, or the same bytes in another
        dtype.
        """
    def view_as(self, other: Tensor, name: str | None = None) -> Tensor:
        """Return a tensor with the same elements in the shape of another one."""
    def vsplit(
        self, num_or_sections: int | Sequence[Size], name: str | None = None
    ) -> list[Tensor]:
        """Split a tensor along its first axis."""
    @overload
    def where(self, x: Operand, y: Operand, name: str | None = None) -> Tensor:
        """Choose elements of x where a condition is True, otherwise of y."""
    @overload
    def where(
        self, x: None = None, y: None = None, name: str | None = None
    ) -> tuple[Tensor, ...]: ...
    def where_(self, condition: Tensor, y: Operand, name: str | None = None) -> Tensor:
        """Replace elements where a condition is False, in place."""
    def zero_(self) -> Tensor:
        """Set all elements to zero, in place."""
