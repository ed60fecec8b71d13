// The filter gradient of a convolution with several input channels.  The input is packed pixel by
// pixel, so that the channels of a pixel are adjacent. The inputs of neighboring kernel offsets are
// then whole vectors in memory, and the product of output gradient and im2col matrix needs no copy
// of im2col.
#pragma once
#include "kernels/matmul.h"

namespace oarlock::kernels {
namespace {

/// The shapes of the computation for one block of input channels of a group.
///
/// The filter gradient of a kernel row is a product [m,pixels] @ [pixels,run], where a row of the
/// second matrix consists of the channels of neighboring pixels, which are contiguous in memory. A
/// run contains a whole kernel row if the kernel has no horizontal dilation, else one offset.
struct PixelMajorFilterGrad {
  const ConvShape& s;
  Size m, channels;             // output channels of a group, input channels of the block
  Size height, width;           // of the part of the padded input that an output row, and all
                                // output columns, read
  Size row_step;                // packed input rows from one output row to the next
  Size runs_per_row, run_taps;  // runs in a kernel row, and kernel offsets in a run
  Size run;                     // elements of a run

  PixelMajorFilterGrad(const ConvShape& shape, Size block_channels)
      : s(shape),
        m(shape.m / shape.groups),
        channels(block_channels),
        height((s.kh - 1) * s.dilation_h + 1),
        width((s.ow - 1) * s.stride_w + (s.kw - 1) * s.dilation_w + 1),
        row_step(min(s.stride_h, height)),
        runs_per_row(s.dilation_w == 1 ? 1 : s.kw),
        run_taps(s.dilation_w == 1 ? s.kw : 1),
        run(run_taps * block_channels) {}

  Size num_runs() const { return s.kh * runs_per_row; }
  /// The packed input rows that `rows` output rows of one image read.
  Size packed_rows(Size rows) const { return (rows - 1) * row_step + height; }
  /// Whether the packed input consists of the pixels that the only kernel offset reads.
  bool reads_all_pixels_once() const {
    return s.kh == 1 && s.kw == 1 && s.stride_h == 1 && s.stride_w == 1 && s.top == 0 &&
           s.left == 0 && s.ow == s.w && s.oh == s.h;
  }
};

/// Writes input rows [first, first + rows) of one image to `to` [rows,width,channels]. Rows and
/// columns are numbered from the top left pixel of the padded image.
template <class T>
void pack_pixel_major_rows(const PixelMajorFilterGrad& f, const T* image, Size first, Size rows,
                           T* to) {
  Size plane = f.s.h * f.s.w, row_elements = f.width * f.channels;
  if (f.reads_all_pixels_once())
    return copy_transposed(image + first * f.s.w, plane, f.channels, rows * f.s.w, to, f.channels);
  Size start = min(max(f.s.left, 0), f.width), end = max(start, min(f.width, f.s.w + f.s.left));
  for (Size r = 0; r < rows; ++r, to += row_elements) {
    Size row = first + r - f.s.top;
    bool inside = row >= 0 && row < f.s.h;
    Size from = inside ? start : f.width;
    for (Size i = 0; i < from * f.channels; ++i) to[i] = 0;
    if (!inside) continue;
    copy_transposed(image + row * f.s.w + start - f.s.left, plane, f.channels, end - start,
                    to + start * f.channels, f.channels);
    for (Size i = end * f.channels; i < row_elements; ++i) to[i] = 0;
  }
}

/// The operands of one tile: some pixel rows of the output, numbered through all images.
template <class T>
struct PixelMajorTile {
  static constexpr Size kPixels = 256;

  Size max_rows, gradient_row;
  T *input, *gradient;
  Size* offsets;  // of each output pixel in `input`, for kernel offset 0
  Size first = 0, rows = 0, pixels = 0;

  /// Allocates the workspace.
  explicit PixelMajorTile(const PixelMajorFilterGrad& f) : max_rows(max(1, kPixels / f.s.ow)) {
    Size max_pixels = max_rows * f.s.ow, max_images = max_rows / f.s.oh + 2;
    gradient_row = max_pixels + kLanes<T>;  // not a power of two, for the caches
    input = padded_workspace<T>(
        3, (max_rows * f.row_step + max_images * f.height) * f.width * f.channels);
    gradient = padded_workspace<T>(4, f.m * gradient_row);
    offsets = padded_workspace<Size>(5, max_pixels);
  }

