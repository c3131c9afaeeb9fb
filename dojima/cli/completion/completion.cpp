// dojima completion

#include <fmt/core.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/nearest.hpp"
#include "dojima/base/assert.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/completion/complete.hpp"
#include "dojima/cli/completion/known_words.hpp"

namespace dojima::cli {
namespace {

// Each hands the line up to the cursor to `dojima completion --line`, and its answer to the shell.

constexpr std::string_view k_bash = R"script(# bash completion for dojima, as `dojima completion bash` prints it.

_dojima() {
  local line=${COMP_LINE:0:COMP_POINT} program=$1 item kind whole replaced=
  local -a answer=()
  [[ $program == '~/'* ]] && program=$HOME/${program#'~/'}
  mapfile -t answer < <("$program" completion --line "$line" 2>/dev/null)
  COMPREPLY=()
  [[ ${#answer[@]} -gt 0 ]] || return 0
  kind=${answer[0]%%$'\t'*}
  # Readline replaces what comes behind the last of its own word breaks.
  whole=${line##*[[:blank:]]}
  if [[ $COMP_WORDBREAKS == *=* && $whole == *=* ]]; then replaced=${whole%"${whole##*=}"}; fi
  if [[ $COMP_WORDBREAKS == *:* && ${whole#"$replaced"} == *:* ]]; then replaced=${whole%"${whole##*:}"}; fi
  for item in "${answer[@]:1}"; do
    item=${item%%$'\t'*}
    item=${item#"$replaced"}
    [[ $item == *= ]] && compopt -o nospace
    printf -v item %q "$item"
    COMPREPLY+=("$item")
  done
  case $kind in
    files) compopt -o default ;;
    folders) compopt -o dirnames ;;
  esac
}

complete -F _dojima dojima
)script";

constexpr std::string_view k_zsh = R"script(#compdef dojima
compdef _dojima dojima
# zsh completion for dojima, as `dojima completion zsh` prints it.

_dojima() {
  local program=${(Q)words[1]} line="${(j: :)words[1,CURRENT-1]} $PREFIX" kind prefix item word meaning
  local -a answer items suffix
  answer=("${(@f)$(${~program} completion --line "$line" 2>/dev/null)}")
  kind=${answer[1]%%$'\t'*}
  prefix=${answer[1]#*$'\t'}
  for item in "${(@)answer[2,-1]}"; do
    word=${item%%$'\t'*}
    meaning=
    [[ $item == *$'\t'* ]] && meaning=${item#*$'\t'}
    [[ $word == *= ]] && suffix=(-S '')
    items+=("${word//:/\\:}${meaning:+:$meaning}")
  done
  (( $#items )) && _describe -t words dojima items "${suffix[@]}"
  case $kind in
    files) [[ -n $prefix ]] && compset -P "${(b)prefix}"; _files ;;
    folders) [[ -n $prefix ]] && compset -P "${(b)prefix}"; _files -/ ;;
  esac
}

if [[ $funcstack[1] == _dojima ]]; then _dojima "$@"; fi
)script";

constexpr std::string_view k_fish = R"script(# fish completion for dojima, as `dojima completion fish` prints it.

function __dojima_complete
    set -l program (string replace -r '^~/' "$HOME/" -- (commandline -opc)[1])
    set -l line (commandline -cp | string collect)
    set -l answer ($program completion --line "$line" 2>/dev/null)
    test (count $answer) -gt 0; or return
    set -l head (string split \t -- $answer[1])
    if test (count $answer) -gt 1
        printf '%s\n' $answer[2..-1]
    end
    set -l value (string sub -s (math (string length -- "$head[2]") + 1) -- (commandline -ct))
    switch $head[1]
        case files
            for file in (__fish_complete_path "$value")
                echo "$head[2]$file"
            end
        case folders
            for folder in (__fish_complete_directories "$value")
                echo "$head[2]$folder"
            end
    end
end

complete -c dojima -f -a '(__dojima_complete)'
)script";

/// Null: there is none for that shell.
const std::string_view* script_for(std::string_view shell) {
  if (shell == "bash") return &k_bash;
  if (shell == "zsh") return &k_zsh;
  return shell == "fish" ? &k_fish : nullptr;
}

int print_script(const std::string& shell) {
  if (const std::string_view* script = script_for(shell)) {
    fmt::print("{}", *script);
    return k_success;
  }
  const std::vector<std::string> shells{"bash", "zsh", "fish"};
  const auto meant = app::nearest(shell, shells);
  complain(shell.empty() ? std::string("which shell? There are bash, zsh and fish")
                         : fmt::format("no completion for \"{}\"; there are bash, zsh and fish{}", shell,
                                       meant ? fmt::format("; did you mean {}?", *meant) : std::string()));
  return k_usage;
}

struct CompletionOptions {
  std::string shell;
  std::optional<std::string> line;
};

}  // namespace

void add_completion(Command program, int& status) {
  Command command =
      program.add_command("completion", "Print what lets bash, zsh or fish complete this program's words");
  auto options = std::make_shared<CompletionOptions>();
  command.add_option("SHELL", options->shell, "bash, zsh or fish");
  command
      .add_option("--line", options->line,
                  "What can follow this line, up to the cursor: what the shells ask when the tab key is pressed")
      .type_name("LINE");
  command.footer(
      "example: source <(dojima completion bash)                  # in ~/.bashrc\n"
      "         source <(dojima completion zsh)                   # in ~/.zshrc, behind compinit\n"
      "         dojima completion fish > ~/.config/fish/completions/dojima.fish");
  command.on_run([options, program, &status] {
    if (!options->line) {
      status = print_script(options->shell);
      return;
    }
    if (!options->shell.empty()) {
      complain("SHELL prints a script, --line answers one: give either");
      status = k_usage;
      return;
    }
    const CommandShape shape = program.shape();
    DOJIMA_ASSERT(places_that_are_none(shape).empty(), "known words are at options that there are");
    fmt::print("{}", to_text(complete(shape, *options->line, known_words)));
  });
}

}  // namespace dojima::cli
