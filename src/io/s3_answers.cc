#include "io/s3_answers.h"

#include <charconv>

#include "base/bytes.h"
#include "io/xml.h"

namespace weir::io {
namespace {

std::optional<std::int64_t> Number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<XmlElement> ParseAs(std::string_view xml, std::string_view root) {
  WEIR_ASSIGN_OR_RETURN(XmlElement element, ParseXml(xml));
  if (element.name != root) {
    return Corrupt("the object store answered <" + Printable(element.name, 40) + ">, not <" +
                   std::string(root) + ">");
  }
  return element;
}

S3Fault FaultOf(const XmlElement& element) {
  return {.code = Printable(element.TextOf("Code"), 60),
          .message = Printable(element.TextOf("Message")),
          .region = Printable(element.TextOf("Region"), 40)};
}

}  // namespace

std::optional<Micros> ReadIsoTime(std::string_view text) {
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':' || text.back() != 'Z') {
    return std::nullopt;
  }
  const auto field = [&](std::size_t at, std::size_t size) {
    return Number(text.substr(at, size));
  };
  const auto year = field(0, 4), month = field(5, 2), day = field(8, 2);
  const auto hour = field(11, 2), minute = field(14, 2), second = field(17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  if (*month < 1 || *month > 12 || *day < 1 || *day > 31 || *hour > 23 || *minute > 59 ||
      *second > 60 || *year < 1970) {
    return std::nullopt;
  }
  Micros time = kMicrosPerDay * DayOf(static_cast<int>(*year), static_cast<unsigned>(*month),
                                      static_cast<unsigned>(*day));
  time += ((*hour * 60 + *minute) * 60 + *second) * kMicrosPerSecond;
  Micros unit = kMicrosPerSecond / 10;
  for (std::size_t i = 20; text[19] == '.' && i + 1 < text.size() && unit > 0; ++i, unit /= 10) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    time += (text[i] - '0') * unit;
  }
  return time;
}

Result<S3ListPage> ReadListPage(std::string_view xml) {
  WEIR_ASSIGN_OR_RETURN(const XmlElement root, ParseAs(xml, "ListBucketResult"));
  S3ListPage page;
  for (const XmlElement& child : root.children) {
    if (child.name != "Contents") continue;
    const auto size = Number(child.TextOf("Size"));
    const auto modified = ReadIsoTime(child.TextOf("LastModified"));
    if (child.TextOf("Key").empty() || !size || *size < 0 || !modified) {
      return Corrupt("a listing of the object store lacks a key, size or time");
    }
    page.objects.push_back({.key = std::string(child.TextOf("Key")),
                            .size = *size,
                            .modified_ms = *modified / kMicrosPerMilli});
  }
  const bool truncated = root.TextOf("IsTruncated") == "true";
  if (truncated) page.next = root.TextOf("NextContinuationToken");
  if (truncated && page.next.empty()) {
    return Corrupt("a listing of the object store is cut and does not say where it goes on");
  }
  return page;
}

S3Fault ReadFault(std::string_view xml) {
  const auto root = ParseXml(xml);
  if (!root || root->name != "Error") return {};
  return FaultOf(*root);
}

Result<std::string> ReadUploadId(std::string_view xml) {
  WEIR_ASSIGN_OR_RETURN(const XmlElement root, ParseAs(xml, "InitiateMultipartUploadResult"));
  std::string id(root.TextOf("UploadId"));
  if (id.empty() || id.size() > 4'096) return Corrupt("the object store gave no upload id");
  return id;
}

Result<std::vector<S3Upload>> ReadUploads(std::string_view xml) {
  WEIR_ASSIGN_OR_RETURN(const XmlElement root, ParseAs(xml, "ListMultipartUploadsResult"));
  std::vector<S3Upload> uploads;
  for (const XmlElement& child : root.children) {
    if (child.name != "Upload") continue;
    uploads.push_back(
        {.key = std::string(child.TextOf("Key")), .id = std::string(child.TextOf("UploadId"))});
  }
  return uploads;
}

std::optional<S3Fault> FaultInside(std::string_view xml) {
  const auto root = ParseXml(xml);
  if (!root) return S3Fault{.code = "", .message = root.error().message, .region = {}};
  if (root->name != "Error") return std::nullopt;
  return FaultOf(*root);
}

Result<std::optional<S3Fault>> FirstDeleteFault(std::string_view xml) {
  WEIR_ASSIGN_OR_RETURN(const XmlElement root, ParseAs(xml, "DeleteResult"));
  for (const XmlElement& child : root.children) {
    if (child.name != "Error" || child.TextOf("Code") == "NoSuchKey") continue;
    S3Fault fault = FaultOf(child);
    fault.message = Printable(child.TextOf("Key")) + ": " + fault.message;
    return std::optional(std::move(fault));
  }
  return std::optional<S3Fault>();
}

std::string CompleteUploadXml(const std::vector<S3Part>& parts) {
  std::string xml = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (const S3Part& part : parts) {
    xml += "<Part><PartNumber>" + std::to_string(part.number) + "</PartNumber><ETag>" +
           EscapeXml(part.etag) + "</ETag>";
    if (!part.sha256.empty()) xml += "<ChecksumSHA256>" + part.sha256 + "</ChecksumSHA256>";
    xml += "</Part>";
  }
  return xml + "</CompleteMultipartUpload>";
}

std::string DeleteXml(const std::vector<std::string>& keys) {
  std::string xml = "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>";
  for (const std::string& key : keys) {
    xml += "<Object><Key>" + EscapeXml(key) + "</Key></Object>";
  }
  return xml + "</Delete>";
}

}  // namespace weir::io