  /// Calls body(image, start, count) for the rows of each image.
  template <class Body>
  void for_each_image(const ConvShape& s, const Body& body) const {
    for (Size row = first; row < first + rows;) {
      Size start = row % s.oh, count = min(first + rows - row, s.oh - start);
      body(row / s.oh, start, count);
      row += count;
    }
  }

  /// Selects output rows, and packs their gradient. g: the first output channel of the group.
  void pack_gradient(const PixelMajorFilterGrad& f, const T* g, Size first_row, Size num_rows) {
    first = first_row, rows = num_rows, pixels = 0;
    for_each_image(f.s, [&](Size image, Size start, Size count) {
      const T* from = g + (image * f.s.m * f.s.oh + start) * f.s.ow;
      Size length = count * f.s.ow;
      for (Size i = 0; i < f.m; ++i)
        for (Size k = 0; k < length; ++k)
          gradient[i * gradient_row + pixels + k] = from[i * f.s.oh * f.s.ow + k];
      pixels += length;
    });
  }

  /// Packs the input of a block of channels for the selected rows. x: the first channel of the
  /// block in the first image.
  void pack_input(const PixelMajorFilterGrad& f, const T* x) {
    Size row_elements = f.width * f.channels, at = 0;
    Size* offset = offsets;
    for_each_image(f.s, [&](Size image, Size start, Size count) {
      const T* from = x + image * f.s.c * f.s.h * f.s.w;
      if (f.row_step == f.s.stride_h)
        pack_pixel_major_rows(f, from, start * f.s.stride_h, f.packed_rows(count), input + at);
      else
        for (Size i = 0; i < count; ++i)
          pack_pixel_major_rows(f, from, (start + i) * f.s.stride_h, f.height,
                                input + at + i * f.height * row_elements);
      for (Size i = 0; i < count; ++i)
        for (Size j = 0; j < f.s.ow; ++j)
          *offset++ = at + i * f.row_step * row_elements + j * f.s.stride_w * f.channels;
      at += f.packed_rows(count) * row_elements;
    });
  }
};

/// total (+)= gradient @ im2col of a packed tile, for every run. The layout of `total` is
/// [kernel row][run][m][run elements]; total_row: its elements from one output channel to the next.
template <class T>
void multiply_pixel_major_tile(const PixelMajorFilterGrad& f, const PixelMajorTile<T>& tile,
                               bool add, T* total, Size total_row) {
  for (Size row = 0; row < f.s.kh; ++row)
    for (Size r = 0; r < f.runs_per_row; ++r, total += f.m * total_row) {
      const T* input =
          tile.input +
          (row * f.s.dilation_h * f.width + r * f.run_taps * f.s.dilation_w) * f.channels;
      multiply_matrix_by_panels(f.m, f.run, tile.pixels, tile.gradient, tile.gradient_row, Size(1),
                                total, total_row, add, [&](Size j, Size, Size p, Size) {
                                  return f.reads_all_pixels_once()
                                             ? PanelView<T>{input + p * f.channels + j, f.channels}
                                             : PanelView<T>{input + j, 0, tile.offsets + p};
                                });
    }
}

/// Writes the sum of `chunks` results, `stride` elements apart, to the filter gradient. filter: the
/// first output and input channel of the block; row: the filter elements of an output channel.
template <class T>
void write_pixel_major_filter_grad(const PixelMajorFilterGrad& f, const T* totals, Size chunks,
                                   Size stride, T* filter, Size row) {
  Size taps = f.s.kh * f.s.kw;
  for (Size i = 0; i < f.m; ++i)
    for (Size r = 0; r < f.num_runs(); ++r) {
      const T* from = totals + (r * f.m + i) * f.run;
      for (Size t = 0; t < f.run_taps; ++t)
        for (Size c = 0; c < f.channels; ++c, ++from) {
          T sum = *from;
          for (Size chunk = 1; chunk < chunks; ++chunk) sum += from[chunk * stride];
          filter[i * row + c * taps + r * f.run_taps + t] = sum;
        }
    }
}

/// Whether the pixel-major computation needs at most 9/8 as many vector multiplications as the
/// product with im2col rows; it saves the copy of im2col.
template <class T>
bool prefers_pixel_major_filter_grad(const ConvShape& s) {
  Size c = s.c / s.groups, m = s.m / s.groups;
  PixelMajorFilterGrad f(s, min(c, kColumns<T>));
  Size pixel_major = m * f.num_runs() * ceil_div(c * f.run_taps, kLanes<T>),
       im2col = c * s.kh * s.kw * ceil_div(m, kLanes<T>);
  return 8 * pixel_major <= 9 * im2col;
}

/// How the work is divided into tasks: neighboring blocks of input channels of a group, and chunks
/// of images.  The sums of the chunks are added in order at the end.
struct PixelMajorPartition {
  Size block_channels, blocks, blocks_per_task, tasks_per_group, images, chunks;

