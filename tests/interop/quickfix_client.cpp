#include "quickfix_client.hpp"

#include <condition_variable>
#include <mutex>
#include <quickfix/Application.h>
#include <quickfix/MessageStore.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketInitiator.h>
#include <quickfix/fix44/NewOrderSingle.h>
#include <quickfix/fix44/OrderCancelReplaceRequest.h>
#include <quickfix/fix44/OrderCancelRequest.h>
#include <sstream>

namespace interop {
namespace {

std::string field_of(const FIX::FieldMap& map, int tag) {
  return map.isSetField(tag) ? map.getField(tag) : "";
}

Received received_from(const FIX::Message& message) {
  Received r;
  r.msg_type = field_of(message.getHeader(), FIX::FIELD::MsgType);
  r.is_possible_duplicate = field_of(message.getHeader(), FIX::FIELD::PossDupFlag) == "Y";
  r.cl_ord_id = field_of(message, FIX::FIELD::ClOrdID);
  r.orig_cl_ord_id = field_of(message, FIX::FIELD::OrigClOrdID);
  r.order_id = field_of(message, FIX::FIELD::OrderID);
  r.exec_id = field_of(message, FIX::FIELD::ExecID);
  r.exec_type = field_of(message, FIX::FIELD::ExecType);
  r.ord_status = field_of(message, FIX::FIELD::OrdStatus);
  r.ord_rej_reason = field_of(message, FIX::FIELD::OrdRejReason);
  r.cxl_rej_reason = field_of(message, FIX::FIELD::CxlRejReason);
  r.cxl_rej_response_to = field_of(message, FIX::FIELD::CxlRejResponseTo);
  r.symbol = field_of(message, FIX::FIELD::Symbol);
  r.side = field_of(message, FIX::FIELD::Side);
  r.order_qty = field_of(message, FIX::FIELD::OrderQty);
  r.price = field_of(message, FIX::FIELD::Price);
  r.last_qty = field_of(message, FIX::FIELD::LastQty);
  r.last_px = field_of(message, FIX::FIELD::LastPx);
  r.leaves_qty = field_of(message, FIX::FIELD::LeavesQty);
  r.cum_qty = field_of(message, FIX::FIELD::CumQty);
  r.avg_px = field_of(message, FIX::FIELD::AvgPx);
  r.text = field_of(message, FIX::FIELD::Text);
  r.ref_msg_type = field_of(message, FIX::FIELD::RefMsgType);
  r.ref_seq_num = field_of(message, FIX::FIELD::RefSeqNum);
  r.ref_tag_id = field_of(message, FIX::FIELD::RefTagID);
  r.ref_id = field_of(message, FIX::FIELD::BusinessRejectRefID);
  r.business_reject_reason = field_of(message, FIX::FIELD::BusinessRejectReason);
  return r;
}

std::string begin_string_of(const std::string& version) {
  return version == "FIX.5.0SP2" ? "FIXT.1.1" : version;
}

}  // namespace

struct QuickFixClient::Parts : FIX::NullApplication {
  Parts(const std::string& host, std::uint16_t port, const std::string& sender, const std::string& target,
        const std::string& version)
      : id(FIX::BeginString(begin_string_of(version)), FIX::SenderCompID(sender), FIX::TargetCompID(target)) {
    std::ostringstream text;
    text << "[DEFAULT]\nConnectionType=initiator\nReconnectInterval=1\nStartTime=00:00:00\nEndTime=00:00:00\n"
         << "HeartBtInt=5\nUseDataDictionary=N\nResetOnLogon=N\nResetOnLogout=N\nResetOnDisconnect=N\n"
         << (version == "FIX.5.0SP2" ? "DefaultApplVerID=FIX.5.0SP2\n" : "")
         << "[SESSION]\nBeginString=" << begin_string_of(version) << "\nSenderCompID=" << sender
         << "\nTargetCompID=" << target << "\nSocketConnectHost=" << host << "\nSocketConnectPort=" << port << "\n";
    std::istringstream stream(text.str());
    settings.reset(new FIX::SessionSettings(stream));
    initiator.reset(new FIX::SocketInitiator(*this, stores, *settings));
  }

