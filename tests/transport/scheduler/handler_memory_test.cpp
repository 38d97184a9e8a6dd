#include "transport/scheduler/handler_memory.hpp"

#include <gtest/gtest.h>

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstring>

namespace gate::scheduler {
namespace {

struct small {
  char bytes[64];
};
struct large {
  char bytes[1000];
};

TEST(handler_memory, is_used_again_and_again) {
  handler_memory m;
  const handler_memory::allocator_of<small> a(m);
  auto allocate = a;
  auto* first = allocate.allocate(1);
  std::memset(first, 1, sizeof *first);
  auto* second = allocate.allocate(1);
  EXPECT_NE(second, first) << "it is in use";
  std::memset(second, 2, sizeof *second);
  EXPECT_EQ(first->bytes[0], 1);
  allocate.deallocate(second, 1);
  allocate.deallocate(first, 1);
  auto* again = allocate.allocate(1);
  if (memory_is_recycled) {
    EXPECT_EQ(again, first);
  }
  allocate.deallocate(again, 1);
}

TEST(handler_memory, what_is_too_large_for_it_is_allocated) {
  handler_memory m;
  handler_memory::allocator_of<large> allocate(m);
  auto* one = allocate.allocate(1);
  std::memset(one, 1, sizeof *one);
  handler_memory::allocator_of<small> other(allocate);
  auto* two = other.allocate(1);
  std::memset(two, 2, sizeof *two);
  EXPECT_EQ(one->bytes[sizeof one->bytes - 1], 1);
  other.deallocate(two, 1);
  allocate.deallocate(one, 1);
}

/// Each handler's memory is free when it runs.
TEST(handler_memory, serves_a_handler_that_starts_its_successor) {
  handler_memory m;
  boost::asio::io_context context;
  int left = 100;
  struct step {
    handler_memory& memory;
    boost::asio::io_context& context;
    int& left;
    void operator()() const {
      if (--left > 0)
        boost::asio::post(context, boost::asio::bind_allocator(memory.allocator(), step(*this)));
    }
  };
  boost::asio::post(context, boost::asio::bind_allocator(m.allocator(), step{m, context, left}));
  context.run();
  EXPECT_EQ(left, 0);
  left = 2;  // this one never runs, and its memory is given back as well
  boost::asio::post(context, boost::asio::bind_allocator(m.allocator(), step{m, context, left}));
}

}  // namespace
}  // namespace gate::scheduler
