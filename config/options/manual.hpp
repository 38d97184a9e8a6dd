#pragma once
/// Manual pages (man(7)) of the programs and of the configuration document, made of the tables of
/// options and fields. What no table knows is in notes. Pure.
#include <span>
#include <string>
#include <string_view>

#include "config/options/described.hpp"

namespace gate::config {

/// An entry of a list: a file, a variable, a signal, with what it is for.
struct manual_entry {
  std::string_view name;
  std::string_view meaning;
};

/// A section of entries.
struct manual_section {
  std::string_view title;
  std::span<const manual_entry> entries;
};

struct manual_notes {
  std::string_view description;  ///< paragraphs, with empty lines between
  std::span<const manual_section> sections;
  std::string_view see_also;  ///< as `gate(1), gate.json(5)`
  /// Of the page: stands in place of it until a package is made.
  std::string_view date = "@DATE@";
  std::string_view version = "@VERSION@";
};

std::string manual(const described_program& p, const manual_notes& notes);
std::string manual(const described_commands& p, const manual_notes& notes);

/// gate.json(5), made of the tables that `reference()` writes.
std::string document_manual(std::string_view reference, const manual_notes& notes);

}  // namespace gate::config