  void onLogon(const FIX::SessionID&) override { set_logged_on(true); }
  void onLogout(const FIX::SessionID&) override { set_logged_on(false); }
  void fromApp(const FIX::Message& message, const FIX::SessionID&) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat,
                                                                         FIX::IncorrectTagValue,
                                                                         FIX::UnsupportedMessageType) override {
    keep(message);
  }
  void fromAdmin(const FIX::Message& message, const FIX::SessionID&) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat,
                                                                           FIX::IncorrectTagValue,
                                                                           FIX::RejectLogon) override {
    if (field_of(message.getHeader(), FIX::FIELD::MsgType) == "3") keep(message);
  }

  void set_logged_on(bool value) {
    std::lock_guard<std::mutex> lock(mutex);
    is_logged_on = value;
    changed.notify_all();
  }
  void keep(const FIX::Message& message) {
    std::lock_guard<std::mutex> lock(mutex);
    received.push_back(received_from(message));
    changed.notify_all();
  }
  bool wait_state(bool value, std::chrono::seconds patience) {
    std::unique_lock<std::mutex> lock(mutex);
    return changed.wait_for(lock, patience, [&] { return is_logged_on == value; });
  }
  FIX::Session& session() { return *FIX::Session::lookupSession(id); }

  FIX::SessionID id;
  FIX::MemoryStoreFactory stores;
  std::unique_ptr<FIX::SessionSettings> settings;
  std::unique_ptr<FIX::SocketInitiator> initiator;
  std::mutex mutex;
  std::condition_variable changed;
  bool is_logged_on = false;
  std::vector<Received> received;
};

QuickFixClient::QuickFixClient(const std::string& host, std::uint16_t port, const std::string& sender,
                               const std::string& target, const std::string& version)
    : parts_(new Parts(host, port, sender, target, version)) {}

QuickFixClient::~QuickFixClient() {
  parts_->initiator->stop(true);
}

void QuickFixClient::start() {
  parts_->initiator->start();
}
void QuickFixClient::logout() {
  parts_->session().logout("test");
}
void QuickFixClient::logon() {
  parts_->session().logon();
}

bool QuickFixClient::wait_logged_on(std::chrono::seconds patience) const {
  return parts_->wait_state(true, patience);
}
bool QuickFixClient::wait_logged_out(std::chrono::seconds patience) const {
  return parts_->wait_state(false, patience);
}

int QuickFixClient::next_sender_number() const {
  return parts_->session().getExpectedSenderNum();
}
int QuickFixClient::next_target_number() const {
  return parts_->session().getExpectedTargetNum();
}

void QuickFixClient::send(const std::string& msg_type, const std::vector<Field>& fields) {
  FIX::Message message;
  message.getHeader().setField(FIX::MsgType(msg_type));
  for (const Field& field : fields) {
    if (field.tag == FIX::FIELD::NoTradingSessions) continue;  // follows from its entries
    if (field.tag != FIX::FIELD::TradingSessionID) {
      message.setField(field.tag, field.value);
      continue;
    }
    FIX::Group group(FIX::FIELD::NoTradingSessions, FIX::FIELD::TradingSessionID);
    group.setField(field.tag, field.value);
    message.addGroup(group);
  }
  message.setField(FIX::TransactTime());
  FIX::Session::sendToTarget(message, parts_->id);
}

void QuickFixClient::send_limit(const std::string& cl_ord_id, const std::string& symbol, char side,
                                const std::string& quantity, const std::string& price, char time_in_force) {
  FIX44::NewOrderSingle order{FIX::ClOrdID(cl_ord_id), FIX::Side(side), FIX::TransactTime(), FIX::OrdType('2')};
  order.set(FIX::Symbol(symbol));
  order.setField(FIX::FIELD::OrderQty, quantity);
  order.setField(FIX::FIELD::Price, price);
  order.set(FIX::TimeInForce(time_in_force));
  FIX::Session::sendToTarget(order, parts_->id);
}

void QuickFixClient::send_cancel(const std::string& cl_ord_id, const std::string& orig_cl_ord_id,
                                 const std::string& symbol, char side, const std::string& quantity) {
  FIX44::OrderCancelRequest cancel{FIX::OrigClOrdID(orig_cl_ord_id), FIX::ClOrdID(cl_ord_id), FIX::Side(side),
                                   FIX::TransactTime()};
  cancel.set(FIX::Symbol(symbol));
  cancel.setField(FIX::FIELD::OrderQty, quantity);
  FIX::Session::sendToTarget(cancel, parts_->id);
}

void QuickFixClient::send_replace(const std::string& cl_ord_id, const std::string& orig_cl_ord_id,
                                  const std::string& symbol, char side, const std::string& quantity,
                                  const std::string& price) {
  FIX44::OrderCancelReplaceRequest replace{FIX::OrigClOrdID(orig_cl_ord_id), FIX::ClOrdID(cl_ord_id), FIX::Side(side),
                                           FIX::TransactTime(), FIX::OrdType('2')};
  replace.set(FIX::Symbol(symbol));
  replace.setField(FIX::FIELD::OrderQty, quantity);
  replace.setField(FIX::FIELD::Price, price);
  FIX::Session::sendToTarget(replace, parts_->id);
}

std::vector<Received> QuickFixClient::wait_received(std::size_t count, std::chrono::seconds patience) const {
  std::unique_lock<std::mutex> lock(parts_->mutex);
  parts_->changed.wait_for(lock, patience, [&] { return parts_->received.size() >= count; });
  return parts_->received;
}

}  // namespace interop
