// From the outputs of a network to results, one function per task.
#pragma once
#include "pipeline/geometry.h"
#include "pipeline/settings.h"

namespace oarlock {

/// The scores of a network, [batch, ...], as float32.
struct ScoreArray {
  const float* data = nullptr;
  std::vector<std::int64_t> shape;

  std::size_t num_elements_per_batch_item() const;
  std::span<const float> item(std::size_t index) const {
    return {data + index * num_elements_per_batch_item(), num_elements_per_batch_item()};
  }
};

/// The `top_k` best classes of one image, best first.
std::vector<ClassScore> top_k_classes(std::span<const float> scores, const PipelineSettings&);
/// The classes with scores above their thresholds, best first.
std::vector<ClassScore> classes_above_threshold(std::span<const float> scores,
                                                const PipelineSettings&);

/// rows: [count, columns] of class, score, box (x1, y1, x2, y2) and for 7 or 8 columns the reading
/// order; 10 columns: class, score and the four corners of a rotated box.
std::vector<DetectedObject> detected_objects(std::span<const float> rows, std::size_t columns,
                                             const PipelineSettings&, const ImageSizes&);

/// The boxes of text in a map of probabilities [height, width], in the order of OpenCV's borders.
std::vector<TextBox> text_boxes(std::span<const float> map, int height, int width,
                                const DbPostprocessSettings&, const ImageSizes&);

/// Sets text and score from the probabilities [steps, classes]: class 0 is blank, class i is
/// labels[i - 1]; one more class than that is a space.
void decode_ctc(std::span<const float> steps, std::size_t classes, const PipelineSettings&,
                PipelineResult&);

}  // namespace oarlock
