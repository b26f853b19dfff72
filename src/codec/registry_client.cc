#include "codec/registry_client.h"

#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/json_depth.h"
#include "http/url.h"

namespace weir::codec {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMaxAnswer = 4 << 20;
constexpr int kMaxJsonDepth = 16;
constexpr std::size_t kMaxReferences = 100;
constexpr int kMaxReferenceDepth = 16;

std::string TextOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

class Client final : public SchemaRegistry {
 public:
  Client(const RegistryOptions& options, std::unique_ptr<http::Transport> transport)
      : root_(options.url), timeout_(options.timeout), transport_(std::move(transport)) {
    while (root_.ends_with('/')) root_.pop_back();
    headers_ = {{"Accept", "application/vnd.schemaregistry.v1+json, application/json"}};
    if (options.password.empty()) return;
    headers_.push_back(
        {"Authorization", options.user.empty()
                              ? "Bearer " + options.password
                              : "Basic " + Base64Encode(options.user + ":" + options.password)});
  }

  Result<RegisteredSchema> ById(std::uint32_t id) override {
    const std::string what = fmt::format("schema {}", id);
    WEIR_ASSIGN_OR_RETURN(const Json json, Get(fmt::format("/schemas/ids/{}", id), what));
    RegisteredSchema schema;
    WEIR_ASSIGN_OR_RETURN(schema.type, TypeOf(json));
    schema.text = TextOf(json, "schema");
    if (schema.text.empty()) return Bad(what + " has no text");
    std::set<std::string> seen;
    WEIR_TRY(AddReferences(json, 0, &seen, &schema));
    return schema;
  }

 private:
  Error Bad(const std::string& why) const {
    return Unavailable("the schema registry " + root_ + ": " + why, ErrorCode::kSourceUnavailable);
  }

  static Result<SchemaType> TypeOf(const Json& json) {
    const std::string type = TextOf(json, "schemaType");
    if (type.empty() || type == "AVRO") return SchemaType::kAvro;
    if (type == "PROTOBUF") return SchemaType::kProtobuf;
    if (type == "JSON") return SchemaType::kJson;
    return NotFound("the schema type " + Printable(type, 40) + " is not known");
  }

  Result<Json> Get(const std::string& path, const std::string& what) {
    const http::Request request{.method = http::Method::kGet,
                                .url = root_ + path,
                                .headers = headers_,
                                .max_answer_bytes = kMaxAnswer,
                                .timeout = timeout_};
    auto response = transport_->Send(request);
    if (!response) return Bad(response.error().message);
    if (response->status == 404) return NotFound(what + " is not in the registry " + root_);
    if (response->status == 401 || response->status == 403) {
      return Refused("the schema registry " + root_ + " wants other credentials",
                     ErrorCode::kSourceRejected);
    }
    if (!response->ok()) return Bad(fmt::format("{}: status {}", what, response->status));
    if (!NestsAtMost(response->body, kMaxJsonDepth)) return Bad(what + ": the answer is too deep");
    Json json = Json::parse(response->body, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) return Bad(what + ": the answer is no JSON object");
    return json;
  }

  // Depth first, so that what others need comes before them.
  Status AddReferences(const Json& json, int depth, std::set<std::string>* seen,
                       RegisteredSchema* schema) {
    const auto references = json.find("references");
    if (references == json.end() || !references->is_array()) return Ok();
    if (depth > kMaxReferenceDepth) return Bad("references nest too deep");
    for (const Json& reference : *references) {
      if (!reference.is_object()) continue;
      const std::string name = TextOf(reference, "name");
      const auto version = reference.find("version");
      if (name.empty() || version == reference.end() || !version->is_number_integer()) {
        return Bad("a reference without name or version");
      }
      if (!seen->insert(name).second) continue;
      if (seen->size() > kMaxReferences) return Bad("too many references");
      const std::string path =
          fmt::format("/subjects/{}/versions/{}", http::PercentEncode(TextOf(reference, "subject")),
                      version->get<std::int64_t>());
      WEIR_ASSIGN_OR_RETURN(const Json found, Get(path, "the reference " + Printable(name, 80)));
      WEIR_TRY(AddReferences(found, depth + 1, seen, schema));
      schema->references.push_back({.name = name, .text = TextOf(found, "schema")});
    }
    return Ok();
  }

  std::string root_;
  Micros timeout_;
  http::Headers headers_;
  std::unique_ptr<http::Transport> transport_;
};

}  // namespace

std::unique_ptr<SchemaRegistry> NewRegistryClient(const RegistryOptions& options,
                                                  std::unique_ptr<http::Transport> transport) {
  if (!transport) {
    http::ClientOptions client;
    client.ca_file = options.ca_file;
    client.connect_timeout = options.timeout;
    transport = http::NewClient(client);
  }
  return std::make_unique<Client>(options, std::move(transport));
}

}  // namespace weir::codec
