#include "actors/pipeline/parked.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

#include "actors/pipeline/pipeline.hpp"
#include "simulations/world/fake_exchange.hpp"
#include "tests/actors/pipeline/fake_desk.hpp"

namespace gate::pipeline {
namespace {

// --- what does not compile ----------------------------------------------------------------------

/// Can stage 7 go on with such a call, stage 4, or stage 3?
template <class Held>
concept answerable = requires(Held c, const answered& m, desk& d) {
  proxy_step::resume(std::move(c), m, d);
};
template <class Held>
concept routable = requires(Held c, desk& d) {
  route_step::resume(std::move(c), d);
};
template <class Held>
concept admissible = requires(Held c, const admitted& m) {
  rate_limit_step::resume(std::move(c), m);
};

static_assert(answerable<fact<stage::guard>>);
static_assert(!answerable<fact<stage::route>>, "a call that was not authorised has an answer");
static_assert(!answerable<fact<stage::authorize>>, "and one that no guard has seen");
static_assert(!answerable<fact<stage::proxy>>);
static_assert(!answerable<fact<stage::host>>);
static_assert(!answerable<arrived>);
static_assert(!answerable<call_ptr>);
static_assert(routable<fact<stage::rate_limit>>);
static_assert(!routable<fact<stage::authenticate>>, "a call is routed that was not limited");
static_assert(!routable<call_ptr>);
static_assert(admissible<fact<stage::authenticate>>);
static_assert(!admissible<fact<stage::host>>, "a limit is charged to nobody");
static_assert(!admissible<call_ptr>);

/// Nobody but its step and the parking place makes a fact.
template <stage... S>
constexpr bool facts_are_made_by_others = (... ||
                                           (std::is_constructible_v<fact<S>, call_ptr> ||
                                            std::is_constructible_v<fact<S>, fact_before<S>> ||
                                            std::is_copy_constructible_v<fact<S>>));
static_assert(
    !facts_are_made_by_others<stage::host, stage::authenticate, stage::rate_limit, stage::route,
                              stage::authorize, stage::guard, stage::proxy, stage::egress>);

/// Nor is one emptied in passing.
static_assert(std::is_constructible_v<refused, fact<stage::guard>, refusal>);
static_assert(!std::is_constructible_v<refused, fact<stage::guard>&, refusal>);

// --- what waits ---------------------------------------------------------------------------------

class a_parking_place : public ::testing::Test {
 protected:
  /// A request that has passed stage 1, the true one.
  fact<stage::host> hosted() {
    auto receipt = std::make_shared<sim::receipt>();
    receipts_.push_back(receipt);
    auto from = std::make_shared<sim::fake_exchange>(
        receipt, sim::make_request(verb::get, "/x", {"Host: gate.test"}, ""));
    auto r = host_step::run(
        arrived::deliver(std::make_unique<call>(from, desk_.exit.exits, nullptr,
                                                std::chrono::steady_clock::time_point{})),
        desk_.desk);
    return std::move(std::get<fact<stage::host>>(r));
  }

