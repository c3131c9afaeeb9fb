#include "quickfix_peer.hpp"

#include <quickfix/DataDictionary.h>
#include <quickfix/Message.h>
#include <quickfix/fix44/ExecutionReport.h>
#include <quickfix/fix44/NewOrderSingle.h>
#include <sstream>

namespace bench_fix {
namespace {

std::uint64_t mix(std::uint64_t digest, const std::string& text) {
  return digest * 31 + text.size() * 7 + static_cast<unsigned char>(text[0]);
}

FIX::UtcTimeStamp stamp_of(const PlainReport& f) {
  return FIX::UtcTimeStamp(f.hour, f.minute, f.second, f.millisecond, f.day, f.month, f.year);
}

void set_header(FIX::Message& message, const PlainReport& f) {
  FIX::Header& header = message.getHeader();
  header.setField(FIX::MsgSeqNum(static_cast<int>(f.sequence)));
  header.setField(FIX::SenderCompID(f.sender));
  header.setField(FIX::SendingTime(stamp_of(f), 3));
  header.setField(FIX::TargetCompID(f.target));
}

FIX44::NewOrderSingle order_of(const PlainReport& f) {
  FIX44::NewOrderSingle order;
  set_header(order, f);
  order.setField(FIX::Account(f.account));
  order.setField(FIX::ClOrdID(f.cl_ord_id));
  order.setField(FIX::Currency(f.currency));
  order.setField(FIX::SecurityIDSource("4"));
  order.setField(FIX::OrderQty(static_cast<double>(f.order_qty)));
  order.setField(FIX::OrdType(f.ord_type));
  order.setField(FIX::Price(f.price));
  order.setField(FIX::SecurityID(f.security_id));
  order.setField(FIX::Side(f.side));
  order.setField(FIX::Symbol(f.symbol));
  order.setField(FIX::TimeInForce(f.time_in_force));
  order.setField(FIX::TransactTime(stamp_of(f), 3));
  return order;
}

FIX44::ExecutionReport report_of(const PlainReport& f) {
  FIX44::ExecutionReport report;
  set_header(report, f);
  report.setField(FIX::Account(f.account));
  report.setField(FIX::AvgPx(f.avg_px));
  report.setField(FIX::ClOrdID(f.cl_ord_id));
  report.setField(FIX::CumQty(static_cast<double>(f.cum_qty)));
  report.setField(FIX::Currency(f.currency));
  report.setField(FIX::ExecID(f.exec_id));
  report.setField(FIX::SecurityIDSource("4"));
  report.setField(FIX::LastMkt(f.last_mkt));
  report.setField(FIX::LastPx(f.last_px));
  report.setField(FIX::LastQty(static_cast<double>(f.last_qty)));
  report.setField(FIX::OrderID(f.order_id));
  report.setField(FIX::OrderQty(static_cast<double>(f.order_qty)));
  report.setField(FIX::OrdStatus(f.ord_status));
  report.setField(FIX::OrdType(f.ord_type));
  report.setField(FIX::Price(f.price));
  report.setField(FIX::SecurityID(f.security_id));
  report.setField(FIX::Side(f.side));
  report.setField(FIX::Symbol(f.symbol));
  report.setField(FIX::TimeInForce(f.time_in_force));
  report.setField(FIX::TransactTime(stamp_of(f), 3));
  report.setField(FIX::ExecType(f.exec_type));
  report.setField(FIX::LeavesQty(static_cast<double>(f.leaves_qty)));
  return report;
}

}  // namespace

struct QuickFixCodec::Parts {
  std::unique_ptr<FIX::DataDictionary> dictionary;
  std::unique_ptr<FIX::DataDictionary> application;

  static std::unique_ptr<FIX::DataDictionary> read(const std::string& xml) {
    std::unique_ptr<FIX::DataDictionary> dictionary;
    if (xml.empty()) return dictionary;
    std::istringstream stream(xml);
    dictionary.reset(new FIX::DataDictionary(stream));
    return dictionary;
  }

