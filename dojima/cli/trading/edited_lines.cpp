#include "dojima/cli/trading/edited_lines.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/core.h>
#include <histedit.h>
#include <poll.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

#include "dojima/app/trade/completion.hpp"
#include "dojima/app/trade/trade_command.hpp"
#include "dojima/app/trade/words.hpp"

namespace dojima::cli {
namespace {

constexpr int k_history_lines = 1000;
constexpr const char* k_clear_line = "\r\x1b[K";

}  // namespace

/// libedit's own, and what its callbacks reach.
struct EditedLines::Editor {
  explicit Editor(const EditedLines& owner)
      : lines(owner), history(history_init()), edit(el_init("dojima", stdin, stdout, stderr)) {
    if (history == nullptr || edit == nullptr) throw std::runtime_error("the terminal cannot be used for editing");
    HistEvent event;
    history_(&event, H_SETSIZE, k_history_lines);
    history_(&event, H_SETUNIQUE, 1);
    el_set(edit, EL_CLIENTDATA, this);
    el_set(edit, EL_PROMPT, &Editor::prompt);
    el_set(edit, EL_EDITOR, "emacs");
    el_set(edit, EL_SIGNAL, 0);  // Ctrl-C is the program's
    el_set(edit, EL_HIST, ::history, history);
    el_set(edit, EL_ADDFN, "dojima-complete", "completes a word", &Editor::complete);
    el_set(edit, EL_BIND, "^I", "dojima-complete", nullptr);
    el_set(edit, EL_UNBUFFERED, 1);
  }
  ~Editor() {
    el_set(edit, EL_UNBUFFERED, 0);
    el_end(edit);
    history_end(history);
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  template <class... Arguments>
  int history_(HistEvent* event, int operation, Arguments... arguments) {
    return ::history(history, event, operation, arguments...);
  }

  static Editor& of(EditLine* edit) {
    void* data = nullptr;
    el_get(edit, EL_CLIENTDATA, &data);
    return *static_cast<Editor*>(data);
  }
  static char* prompt(EditLine* edit) { return const_cast<char*>(of(edit).lines.prompt_.c_str()); }
  static unsigned char complete(EditLine* edit, int /*key*/) {
    const Editor& editor = of(edit);
    const LineInfo* const line = el_line(edit);
    const std::string_view before(line->buffer, static_cast<std::size_t>(line->cursor - line->buffer));
    const app::Completion found = app::complete(before, editor.lines.symbols_);
    if (!found.insertion.empty()) return el_insertstr(edit, found.insertion.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    if (found.choices.empty()) return CC_REFRESH_BEEP;
    std::string all;
    for (const std::string& choice : found.choices) all += choice + "  ";
    fmt::print("\n{}\n", all);
    std::fflush(stdout);
    return CC_REDISPLAY;
  }

  const EditedLines& lines;
  History* history;
  EditLine* edit;
};

EditedLines::EditedLines(std::string prompt, std::string history_file)
    : prompt_(std::move(prompt)), history_file_(std::move(history_file)), editor_(std::make_unique<Editor>(*this)) {
  HistEvent event;
  if (!history_file_.empty()) editor_->history_(&event, H_LOAD, history_file_.c_str());
}

EditedLines::~EditedLines() {
  HistEvent event;
  if (!history_file_.empty()) {
    editor_->history_(&event, H_SAVE, history_file_.c_str());
    ::chmod(history_file_.c_str(), S_IRUSR | S_IWUSR);
  }
  std::fputs(k_clear_line, stdout);
  std::fflush(stdout);
}

std::optional<std::string> EditedLines::next() {
  pollfd ready{STDIN_FILENO, POLLIN, 0};
  while (!is_over_ && ::poll(&ready, 1, 0) > 0) {
    int size = 0;
    const char* const typed = el_gets(editor_->edit, &size);
    if (typed == nullptr || size <= 0) {
      // The terminal is gone, or Ctrl-D on an empty line.
      is_over_ = true;
      break;
    }
    constexpr char k_end_of_input = '\x04';
    if (size == 1 && typed[0] == k_end_of_input) {
      is_over_ = true;
      break;
    }
    std::string line(typed, static_cast<std::size_t>(size));
    if (line.back() != '\n' && line.back() != '\r') continue;
    line.pop_back();
    HistEvent event;
    if (!app::split_words(line).empty()) editor_->history_(&event, H_ENTER, line.c_str());
    if (const auto command = app::parse_trade_command(line); command && command->verb == app::TradeVerb::enter)
      learn(command->order.symbol);
    // The next line begins anew.
    el_set(editor_->edit, EL_UNBUFFERED, 0);
    el_set(editor_->edit, EL_UNBUFFERED, 1);
    return line;
  }
  return std::nullopt;
}

void EditedLines::show(const std::string& line) {
  fmt::print("{}{}\n", k_clear_line, line);
  std::fflush(stdout);
  el_set(editor_->edit, EL_REFRESH);
}

void EditedLines::learn(const std::string& symbol) {
  if (std::ranges::find(symbols_, symbol) == symbols_.end()) symbols_.push_back(symbol);
}

std::string history_file() {
  const char* const home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? std::string{} : std::string(home) + "/.dojima_trade_history";
}

}  // namespace dojima::cli
