#pragma once
/// A folder of ours alone, with the document that the gateway reads; gone when this is. Boot, and
/// UP's thread.
#include <memory>
#include <string>
#include <string_view>

#include "protocol/base/result.hpp"

namespace gate::up {

class run_folder {
 public:
  /// In `parent`, which exists.
  static result<std::unique_ptr<run_folder>> make(const std::string& parent);
  ~run_folder();
  run_folder(const run_folder&) = delete;
  run_folder& operator=(const run_folder&) = delete;

  /// Replaces the document at once: who reads it has the one or the other.
  result<std::string> keep(std::string_view document) const;

 private:
  explicit run_folder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace gate::up
