#pragma once

// Where a translator's messages leave: the FIX session of every client and the session of every venue user, and what
// both directions send through the FIX sessions. What is sent waits until flush(), so that the message takes with it,
// in one record of the journal, all that the input in hand has changed. A message that a session cannot take is counted
// (`undelivered`) and dropped. One thread, no allocation after attach().

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/fix/message.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/counters.hpp"
#include "dojima/gateway/messages/reasons.hpp"
#include "dojima/gateway/messages/report_writer.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/observer.hpp"
#include "dojima/gateway/records/order.hpp"
#include "dojima/gateway/records/order_records.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/mit/client_session.hpp"
#include "dojima/sched/event.hpp"

namespace dojima::gateway {

class DropCopies;

/// Requests of a client that were refused, since the gateway was made.
struct ClientRejects {
  std::uint64_t count = 0;
  ReasonText last{};  ///< why the last one was
};

/// Why requests through a venue user that is logged on do not leave yet.
enum class VenueWait : std::uint8_t {
  none,      ///< they do
  recovery,  ///< what it missed is being recovered
  journal,   ///< what its last session, or what was recovered, leads to has no room in the journal yet
};

class ClientChannels {
 public:
  /// A longer SenderSubID is not repeated in answers.
  static constexpr std::size_t k_sub_id_max = 64;

  /// For these clients, numbered by their place in the configuration, and these venue users. `journal` numbers the
  /// gateway's own ExecIDs; `orders` are those that are reported. All but the configuration outlive the channels.
  ClientChannels(std::span<const ClientConfig> clients, const VenueUsers& users, const SymbolTable& symbols,
                 GatewayCounters& counters, StateJournal& journal, const OrderRecords& orders);

  /// The session of a client, and that of a venue user, once each, before anything is sent. Both outlive the channels'
  /// use.
  void attach(std::uint32_t client, fix::Session& session);
  void attach_user(std::uint32_t user, mit::ClientSession& venue);

  /// What fires when Translator::on_due has something to do for the client. Outlives the channels' use.
  void set_timer(std::uint32_t client, sched::Timer& timer) noexcept { channels_[client].timer = &timer; }
  /// The client's timer fires at `at`, or before.
  void wake(std::uint32_t client, time::Time at) noexcept {
    sched::Timer* const timer = channels_[client].timer;
    at = std::max(at, time::Time{});
    if (timer != nullptr && at < timer->deadline()) timer->arm(at);
  }
  /// The client's session ends with this text, which is static, when its timer fires, which is at once.
  /// False: that was on its way.
  bool end_session(std::uint32_t client, std::string_view text) noexcept {
    const bool is_first = channels_[client].end_text.empty();
    channels_[client].end_text = text;
    wake(client, time::Time{});
    return is_first;
  }
  /// The text of a session that is to end now; empty: it goes on. Once.
  [[nodiscard]] std::string_view take_end(std::uint32_t client) noexcept {
    return std::exchange(channels_[client].end_text, std::string_view{});
  }

  [[nodiscard]] fix::Session& session(std::uint32_t client) const noexcept { return *channels_[client].session; }
  [[nodiscard]] mit::ClientSession& venue(std::uint32_t user) const noexcept { return *users_[user].venue; }

  [[nodiscard]] const ReportForm& form(std::uint32_t client) const noexcept { return channels_[client].form; }
  /// Whether the venue takes requests of the user: it is logged on, and all that was missed has been recovered.
  [[nodiscard]] bool is_venue_ready(std::uint32_t user) const noexcept {
    return venue(user).is_logged_on() && users_[user].wait == VenueWait::none;
  }
  /// Whether the venue takes requests of one of the client's users.
  [[nodiscard]] bool is_any_venue_ready(std::uint32_t client) const noexcept {
    return std::ranges::any_of(venue_users_.of(client), [this](std::uint32_t user) { return is_venue_ready(user); });
  }
  void set_wait(std::uint32_t user, VenueWait wait) noexcept { users_[user].wait = wait; }
  [[nodiscard]] VenueWait wait_of(std::uint32_t user) const noexcept { return users_[user].wait; }

