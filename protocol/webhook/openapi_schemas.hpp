#pragma once
/// The shapes of bodies and parameters, as JSON Schema (2020-12), written by hand. A word between
/// percent signs stands for what a table of the program says: a limit by its name, or
///
///   %events%     names of events, with commas     %hook%      the pattern of a webhook's id
///   %states%     the same of deliveries           %delivery%  of a delivery's
///   %disabled%   why a webhook is not enabled     %codes%     the codes of errors
///
/// Made into text by `filled_in`; asked by openapi.hpp.
#include <array>
#include <string>
#include <string_view>

namespace gate::webhook {

struct parameter_row {
  std::string_view name;
  std::string_view schema;
  std::string_view meaning;
};
/// Of queries.
inline constexpr std::array parameter_rows{
    // clang-format off
    parameter_row{"limit",   R"({"type":"integer","minimum":1,"maximum":%webhook_page_most%,"default":%webhook_page_usual%})", "How many elements at most. There may be fewer, and more behind them."},
    parameter_row{"cursor",  R"({"type":"string","maxLength":%webhook_cursor_bytes%})", "Where to go on: what `next` of the answer before said."},
    parameter_row{"status",  R"({"enum":[%states%]})", "Only deliveries that stand there."},
    parameter_row{"event",   R"({"enum":[%events%]})", "Only deliveries of this event."},
    parameter_row{"webhook", R"({"type":"string","pattern":"%hook%"})", "Only deliveries of this webhook."},
    // clang-format on
};

/// `components.schemas`
inline constexpr std::string_view schemas = R"json({
"EventName":{"enum":[%events%]},
"NewWebhook":{"type":"object","additionalProperties":false,"required":["url"],
 "oneOf":[{"required":["event"]},{"required":["events"]}],
 "properties":{
  "event":{"$ref":"#/components/schemas/EventName"},
  "events":{"$ref":"#/components/schemas/EventNames"},
  "url":{"$ref":"#/components/schemas/ReceiverUrl"},
  "secret":{"$ref":"#/components/schemas/Secret"},
  "description":{"$ref":"#/components/schemas/Description"},
  "enabled":{"type":"boolean","default":true}}},
"WebhookChanges":{"type":"object","additionalProperties":false,"minProperties":1,
 "not":{"required":["event","events"]},
 "properties":{
  "event":{"$ref":"#/components/schemas/EventName"},
  "events":{"$ref":"#/components/schemas/EventNames"},
  "url":{"$ref":"#/components/schemas/ReceiverUrl"},
  "description":{"$ref":"#/components/schemas/Description"},
  "enabled":{"type":"boolean"}}},
"Rotation":{"type":"object","additionalProperties":false,
 "properties":{"secret":{"$ref":"#/components/schemas/Secret"}}},
"Nothing":{"type":"object","additionalProperties":false},
"EventNames":{"description":"Several events, or * alone for all.","type":"array","minItems":1,
 "uniqueItems":true,"items":{"enum":[%events%,"*"]}},
"ReceiverUrl":{"description":"https, with a public host. At most %webhook_url_bytes% bytes.",
 "type":"string","format":"uri","maxLength":%webhook_url_bytes%},
"Secret":{"description":"Printable ASCII. What begins with whsec_ is a key of
 %webhook_key_least% to %webhook_key_most% bytes in base64 with padding.","type":"string",
 "minLength":%webhook_secret_least%,"maxLength":%webhook_secret_most%,"pattern":"^[ -~]*$"},
"Description":{"description":"At most %webhook_description_bytes% bytes of UTF-8, none of them 0.",
 "type":"string","maxLength":%webhook_description_bytes%},
"NewEvent":{"description":"As it is delivered, shorter than %webhook_body_bytes% bytes.",
 "type":"object","additionalProperties":false,"required":["type","data"],
 "properties":{
  "type":{"$ref":"#/components/schemas/EventName"},
  "timestamp":{"description":"Of the years 1970 to 2199; without it, when it was posted.",
   "type":"string","format":"date-time"},
  "data":{"description":"Any JSON, nested at most %webhook_data_depth% deep; kept byte for byte."
  }}},
"NewEvents":{"oneOf":[{"$ref":"#/components/schemas/NewEvent"},{"type":"array","minItems":1,
 "maxItems":%webhook_batch%,"items":{"$ref":"#/components/schemas/NewEvent"}}]},
"AcceptedEvent":{"type":"object","required":["id","deliveries"],
 "properties":{
  "id":{"type":"string","maxLength":%webhook_event_id_bytes%},
  "deliveries":{"description":"Webhooks that it goes to.","type":"integer","minimum":0}}},
"Accepted":{"description":"Of one event, or of each of an array in its order.","oneOf":[
 {"$ref":"#/components/schemas/AcceptedEvent"},
 {"type":"array","items":{"$ref":"#/components/schemas/AcceptedEvent"}}]},
"Webhook":{"type":"object","required":["id","url","enabled","created_at","updated_at","stats"],
 "oneOf":[{"required":["event"]},{"required":["events"]}],
 "properties":{
  "id":{"type":"string","pattern":"%hook%"},
  "event":{"$ref":"#/components/schemas/EventName"},
  "events":{"$ref":"#/components/schemas/EventNames"},
  "url":{"type":"string"},
  "enabled":{"type":"boolean"},
  "description":{"type":"string"},
  "created_at":{"type":"string","format":"date-time"},
  "updated_at":{"type":"string","format":"date-time"},
  "disabled_reason":{"enum":[%disabled%]},
  "secret":{"description":"In the answer that made or rotated it, and never again.",
   "type":"string"},
  "secret_hint":{"description":"Its last four characters.","type":"string"},
  "stats":{"type":"object","required":["succeeded","failed","last_status","last_at"],
   "properties":{
    "succeeded":{"type":"integer","minimum":0},
    "failed":{"type":"integer","minimum":0},
    "last_status":{"type":["integer","null"]},
    "last_at":{"type":["string","null"],"format":"date-time"}}}}},
"Webhooks":{"type":"object","required":["webhooks"],"properties":{
 "webhooks":{"type":"array","items":{"$ref":"#/components/schemas/Webhook"}},
 "next":{"type":"string"}}},
"Delivery":{"type":"object",
 "required":["id","webhook_id","event_id","event_type","status","attempts","created_at"],
 "properties":{
  "id":{"type":"string","pattern":"%delivery%"},
  "webhook_id":{"type":"string","pattern":"%hook%"},
  "event_id":{"type":"string","maxLength":%webhook_event_id_bytes%},
  "event_type":{"$ref":"#/components/schemas/EventName"},
  "status":{"enum":[%states%]},
  "attempts":{"type":"integer","minimum":0},
  "response_code":{"type":"integer"},
  "response_body":{"description":"The first %webhook_answer_bytes% bytes.","type":"string"},
  "error":{"type":"string"},
  "next_attempt_at":{"type":"string","format":"date-time"},
  "created_at":{"type":"string","format":"date-time"},
  "finished_at":{"type":"string","format":"date-time"},
  "attempt_log":{"description":"Oldest first; where one delivery is read.","type":"array",
   "maxItems":%ledger_attempts%,"items":{"type":"object","required":["at","duration_ms"],
    "properties":{
     "at":{"type":"string","format":"date-time"},
     "duration_ms":{"type":"integer","minimum":0},
     "code":{"type":"integer"},
     "error":{"type":"string"}}}}}},
"Deliveries":{"type":"object","required":["deliveries"],"properties":{
 "deliveries":{"type":"array","items":{"$ref":"#/components/schemas/Delivery"}},
 "next":{"type":"string"}}},
"DeadLetter":{"allOf":[{"$ref":"#/components/schemas/Delivery"},
 {"type":"object","required":["age_seconds"],"properties":{
  "first_failed_at":{"type":"string","format":"date-time"},
  "last_failed_at":{"type":"string","format":"date-time"},
  "age_seconds":{"description":"Since it was given up.","type":"integer","minimum":0}}}]},
"DeadLetters":{"type":"object","required":["entries"],"properties":{
 "entries":{"type":"array","items":{"$ref":"#/components/schemas/DeadLetter"}},
 "next":{"type":"string"}}},
"DeadLetterStats":{"type":"object","required":["total","by_event","by_age","oldest_at"],
 "properties":{
  "total":{"type":"integer","minimum":0},
  "by_event":{"type":"object","propertyNames":{"$ref":"#/components/schemas/EventName"},
   "additionalProperties":{"type":"integer","minimum":0}},
  "by_age":{"type":"object","required":["1h","24h","7d","older"],
   "additionalProperties":{"type":"integer","minimum":0}},
  "oldest_at":{"type":["string","null"],"format":"date-time"}}},
"Retried":{"type":"object","required":["retried","succeeded","failed"],"properties":{
 "retried":{"description":"Those that were made due. What has not ended when this is answered is
 neither of the others.","type":"integer","minimum":0},
 "succeeded":{"type":"integer","minimum":0},
 "failed":{"type":"integer","minimum":0}}},
"Tried":{"description":"What the receiver answered, or why there was no answer.",
 "type":"object","required":["success"],"properties":{
 "success":{"type":"boolean"},
 "status":{"type":"integer"},
 "status_text":{"type":"string"},
 "error":{"type":"string"}}},
"Health":{"type":"object","required":["status","version","store"],"properties":{
 "status":{"enum":["ok","down"]},
 "version":{"type":"string"},
 "store":{"enum":["ok","down"]},
 "webhooks":{"type":"integer","minimum":0},
 "deliveries":{"type":"object","required":[%states%],
  "additionalProperties":{"type":"integer","minimum":0}},
 "oldest_due_at":{"type":"string","format":"date-time"},
 "dev_loopback":{"description":"http and receivers on this machine are allowed.",
  "const":true}}},
"Error":{"type":"object","required":["error","code"],"properties":{
 "error":{"description":"A sentence.","type":"string"},
 "code":{"enum":[%codes%]},
 "details":{"description":"Where it is: in the body (RFC 6901), the query or the header.",
  "type":"object","properties":{
  "pointer":{"type":"string"},
  "parameter":{"type":"string"},
  "header":{"type":"string"}}},
 "hint":{"description":"What to do.","type":"string"}}}
})json";

/// With what the tables say in place of each `%word%`, and without line feeds. A word that no table
/// has is a bug: it throws.
std::string filled_in(std::string_view text);

}  // namespace gate::webhook
