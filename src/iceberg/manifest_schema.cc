#include "iceberg/manifest_schema.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weir::iceberg {
namespace {

Json Required(const char* name, int id, Json type) {
  return {{"name", name}, {"type", std::move(type)}, {"field-id", id}};
}

Json Optional(const char* name, int id, Json type) {
  Json either = Json::array({"null"});
  either.push_back(std::move(type));
  return {{"name", name}, {"type", std::move(either)}, {"default", nullptr}, {"field-id", id}};
}

Json Record(const std::string& name, Json fields) {
  return {{"type", "record"}, {"name", name}, {"fields", std::move(fields)}};
}

// A map whose keys are field ids: Avro's own maps have text keys only.
Json MapById(int key_id, int value_id, const char* value_type) {
  Json item = Record(
      fmt::format("k{}_v{}", key_id, value_id),
      Json::array({Required("key", key_id, "int"), Required("value", value_id, value_type)}));
  return {{"type", "array"}, {"items", std::move(item)}, {"logicalType", "map"}};
}

Json List(int element_id, Json items) {
  return {{"type", "array"}, {"items", std::move(items)}, {"element-id", element_id}};
}

Json PartitionRecord(const PartitionType& type) {
  Json fields = Json::array();
  std::set<std::string> defined;
  for (const PartitionColumn& column : type) {
    const std::string name = AvroName(column.name);
    Json avro_type = AvroTypeOf(column.type);
    // A named type is defined once and then only named.
    if (const auto type_name = FindText(avro_type, "name");
        type_name && !defined.insert(*type_name).second) {
      avro_type = *type_name;
    }
    Json field = Optional(name.c_str(), column.field_id, std::move(avro_type));
    if (name != column.name) field["iceberg-field-name"] = column.name;
    fields.push_back(std::move(field));
  }
  return Record("r102", std::move(fields));
}

Json DataFileRecord(Json partition) {
  return Record("r2", Json::array({
                          Required("content", 134, "int"),
                          Required("file_path", 100, "string"),
                          Required("file_format", 101, "string"),
                          Required("partition", 102, std::move(partition)),
                          Required("record_count", 103, "long"),
                          Required("file_size_in_bytes", 104, "long"),
                          Optional("column_sizes", 108, MapById(117, 118, "long")),
                          Optional("value_counts", 109, MapById(119, 120, "long")),
                          Optional("null_value_counts", 110, MapById(121, 122, "long")),
                          Optional("nan_value_counts", 137, MapById(138, 139, "long")),
                          Optional("lower_bounds", 125, MapById(126, 127, "bytes")),
                          Optional("upper_bounds", 128, MapById(129, 130, "bytes")),
                          Optional("key_metadata", 131, "bytes"),
                          Optional("split_offsets", 132, List(133, "long")),
                          Optional("equality_ids", 135, List(136, "int")),
                          Optional("sort_order_id", 140, "int"),
                      }));
}

}  // namespace

const std::string& ManifestListSchema() {
  static const std::string kSchema = [] {
    const Json summary = Record("r508", Json::array({
                                            Required("contains_null", 509, "boolean"),
                                            Optional("contains_nan", 518, "boolean"),
                                            Optional("lower_bound", 510, "bytes"),
                                            Optional("upper_bound", 511, "bytes"),
                                        }));
    return DumpJson(Record("manifest_file", Json::array({
                                                Required("manifest_path", 500, "string"),
                                                Required("manifest_length", 501, "long"),
                                                Required("partition_spec_id", 502, "int"),
                                                Required("content", 517, "int"),
                                                Required("sequence_number", 515, "long"),
                                                Required("min_sequence_number", 516, "long"),
                                                Required("added_snapshot_id", 503, "long"),
                                                Required("added_files_count", 504, "int"),
                                                Required("existing_files_count", 505, "int"),
                                                Required("deleted_files_count", 506, "int"),
                                                Required("added_rows_count", 512, "long"),
                                                Required("existing_rows_count", 513, "long"),
                                                Required("deleted_rows_count", 514, "long"),
                                                Optional("partitions", 507, List(508, summary)),
                                                Optional("key_metadata", 519, "bytes"),
                                            })));
  }();
  return kSchema;
}

// Each manifest needs one, and only the partition differs: the rest is made once.
std::string ManifestSchema(const PartitionType& type) {
  static const std::string kPlaceholder = "\"the partition\"";
  static const std::string kAround = DumpJson(
      Record("manifest_entry", Json::array({
                                   Required("status", 0, "int"),
                                   Optional("snapshot_id", 1, "long"),
                                   Optional("sequence_number", 3, "long"),
                                   Optional("file_sequence_number", 4, "long"),
                                   Required("data_file", 2, DataFileRecord("the partition")),
                               })));
  static const std::size_t kAt = kAround.find(kPlaceholder);
  return kAround.substr(0, kAt) + DumpJson(PartitionRecord(type)) +
         kAround.substr(kAt + kPlaceholder.size());
}

}  // namespace weir::iceberg
