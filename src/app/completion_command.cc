#include "app/completion_command.h"

#include <memory>

#include "app/completion.h"
#include "app/session.h"

namespace weir::app {

Command MakeCompletionCommand() {
  auto shell = std::make_shared<std::string>();
  Command command;
  command.name = "completion";
  command.summary = "Prints the completion script of a shell";
  command.examples = {{"source <(weir completion bash)", "in this shell"},
                      {"weir completion zsh > ~/.zfunc/_weir", "a folder of $fpath"},
                      {"weir completion fish > ~/.config/fish/completions/weir.fish", ""}};
  command.options = {{.names = "SHELL",
                      .value = "SHELL",
                      .help = "the shell",
                      .target = shell.get(),
                      .choices = {"bash", "zsh", "fish"},
                      .required = true}};
  command.run = [shell](Session& session) -> Result<int> {
    session.out << CompletionScript(*session.root, *shell);
    return exit_code::kOk;
  };
  return command;
}

}  // namespace weir::app
