#pragma once
/// What all lists of one unit have in common: room for pages, items that are equal, and what the
/// log knows of them. Made by ROUTER; shared by its catalogues.
#include <memory>

#include "actors/federation/item_pool.hpp"
#include "actors/federation/page_store.hpp"
#include "actors/federation/told_once.hpp"
#include "protocol/limits.hpp"

namespace gate::federation {

struct commons {
  page_store pages;
  item_pool items;
  told_once late{limits::logged_late};
  told_once duplicates{limits::logged_duplicates};
};
using commons_ptr = std::shared_ptr<commons>;

}  // namespace gate::federation
