// Typed and checked access to the fields of a JSON object.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "oarlock/error.h"

namespace oarlock {

/// An object of a settings file.  A field that is missing or null has its default value.  The
/// functions that read a field throw Error(file) for another type or value.
class SettingsReader {
 public:
  /// object: an object, or null for one without fields, otherwise throws Error(file); where: for
  /// messages.
  SettingsReader(Json object, std::string where);

  bool has(const char* name);
  Json find(const char* name);
  int integer(const char* name, int default_value, int min, int max);
  double number(const char* name, double default_value, double min, double max);
  bool boolean(const char* name, bool default_value);
  std::string text(const char* name, const std::string& default_value);
  std::vector<double> numbers(const char* name, const std::vector<double>& default_value,
                              std::size_t count, double max);
  /// Reads a list of strings and integers; integers are returned as text.
  std::vector<std::string> strings(const char* name, std::size_t max_count);
  /// Accepts the field `name`, which has no effect in Oarlock.
  void mark_as_known(const char* name) { known_.insert(name); }
  /// Throws Error(unsupported) if the object has a field that no function was called for.
  void reject_unknown() const;

  /// Throws Error(file): the object `what`.
  [[noreturn]] void fail(const std::string& what) const;
  /// Throws Error(file): the field `name` `what`.
  [[noreturn]] void fail(const std::string& name, const std::string& what) const;
  /// The name of a field for messages, `inference.yml: PostProcess DBPostProcess.thresh`.
  std::string path(const std::string& name) const;
  const std::string& where() const { return where_; }

 private:
  Json object_;
  std::string where_;
  std::set<std::string> known_;
};

/// A number, or text such as "1./255.".  Throws Error(file) for other values, and outside of `min`
/// to `max`.
double read_number(Json value, const std::string& where, double min, double max);

}  // namespace oarlock