  /// Opens a message to the client.
  [[nodiscard]] fix::Writer begin(std::uint32_t client, fix::MsgType type) {
    return begin(client, type, reply_sub_id_);
  }
  /// Likewise about an order: to the sub id by which the client names its venue user.
  [[nodiscard]] fix::Writer begin_about(const Order& order, fix::MsgType type) {
    return begin(order.client, type, venue_users_.sub_id_of(order.client, order.user));
  }
  /// What is begun from now on answers a message of this SenderSubID(50), which outlives the answers; empty: of none.
  void set_reply_sub_id(std::string_view sub_id) noexcept {
    reply_sub_id_ = sub_id.size() <= k_sub_id_max ? sub_id : std::string_view{};
  }
  /// The message is complete; it goes with the next flush, or before another one is begun.
  void send(std::uint32_t client, const fix::Writer& writer);
  /// Whether the journal is short of room: what can wait does.
  [[nodiscard]] bool is_short_of_room() const noexcept { return journal_.is_short_of_room(); }
  /// What waits goes to its session, and into the journal with all changes of the state.
  void flush();
  /// The same; where nothing waits the changes are written by themselves.
  void flush_all();
  /// Of an instrument that is traded.
  [[nodiscard]] std::string_view symbol_of(std::uint32_t instrument) const noexcept {
    return symbols_.symbol_of(instrument);
  }
  /// A hint that an execution of this order will be sent soon.
  [[gnu::always_inline]] void expect_execution(market::OrderId order) const noexcept { templates_.prefetch(order); }
  /// ExecutionReport(8) of an order that has a record.
  void send_execution(const Order& order, const Execution& execution);
  /// Reject(3) or BusinessMessageReject(j) of `message`. `refusal` wants no report.
  void send_reject(std::uint32_t client, const fix::MessageView& message, const Refusal& refusal);
  /// Is notified of what people have to settle; outlives the channels. May be null.
  void set_observer(Observer* observer) noexcept { observer_ = observer; }
  /// Copies what is sent to clients; outlives the channels. May be null.
  void set_drop_copies(DropCopies* copies) noexcept { copies_ = copies; }
  void note_unknown_trade(std::uint32_t client, const fix::MessageView& message, time::Time now);
  /// A request of the client was refused, with this text: by the gateway or by the venue.
  void note_reject(std::uint32_t client, std::string_view text) noexcept;
  /// Likewise, with the text that `message` is answered with.
  void note_reject(std::uint32_t client, const fix::MessageView& message, const Refusal& refusal) noexcept;
  [[nodiscard]] const ClientRejects& rejects(std::uint32_t client) const noexcept { return channels_[client].rejects; }
  [[nodiscard]] Observer* observer() const noexcept { return observer_; }
  /// BusinessMessageReject(j) for a type of message that the gateway does not translate.
  void send_unsupported(std::uint32_t client, const fix::MessageView& message);

  /// The ExecID of the next refusal of the gateway's own; it stays until the next call.
  [[nodiscard]] std::string_view next_exec_id() noexcept;
  /// The venue's ExecID in `text`, or one of the gateway's own where the venue has given none. `user`: the venue user
  /// that received it.
  [[nodiscard]] std::string_view exec_id_of(std::uint32_t user, std::uint64_t execution, Identifier& text) noexcept;

 private:
  void send_business_reject(std::uint32_t client, const fix::MessageView& message, const Refusal& refusal);
  [[nodiscard]] fix::Writer begin(std::uint32_t client, fix::MsgType type, std::string_view sub_id);

  struct Channel {
    fix::Session* session = nullptr;
    sched::Timer* timer = nullptr;
    std::string_view end_text{};
    ReportForm form;
    ClientRejects rejects{};
  };
  struct User {
    mit::ClientSession* venue = nullptr;
    VenueWait wait = VenueWait::none;
  };

  const SymbolTable& symbols_;
  const VenueUsers& venue_users_;
  GatewayCounters& counters_;
  StateJournal& journal_;
  const OrderRecords& orders_;
  std::vector<Channel> channels_;
  std::vector<User> users_;
  ReportTemplates templates_;
  std::string_view reply_sub_id_{};
  fix::Writer pending_;  // the message that waits, where one does
  std::uint32_t pending_client_ = 0;
  bool is_pending_ = false;
  Observer* observer_ = nullptr;
  DropCopies* copies_ = nullptr;
  std::array<char, 13> exec_id_{};
};

}  // namespace dojima::gateway
