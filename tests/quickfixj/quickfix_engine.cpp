#include "quickfix_engine.hpp"

#include <quickfix/Application.h>
#include <quickfix/FileLog.h>
#include <quickfix/FileStore.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketAcceptor.h>
#include <quickfix/SocketInitiator.h>
#include <sstream>

#ifndef EXCEPT  // QuickFIX 1.16 says it so
#define EXCEPT(...) throw(__VA_ARGS__)
#endif

namespace quickfix_peer {
namespace {

std::string field_of(const FIX::FieldMap& map, int tag) {
  return map.isSetField(tag) ? map.getField(tag) : "";
}

FIX::SessionSettings settings_of(const EngineOptions& options) {
  std::map<std::string, std::string> all = {{"ReconnectInterval", "1"},
                                            {"HeartBtInt", "10"},
                                            {"StartTime", "00:00:00"},
                                            {"EndTime", "00:00:00"},
                                            {"UseDataDictionary", "N"},
                                            {"FileStorePath", options.directory + "/store"},
                                            {"FileLogPath", options.directory + "/log"}};
  if (options.is_acceptor) {
    all["SocketAcceptPort"] = std::to_string(options.port);
    all["SocketReuseAddress"] = "Y";
  } else {
    all["SocketConnectHost"] = "127.0.0.1";
    all["SocketConnectPort"] = std::to_string(options.port);
  }
  for (const auto& setting : options.settings) all[setting.first] = setting.second;
  std::ostringstream text;
  text << "[DEFAULT]\nConnectionType=" << (options.is_acceptor ? "acceptor" : "initiator") << "\n";
  for (const auto& setting : all) text << setting.first << "=" << setting.second << "\n";
  text << "[SESSION]\nBeginString=" << options.begin_string << "\nSenderCompID=" << options.sender
       << "\nTargetCompID=" << options.target << "\n";
  std::istringstream stream(text.str());
  return FIX::SessionSettings(stream);
}

}  // namespace

struct Engine::Parts : FIX::NullApplication {
  Parts(const EngineOptions& given, EngineObserver& hears)
      : options(given),
        observer(hears),
        id(FIX::BeginString(given.begin_string), FIX::SenderCompID(given.sender), FIX::TargetCompID(given.target)),
        settings(settings_of(given)),
        stores(settings),
        logs(settings) {
    if (options.is_acceptor) {
      acceptor.reset(new FIX::SocketAcceptor(*this, stores, settings, logs));
    } else {
      initiator.reset(new FIX::SocketInitiator(*this, stores, settings, logs));
    }
  }

  void onLogon(const FIX::SessionID&) override { observer.on_logon(); }
  void toAdmin(FIX::Message& message, const FIX::SessionID&) override { tell(false, message); }
  void toApp(FIX::Message& message, const FIX::SessionID&) EXCEPT(FIX::DoNotSend) override {
    if (type_of(message) != "D") tell(false, message);
  }
  void fromAdmin(const FIX::Message& message, const FIX::SessionID&)
      EXCEPT(FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue, FIX::RejectLogon) override {
    tell(true, message);
  }
  void fromApp(const FIX::Message& message, const FIX::SessionID&)
      EXCEPT(FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue,
             FIX::UnsupportedMessageType) override {
    if (type_of(message) != "D") {
      tell(true, message);
      return;
    }
    Order order;
    order.cl_ord_id = field_of(message, FIX::FIELD::ClOrdID);
    order.quantity = field_of(message, FIX::FIELD::OrderQty);
    order.symbol = field_of(message, FIX::FIELD::Symbol);
    order.side = field_of(message, FIX::FIELD::Side);
    order.may_be_duplicate = field_of(message.getHeader(), FIX::FIELD::PossDupFlag) == "Y";
    order.may_be_resend = field_of(message.getHeader(), FIX::FIELD::PossResend) == "Y";
    observer.on_order(order);
    if (options.is_acceptor) send(order.cl_ord_id, order.quantity, order.may_be_duplicate || order.may_be_resend);
  }

  static std::string type_of(const FIX::Message& message) { return field_of(message.getHeader(), FIX::FIELD::MsgType); }
  void tell(bool is_received, const FIX::Message& message) {
    observer.on_other(is_received, type_of(message), field_of(message, FIX::FIELD::Text));
  }
  FIX::Session& session() const { return *FIX::Session::lookupSession(id); }

  void send(const std::string& cl_ord_id, const std::string& quantity, bool may_be_resend) {
    FIX::Message order;
    order.getHeader().setField(FIX::FIELD::MsgType, "D");
    if (may_be_resend) order.getHeader().setField(FIX::FIELD::PossResend, "Y");
    order.setField(FIX::FIELD::ClOrdID, cl_ord_id);
    order.setField(FIX::FIELD::HandlInst, "1");
    order.setField(FIX::FIELD::Symbol, "RICE");
    order.setField(FIX::FIELD::Side, "1");
    order.setField(FIX::FIELD::OrderQty, quantity);
    order.setField(FIX::FIELD::OrdType, "1");
    if (options.begin_string > "FIX.4.1") order.setField(FIX::FIELD::TransactTime, "20260720-12:00:00");
    session().send(order);
  }

  const EngineOptions options;
  EngineObserver& observer;
  FIX::SessionID id;
  FIX::SessionSettings settings;
  FIX::FileStoreFactory stores;
  FIX::FileLogFactory logs;
  std::unique_ptr<FIX::SocketAcceptor> acceptor;
  std::unique_ptr<FIX::SocketInitiator> initiator;
};

Engine::Engine(const EngineOptions& options, EngineObserver& observer) : parts_(new Parts(options, observer)) {}
Engine::~Engine() = default;

void Engine::poll() {
  if (parts_->acceptor) parts_->acceptor->poll();
  if (parts_->initiator) parts_->initiator->poll();
}
void Engine::log_out() {
  parts_->session().logout();
}
bool Engine::is_logged_on() const {
  return parts_->session().isLoggedOn();
}
void Engine::send_order(const std::string& cl_ord_id, const std::string& quantity) {
  parts_->send(cl_ord_id, quantity, false);
}
void Engine::send_reset() {
  FIX::Message logon;
  logon.getHeader().setField(FIX::FIELD::MsgType, "A");
  logon.setField(FIX::FIELD::EncryptMethod, "0");
  logon.setField(FIX::FIELD::HeartBtInt, "10");
  logon.setField(FIX::FIELD::ResetSeqNumFlag, "Y");
  if (parts_->id.isFIXT()) logon.setField(FIX::FIELD::DefaultApplVerID, parts_->options.default_appl_ver_id);
  parts_->session().send(logon);
}
std::uint64_t Engine::next_outgoing() const {
  return static_cast<std::uint64_t>(parts_->session().getExpectedSenderNum());
}
std::uint64_t Engine::next_incoming() const {
  return static_cast<std::uint64_t>(parts_->session().getExpectedTargetNum());
}

}  // namespace quickfix_peer
