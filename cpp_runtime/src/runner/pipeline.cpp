// The command `pipeline`: the results of a model directory for images in an .npz file, as JSON.
#include "oarlock/pipeline.h"

#include <cstdio>

#include "base/escape_control_characters.h"
#include "base/json.h"
#include "base/number_text_conversion.h"
#include "runner/command_line.h"
#include "runner/npz.h"

namespace oarlock::runner {
namespace {

std::string to_json(double value) { return format_significant_digits(value, 17); }
std::string to_json(float value) { return to_json(static_cast<double>(value)); }
std::string to_json(std::int64_t value) { return std::to_string(value); }
std::string to_json(std::int32_t value) { return std::to_string(value); }
std::string to_json(const std::string& value) { return quote_json(value); }

template <class List>
std::string to_json(const List& list) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + to_json(item);
  return "[" + text + "]";
}

/// The values of one member of all items as a JSON list.
template <class Item, class Value>
std::string to_json(const std::vector<Item>& items, Value Item::* member) {
  std::vector<Value> values;
  for (const Item& item : items) values.push_back(item.*member);
  return to_json(values);
}

std::string to_json(const DetectedObject& object) {
  return "{\"cls_id\": " + to_json(object.class_id) + ", \"label\": " + to_json(object.label) +
         ", \"score\": " + to_json(object.score) +
         ", \"coordinate\": " + to_json(object.coordinates) + "}";
}

// The result for one image as JSON, with PaddleX's names.
std::string result_to_json(const PipelineResult& result, PipelineTask task) {
  switch (task) {
    case PipelineTask::object_detection: {
      std::string boxes;
      for (const DetectedObject& object : result.objects)
        boxes += (boxes.empty() ? "" : ", ") + to_json(object);
      return "{\"boxes\": [" + boxes + "]}";
    }
    case PipelineTask::text_detection:
      return "{\"dt_polys\": " + to_json(result.text_boxes, &TextBox::corners) +
             ", \"dt_scores\": " + to_json(result.text_boxes, &TextBox::score) + "}";
    case PipelineTask::text_recognition:
      return "{\"rec_text\": " + to_json(result.text) +
             ", \"rec_score\": " + to_json(result.text_score) + "}";
    default:
      return "{\"class_ids\": " + to_json(result.classes, &ClassScore::id) +
             ", \"scores\": " + to_json(result.classes, &ClassScore::score) +
             ", \"label_names\": " + to_json(result.classes, &ClassScore::label) + "}";
  }
}

std::string text_lines_to_json(const std::vector<TextLine>& lines) {
  std::vector<TextQuad> quads;
  for (const TextLine& line : lines) quads.push_back(line.box.corners);
  return "{\"rec_texts\": " + to_json(lines, &TextLine::text) +
         ", \"rec_scores\": " + to_json(lines, &TextLine::text_score) +
         ", \"rec_polys\": " + to_json(quads) + "}";
}

ImageView require_image_view(const std::string& name, const Tensor& array) {
  if (array.dtype() != DType::uint8 || array.shape().size() != 3 || array.shape()[2] != 3)
    throw Error(ErrorCode::input, "pipeline: the array '" + name +
                                      "' is no image; expected uint8[height, width, 3] in RGB "
                                      "order");
  return {static_cast<const std::uint8_t*>(array.data()), array.shape()[0], array.shape()[1]};
}

// Prints one line for each array: the result or, if processing the array fails, the error. A
// failure does not stop the processing of the other arrays. Returns the exit code.
template <class Run>
int run_and_print_results(const NamedTensors& arrays, Run run) {
  int exit_code = 0;
  for (const auto& [name, array] : arrays) {
    std::string line;
    try {
      line = run(require_image_view(name, array));
    } catch (const Error& error) {
      line = "{\"error\": " + quote_json(error.what()) + "}";
      std::fprintf(stderr, "%s\n", escape_control_characters(name + ": " + error.what()).c_str());
      exit_code = 1;
    }
    std::printf("%s\n", line.c_str());
  }
  return exit_code;
}

}  // namespace

int pipeline(const Command& c) {
  if (c.input.empty()) throw UsageError{"requires --input"};
  NamedTensors arrays = read_npz(c.input);
  Pipeline first(c.paths[0], c.options);
  PipelineTask task = first.processor().task();
  if (c.paths.size() > 1) {
    TextSystem reader(std::move(first), Pipeline(c.paths[1], c.options));
    return run_and_print_results(
        arrays, [&](const ImageView& image) { return text_lines_to_json(reader.run(image)); });
  }
  return run_and_print_results(arrays, [&](const ImageView& image) {
    return result_to_json(first.run({&image, 1})[0], task);
  });
}

}  // namespace oarlock::runner
