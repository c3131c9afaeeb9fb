#include "quickfix_sessions.hpp"

#include <map>
#include <quickfix/Application.h>
#include <quickfix/FileStore.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketInitiator.h>
#include <sstream>

namespace dojima {
namespace crash {
namespace {

std::uint64_t number_of(const FIX::Message& message) {
  return std::stoull(message.getHeader().getField(FIX::FIELD::MsgSeqNum));
}

}  // namespace

struct QuickFixSessions::Parts : FIX::NullApplication {
  Parts(const std::string& folder, std::uint16_t port, const std::vector<std::string>& names, QuickFixListener& to)
      : listener(to), stores(folder) {
    std::ostringstream text;
    text << "[DEFAULT]\nConnectionType=initiator\nReconnectInterval=1\nStartTime=00:00:00\nEndTime=00:00:00\n"
         << "HeartBtInt=5\nUseDataDictionary=N\nResetOnLogon=N\nResetOnLogout=N\nResetOnDisconnect=N\n"
         << "SocketConnectHost=127.0.0.1\nSocketConnectPort=" << port << "\n";
    for (const std::string& name : names) {
      text << "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=" << name << "\nTargetCompID=DOJIMA\n";
      const FIX::SessionID id(FIX::BeginString("FIX.4.4"), FIX::SenderCompID(name), FIX::TargetCompID("DOJIMA"));
      places[id] = ids.size();
      ids.push_back(id);
    }
    std::istringstream stream(text.str());
    settings.reset(new FIX::SessionSettings(stream));
    initiator.reset(new FIX::SocketInitiator(*this, stores, *settings));
  }

  void onLogon(const FIX::SessionID& id) override { listener.on_logged_on(places.at(id), true); }
  void onLogout(const FIX::SessionID& id) override { listener.on_logged_on(places.at(id), false); }
  void toApp(FIX::Message& message, const FIX::SessionID& id) throw(FIX::DoNotSend) override {
    if (message.getHeader().isSetField(FIX::FIELD::PossDupFlag)) return;  // it is sent again
    listener.on_numbered(places.at(id), number_of(message));
  }
  void fromApp(const FIX::Message& message,
               const FIX::SessionID& id) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue,
                                               FIX::UnsupportedMessageType) override {
    listener.on_received(places.at(id), number_of(message), message.toString());
  }
  void fromAdmin(const FIX::Message& message,
                 const FIX::SessionID& id) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue,
                                                 FIX::RejectLogon) override {
    if (message.getHeader().getField(FIX::FIELD::MsgType) != "3") return;
    listener.on_received(places.at(id), number_of(message), message.toString());
  }

  QuickFixListener& listener;
  FIX::FileStoreFactory stores;
  std::vector<FIX::SessionID> ids;
  std::map<FIX::SessionID, std::size_t> places;
  std::unique_ptr<FIX::SessionSettings> settings;
  std::unique_ptr<FIX::SocketInitiator> initiator;
};

QuickFixSessions::QuickFixSessions(const std::string& folder, std::uint16_t port, const std::vector<std::string>& names,
                                   QuickFixListener& listener)
    : parts_(new Parts(folder, port, names, listener)) {}

QuickFixSessions::~QuickFixSessions() {
  parts_->initiator->stop(true);
}

std::uint64_t QuickFixSessions::next_number(std::size_t client) const {
  return static_cast<std::uint64_t>(FIX::Session::lookupSession(parts_->ids.at(client))->getExpectedSenderNum());
}

void QuickFixSessions::start() {
  parts_->initiator->start();
}

bool QuickFixSessions::send(std::size_t client, char type, const std::vector<std::pair<int, std::string>>& fields) {
  FIX::Message message;
  message.getHeader().setField(FIX::MsgType(std::string(1, type)));
  for (const auto& field : fields) message.setField(field.first, field.second);
  message.setField(FIX::TransactTime());
  return FIX::Session::sendToTarget(message, parts_->ids.at(client));
}

}  // namespace crash
}  // namespace dojima
