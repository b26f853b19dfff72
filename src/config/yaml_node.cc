#include "config/yaml_node.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/bytes.h"
#include "base/check.h"
#include "config/secret.h"
#include "config/yaml_text.h"

namespace weir::config {
namespace {

// An alias may repeat text as well as nodes; both are counted.
constexpr std::size_t kMaxAliasedBytes = 4U << 20;

struct Size {
  std::size_t nodes = 1;
  std::size_t bytes = 0;
};

Size SizeOf(const YamlNode& node) {
  Size size{.nodes = 1, .bytes = node.text.size()};
  const auto add = [&size](const YamlNode& child) {
    const Size more = SizeOf(child);
    size.nodes += more.nodes;
    size.bytes += more.bytes;
  };
  for (const YamlNode& item : node.items) add(item);
  for (const YamlEntry& entry : node.entries) add(entry.value);
  return size;
}

// Builds the tree from the library's events. After the first error it ignores what follows.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const LineIndex& lines, std::string file, Diagnostics& diagnostics)
      : lines_(lines), file_(std::move(file)), diagnostics_(diagnostics) {}

  bool failed() const { return failed_; }
  YamlNode TakeRoot() { return std::move(root_); }

  // Hides a secret whose end was not seen, up to the end of the file.
  void CloseSpans() {
    if (span_.open) {
      diagnostics_.HideSpan(file_, span_.line, span_.column, 0, 0);
      span_.open = false;
    }
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      Fail(mark, "a second document in one file", "keep one; remove the `---` line");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (!Begin(mark)) return;
    if (ExpectsKey()) {
      Fail(mark, "a `:` without a key before it", "write the key, or quote the text");
      return;
    }
    Finish(NewNode(YamlNode::Kind::kNull, mark), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (!Begin(mark)) return;
    const auto found = anchors_.find(anchor);
    if (ExpectsKey() || found == anchors_.end()) {
      Fail(mark, "an alias of the mapping or list that it stands in", "write the value out");
      return;
    }
    const Size size = SizeOf(found->second);
    aliased_bytes_ += size.bytes;
    if (!Admit(mark, size.nodes)) return;
    Finish(found->second, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!Begin(mark)) return;
    const std::string_view source = lines_.From(mark.line + 1, mark.column + 1);
    if (HasOpenQuote(source)) {
      Fail(mark, "a quote that is never closed", "close it, or double a quote that is meant");
      return;
    }
    if (ExpectsKey()) {
      TakeKey(mark, value);
      return;
    }
    if (!CheckTag(mark, tag)) return;
    YamlNode node = NewNode(YamlNode::Kind::kScalar, mark);
    node.text = value;
    node.quoted = tag == "!";
    node.width = ScalarWidth(source, value, node.quoted);
    Finish(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(YamlNode::Kind::kList, mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(YamlNode::Kind::kMapping, mark, tag, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapEnd() override { Close(); }

 private:
  struct Frame {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;             // mapping: the last entry waits for its value
    std::map<std::string, int> keys;  // mapping: key -> line
  };
  struct OpenSpan {
    bool open = false;
    bool has_value = false;
    std::size_t depth = 0;  // of the mapping that holds the secret key
    int line = 0;
    int column = 0;
  };

  static int ScalarWidth(std::string_view source, std::string_view value, bool quoted) {
    const std::size_t length = value.size() + (quoted ? 2 : 0);
    const std::size_t line_end = source.substr(0, length).find('\n');
    return static_cast<int>(std::max<std::size_t>(std::min(length, line_end), 1));
  }

  static YamlNode NewNode(YamlNode::Kind kind, const YAML::Mark& mark) {
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  bool ExpectsKey() const {
    return !frames_.empty() && frames_.back().node.is_mapping() && !frames_.back().has_key;
  }

  // Every event with a mark passes here: spans of secrets end where the next thing begins.
  bool Begin(const YAML::Mark& mark) {
    if (failed_) return false;
    if (span_.open && !span_.has_value) {
      span_.has_value = true;
      span_.line = mark.line + 1;
      span_.column = mark.column + 1;
    } else if (span_.open && frames_.size() <= span_.depth) {
      diagnostics_.HideSpan(file_, span_.line, span_.column, mark.line + 1, mark.column + 1);
      span_.open = false;
    }
    return true;
  }

  bool Admit(const YAML::Mark& mark, std::size_t nodes) {
    nodes_ += nodes;
    if (nodes_ <= kMaxYamlNodes && aliased_bytes_ <= kMaxAliasedBytes) return true;
    Fail(mark,
         fmt::format("more than {} values, aliases counted as often as they are used",
                     kMaxYamlNodes),
         "");
    return false;
  }

  bool CheckTag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return true;
    Fail(mark, "a tag (`" + Printable(tag, 40) + "`)", "leave it out; types follow from the keys");
    return false;
  }

  void TakeKey(const YAML::Mark& mark, const std::string& key) {
    Frame& frame = frames_.back();
    const auto [same, fresh] = frame.keys.emplace(key, mark.line + 1);
    if (!fresh) {
      Fail(mark,
           fmt::format("the key `{}` is there twice, first in line {}", Printable(key, 60),
                       same->second),
           "remove one", static_cast<int>(key.size()));
      return;
    }
    frame.node.entries.push_back(
        {.key = key, .line = mark.line + 1, .column = mark.column + 1, .value = {}});
    frame.has_key = true;
    if (!span_.open && IsSecretName(key)) {
      span_ = {.open = true,
               .has_value = false,
               .depth = frames_.size(),
               .line = mark.line + 1,
               .column = mark.column + 1 + static_cast<int>(key.size()) + 1};
    }
  }

  void Open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    if (!Begin(mark)) return;
    if (ExpectsKey()) {
      Fail(mark, "a key that is not text", "quote it if `{`, `[` or `?` belongs to the text");
      return;
    }
    if (!CheckTag(mark, tag)) return;
    if (frames_.size() >= kMaxYamlDepth) {
      Fail(mark, fmt::format("more than {} levels", kMaxYamlDepth), "");
      return;
    }
    // A mapping is no secret: it describes something that is named like one.
    if (kind == YamlNode::Kind::kMapping && frames_.size() == span_.depth) span_.open = false;
    frames_.push_back(
        {.node = NewNode(kind, mark), .anchor = anchor, .has_key = false, .keys = {}});
  }

  void Close() {
    if (failed_) return;
    WEIR_CHECK(!frames_.empty());
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    Finish(std::move(frame.node), frame.anchor);
  }

  void Finish(YamlNode node, YAML::anchor_t anchor) {
    nodes_ += 1;
    if (nodes_ > kMaxYamlNodes) {
      YAML::Mark mark;
      mark.line = node.line - 1;
      mark.column = node.column - 1;
      Admit(mark, 0);
      return;
    }
    // The mapping around a secret is none.
    if (span_.open && frames_.size() >= span_.depth) node.secret = true;
    if (anchor != 0) anchors_[anchor] = node;
    if (frames_.empty()) {
      root_ = std::move(node);
    } else if (frames_.back().node.is_list()) {
      frames_.back().node.items.push_back(std::move(node));
    } else {
      frames_.back().node.entries.back().value = std::move(node);
      frames_.back().has_key = false;
    }
  }

  void Fail(const YAML::Mark& mark, std::string message, std::string help, int width = 1) {
    failed_ = true;
    diagnostics_.Error(ErrorCode::kYamlSyntax,
                       {.file = file_,
                        .line = mark.line + 1,
                        .column = mark.column + 1,
                        .width = width,
                        .key_path = {}},
                       std::move(message), std::move(help));
  }

  const LineIndex& lines_;
  std::string file_;
  Diagnostics& diagnostics_;
  bool failed_ = false;
  int documents_ = 0;
  std::size_t nodes_ = 0;
  std::size_t aliased_bytes_ = 0;
  YamlNode root_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  OpenSpan span_;
};

void ReportSyntax(const YAML::Exception& error, const LineIndex& lines, const std::string& file,
                  Diagnostics& diagnostics) {
  const int line = error.mark.line + 1;
  const int column = error.mark.column + 1;
  const std::string_view whole_line = lines.From(line, 1);
  const auto before = static_cast<std::size_t>(std::max(column, 1)) - 1;
  SyntaxMessage explained =
      ExplainSyntax(error.msg, lines.From(line, column), whole_line.substr(0, before));
  diagnostics.Error(ErrorCode::kYamlSyntax,
                    {.file = file, .line = line, .column = column, .key_path = {}},
                    std::move(explained.message), std::move(explained.help));
}

}  // namespace

std::string_view Describe(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return "text";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMapping:
      return "a mapping";
  }
  return "nothing";
}

std::optional<YamlNode> ReadYaml(std::string_view text, const std::string& file,
                                 Diagnostics& diagnostics) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  diagnostics.AddSource(file, text.substr(0, kMaxFileBytes));
  if (!CheckYamlText(text, file, diagnostics)) return std::nullopt;
  const LineIndex lines(text);
  TreeBuilder builder(lines, file, diagnostics);
  bool threw = false;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (!builder.failed() && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::DeepRecursion& error) {
    threw = true;
    if (!builder.failed()) {
      diagnostics.Error(ErrorCode::kYamlSyntax,
                        {.file = file, .line = error.mark.line + 1, .key_path = {}},
                        fmt::format("more than {} levels", kMaxYamlDepth));
    }
  } catch (const YAML::Exception& error) {
    threw = true;
    if (!builder.failed()) ReportSyntax(error, lines, file, diagnostics);
  }
  builder.CloseSpans();
  if (threw || builder.failed()) return std::nullopt;
  return builder.TakeRoot();
}

Place PlaceOf(const std::string& file, const YamlNode& node, std::string key_path) {
  return {.file = file,
          .line = node.line,
          .column = node.column,
          .width = node.width,
          .key_path = std::move(key_path)};
}

Place PlaceOf(const std::string& file, const YamlEntry& entry, std::string key_path) {
  return {.file = file,
          .line = entry.line,
          .column = entry.column,
          .width = static_cast<int>(entry.key.size()),
          .key_path = std::move(key_path)};
}

}  // namespace weir::config
