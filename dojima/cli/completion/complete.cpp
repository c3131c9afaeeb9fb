#include "dojima/cli/completion/complete.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dojima::cli {
namespace {

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n';
}

bool is_option_like(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

/// The end of a value's type says what it is: "FILE", "[FILE]", "LAW:TIME|FILE", "TEXT:FILE".
bool ends_in(std::string_view type, std::string_view end) {
  if (type.ends_with(']')) type.remove_suffix(1);
  return type.ends_with(end);
}

Completion::Kind kind_of(const std::string& type) {
  if (ends_in(type, "FILE") || ends_in(type, "TRACE") || type == "TO" || ends_in(type, "|FOLDER"))
    return Completion::Kind::files;
  if (ends_in(type, "FOLDER") || ends_in(type, "DIR")) return Completion::Kind::folders;
  // What says nothing of itself is often a file.
  return type == "TEXT" ? Completion::Kind::files : Completion::Kind::words;
}

const OptionShape* option_named(const CommandShape& command, std::string_view name) {
  for (const OptionShape& option : command.options)
    if (std::ranges::find(option.names, name) != option.names.end()) return &option;
  return nullptr;
}

const CommandShape* command_named(const CommandShape& command, std::string_view name) {
  for (const CommandShape& inner : command.commands)
    if (inner.name == name) return &inner;
  return nullptr;
}

std::string option_name(const OptionShape& option) {
  return option.names.empty() ? option.word_name : option.names.front();
}

/// Walks over the finished words as the parser does, up to the word at the cursor.
class Walk {
 public:
  explicit Walk(const CommandShape& program) : command_(&program) {}

  void pass(const std::string& word) {
    if (is_behind_dashes_) {
      pass_word(word);
    } else if (word == "--") {
      is_behind_dashes_ = true;
      option_ = nullptr;
    } else if (takes_value() && (values_ < option_->values_min || !is_option_like(word))) {
      // A value that need not be there gives way to a command.
      const CommandShape* inner = values_ < option_->values_min ? nullptr : command_named(*command_, word);
      if (inner != nullptr) {
        enter(*inner);
      } else {
        ++values_;
        given_.emplace_back(option_name(*option_), word);
      }
    } else if (is_option_like(word)) {
      pass_option(word);
    } else if (const CommandShape* inner = command_named(*command_, word)) {
      enter(*inner);
    } else {
      option_ = nullptr;
      pass_word(word);
    }
  }

  [[nodiscard]] bool takes_value() const { return option_ != nullptr && values_ < option_->values_max; }
  [[nodiscard]] bool needs_value() const { return option_ != nullptr && values_ < option_->values_min; }
  [[nodiscard]] const OptionShape* option() const { return option_; }
  [[nodiscard]] const CommandShape& command() const { return *command_; }
  [[nodiscard]] bool is_behind_dashes() const { return is_behind_dashes_; }
  [[nodiscard]] WordPlace place(const OptionShape& option) const { return {path_, &option, given_}; }

  /// Which of the words after the command comes next; null: none.
  [[nodiscard]] const OptionShape* next_word() const {
    int before = 0;
    for (const OptionShape& option : command_->options) {
      if (!option.names.empty()) continue;
      if (option.values_max > words_ - before) return &option;
      before += option.values_max;
    }
    return nullptr;
  }

  /// Whether an option would be wrong or of no use now.
  [[nodiscard]] bool is_given(const OptionShape& option) const {
    return !option.is_repeatable && std::ranges::find(seen_, &option) != seen_.end();
  }

 private:
  void enter(const CommandShape& inner) {
    command_ = &inner;
    path_ += (path_.empty() ? "" : " ") + inner.name;
    option_ = nullptr;
    words_ = 0;
  }

  void pass_word(const std::string& word) {
    if (const OptionShape* option = next_word()) given_.emplace_back(option->word_name, word);
    ++words_;
  }

  void pass_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const OptionShape* option = option_named(*command_, word.substr(0, equals));
    option_ = equals == std::string::npos ? option : nullptr;
    values_ = 0;
    if (option == nullptr) return;
    seen_.push_back(option);
    if (equals != std::string::npos) given_.emplace_back(option_name(*option), word.substr(equals + 1));
  }

  const CommandShape* command_;
  std::string path_;
  const OptionShape* option_ = nullptr;  // whose values may come
  int values_ = 0;                       // of it so far
  int words_ = 0;                        // after the command so far
  bool is_behind_dashes_ = false;
  std::vector<const OptionShape*> seen_;
  std::vector<std::pair<std::string, std::string>> given_;
};

