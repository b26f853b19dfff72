#include "config/catalog_reader.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "config/environment.h"

namespace weir::config {
namespace {

constexpr std::string_view kSqlite = "sqlite:";

bool IsPostgres(std::string_view text) {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

void ReadSqlite(Section& catalog, const std::string& text, LakeSpec& lake) {
  const std::string path = text.starts_with(kSqlite) ? text.substr(kSqlite.size()) : "";
  if (path.empty() || path.starts_with("//") || path.starts_with("~")) {
    catalog.Error("sql", ErrorCode::kBadValue, "`sql` is neither an SQLite file nor PostgreSQL",
                  "write it as sqlite:./lake/catalog.db or postgresql://user@host:5432/database");
    return;
  }
  lake.catalog = CatalogKind::kSqlite;
  lake.catalog_path = AbsolutePath(catalog.context().folder, path);
}

// A URL is printed in messages and kept in records, so a password has no place in it.
bool HoldsPassword(std::string_view url) {
  const std::size_t host = url.rfind('@');
  const std::size_t user = url.find("://") + 3;
  if (host != std::string_view::npos && url.substr(0, host).find(':', user) < host) return true;
  return url.find("password=") != std::string_view::npos;
}

void ReadPostgres(Section& catalog, const std::string& text, LakeSpec& lake) {
  if (HoldsPassword(text)) {
    catalog.Error("sql", ErrorCode::kBadValue, "the URL holds a password",
                  "write postgresql://user@host:5432/database, and the password as "
                  "`password: ${NAME}` or `password: ${file:PATH}`, or set PGPASSWORD");
    return;
  }
  lake.catalog = CatalogKind::kPostgres;
  lake.catalog_path = text;
  lake.catalog_password = catalog.Text("password").value_or("");
}

void ReadSql(Section& catalog, LakeSpec& lake) {
  const auto text = catalog.Text("sql");
  if (!text) return;
  if (IsPostgres(*text)) return ReadPostgres(catalog, *text, lake);
  if (text->starts_with("jdbc:") || text->starts_with("mysql")) {
    catalog.Error("sql", ErrorCode::kNotInThisVersion,
                  "SQL catalogs are in SQLite or PostgreSQL in this version",
                  "write it as postgresql://user@host:5432/database");
    return;
  }
  if (catalog.Has("password")) {
    catalog.Error("password", ErrorCode::kPipelineInvalid, "an SQLite file takes no password");
  }
  ReadSqlite(catalog, *text, lake);
}

bool IsHttp(std::string_view uri) {
  return (uri.starts_with("https://") || uri.starts_with("http://")) &&
         uri.find_first_of(" @#?\"") == std::string_view::npos;
}

void ReadRest(Section rest, LakeSpec& lake) {
  lake.catalog = CatalogKind::kRest;
  lake.catalog_path.clear();
  RestSpec& out = lake.rest;
  out.uri = rest.Text("uri").value_or("");
  for (const char* key : {"uri", "oauth2_uri"}) {
    const auto uri = rest.Text(key);
    if (uri && !IsHttp(*uri)) {
      rest.Error(key, ErrorCode::kBadValue, std::string("`") + key + "` is no address",
                 "write it as https://host:port/path, without user or query");
    }
  }
  out.warehouse = rest.Text("warehouse").value_or("");
  out.token = rest.Text("token").value_or("");
  out.credential = rest.Text("credential").value_or("");
  out.oauth2_uri = rest.Text("oauth2_uri").value_or("");
  out.scope = rest.Text("scope").value_or("");
  out.ca_file = rest.Path("ca").value_or("");
  out.vended_credentials = rest.Boolean("vended_credentials").value_or(false);
  out.signing_service = rest.Text("signing_service").value_or("");
  out.signing_region = rest.Text("signing_region").value_or("");
  if (rest.Has("signing_region") && !rest.Has("signing_service")) {
    rest.Error("signing_region", ErrorCode::kPipelineInvalid,
               "`signing_region` is given without `signing_service`");
  }
  for (const auto& [name, text] : rest.TextMap("headers")) {
    const bool legal = !name.empty() && std::ranges::all_of(name, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    });
    if (!legal || text.text.find_first_of("\r\n") != std::string::npos) {
      rest.Error("headers", ErrorCode::kBadValue, "`" + name + "` is no header that can be sent");
    }
    out.headers[name] = text.text;
  }
  if (rest.Has("token") && rest.Has("credential")) {
    rest.Error("credential", ErrorCode::kPipelineInvalid, "`token` and `credential` are both given",
               "a credential is what tokens are got with; keep one of them");
  }
}

// Whether tables of the format can be found so; reports it otherwise.
bool SuitsFormat(Section& lake, Section& catalog, bool folder, const std::string& format) {
  if (format == "delta" && !folder) {
    lake.Error("catalog", ErrorCode::kPipelineInvalid, "Delta tables have no catalog",
               "leave `catalog` out: they are found by their folders in the warehouse");
    return false;
  }
  if (format == "both" && (folder || catalog.Has("rest"))) {
    catalog.Error(folder ? "folder" : "rest", ErrorCode::kPipelineInvalid,
                  folder ? "with `format: both` the catalog cannot be the folder"
                         : "with `format: both` the catalog cannot be a REST catalog",
                  "leave it out: an SQL catalog finds the Iceberg side, whose metadata lies where "
                  "Delta's VACUUM leaves it alone");
    return false;
  }
  return true;
}

}  // namespace

void ReadCatalog(Section& lake_section, LakeSpec& lake) {
  lake.catalog_path = lake.warehouse + "/catalog.db";
  const bool on_s3 = lake.warehouse.starts_with("s3://");
  if (lake.format == "delta" || on_s3) {
    lake.catalog = CatalogKind::kFolder;
    lake.catalog_path.clear();
  }
  auto catalog = lake_section.Child("catalog");
  if (!catalog && lake.format == "both" && on_s3) {
    lake_section.Error("warehouse", ErrorCode::kPipelineInvalid,
                       "with `format: both` on S3 the Iceberg side needs a catalog",
                       "add {sql: \"sqlite:./catalog.db\"} as `catalog`");
  }
  if (!catalog) return;
  const bool folder = catalog->Boolean("folder").value_or(false);
  const bool sql = catalog->Has("sql");
  auto rest = catalog->Child("rest");
  if (!SuitsFormat(lake_section, *catalog, folder, lake.format)) return;
  const int kinds = int{folder} + int{sql} + int{rest.has_value()};
  if (kinds > 1) {
    catalog->Error(folder ? "folder" : "rest", ErrorCode::kPipelineInvalid,
                   "two kinds of catalog are given", "a lake has one catalog; keep one of them");
  } else if (kinds == 0) {
    // Of a kind of a later version the reader has told already.
    if (catalog->Has("hive") || catalog->Has("glue") || catalog->Has("rest")) return;
    catalog->Error("sql", ErrorCode::kMissingKey,
                   "the catalog is neither `sql` nor `rest` nor `folder`",
                   "write {sql: \"sqlite:PATH\"}, {rest: {uri: ...}} or {folder: true}");
  } else if (folder) {
    lake.catalog = CatalogKind::kFolder;
    lake.catalog_path.clear();
  } else if (sql) {
    ReadSql(*catalog, lake);
  } else {
    ReadRest(*std::move(rest), lake);
  }
}

}  // namespace weir::config
