#include "app/wiring.h"

#include <algorithm>
#include <filesystem>

#include "app/absent_catalog.h"
#include "app/log_target.h"
#include "delta/catalog.h"
#include "delta/maintenance.h"
#include "engine/twin_catalog.h"
#include "iceberg/catalog.h"
#include "io/s3_credentials.h"
#include "state/state_log.h"

namespace weir::app {
namespace {

// Of an object store it is the asking that tells.
bool IsThere(const std::string& path) {
  if (io::IsS3Location(path)) return true;
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// Where a catalog is that may be missing; nullptr for servers, which are asked.
const std::string* CatalogPath(const config::LakeSpec& lake) {
  if (lake.catalog == config::CatalogKind::kFolder) return &lake.warehouse;
  return lake.catalog == config::CatalogKind::kSqlite ? &lake.catalog_path : nullptr;
}

iceberg::RestOptions RestOptionsOf(const config::RestSpec& rest, const io::S3Options& s3) {
  return {.uri = rest.uri,
          .warehouse = rest.warehouse,
          .token = rest.token,
          .credential = rest.credential,
          .oauth2_uri = rest.oauth2_uri,
          .scope = rest.scope,
          .headers = rest.headers,
          .signing_service = rest.signing_service,
          .signing_region = rest.signing_region.empty() ? s3.region : rest.signing_region,
          .signing_credentials = s3.credentials,
          .vended_credentials = rest.vended_credentials,
          .ca_file = rest.ca_file};
}

Result<std::unique_ptr<connect::Catalog>> OpenIceberg(const config::LakeSpec& lake,
                                                      const io::StoreOptions& stores) {
  switch (lake.catalog) {
    case config::CatalogKind::kFolder:
      return iceberg::OpenFolderCatalog(lake.warehouse, stores, SystemClock());
    case config::CatalogKind::kPostgres:
      return iceberg::OpenPostgresCatalog(
          lake.name, {.url = lake.catalog_path, .password = lake.catalog_password}, lake.warehouse,
          stores, SystemClock());
    case config::CatalogKind::kRest:
      return iceberg::OpenRestCatalog(RestOptionsOf(lake.rest, stores.s3), stores, SystemClock());
    case config::CatalogKind::kSqlite:
      break;
  }
  return iceberg::OpenSqlCatalog(lake.name, lake.catalog_path, lake.warehouse, stores,
                                 SystemClock());
}

// The files belong to both sides; the leading one removes them.
Result<std::unique_ptr<connect::Catalog>> OpenBoth(const config::LakeSpec& lake,
                                                   const io::StoreOptions& stores) {
  WEIR_ASSIGN_OR_RETURN(auto iceberg, OpenIceberg(lake, stores));
  WEIR_ASSIGN_OR_RETURN(auto delta, delta::OpenCatalog(lake.warehouse, stores, SystemClock()));
  return engine::NewTwinCatalog(std::move(iceberg), std::move(delta),
                                {.metadata_root = io::WrittenLocation(lake.warehouse),
                                 .following = {{delta::kFilesProperty, "shared"}}});
}

}  // namespace

Result<std::unique_ptr<connect::LogSource>> OpenSource(const config::PipelineSpec& spec) {
  // Headers cost a copy of each record's; only a table of raw records shows them.
  const bool want_headers =
      std::ranges::count(spec.tables, config::TableFrom::kSource, &config::TableSpec::from) > 0;
  return OpenReader(spec.source, want_headers);
}

Result<std::unique_ptr<connect::Catalog>> OpenCatalog(const config::PipelineSpec& spec) {
  const config::LakeSpec& lake = spec.lake;
  const io::StoreOptions stores = StoresOf(spec);
  if (lake.format == "both") return OpenBoth(lake, stores);
  if (lake.format == "delta") return delta::OpenCatalog(lake.warehouse, stores, SystemClock());
  return OpenIceberg(lake, stores);
}

Result<std::unique_ptr<io::Store>> OpenState(const config::PipelineSpec& spec) {
  return io::OpenLocation(spec.state, StoresOf(spec), io::FolderAccess::kPrivate);
}

Result<std::unique_ptr<connect::Catalog>> OpenCatalogToRun(const config::PipelineSpec& spec,
                                                           io::Store& state) {
  const std::string* path = CatalogPath(spec.lake);
  std::error_code error;
  // What may not be looked at is no reason to think that it is gone; opening it tells.
  if (path != nullptr && !io::IsS3Location(*path) &&
      std::filesystem::status(*path, error).type() == std::filesystem::file_type::not_found) {
    WEIR_ASSIGN_OR_RETURN(const auto claims, state::StateLog(state).ClaimNumbers());
    if (!claims.empty()) {
      return WithRemedy(Unavailable("the catalog " + *path + " is not there, but pipeline " +
                                        spec.name + " has written tables through it",
                                    ErrorCode::kCatalogUnavailable),
                        "bring it back (mount the disk, restore the file), then start again");
    }
  }
  return OpenCatalog(spec);
}

Result<std::unique_ptr<connect::Catalog>> OpenCatalogToRead(const config::PipelineSpec& spec) {
  const std::string* path = CatalogPath(spec.lake);
  if (path == nullptr || IsThere(*path)) return OpenCatalog(spec);
  return std::make_unique<AbsentCatalog>(*path);
}

Result<std::unique_ptr<io::Store>> OpenStateToRead(const config::PipelineSpec& spec) {
  if (IsThere(spec.state)) return OpenState(spec);
  return io::NewMemoryStore();
}

io::StoreOptions StoresOf(const config::PipelineSpec& spec) {
  const config::S3Spec& given = spec.s3;
  io::S3Options s3;
  s3.endpoint = given.endpoint;
  if (s3.endpoint.empty()) s3.endpoint = io::DefaultEndpoint();
  s3.region = given.region.empty() ? io::DefaultRegion() : given.region;
  s3.path_style = given.path_style.value_or(!s3.endpoint.empty());
  s3.ca_file = given.ca_file;
  if (!given.access_key.empty()) {
    s3.credentials = io::FixedCredentials({.access_key = given.access_key,
                                           .secret_key = given.secret_key,
                                           .session_token = given.session_token});
  }
  s3.transport = io::NewS3Transport(s3);  // shared by all stores that this opens
  // What a catalog hands out is known to all of the process that reach tables' files.
  static const auto kGranted = std::make_shared<io::GrantedPlaces>();
  return {.s3 = std::move(s3), .granted = kGranted};
}

engine::StoreOpener TableStores(const config::PipelineSpec& spec) {
  return [stores = StoresOf(spec)](const std::string& location) {
    return io::OpenLocation(location, stores, io::FolderAccess::kShared);
  };
}

std::string DescribeSource(const config::SourceSpec& source) {
  const bool is_kafka = source.kind == config::SourceKind::kKafka;
  return "topic " + source.topic + " of " +
         (is_kafka ? source.brokers : "log " + source.spool_path);
}

}  // namespace weir::app