class Answer {
 public:
  Answer(const Walk& walk, const KnownWords& known) : walk_(walk), known_(known) {}

  /// Values of an option that begin with `begun`; `prefix` is in front of them in the same word.
  void add_values(const OptionShape& option, const std::string& prefix, std::string_view begun) {
    std::string in_front = prefix;
    if (option.delimiter != '\0') {
      const std::size_t last = begun.rfind(option.delimiter);
      if (last != std::string_view::npos) {
        in_front += begun.substr(0, last + 1);
        begun.remove_prefix(last + 1);
      }
    }
    std::vector<std::string> words = option.words;
    if (words.empty()) words = known_(walk_.place(option));
    for (const std::string& word : words)
      if (word.starts_with(begun)) answer.words.push_back({in_front + word, {}});
    if (!words.empty()) return;
    answer.kind = kind_of(option.type);
    if (answer.kind != Completion::Kind::words) answer.prefix = in_front;
  }

  void add_options(std::string_view begun) {
    for (const OptionShape& option : walk_.command().options) {
      if (option.names.empty() || walk_.is_given(option)) continue;
      // Short names are for those who know them.
      const auto name =
          std::ranges::find_if(option.names, [](const std::string& each) { return each.starts_with("--"); });
      if (name != option.names.end() && name->starts_with(begun)) answer.words.push_back({*name, option.meaning});
    }
  }

  void add_commands(std::string_view begun) {
    for (const CommandShape& inner : walk_.command().commands)
      if (inner.name.starts_with(begun)) answer.words.push_back({inner.name, inner.meaning});
  }

  Completion answer;

 private:
  const Walk& walk_;
  const KnownWords& known_;
};

}  // namespace

ShellLine split_line(std::string_view line) {
  ShellLine split;
  std::string word;
  bool is_word = false;
  char quote = '\0';
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char letter = line[at];
    if (quote == '\0' && is_blank(letter)) {
      if (is_word) split.words.push_back(std::exchange(word, {}));
      is_word = false;
      continue;
    }
    is_word = true;
    if (letter == quote) {
      quote = '\0';
    } else if (quote == '\0' && (letter == '\'' || letter == '"')) {
      quote = letter;
    } else if (letter == '\\' && quote != '\'') {
      if (at + 1 < line.size()) word += line[++at];
    } else {
      word += letter;
    }
  }
  split.current = word;
  return split;
}

Completion complete(const CommandShape& program, std::string_view line, const KnownWords& known) {
  const ShellLine split = split_line(line);
  Walk walk(program);
  for (std::size_t at = 1; at < split.words.size(); ++at) walk.pass(split.words[at]);
  Answer made(walk, known);
  const std::string& current = split.current;
  if (split.words.empty()) return made.answer;  // the program's own name is not finished

  if (walk.is_behind_dashes()) {
    if (const OptionShape* option = walk.next_word()) {
      made.add_values(*option, "", current);
    } else {
      made.answer.kind = Completion::Kind::files;
    }
    return made.answer;
  }
  if (walk.needs_value() || (walk.takes_value() && !current.starts_with('-'))) {
    made.add_values(*walk.option(), "", current);
    if (walk.needs_value()) return made.answer;
  } else if (current.starts_with('-')) {
    const std::size_t equals = current.find('=');
    if (equals == std::string::npos) {
      made.add_options(current);
    } else if (const OptionShape* option = option_named(walk.command(), current.substr(0, equals))) {
      if (option->values_max > 0)
        made.add_values(*option, current.substr(0, equals + 1), std::string_view(current).substr(equals + 1));
    }
    return made.answer;
  } else if (const OptionShape* option = walk.next_word()) {
    made.add_values(*option, "", current);
  }
  made.add_commands(current);
  // Where nothing else is possible, options are meant.
  if (current.empty() && made.answer.kind == Completion::Kind::words && made.answer.words.empty()) made.add_options("");
  return made.answer;
}

std::string to_text(const Completion& completion) {
  constexpr const char* k_kinds[] = {"words", "files", "folders"};
  std::string text = std::string(k_kinds[static_cast<std::size_t>(completion.kind)]) + '\t' + completion.prefix + '\n';
  for (const Completion::Word& word : completion.words) {
    std::string meaning = word.meaning.substr(0, word.meaning.find('\n'));
    std::ranges::replace(meaning, '\t', ' ');
    text += word.text + (meaning.empty() ? "" : "\t" + meaning) + '\n';
  }
  return text;
}

}  // namespace dojima::cli
