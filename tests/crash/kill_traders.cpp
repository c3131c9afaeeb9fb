// dojima-kill-traders: FIX clients for dojima-gateway-kills, as a process that may be killed at any instant: the
// numbers and messages of their sessions are in a journal, what they requested and received is in a file each. Started
// again, they go on where they were, with the rate that the killer asks for.

#include "trader_board.hpp"
#include "trader_file.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <fmt/core.h>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/app/station.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/market/price.hpp"

namespace dojima::crash {
namespace {

using namespace std::chrono_literals;

struct Options {
  std::string folder;
  std::vector<std::string> symbols;
  std::uint16_t port = 0;
  std::uint32_t clients = 4;
  std::uint64_t seed = 1;
};

/// What a trader remembers of its latest orders: what a change of them has to repeat.
struct OrderNote {
  std::string id, symbol;
  char side = '1';
};

class Trader final : public fix::Handler {
 public:
  Trader(sched::Scheduler& scheduler, const std::string& name, const Options& options, fix::JournalStores& stores,
         TraderBoard& board)
      : options_(options),
        board_(board),
        random_(options.seed),
        file_(options.folder + "/" + name),
        store_(*stores.store({"FIX.4.4", name, "DOJIMA"}).value()),
        session_(scheduler, {.role = fix::Role::initiator, .sender_comp_id = name, .target_comp_id = "DOJIMA"}, *this,
                 store_) {
    recall(options.folder + "/" + name);
  }

  [[nodiscard]] fix::Session& session() noexcept { return session_; }
  time::Time retry{};

  /// An order or a change of one.
  void act(time::Time now) {
    if (notes_.empty() || draw(3) != 0) return enter(now);
    const OrderNote of = notes_[draw(notes_.size())];
    draw(2) == 0 ? cancel(of, now) : replace(of, now);
  }

  // fix::Handler
  void on_logon(fix::Session&, time::Time) override { ++board_.logged_on; }
  void on_logout(fix::Session&, std::string_view, time::Time) override { --board_.logged_on; }
  void on_message(fix::Session&, const fix::MessageView& view, time::Time) override { keep(view); }
  void on_reject(fix::Session&, const fix::MessageView& view, time::Time) override { keep(view); }
  void on_trouble(fix::Session&, const Error&) override {}

 private:
  static constexpr std::size_t k_notes = 20;
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  /// What an earlier life did. A request whose number the store does not have never left it.
  void recall(const std::string& path) {
    std::vector<std::string> unsent;
    const std::uint64_t next = session_.next_outgoing().value;
    TraderFile::read(path, {.on_request =
                                [&](const TraderRequest& request) {
                                  ++requests_;
                                  if (request.sequence >= next) unsent.push_back(request.id);
                                },
                            .on_withdrawn = [&](const std::string& id) { std::erase(unsent, id); },
                            .on_received =
                                [&](std::string_view fix) {
                                  const std::size_t at = fix.find(
                                      "\x01"
                                      "34=");
                                  last_received_ = std::stoull(std::string(fix.substr(at + 4, 20)));
                                }});
    for (const std::string& id : unsent) file_.withdraw(id);
  }

  void keep(const fix::MessageView& view) {
    const std::uint64_t sequence = view.msg_seq_num().value().value;
    if (sequence <= last_received_) return;  // an earlier life had it, and was killed before its store knew
    last_received_ = sequence;
    file_.received({reinterpret_cast<const char*>(view.bytes().data()), view.bytes().size()});
    ++board_.received;
  }

  void send(char type, const std::string& orig, OrderNote& note, fix::Writer& writer, time::Time now) {
    writer.field(fix::tag::k_symbol, note.symbol).field(fix::tag::k_side, note.side);
    writer.field(fix::tag::k_transact_time, now);
    if (type != 'F') {
      writer.field(fix::tag::k_order_qty, 1 + draw(100)).field(fix::tag::k_ord_type, '2');
      writer.field(fix::tag::k_price, market::Price{static_cast<std::int64_t>(95 + draw(11)) * market::k_price_scale});
      notes_.push_back(note);
      if (notes_.size() > k_notes) notes_.pop_front();
    }
    file_.request({session_.next_outgoing().value, type, note.id, orig});
    if (!session_.send(writer)) throw std::runtime_error("a request that the session does not take");
    ++board_.sent;
  }
  std::string next_id(char type) { return fmt::format("{}-{}", type, ++requests_); }

