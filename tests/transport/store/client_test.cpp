#include "transport/store/client.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

#include "tests/transport/support/real_world.hpp"

namespace gate::testing {
namespace {

using boost::system::error_code;

/// Which part of the way was too long is for whoever has to mend it: the name servers of this
/// machine, not the store.
TEST(store_client, says_that_the_name_servers_did_not_answer) {
  real_world w;
  inbox<std::string> opened;
  std::promise<void> end;
  const auto counted = std::make_shared<metrics>();
  std::unique_ptr<store::client> under_test;
  w.on_unit([&] {
    const auto to = resp::parse_store_url("redis://dead.test");
    under_test = std::make_unique<store::client>(
        *scheduler::io_unit::current(), to.value(),
        std::make_shared<store::presence>("redis://dead.test", counted->get(metric::store_up)),
        counted, store::client::callbacks{},
        // Nobody waits for this thread: it keeps what it needs.
        [until = std::shared_future(end.get_future())](const std::string&, std::uint16_t,
                                                       error_code& ec) {
          until.wait();
          ec = boost::asio::error::host_not_found;
          return http::endpoints{};
        });
    under_test->open([&](std::string why) { opened.put(std::move(why)); });
  });
  const auto why = opened.wait();
  EXPECT_NE(why.find("was not looked up within 5000 ms"), std::string::npos) << why;
  EXPECT_NE(why.find("name servers"), std::string::npos) << why;
  w.on_unit([&] { under_test.reset(); });
  end.set_value();
}

}  // namespace
}  // namespace gate::testing
