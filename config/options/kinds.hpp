#pragma once
/// The kinds of command-line options. A row of an option table says with one of these functions
/// where a value goes, and within which bounds. What is not said keeps the value that it has in the
/// options' struct: the help text shows that as the default.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "config/options/values.hpp"

namespace gate::config {

enum class option_form : std::uint8_t {
  value,   ///< takes a value
  flag,    ///< is set by being there
  action,  ///< chooses what the program does
  help,    ///< chooses to be told about the options, whatever else is chosen
};

/// Of options that are kept in an `O`.
template <class O>
struct option_kind {
  option_form form;
  /// Keeps a value; those without take an empty one.
  option_failure (*read)(O&, std::string_view);
  /// What may be given, in words; null: no words.
  std::string (*range)() = nullptr;
  /// The value that an `O` has, in words; null: no words.
  std::string (*initial)(const O&) = nullptr;
  /// All that may be given; null: that is no list.
  word_list (*words)() = nullptr;
};

namespace detail {
template <class>
struct member_of;
template <class O, class T>
struct member_of<T O::*> {
  using owner = O;
  using type = T;
};
template <auto Member>
using owner_of = typename member_of<decltype(Member)>::owner;
template <auto Member>
using type_of = typename member_of<decltype(Member)>::type;

template <class O>
O owner_of_reader(option_failure (*)(O&, std::string_view));

/// Sets a member to one value, whatever was given.
template <auto Member, auto Value>
option_failure set_to(owner_of<Member>& o, std::string_view) {
  o.*Member = Value;
  return std::nullopt;
}
}  // namespace detail

/// Any text but none.
template <auto Member>
constexpr auto as_text() {
  using owner = detail::owner_of<Member>;
  return option_kind<owner>{option_form::value,
                            [](owner& o, std::string_view text) -> option_failure {
                              o.*Member = text;
                              return std::nullopt;
                            },
                            nullptr, [](const owner& o) { return std::string(o.*Member); }};
}

/// A number within bounds.
template <auto Member, auto Least, auto Most>
constexpr auto as_number() {
  using owner = detail::owner_of<Member>;
  using number = detail::type_of<Member>;
  return option_kind<owner>{option_form::value,
                            [](owner& o, std::string_view text) {
                              return read_number(text, static_cast<number>(Least),
                                                 static_cast<number>(Most), o.*Member);
                            },
                            [] { return number_text(Least) + " to " + number_text(Most); },
                            [](const owner& o) { return number_text(o.*Member); }};
}

/// One of the words of a table.
template <auto Member, const auto& Words>
constexpr auto as_word() {
  using owner = detail::owner_of<Member>;
  return option_kind<owner>{
      option_form::value,
      [](owner& o, std::string_view text) { return read_word(text, Words, o.*Member); },
      [] { return choice_of(Words); }, [](const owner& o) { return word_of(o.*Member, Words); },
      [] { return words_of(Words); }};
}

/// The same where a member has no value as long as none is given.
template <auto Member, const auto& Words>
constexpr auto as_optional_word() {
  using owner = detail::owner_of<Member>;
  using value_type = typename detail::type_of<Member>::value_type;
  return option_kind<owner>{option_form::value,
                            [](owner& o, std::string_view text) {
                              value_type value{};
                              auto wrong = read_word(text, Words, value);
                              if (!wrong) o.*Member = value;
                              return wrong;
                            },
                            [] { return choice_of(Words); }, nullptr,
                            [] { return words_of(Words); }};
}

/// A value that is read in a way of its own: by a function that takes the options and the text.
template <auto Read>
constexpr auto read_by() {
  using owner = decltype(detail::owner_of_reader(Read));
  return option_kind<owner>{option_form::value, Read};
}

template <auto Member>
constexpr auto as_flag() {
  using owner = detail::owner_of<Member>;
  return option_kind<owner>{option_form::flag, detail::set_to<Member, true>};
}

template <auto Member, auto Value>
constexpr auto as_action() {
  using owner = detail::owner_of<Member>;
  return option_kind<owner>{option_form::action, detail::set_to<Member, Value>};
}

template <auto Member, auto Value>
constexpr auto as_help() {
  using owner = detail::owner_of<Member>;
  return option_kind<owner>{option_form::help, detail::set_to<Member, Value>};
}

}  // namespace gate::config
