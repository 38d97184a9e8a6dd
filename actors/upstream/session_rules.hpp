#pragma once
/// The rules of the session generation of the protocol, and how they find each other: each class
/// is about one thing, takes the state of the session and this, and is made by the core.
#include "actors/upstream/session_state.hpp"

namespace gate::upstream {

class approach;
class carrier;
class client_messages;
class input_rounds;
class lifecycle;
class sender;
class server_messages;
class stateless_sender;
class stream_keeper;
class task_bridge;
class task_hearings;
class tenancy;
class watching;
class work_desk;

struct session_rules {
  // Of any generation.
  work_desk& desk;
  tenancy& place;
  approach& way;
  carrier& by;
  // Of this one.
  sender& out;
  lifecycle& life;
  stream_keeper& streams;
  server_messages& server;
  client_messages& client;
  // Of the one without.
  stateless_sender& plain;
  input_rounds& input;
  watching& watch;
  // Between both.
  task_bridge& tasks;
  task_hearings& hearings;
};

}  // namespace gate::upstream
