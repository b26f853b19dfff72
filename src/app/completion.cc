#include "app/completion.h"

#include <functional>

#include <fmt/format.h>

#include "app/command_line.h"

namespace weir::app {
namespace {

using Path = std::vector<const Command*>;

void ForEach(Path& path, const std::function<void(const Path&)>& visit) {
  visit(path);
  for (const Command& child : path.back()->commands) {
    path.push_back(&child);
    ForEach(path, visit);
    path.pop_back();
  }
}

// Options of the command and those of every command, the latter listed once at the root.
std::vector<const Option*> OptionsAt(const Path& path) {
  std::vector<const Option*> options;
  for (const Option& option : path.back()->options) {
    if (!option.is_positional()) options.push_back(&option);
  }
  if (path.size() > 1) {
    for (const Option& option : path.front()->options) options.push_back(&option);
  }
  return options;
}

const Option* ArgumentWithChoices(const Command& command) {
  for (const Option& option : command.options) {
    if (option.is_positional() && !option.choices.empty()) return &option;
  }
  return nullptr;
}

std::vector<std::string> WordsAt(const Path& path) {
  std::vector<std::string> words;
  for (const Command& child : path.back()->commands) words.push_back(child.name);
  if (const Option* argument = ArgumentWithChoices(*path.back())) {
    words.insert(words.end(), argument->choices.begin(), argument->choices.end());
  }
  for (const Option* option : OptionsAt(path)) {
    for (const std::string& spelling : option->spellings()) words.push_back(spelling);
  }
  words.emplace_back("--help");
  return words;
}

// For use between single quotes.
std::string Quoted(const std::string& text) {
  std::string quoted;
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + quoted + "'";
}

// The commands that the words so far name, as a case pattern: 'weir tables'|'weir tables show'.
std::string KnownPaths(const Command& root) {
  std::string known;
  Path path{&root};
  ForEach(path, [&known](const Path& at) {
    if (at.size() > 1) known += (known.empty() ? "'" : "|'") + PathText(at) + "'";
  });
  return known;
}

std::string Bash(const Command& root) {
  std::string values;
  std::string words;
  Path path{&root};
  ForEach(path, [&](const Path& at) {
    for (const Option& option : at.back()->options) {
      if (option.is_positional() || option.choices.empty()) continue;
      const std::string owner = at.size() == 1 ? "*" : "'" + PathText(at) + "'";
      values += fmt::format("    {}' {}') words={} ;;\n", owner, option.spellings().back(),
                            Quoted(fmt::format("{}", fmt::join(option.choices, " "))));
    }
    words += fmt::format("    '{}') words={} ;;\n", PathText(at),
                         Quoted(fmt::format("{}", fmt::join(WordsAt(at), " "))));
  });
  return fmt::format(R"(# bash completion of weir: source <(weir completion bash)
_weir() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} path=weir words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {0}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{1}  esac
  [[ -n $words ]] || case $path in
{2}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _weir weir
)",
                     KnownPaths(root), values, words);
}

std::string Zsh(const Command& root) {
  std::string values;
  std::string words;
  Path path{&root};
  ForEach(path, [&](const Path& at) {
    for (const Option& option : at.back()->options) {
      if (option.is_positional() || option.choices.empty()) continue;
      const std::string owner = at.size() == 1 ? "*" : "'" + PathText(at) + "'";
      values += fmt::format("    {}' {}') compadd -- {}; return ;;\n", owner,
                            option.spellings().back(), fmt::join(option.choices, " "));
    }
    std::string described;
    for (const Command& child : at.back()->commands) {
      described += " " + Quoted(child.name + ":" + child.summary);
    }
    for (const Option* option : OptionsAt(at)) {
      described += " " + Quoted(option->spellings().back() + ":" + option->help);
    }
    if (const Option* argument = ArgumentWithChoices(*at.back())) {
      for (const std::string& choice : argument->choices) described += " " + Quoted(choice);
    }
    words +=
        fmt::format("    '{}') described=({} '--help:show help') ;;\n", PathText(at), described);
  });
  return fmt::format(R"(#compdef weir
# zsh completion of weir: put it into a folder of $fpath as _weir
_weir() {{
  local at=weir i
  local -a described
  for ((i = 2; i < CURRENT; i++)); do
    case "$at ${{words[i]}}" in
      {0}) at="$at ${{words[i]}}" ;;
    esac
  done
  case "$at ${{words[CURRENT - 1]}}" in
{1}  esac
  case $at in
{2}  esac
  _describe 'weir' described || _files
}}
_weir "$@"
)",
                     KnownPaths(root), values, words);
}

std::string Fish(const Command& root) {
  std::string lines = "# fish completion of weir: weir completion fish | source\n";
  Path path{&root};
  ForEach(path, [&](const Path& at) {
    std::string condition = "__fish_use_subcommand";
    if (at.size() > 1) condition = "__fish_seen_subcommand_from " + at[1]->name;
    if (at.size() > 2) condition += "; and __fish_seen_subcommand_from " + at[2]->name;
    for (const Command& child : at.back()->commands) {
      lines += fmt::format("complete -c weir -f -n {} -a {} -d {}\n", Quoted(condition), child.name,
                           Quoted(child.summary));
    }
    if (const Option* argument = ArgumentWithChoices(*at.back())) {
      lines += fmt::format("complete -c weir -f -n {} -a {}\n", Quoted(condition),
                           Quoted(fmt::format("{}", fmt::join(argument->choices, " "))));
    }
    for (const Option& option : at.back()->options) {
      if (option.is_positional()) continue;
      std::string line = "complete -c weir";
      if (at.size() > 1) line += " -n " + Quoted(condition);
      for (const std::string& spelling : option.spellings()) {
        line +=
            spelling.starts_with("--") ? " -l " + spelling.substr(2) : " -s " + spelling.substr(1);
      }
      if (!option.is_flag()) line += " -r";
      if (!option.choices.empty()) {
        line += " -f -a " + Quoted(fmt::format("{}", fmt::join(option.choices, " ")));
      }
      lines += line + " -d " + Quoted(option.help) + "\n";
    }
  });
  return lines;
}

}  // namespace

std::string CompletionScript(const Command& root, const std::string& shell) {
  if (shell == "bash") return Bash(root);
  return shell == "zsh" ? Zsh(root) : Fish(root);
}

}  // namespace weir::app
