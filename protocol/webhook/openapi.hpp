#pragma once
/// OPENAPI: the description of the API that `GET /openapi.json` answers (OpenAPI 3.1.0), made of
/// the tables that the API itself goes by: routes, parameters of queries, errors, names of events
/// and states, limits. What they do not say is written by hand (openapi_schemas.hpp), and compared
/// with the readers of bodies and the views by a test. Pure; made once, as it takes some 40 kB.
#include <string>
#include <string_view>

namespace gate::webhook {

/// `version`: of the program.
std::string openapi_document(std::string_view version);

}  // namespace gate::webhook