  PixelMajorPartition(const ConvShape& s, Size max_block_channels) {
    Size c = s.c / s.groups;
    block_channels = min(c, max_block_channels);
    blocks = ceil_div(c, block_channels);
    // The blocks of a task share the packed gradient; more tasks keep more threads busy.
    blocks_per_task = max(1, min(4, blocks * s.groups / 8));
    tasks_per_group = ceil_div(blocks, blocks_per_task);
    // For smaller chunks, adding the sums takes more time than is gained.
    Size max_useful_chunks = max(1, s.n * s.oh * s.ow / 1024);
    chunks = min(min(s.n, max_useful_chunks), max(1, 8 / (tasks_per_group * s.groups)));
    images = ceil_div(s.n, chunks);
    chunks = ceil_div(s.n, images);
  }
};

template <class T>
void pixel_major_filter_grad(const ConvShape& s, const T* x, const T* g, T* filter) {
  Size c = s.c / s.groups, m = s.m / s.groups, taps = s.kh * s.kw;
  PixelMajorPartition p(s, kColumns<T>);
  Size block_size = m * taps * p.block_channels, chunk_size = s.groups * p.blocks * block_size;
  T* totals = p.chunks > 1 ? padded_workspace<T>(2, p.chunks * chunk_size) : nullptr;
  bool direct = !totals && taps == 1;  // the products are written to the filter
  auto filter_of_block = [&](Size group, Size block) {
    return filter + (group * m * c + block * p.block_channels) * taps;
  };
  auto shape_of_block = [&](Size block) {
    return PixelMajorFilterGrad(s, min(p.block_channels, c - block * p.block_channels));
  };
  parallel_for(p.chunks * s.groups * p.tasks_per_group, [&](Size task) {
    Size chunk = task % p.chunks, group = task / p.chunks % s.groups,
         first_block = task / p.chunks / s.groups * p.blocks_per_task,
         count = min(p.blocks_per_task, p.blocks - first_block);
    PixelMajorTile<T> tile(shape_of_block(first_block));
    T* task_totals =
        totals   ? totals + chunk * chunk_size + (group * p.blocks + first_block) * block_size
        : direct ? nullptr
                 : padded_workspace<T>(1, count * block_size);
    Size first = chunk * p.images * s.oh, last = min(s.n, (chunk + 1) * p.images) * s.oh;
    for (Size row = first; row < last; row += tile.max_rows) {
      tile.pack_gradient(shape_of_block(first_block), g + group * m * s.oh * s.ow, row,
                         min(tile.max_rows, last - row));
      for (Size i = 0; i < count; ++i) {
        PixelMajorFilterGrad f = shape_of_block(first_block + i);
        tile.pack_input(f, x + (group * c + (first_block + i) * p.block_channels) * s.h * s.w);
        T* total = direct ? filter_of_block(group, first_block + i) : task_totals + i * block_size;
        multiply_pixel_major_tile(f, tile, row > first, total, direct ? c : f.run);
      }
    }
    for (Size i = 0; i < count && !totals && !direct; ++i)
      write_pixel_major_filter_grad(shape_of_block(first_block + i), task_totals + i * block_size,
                                    1, Size(0), filter_of_block(group, first_block + i), c * taps);
  });
  if (!totals) return;
  parallel_ranges(s.groups * p.blocks, max(1, 65536 / block_size), [&](Size from, Size to) {
    for (Size i = from; i < to; ++i)
      write_pixel_major_filter_grad(shape_of_block(i % p.blocks), totals + i * block_size, p.chunks,
                                    chunk_size, filter_of_block(i / p.blocks, i % p.blocks),
                                    c * taps);
  });
}

}  // namespace
}  // namespace oarlock::kernels
