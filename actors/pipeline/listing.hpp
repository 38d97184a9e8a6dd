#pragma once
/// What stages 4 and 7 find out about lists and the federation, for themselves and stage 8.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "protocol/mcp/cursor.hpp"
#include "protocol/mcp/list_rest.hpp"
#include "protocol/mcp/methods.hpp"
#include "protocol/mcp/server_features.hpp"
#include "protocol/refusals.hpp"

namespace gate::pipeline {

/// A list as one caller sees it. Stage 8 cuts a page of it (page.hpp) in the same turn: nothing
/// waits between stages 7 and 8, and it does not hold any longer.
class listing {
 public:
  struct page {
    std::shared_ptr<const std::string> head;  ///< the raw result, up to what follows the list
    std::uint64_t count = 0;                  ///< of its items
    std::optional<std::uint64_t> next;        ///< where the following page begins
  };
  virtual ~listing() = default;
  /// What its cursors say: which list this is, but for the offset.
  virtual mcp::cursor_content identity() const = 0;
  /// Nothing: no page begins there.
  virtual std::optional<page> at(std::uint64_t offset) = 0;
  /// Does an upstream's part lack? Then it is a list of the moment, which nobody should keep.
  virtual bool partial() const = 0;
  /// Members that stand beside every page, `,"_meta":…`, without the closing brace; `first`: it is
  /// the first page.
  virtual std::string beside(bool first) const = 0;
  /// Is `_meta` a member of that page's head already?
  virtual bool has_meta(bool first) const = 0;
  /// What those whose lists it is made of say of keeping it.
  virtual mcp::list_caching caching() const = 0;
};

/// The list that was asked for, or why there is none.
struct list_outcome {
  enum class state : std::uint8_t {
    ready,
    waiting,
    refused,  ///< by the guards of all upstreams
    all_down,
    upstream_error,
  } what;
  std::unique_ptr<listing> list{};  ///< with `ready`
  std::string
      detail{};  ///< ids of upstreams that are down, or the only upstream's own error object
  std::shared_ptr<const gate::refusal> refusal{};  ///< with `refused`
};

/// Which upstream owns a resource.
struct owner_outcome {
  enum class state : std::uint8_t { found, waiting, nobody };
  state what = state::nobody;
  std::size_t index = 0;
  mcp::list_kind awaited = mcp::list_kind::none;  ///< with `waiting`
  std::string missing;  ///< with `nobody`: ids of upstreams whose list is missing
};

/// What is known of the tool that a call is about.
struct tool_outcome {
  bool waiting = false;                                       ///< the call is to wait
  std::shared_ptr<const mcp::stateless::tool_rules> rules{};  ///< null: nothing
};

/// What the federation's servers say of themselves.
struct federation_abilities {
  mcp::server_features features;
  std::shared_ptr<const std::string> instructions;  ///< raw JSON string
  bool whole = true;  ///< each server that the caller may use has been heard
};

}  // namespace gate::pipeline
