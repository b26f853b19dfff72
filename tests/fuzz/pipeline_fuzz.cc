// Any text as a pipeline file, with its contract inside or beside it. A spec comes without errors
// only, what was read can be written and read again, and a secret is in no output.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "config/echo.h"
#include "config/forecast.h"
#include "config/load.h"
#include "config/retail_example.h"

using weir::config::Echo;
using weir::config::ParsePipelineText;

namespace {

constexpr std::string_view kSecret = "q7-secret-q7";

weir::config::ScriptedEnvironment MakeEnvironment() {
  weir::config::ScriptedEnvironment environment;
  environment.variables = {{"SET", "x"}, {"BLANK", " "}};
  environment.files = {
      {"/pipelines/retail_event.yaml", std::string(weir::config::RetailContractText())},
      {"/pipelines/secret", std::string(kSecret)}};
  return environment;
}

bool HoldsSecret(const std::string& text) { return text.find(kSecret) != std::string::npos; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kEnvironment = MakeEnvironment();
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (HoldsSecret(text)) return 0;  // then it is none
  const auto outcome = ParsePipelineText(text, "fuzz.yaml", kEnvironment);
  WEIR_CHECK(outcome.spec.has_value() == outcome.diagnostics.ok());
  WEIR_CHECK(!HoldsSecret(outcome.diagnostics.ToText(true) + outcome.diagnostics.ToJson()));
  if (!outcome.spec) return 0;

  ForecastLines(*outcome.spec, ForecastFiles(*outcome.spec, 1000.0));
  const std::string echo = Echo(*outcome.spec);
  WEIR_CHECK(!HoldsSecret(echo));
  if (echo.find("***") != std::string::npos) return 0;
  const auto again = ParsePipelineText(echo, "fuzz.yaml", kEnvironment);
  WEIR_CHECK(again.spec.has_value() && Echo(*again.spec) == echo);
  return 0;
}
