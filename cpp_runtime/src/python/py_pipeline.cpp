#include "python/py_pipeline.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "base/scoped_gil.h"
#include "oarlock/pipeline.h"
#include "python/arrays.h"
#include "python/ctrl_c.h"

namespace oarlock::python {
namespace {

using namespace nb::literals;

// A view of an RGB image (a NumPy array), valid as long as `buffers` lives.
ImageView rgb_view(InputBuffers& buffers, nb::handle array) {
  buffers.set(0, array, "image");
  const TensorView& view = buffers.views()[0];
  if (view.dtype != DType::uint8 || view.shape.size() != 3 || view.shape[2] != 3)
    throw Error(ErrorCode::input, "preprocess: the image is not uint8[height, width, 3]");
  return {static_cast<const std::uint8_t*>(view.data), view.shape[0], view.shape[1]};
}

nb::tuple preprocess(const ImageProcessor& processor, nb::handle image) {
  InputBuffers buffers(1);
  ImageView view = rgb_view(buffers, image);
  PreparedImage prepared;
  {
    GilScopedRelease released;
    prepared = processor.preprocess(view);
  }
  return nb::make_tuple(to_numpy(prepared.data), prepared.sizes);
}

nb::dict to_dict(const PipelineResult& result, PipelineTask task) {
  nb::dict dict;
  if (task == PipelineTask::text_recognition) {
    dict["rec_text"] = result.text;
    dict["rec_score"] = result.text_score;
  } else if (task == PipelineTask::text_detection) {
    nb::list polys, scores;
    for (const TextBox& box : result.text_boxes) {
      polys.append(box.corners);
      scores.append(box.score);
    }
    dict["dt_polys"] = polys;
    dict["dt_scores"] = scores;
  } else if (task == PipelineTask::object_detection) {
    nb::list boxes;
    for (const DetectedObject& object : result.objects) {
      nb::dict box;
      box["cls_id"] = object.class_id;
      box["label"] = object.label;
      box["score"] = object.score;
      box["coordinate"] = object.coordinates;
      boxes.append(box);
    }
    dict["boxes"] = boxes;
  } else {
    nb::list ids, scores, labels;
    for (const ClassScore& score : result.classes) {
      ids.append(score.id);
      scores.append(score.score);
      labels.append(score.label);
    }
    dict["class_ids"] = ids;
    dict["scores"] = scores;
    dict["label_names"] = labels;
  }
  return dict;
}

nb::list postprocess(const ImageProcessor& processor, const nb::list& outputs,
                     const std::vector<ImageSizes>& sizes) {
  InputBuffers buffers(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) buffers.set(i, outputs[i], "output");
  std::vector<PipelineResult> results;
  {
    GilScopedRelease released;
    results = processor.postprocess(buffers.views(), sizes);
  }
  nb::list list;
  for (const PipelineResult& result : results) list.append(to_dict(result, processor.task()));
  return list;
}

nb::object crop_text_from_array(nb::handle image, const TextQuad& corners) {
  InputBuffers buffers(1);
  return to_numpy(crop_text(rgb_view(buffers, image), corners));
}

std::vector<std::size_t> reading_order_of(const std::vector<TextQuad>& boxes) {
  return reading_order(boxes);
}

}  // namespace

void bind_pipeline(nb::module_& m) {
  nb::class_<ImageSizes>(m, "ImageSizes", "Sizes of an image before and after preprocessing.")
      .def_ro("resized_height", &ImageSizes::resized_height)
      .def_ro("resized_width", &ImageSizes::resized_width)
      .def_ro("scale_height", &ImageSizes::scale_height)
      .def_ro("scale_width", &ImageSizes::scale_width);
  nb::class_<ImageProcessor>(
      m, "ImageProcessor",
      "Preprocessing and postprocessing as the .yml of a model directory describes them.")
      .def_static("from_json", &ImageProcessor::from_json, "json"_a, "name"_a,
                  "Read the content of the .yml as JSON.")
      .def_prop_ro("task",
                   [](const ImageProcessor& self) { return std::string(task_name(self.task())); })
      .def_prop_ro("labels", &ImageProcessor::labels)
      .def_prop_ro("tensorrt_profiles", &ImageProcessor::tensorrt_profiles)
      .def("preprocess", &preprocess, "image"_a,
           nb::sig("def preprocess(self, image: numpy.ndarray) -> tuple[numpy.ndarray, "
                   "ImageSizes]"),
           "The network's input for an RGB image, without batch axis.")
      .def("postprocess", &postprocess, "outputs"_a, "sizes"_a,
           nb::sig("def postprocess(self, outputs: list[numpy.ndarray], sizes: list[ImageSizes]) "
                   "-> list[dict[str, typing.Any]]"),
           "The result of each image of a batch, by PaddleX's names.");
  m.def("crop_text", &crop_text_from_array, "image"_a, "corners"_a,
        nb::sig("def crop_text(image: numpy.ndarray, corners: list[list[int]]) -> numpy.ndarray"),
        "The part of an image in a text box, straightened.");
  m.def("reading_order", &reading_order_of, "boxes"_a,
        nb::sig("def reading_order(boxes: list[list[list[int]]]) -> list[int]"),
        "Indices of text boxes from top to bottom and left to right.");
}

}  // namespace oarlock::python