  sim::fake_desk desk_;
  std::vector<std::shared_ptr<sim::receipt>> receipts_;
  parking place_;
};

TEST_F(a_parking_place, gives_a_call_back_as_what_it_was) {
  auto c = hosted();
  const auto* it = &*c;
  const auto number = place_.add(std::move(c), {partner::body});
  EXPECT_EQ(place_.find(number), it);
  EXPECT_EQ(it->number, number);
  const auto again = place_.take<stage::host>(number);
  ASSERT_TRUE(again);
  EXPECT_EQ(&**again, it);
  EXPECT_FALSE(place_.take<stage::host>(number)) << "once";
  EXPECT_EQ(place_.find(number), nullptr);
  EXPECT_EQ(place_.end(number), nullptr);
}

TEST_F(a_parking_place, gives_it_back_as_nothing_else) {
  const auto number = place_.add(hosted(), {partner::body});
  EXPECT_FALSE(place_.take<stage::authenticate>(number));
  EXPECT_FALSE(place_.take<stage::guard>(number));
  EXPECT_NE(place_.find(number), nullptr) << "it waits on";
  EXPECT_TRUE(place_.take<stage::host>(number));
}

TEST_F(a_parking_place, lets_a_call_end) {
  const auto number = place_.add(hosted(), {partner::mint});
  auto c = place_.end(number);
  ASSERT_TRUE(c);
  EXPECT_FALSE(place_.take<stage::host>(number));
  EXPECT_EQ(place_.count(partner::mint), 0U);
  c->ticket.spend({});
  EXPECT_EQ(desk_.exit.exits.endings.size(), 1U);
}

TEST_F(a_parking_place, knows_whom_each_waits_for) {
  const auto body = place_.add(hosted(), {partner::body});
  const auto first = place_.add(hosted(), {partner::keys, 1});
  const auto second = place_.add(hosted(), {partner::keys, 2});
  const auto third = place_.add(hosted(), {partner::keys, 1});
  EXPECT_EQ(place_.count(partner::keys), 3U);
  EXPECT_EQ(place_.count(partner::limiter), 0U);
  EXPECT_EQ(place_.waiting_for(partner::keys, 1), (std::vector{first, third}));
  EXPECT_EQ(place_.waiting_for(partner::keys, 2), std::vector{second});
  EXPECT_TRUE(place_.waiting_for(partner::limiter).empty());

  place_.wait_for(body, {partner::ledger});
  EXPECT_EQ(place_.count(partner::body), 0U);
  place_.wait_for(second, {partner::ledger});
  EXPECT_EQ(place_.waiting_for(partner::ledger), (std::vector{body, second}));
  EXPECT_TRUE(place_.take<stage::host>(second));
  EXPECT_EQ(place_.waiting_for(partner::ledger), std::vector{body});
  place_.wait_for(~std::uint64_t{0}, {partner::ledger});
  EXPECT_EQ(place_.count(partner::ledger), 1U) << "nobody of that number";

  EXPECT_EQ(place_.all().size(), 3U);
  std::size_t visited = 0;
  place_.for_each([&](const call&) { ++visited; });
  EXPECT_EQ(visited, 3U);
}

TEST_F(a_parking_place, keeps_the_order_in_which_they_came) {
  // Slots are used again, the last one first.
  const auto x = place_.add(hosted(), {partner::health});
  const auto y = place_.add(hosted(), {partner::health});
  place_.end(x);
  place_.end(y);
  const auto a = place_.add(hosted(), {partner::keys});
  const auto b = place_.add(hosted(), {partner::keys});
  EXPECT_EQ(place_.waiting_for(partner::keys), (std::vector{a, b}));
  EXPECT_EQ(place_.count(partner::keys), 2U);
  EXPECT_TRUE(place_.take<stage::host>(a));
  place_.wait_for(b, {partner::mint});
  EXPECT_TRUE(place_.end(b));
  for (const auto& p : partners) EXPECT_EQ(place_.count(p.id), 0U) << static_cast<int>(p.id);
}

TEST_F(a_parking_place, knows_who_has_waited_long_enough) {
  const wait::time_point t{std::chrono::hours{1}};
  EXPECT_EQ(place_.next_late(partner::lists), wait::never);
  const auto later = place_.add(hosted(), {partner::lists, 7, t + std::chrono::seconds{2}});
  const auto sooner = place_.add(hosted(), {partner::lists, 8, t + std::chrono::seconds{1}});
  const auto other = place_.add(hosted(), {partner::fan_out, 0, t});
  EXPECT_EQ(place_.next_late(partner::lists), t + std::chrono::seconds{1});
  EXPECT_FALSE(place_.is_late(sooner, t));
  EXPECT_TRUE(place_.is_late(sooner, t + std::chrono::seconds{1}));
  EXPECT_FALSE(place_.is_late(later, t + std::chrono::seconds{1}));
  EXPECT_TRUE(place_.is_late(other, t));
  EXPECT_TRUE(place_.is_waited_for(partner::lists, 7));
  place_.end(later);
  EXPECT_FALSE(place_.is_waited_for(partner::lists, 7));
  EXPECT_TRUE(place_.is_waited_for(partner::lists, 8));
  place_.wait_for(sooner, {partner::ledger});
  EXPECT_FALSE(place_.is_waited_for(partner::lists, 8));
  EXPECT_EQ(place_.next_late(partner::lists), wait::never);
  EXPECT_FALSE(place_.is_late(sooner, t + std::chrono::hours{1000})) << "not that one";
}

TEST_F(a_parking_place, that_goes_away_answers_all_who_wait) {
  {
    parking short_lived;
    for (int i = 0; i < 3; ++i) short_lived.add(hosted(), {partner::health});
  }
  EXPECT_EQ(desk_.exit.exits.endings.size(), 3U) << "by their tickets";
  for (const auto& r : receipts_) EXPECT_EQ(r->status, 500);
}

TEST(partners, have_a_sentence_where_their_loss_is_a_refusal) {
  for (const auto& p : partners)
    EXPECT_EQ(p.without == loss::refused, !p.sentence.empty()) << static_cast<int>(p.id);
}

}  // namespace
}  // namespace gate::pipeline