  void enter(time::Time now) {
    OrderNote note{.id = next_id('D'), .symbol = options_.symbols[draw(2)], .side = draw(2) == 0 ? '1' : '2'};
    fix::Writer writer = session_.begin(fix::type::k_new_order_single);
    writer.field(fix::tag::k_cl_ord_id, note.id);
    send('D', "", note, writer, now);
  }
  void cancel(const OrderNote& of, time::Time now) { change('F', fix::type::k_order_cancel_request, of, now); }
  void replace(const OrderNote& of, time::Time now) { change('G', fix::type::k_order_cancel_replace_request, of, now); }
  void change(char type, fix::MsgType message, const OrderNote& of, time::Time now) {
    OrderNote note{.id = next_id(type), .symbol = of.symbol, .side = of.side};
    fix::Writer writer = session_.begin(message);
    writer.field(fix::tag::k_orig_cl_ord_id, of.id).field(fix::tag::k_cl_ord_id, note.id);
    send(type, of.id, note, writer, now);
  }

  const Options& options_;
  TraderBoard& board_;
  std::mt19937_64 random_;
  TraderFile file_;
  fix::MessageStore& store_;
  fix::Session session_;
  std::deque<OrderNote> notes_;
  std::uint64_t requests_ = 0;
  std::uint64_t last_received_ = 0;
};

/// Sends what is due by the rate, and connects who is not connected.
class Traders final : public sched::Source {
 public:
  Traders(const Options& options, app::Station& station, fix::JournalStores& stores)
      : options_(options), station_(station), stores_(stores), board_(trader_board(options.folder + "/board")) {
    for (std::uint32_t at = 0; at < options.clients; ++at)
      traders_.push_back(
          std::make_unique<Trader>(station.scheduler(), fmt::format("CLIENT{}", at + 1), options, stores, board_));
    station.add(*this);
  }

  // sched::Source
  std::size_t deliver(time::Time now) override {
    for (const auto& trader : traders_) {
      if (trader->session().is_connected() || now < trader->retry) continue;
      trader->retry = now + 20ms;
      station_.fabric().connect({"127.0.0.1", options_.port}, trader->session());
    }
    const std::uint64_t rate = board_.rate;
    // Nothing is sent that could not be written down.
    if (rate == 0 || board_.logged_on == 0 || stores_.is_short_of_room()) {
      began_ = now;
      sent_ = 0;
      return 0;
    }
    const auto due =
        static_cast<std::uint64_t>(std::chrono::duration<double>(now - began_).count() * static_cast<double>(rate));
    std::size_t made = 0;
    for (; sent_ < due && made < k_at_once; ++sent_) {
      Trader& trader = *traders_[next_++ % traders_.size()];
      if (!trader.session().is_logged_on()) continue;
      trader.act(now);
      ++made;
    }
    return made;
  }
  std::size_t finish(time::Time) override {
    stores_.deliver();
    return 0;
  }

 private:
  static constexpr std::size_t k_at_once = 64;  // in a turn of the loop
  const Options& options_;
  app::Station& station_;
  fix::JournalStores& stores_;
  TraderBoard& board_;
  std::vector<std::unique_ptr<Trader>> traders_;
  time::Time began_{};
  std::uint64_t sent_ = 0;  // of those due since then
  std::size_t next_ = 0;
};

void run(const Options& options) {
  auto disk = journal::RealDisk::open(options.folder + "/journal");
  if (!disk) throw std::runtime_error("the traders' journal cannot be opened");
  auto stores = fix::JournalStores::open(**disk, {.name = "traders",
                                                  .disk_bytes = std::uint64_t{1} << 32,
                                                  .messages_per_session = 1 << 19,
                                                  .bytes_per_session = std::uint64_t{1} << 29,
                                                  .messages = std::size_t{1} << 21});
  if (!stores) throw std::runtime_error(stores.error().what);
  app::Station station({.scheduler = 512, .idle = net::IdlePolicy::yield, .fabric = {.max_connections = 64}});
  Traders traders(options, station, **stores);
  journal::JournalThread thread((*stores)->journal(), {});
  fmt::print("traders ready\n");
  std::fflush(stdout);
  station.run([] { return true; });
}

}  // namespace
}  // namespace dojima::crash

int main(int count, char** words) {
  CLI::App app("FIX clients that may be killed, for dojima-gateway-kills");
  dojima::crash::Options options;
  app.add_option("--folder", options.folder, "Of journal, files and board")->required();
  app.add_option("--symbol", options.symbols, "Two symbols")->required()->expected(2);
  app.add_option("--port", options.port, "Of the gateway")->required();
  app.add_option("--clients", options.clients, "How many")->capture_default_str();
  app.add_option("--seed", options.seed, "Of what they do in this life")->capture_default_str();
  CLI11_PARSE(app, count, words);
  try {
    dojima::crash::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "dojima-kill-traders: {}\n", error.what());
    return 1;
  }
  return 0;
}
