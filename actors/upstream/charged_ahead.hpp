#pragma once
/// An answer of BUDGET, as UPSTREAM hands it on with its request: what is not taken is given back
/// to the very one that has charged it.
#include <caf/send.hpp>
#include <utility>

#include "actors/interfaces.hpp"
#include "actors/upstream/prepaid.hpp"

namespace gate::upstream {

class charged_ahead final : public prepaid {
 public:
  charged_ahead(budget_handle by, charged said) : by_(std::move(by)), said_(std::move(said)) {}
  ~charged_ahead() override {
    if (said_.paid && by_) caf::anon_send(by_, refund{std::move(said_.paid), said_.at});
  }
  charged_ahead(const charged_ahead&) = delete;
  charged_ahead& operator=(const charged_ahead&) = delete;

  charged take() override {
    auto out = said_;
    said_.paid = nullptr;
    return out;
  }

 private:
  budget_handle by_;
  charged said_;
};

}  // namespace gate::upstream
