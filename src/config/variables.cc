#include "config/variables.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "config/key_path.h"

namespace weir::config {
namespace {

constexpr std::size_t kMaxSecretFileBytes = 64U << 10;
constexpr int kMaxNesting = 4;

bool IsBlank(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
}

bool IsVariableName(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

// Index of the `}` that closes the `${` at `start`; npos when there is none.
std::size_t FindClose(std::string_view text, std::size_t start) {
  int depth = 0;
  for (std::size_t i = start; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '{') {
      ++depth;
      ++i;
    } else if (text[i] == '}' && --depth == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

class Expander {
 public:
  Expander(const std::string& file, const std::string& folder, const Environment& environment,
           Diagnostics& diagnostics)
      : file_(file), folder_(folder), environment_(environment), diagnostics_(diagnostics) {}

  void Visit(YamlNode& node, const std::string& path) {
    if (node.is_scalar() && node.text.find('$') != std::string::npos) {
      node_ = &node;
      path_ = path;
      node.has_variable = node.text.find("${") != std::string::npos;
      std::string expanded = Expand(node.text, 0);
      node.text = std::move(expanded);
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      Visit(node.items[i], ItemPath(path, i));
    }
    for (YamlEntry& entry : node.entries) Visit(entry.value, KeyPath(path, entry.key));
  }

 private:
  std::string Expand(std::string_view text, int nesting) {
    std::string expanded;
    for (std::size_t i = 0; i < text.size();) {
      const char next = i + 1 < text.size() ? text[i + 1] : '\0';
      if (text[i] != '$' || (next != '$' && next != '{')) {
        expanded += text[i++];
      } else if (next == '$') {
        expanded += '$';
        i += 2;
      } else {
        const std::size_t close = FindClose(text, i);
        if (close == std::string_view::npos) {
          Fail(ErrorCode::kBadValue, "a `${` without its `}`",
               "close it, or write `$${` for the text");
          return {};
        }
        expanded += Resolve(text.substr(i + 2, close - i - 2), nesting);
        i = close + 1;
      }
    }
    return expanded;
  }

  // The text between `${` and `}`.
  std::string Resolve(std::string_view inner, int nesting) {
    if (nesting >= kMaxNesting) {
      Fail(ErrorCode::kBadValue, "variables nest too deeply", "");
      return {};
    }
    if (inner.starts_with("file:")) return ReadSecret(inner.substr(5), nesting + 1);
    const std::size_t colon = std::min(inner.find(':'), inner.size());
    const std::string name(inner.substr(0, colon));
    const std::string_view rest = inner.substr(colon);
    const bool known_form = rest.empty() || rest.starts_with(":-") || rest.starts_with(":?");
    if (!IsVariableName(name) || !known_form) {
      const std::string shown = node_->secret ? "..." : Printable(inner, 60);
      Fail(ErrorCode::kBadValue, fmt::format("`${{{}}}` is no variable", shown),
           "write ${NAME}, ${NAME:-default}, ${NAME:?message} or ${file:PATH}; $${ for the text");
      return {};
    }
    const std::optional<std::string> value = environment_.Variable(name);
    if (value && !IsBlank(*value)) return *value;
    if (rest.starts_with(":-")) return Expand(rest.substr(2), nesting + 1);
    ReportMissing(name, value.has_value(), rest.size() > 2 ? rest.substr(2) : std::string_view());
    return {};
  }

  void ReportMissing(const std::string& name, bool blank, std::string_view message) {
    std::string text = fmt::format("the variable {} is {}", name, blank ? "blank" : "not set");
    if (!IsBlank(message)) text += fmt::format(": {}", Printable(message));
    Fail(ErrorCode::kMissingVariable, std::move(text),
         fmt::format("export {}=..., or give a default as ${{{}:-...}}", name, name));
  }

  std::string ReadSecret(std::string_view spelled_path, int nesting) {
    // Messages name the path, so it must not hold a secret.
    if (spelled_path.find("${file:") != std::string_view::npos) {
      Fail(ErrorCode::kBadValue, "a path from a file", "write the path, or take it from ${NAME}");
      return {};
    }
    const std::string path = Expand(spelled_path, nesting);
    node_->from_file = true;
    node_->secret = true;
    if (node_->failed) return {};
    Result<std::string> text =
        environment_.ReadFile(AbsolutePath(folder_, path), kMaxSecretFileBytes);
    if (!text) {
      Fail(ErrorCode::kFileUnreadable, text.error().message,
           "paths count from the folder of the pipeline file");
      return {};
    }
    // Editors and `echo` end a file with a line break that nobody means.
    std::string secret = std::move(text).value();
    if (secret.ends_with('\n')) secret.pop_back();
    if (secret.ends_with('\r')) secret.pop_back();
    if (IsBlank(secret)) {
      Fail(ErrorCode::kMissingVariable, fmt::format("the file {} is blank", Printable(path)),
           "write the value into it");
      return {};
    }
    return secret;
  }

  void Fail(ErrorCode code, std::string message, std::string help) {
    if (node_->failed) return;
    node_->failed = true;
    diagnostics_.Error(code, PlaceOf(file_, *node_, path_), std::move(message), std::move(help));
  }

  const std::string& file_;
  const std::string& folder_;
  const Environment& environment_;
  Diagnostics& diagnostics_;
  YamlNode* node_ = nullptr;
  std::string path_;
};

}  // namespace

void ExpandVariables(YamlNode& root, const std::string& file, const std::string& folder,
                     const Environment& environment, Diagnostics& diagnostics) {
  Expander(file, folder, environment, diagnostics).Visit(root, "");
}

std::string EscapeVariables(const std::string& text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    escaped += text[i];
    const bool starts = i + 1 < text.size() && (text[i + 1] == '{' || text[i + 1] == '$');
    if (text[i] == '$' && starts) escaped += '$';
  }
  return escaped;
}

}  // namespace weir::config
