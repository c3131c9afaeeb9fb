#include "quickfix_echo.hpp"

#include <fstream>
#include <quickfix/Application.h>
#include <quickfix/FileStore.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/ThreadedSocketAcceptor.h>
#include <sstream>

namespace dojima {
namespace bench {
namespace {

FIX::SessionSettings settings_of(std::uint16_t port, const std::string& folder, const std::string& dictionary) {
  const std::string file = folder + "/FIX44.xml";
  std::ofstream(file) << dictionary;
  std::ostringstream text;
  text << "[DEFAULT]\nConnectionType=acceptor\nStartTime=00:00:00\nEndTime=00:00:00\nUseDataDictionary="
          "Y\nDataDictionary="
       << file << "\n"
       << "SocketReuseAddress=Y\nSocketNodelay=Y\nFileStorePath=" << folder << "\n"
       << "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=ECHO\nTargetCompID=CLIENT\nSocketAcceptPort=" << port << "\n";
  std::istringstream stream(text.str());
  return FIX::SessionSettings(stream);
}

}  // namespace

struct QuickFixEcho::Parts : FIX::NullApplication {
  Parts(std::uint16_t port, const std::string& folder, const std::string& dictionary)
      : settings(settings_of(port, folder, dictionary)), stores(settings), acceptor(*this, stores, settings) {
    acceptor.start();
  }
  ~Parts() override { acceptor.stop(true); }
  void fromApp(const FIX::Message& message,
               const FIX::SessionID& id) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue,
                                               FIX::UnsupportedMessageType) override {
    FIX::Message echo = message;
    FIX::Session::sendToTarget(echo, id);
  }
  FIX::SessionSettings settings;
  FIX::FileStoreFactory stores;
  FIX::ThreadedSocketAcceptor acceptor;
};

QuickFixEcho::QuickFixEcho(std::uint16_t port, const std::string& folder, const std::string& dictionary)
    : parts_(new Parts(port, folder, dictionary)) {}
QuickFixEcho::~QuickFixEcho() = default;

}  // namespace bench
}  // namespace dojima