  /// Messages of the session itself by its own dictionary alone, as a session of QuickFIX does it.
  FIX::Message validated(const std::string& text) const {
    if (!application) {
      FIX::Message message(text, *dictionary, true);
      dictionary->validate(message);
      return message;
    }
    FIX::Message message(text, *dictionary, *application, true);
    if (dictionary->isMsgType(message.getHeader().getField(FIX::FIELD::MsgType))) {
      dictionary->validate(message);
    } else {
      FIX::DataDictionary::validate(message, dictionary.get(), application.get());
    }
    return message;
  }
};

QuickFixCodec::QuickFixCodec(const std::string& dictionary_xml, const std::string& application_xml)
    : parts_(new Parts) {
  parts_->dictionary = Parts::read(dictionary_xml);
  parts_->application = Parts::read(application_xml);
}

QuickFixCodec::~QuickFixCodec() = default;

std::uint64_t QuickFixCodec::parse_order(const std::string& text) const {
  FIX::Message message(text, true);
  FIX::MsgSeqNum sequence;
  FIX::ClOrdID id;
  FIX::Symbol symbol;
  FIX::Side side;
  FIX::OrderQty quantity;
  FIX::OrdType type;
  FIX::Price price;
  FIX::TransactTime time;
  message.getHeader().getField(sequence);
  message.getField(id);
  message.getField(symbol);
  message.getField(side);
  message.getField(quantity);
  message.getField(type);
  message.getField(price);
  message.getField(time);
  std::uint64_t digest = mix(mix(0, id.getValue()), symbol.getValue());
  digest = digest * 31 + static_cast<std::uint64_t>(side.getValue());
  digest = digest * 31 + static_cast<std::uint64_t>(quantity.getValue());
  digest = digest * 31 + static_cast<std::uint64_t>(type.getValue());
  digest = digest * 31 + static_cast<std::uint64_t>(price.getValue() * 100 + 0.5);
  digest = digest * 31 + static_cast<std::uint64_t>(sequence.getValue());
  return digest * 31 + static_cast<std::uint64_t>(time.getValue().getSecond());
}

std::uint64_t QuickFixCodec::parse_report(const std::string& text) const {
  FIX::Message message(text, true);
  FIX::MsgSeqNum sequence;
  FIX::ClOrdID id;
  FIX::Symbol symbol;
  FIX::ExecType type;
  FIX::LastQty quantity;
  FIX::LeavesQty leaves;
  FIX::LastPx price;
  FIX::TransactTime time;
  message.getHeader().getField(sequence);
  message.getField(id);
  message.getField(symbol);
  message.getField(type);
  message.getField(quantity);
  message.getField(leaves);
  message.getField(price);
  message.getField(time);
  std::uint64_t digest = mix(mix(0, id.getValue()), symbol.getValue());
  digest = digest * 31 + static_cast<std::uint64_t>(type.getValue());
  digest = digest * 31 + static_cast<std::uint64_t>(quantity.getValue());
  digest = digest * 31 + static_cast<std::uint64_t>(leaves.getValue());
  digest = digest * 31 + static_cast<std::uint64_t>(price.getValue() * 100 + 0.5);
  digest = digest * 31 + static_cast<std::uint64_t>(sequence.getValue());
  return digest * 31 + static_cast<std::uint64_t>(time.getValue().getSecond());
}

std::size_t QuickFixCodec::parse_and_validate(const std::string& text) const {
  FIX::Message message(text, *parts_->dictionary, true);
  parts_->dictionary->validate(message);
  return message.isEmpty() ? 0 : 1;
}

std::string QuickFixCodec::written_again(const std::string& text) const {
  return parts_->validated(text).toString();
}

std::size_t QuickFixCodec::build_order(const PlainReport& fields) const {
  std::string text;
  order_of(fields).toString(text);
  return text.size();
}

std::size_t QuickFixCodec::build_report(const PlainReport& fields) const {
  std::string text;
  report_of(fields).toString(text);
  return text.size();
}

std::string QuickFixCodec::report_text(const PlainReport& fields) const {
  std::string text;
  report_of(fields).toString(text);
  return text;
}

}  // namespace bench_fix
