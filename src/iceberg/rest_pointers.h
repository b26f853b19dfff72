#pragma once
// RestPointers: a REST catalog. Its server makes the metadata files; we write manifests and tell it
// what becomes of the table (metadata_changes.h). Requests and answers follow the Iceberg REST
// specification.
//
// A commit whose answer is a 5xx, a broken connection or unreadable is unknown. One that the server
// refuses with 409 may still be the echo of its own success, when something between us and the
// server sent it twice; so its files are left to the clean-up.

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "iceberg/pointers.h"
#include "iceberg/rest_client.h"
#include "iceberg/vended_credentials.h"

namespace weir::iceberg {

class RestPointers final : public Pointers {
 public:
  /// `vended` takes up credentials that come with tables; nullptr: none are asked for.
  explicit RestPointers(std::shared_ptr<RestClient> client,
                        std::unique_ptr<VendedCredentials> vended = nullptr)
      : client_(std::move(client)), vended_(std::move(vended)) {}

  Result<CurrentMetadata> Current(const connect::TableName& name) override;
  std::string NextLocation(std::string_view folder, const Attempt& attempt) const override;
  MetadataWriter metadata_writer() const override { return MetadataWriter::kCatalog; }
  Result<SwapOutcome> Swap(std::span<const PointerSwap> swaps) override;
  bool joint_swaps() const override;
  Status Insert(const connect::TableName& name, const std::string& location,
                std::string_view text) override;
  Status Rename(const std::vector<connect::TableRename>& renames) override;
  Result<std::vector<connect::TableName>> List() override;
  Status Check() override;
  std::string Describe() const override { return "rest:" + uri(); }

 private:
  struct Known {
    std::string etag;
    CurrentMetadata current;
  };
  const std::string& uri() const { return client_->uri(); }
  Result<CurrentMetadata> ReadTable(Json body, const std::string& what);
  Result<http::Response> Ask(const RestClient::Call& call);
  Result<http::Response> MakeTable(const connect::TableName& name, const Json& request);
  Status MakeNamespaces(const std::vector<std::string>& levels);
  Result<SwapOutcome> OutcomeOf(const Result<http::Response>& response, const std::string& what);
  Result<std::vector<Json>> Pages(const std::string& path, const std::string& query,
                                  const char* key);

  std::shared_ptr<RestClient> client_;
  std::unique_ptr<VendedCredentials> vended_;
  std::atomic<bool> joint_refused_ = false;  // it offered the step and did not know it
  std::mutex mutex_;
  std::map<connect::TableName, Known> known_;  // guarded by mutex_; what the server tagged
};

}  // namespace weir::iceberg
