#include "quickfix_session.hpp"

#include <condition_variable>
#include <mutex>
#include <quickfix/Application.h>
#include <quickfix/FileStore.h>
#include <quickfix/MessageStore.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketAcceptor.h>
#include <quickfix/SocketInitiator.h>
#include <set>
#include <sstream>

namespace interop {

struct QuickFixSession::Parts : FIX::NullApplication {
  explicit Parts(const QuickFixSettings& given)
      : is_acceptor(given.is_acceptor),
        begin_string(given.begin_string),
        id(FIX::BeginString(given.begin_string), FIX::SenderCompID(given.sender), FIX::TargetCompID(given.target)) {
    std::ostringstream text;
    text << "[DEFAULT]\nConnectionType=" << (is_acceptor ? "acceptor" : "initiator")
         << "\nReconnectInterval=1\nStartTime=00:00:00\nEndTime=00:00:00\nHeartBtInt=5\nUseDataDictionary=N\n"
         << "ResetOnLogon=N\nResetOnLogout=N\nResetOnDisconnect=N\n"
         << "[SESSION]\nBeginString=" << given.begin_string << "\nSenderCompID=" << given.sender
         << "\nTargetCompID=" << given.target << "\n";
    if (!given.default_appl_ver_id.empty()) text << "DefaultApplVerID=" << given.default_appl_ver_id << "\n";
    if (is_acceptor) {
      text << "SocketAcceptPort=" << given.port << "\nSocketReuseAddress=Y\n";
    } else {
      text << "SocketConnectHost=127.0.0.1\nSocketConnectPort=" << given.port << "\n";
    }
    text << given.more;
    if (!given.store_folder.empty()) stores.reset(new FIX::FileStoreFactory(given.store_folder));
    std::istringstream stream(text.str());
    settings.reset(new FIX::SessionSettings(stream));
    if (is_acceptor) {
      acceptor.reset(new FIX::SocketAcceptor(*this, *stores, *settings));
    } else {
      initiator.reset(new FIX::SocketInitiator(*this, *stores, *settings));
    }
  }
  ~Parts() override { stop(); }
  void stop() {
    if (acceptor) acceptor->stop(true);
    if (initiator) initiator->stop(true);
  }

  void onLogon(const FIX::SessionID&) override { set_logged_on(true); }
  void onLogout(const FIX::SessionID&) override { set_logged_on(false); }
  void fromApp(const FIX::Message& message, const FIX::SessionID&) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat,
                                                                         FIX::IncorrectTagValue,
                                                                         FIX::UnsupportedMessageType) override {
    {
      std::lock_guard<std::mutex> lock(mutex);
      const std::string order = message.getField(FIX::FIELD::ClOrdID);
      orders.push_back(order);
      different.insert(order);
      changed.notify_all();
    }
    if (!is_acceptor) return;
    FIX::Message echo = message;
    FIX::Session::sendToTarget(echo, id);
  }
  void fromAdmin(const FIX::Message& message, const FIX::SessionID&) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat,
                                                                           FIX::IncorrectTagValue,
                                                                           FIX::RejectLogon) override {
    if (message.getHeader().getField(FIX::FIELD::MsgType) != "3") return;
    std::lock_guard<std::mutex> lock(mutex);
    ++rejects;
  }
  void set_logged_on(bool value) {
    std::lock_guard<std::mutex> lock(mutex);
    is_logged_on = value;
    changed.notify_all();
  }
  FIX::Session& session() { return *FIX::Session::lookupSession(id); }

  const bool is_acceptor;
  const std::string begin_string;
  FIX::SessionID id;
  std::unique_ptr<FIX::MessageStoreFactory> stores{new FIX::MemoryStoreFactory};
  std::unique_ptr<FIX::SessionSettings> settings;
  std::mutex mutex;
  std::condition_variable changed;
  bool is_logged_on = false;
  std::vector<std::string> orders;
  std::set<std::string> different;
  std::size_t rejects = 0;
  std::unique_ptr<FIX::SocketAcceptor> acceptor;
  std::unique_ptr<FIX::SocketInitiator> initiator;
};

QuickFixSession::QuickFixSession(const QuickFixSettings& settings) : parts_(new Parts(settings)) {}
QuickFixSession::~QuickFixSession() = default;

void QuickFixSession::start() {
  if (parts_->acceptor) parts_->acceptor->start();
  if (parts_->initiator) parts_->initiator->start();
}

void QuickFixSession::stop() {
  parts_->stop();
}

bool QuickFixSession::wait_logged_on(std::chrono::seconds patience) const {
  std::unique_lock<std::mutex> lock(parts_->mutex);
  return parts_->changed.wait_for(lock, patience, [&] { return parts_->is_logged_on; });
}

void QuickFixSession::cut() {
  parts_->session().disconnect();
}

void QuickFixSession::send_order(const std::string& cl_ord_id) {
  FIX::Message order;
  order.getHeader().setField(FIX::FIELD::MsgType, "D");
  order.setField(FIX::FIELD::ClOrdID, cl_ord_id);
  order.setField(FIX::FIELD::HandlInst, "1");
  order.setField(FIX::FIELD::Symbol, "RICE");
  order.setField(FIX::FIELD::Side, "1");
  order.setField(FIX::FIELD::OrderQty, "100");
  order.setField(FIX::FIELD::OrdType, "1");
  if (parts_->begin_string > "FIX.4.1") order.setField(FIX::FIELD::TransactTime, "20260720-12:00:00");
  FIX::Session::sendToTarget(order, parts_->id);
}

std::vector<std::string> QuickFixSession::wait_orders(std::size_t count, std::chrono::seconds patience) const {
  std::unique_lock<std::mutex> lock(parts_->mutex);
  parts_->changed.wait_for(lock, patience, [&] { return parts_->different.size() >= count; });
  return parts_->orders;
}

std::size_t QuickFixSession::rejects() const {
  std::lock_guard<std::mutex> lock(parts_->mutex);
  return parts_->rejects;
}

int QuickFixSession::next_sender_number() const {
  return parts_->session().getExpectedSenderNum();
}
int QuickFixSession::next_target_number() const {
  return parts_->session().getExpectedTargetNum();
}

}  // namespace interop
