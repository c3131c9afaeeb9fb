// dojima-kill-traders: FIX clients for dojima-gateway-kills, as a process that may be killed at any instant: the
// numbers and messages of their sessions are in a journal, what they requested and received is in a file each. Started
// again, they go on where they were, with the rate that the killer asks for.

#include "trader_board.hpp"
#include "trader_file.hpp"
#include "trader_orders.hpp"
#include "traders_program.hpp"

#include <algorithm>
#include <memory>
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

class Trader final : public fix::Handler {
 public:
  Trader(sched::Scheduler& scheduler, std::size_t number, const TradersOptions& options, fix::JournalStores& stores,
         TraderBoard& board)
      : Trader(scheduler, trader_name(number), options.seed + number, options, stores, board) {}
  /// A firm with a drop copy: it requests nothing.
  Trader(sched::Scheduler& scheduler, const TradersOptions& options, fix::JournalStores& stores, TraderBoard& board)
      : Trader(scheduler, options.copy, options.seed, options, stores, board) {}
  [[nodiscard]] fix::Session& session() noexcept { return session_; }
  time::Time retry{};

  /// An order or a change of one.
  void act(time::Time now) {
    const TraderOrder order = orders_.next();
    fix::Writer writer = session_.begin(type_of(order));
    writer.field(fix::tag::k_cl_ord_id, order.id);
    if (order.type != 'D') writer.field(fix::tag::k_orig_cl_ord_id, order.orig);
    writer.field(fix::tag::k_symbol, order.symbol).field(fix::tag::k_side, order.side);
    writer.field(fix::tag::k_transact_time, now);
    if (order.type != 'F') {
      writer.field(fix::tag::k_order_qty, order.quantity).field(fix::tag::k_ord_type, '2');
      writer.field(fix::tag::k_price, market::Price{order.price * market::k_price_scale});
      if (order.is_to_outlive_the_day)
        writer.field(fix::tag::k_time_in_force, '6').field(fix::tag::k_expire_date, last_date());
    }
    file_.request({session_.next_outgoing().value, order.type, order.id, order.orig});
    if (!session_.send(writer)) throw std::runtime_error("a request that the session does not take");
    ++board_.sent;
  }

  // fix::Handler
  void on_logon(fix::Session&, time::Time) override { ++board_.logged_on; }
  void on_logout(fix::Session&, std::string_view, time::Time) override { --board_.logged_on; }
  void on_message(fix::Session&, const fix::MessageView& view, time::Time) override { keep(view); }
  void on_reject(fix::Session&, const fix::MessageView& view, time::Time) override { keep(view); }
  void on_trouble(fix::Session&, const Error&) override {}

 private:
  static fix::MsgType type_of(const TraderOrder& order) {
    if (order.type == 'D') return fix::type::k_new_order_single;
    return order.type == 'F' ? fix::type::k_order_cancel_request : fix::type::k_order_cancel_replace_request;
  }

  Trader(sched::Scheduler& scheduler, const std::string& name, std::uint64_t seed, const TradersOptions& options,
         fix::JournalStores& stores, TraderBoard& board)
      : board_(board),
        orders_(options.symbols, seed, options.has_days),
        file_(options.folder + "/" + name),
        store_(*stores.store({"FIX.4.4", name, "DOJIMA"}).value()),
        session_(scheduler, {.role = fix::Role::initiator, .sender_comp_id = name, .target_comp_id = "DOJIMA"}, *this,
                 store_) {
    recall(options.folder + "/" + name);
  }

  /// What an earlier life did. A request whose number the store does not have never left it.
  void recall(const std::string& path) {
    std::vector<std::string> unsent;
    const std::uint64_t next = session_.next_outgoing().value;
    TraderFile::read(path, {.on_request =
                                [&](const TraderRequest& request) {
                                  orders_.note_earlier();
                                  if (request.sequence >= next) unsent.push_back(request.id);
                                },
                            .on_withdrawn = [&](const std::string& id) { std::erase(unsent, id); },
                            .on_received = [&](std::string_view fix) { last_received_ = number_of(fix); }});
    for (const std::string& id : unsent) file_.withdraw(id);
  }

  void keep(const fix::MessageView& view) {
    const std::uint64_t sequence = view.msg_seq_num().value().value;
    if (sequence <= last_received_) return;  // an earlier life had it, and was killed before its store knew
    last_received_ = sequence;
    file_.received({reinterpret_cast<const char*>(view.bytes().data()), view.bytes().size()});
    ++board_.received;
  }

  TraderBoard& board_;
  TraderOrders orders_;
  TraderFile file_;
  fix::MessageStore& store_;
  fix::Session session_;
  std::uint64_t last_received_ = 0;
};

/// Sends what is due by the rate, and connects who is not connected.
class Traders final : public sched::Source {
 public:
  Traders(const TradersOptions& options, app::Station& station, fix::JournalStores& stores)
      : options_(options), station_(station), stores_(stores), board_(trader_board(options.folder + "/board")) {
    for (std::uint32_t at = 0; at < options.clients; ++at)
      traders_.push_back(std::make_unique<Trader>(station.scheduler(), at, options, stores, board_));
    for (const auto& trader : traders_) sessions_.push_back(trader.get());
    if (!options.copy.empty()) {
      firm_ = std::make_unique<Trader>(station.scheduler(), options, stores, board_);
      sessions_.push_back(firm_.get());
    }
    station.add(*this);
  }

  // sched::Source
  std::size_t deliver(time::Time now) override {
    for (; cuts_ < board_.cuts; ++cuts_) sessions_[cuts_ % sessions_.size()]->session().disconnect();
    for (Trader* const trader : sessions_) {
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
  const TradersOptions& options_;
  app::Station& station_;
  fix::JournalStores& stores_;
  TraderBoard& board_;
  std::vector<std::unique_ptr<Trader>> traders_;
  std::unique_ptr<Trader> firm_;  // null: there is no drop copy
  std::vector<Trader*> sessions_;
  std::uint64_t cuts_ = board_.cuts;  // those of earlier lives are done
  time::Time began_{};
  std::uint64_t sent_ = 0;  // of those due since then
  std::size_t next_ = 0;
};

void run(const TradersOptions& options) {
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
  say_ready();
  station.run([] { return true; });
}

}  // namespace
}  // namespace dojima::crash

int main(int count, char** words) {
  return dojima::crash::run_traders("dojima-kill-traders", "FIX clients that may be killed, for dojima-gateway-kills",
                                    count, words, dojima::crash::run);
}
