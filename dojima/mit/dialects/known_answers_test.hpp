#pragma once

// The known-answer messages of the dialect LSE-21.2, for tests: what each field holds and the bytes on the wire. Fields
// that are not listed are zero or null; prices and times are wire numbers.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace dojima::mit {

struct KnownField {
  std::string_view name;
  std::string_view value;
};

struct KnownAnswer {
  std::string_view name;
  char type;
  std::vector<KnownField> fields;
  std::string_view hex;
};

/// The bytes of pairs of hexadecimal digits; white space is skipped.
inline std::vector<std::byte> bytes_of(std::string_view hex) {
  std::vector<std::byte> bytes;
  int high = -1;
  for (const char c : hex) {
    if (c == ' ' || c == '\n') continue;
    const std::size_t digit = std::string_view("0123456789abcdef").find(c);
    if (digit == std::string_view::npos) throw std::invalid_argument("not a hexadecimal digit");
    if (high < 0) {
      high = static_cast<int>(digit);
    } else {
      bytes.push_back(static_cast<std::byte>(high * 16 + static_cast<int>(digit)));
      high = -1;
    }
  }
  return bytes;
}

inline const std::vector<KnownAnswer>& known_answers() {
  static const std::vector<KnownAnswer> k_answers{
      {"Logon",
       'A',
       {{"UserName", "DOJIMA01"}, {"Password", "Secret#2026"}, {"MessageVersion", "1"}},
       "024d0041444f4a494d413031000000000000000000000000000000000053656372657423323032360000000000000000"
       "0000000000000000000000000000000000000000000000000000000000000001"},
      {"Logon reply",
       'B',
       {{"PasswordExpiryDayCount", "30"}},
       "0223004200000000333000000000000000000000000000000000000000000000000000000000"},
      {"Logout", '5', {{"Reason", "end of day"}}, "02150035656e64206f662064617900000000000000000000"},
      {"Heartbeat", '0', {}, "02010030"},
      {"Missed message request", 'M', {{"AppID", "1"}, {"LastMsgSeqNum", "123456"}}, "0206004d0140e20100"},
      {"Missed message request ack", 'N', {}, "0202004e00"},
      {"Missed message report", 'P', {{"ResponseType", "1"}}, "0202005001"},
      {"Reject",
       '3',
       {{"RejectCode", "9901"},
        {"RejectReason", "OrderQty"},
        {"RejectedMessageType", "D"},
        {"ClientOrderID", "C0000000000000000001"}},
       "02380033ad2600004f726465725174790000000000000000000000000000000000000000000044433030303030303030"
       "3030303030303030303031"},
      {"System status", 'n', {{"AppID", "2"}, {"AppStatus", "1"}}, "0203006e0201"},
      {"New limit order, DAY, buy 1000 @ 123.45",
       'D',
       {{"ClientOrderID", "ORD-1"},
        {"TraderID", "TRD1"},
        {"Account", "ACC1"},
        {"ClearingAccount", "1"},
        {"InstrumentID", "133215"},
        {"MiFIDFlags", "4"},
        {"PartyRoleQualifiers", "45"},
        {"OrderType", "2"},
        {"Side", "1"},
        {"OrderQty", "1000"},
        {"DisplayQty", "1000"},
        {"LimitPrice", "12345000000"},
        {"Capacity", "2"},
        {"AutoCancel", "1"},
        {"ClientID", "1001"},
        {"InvestmentDecisionMaker", "1002"},
        {"ExecutingTrader", "1003"}},
       "027a00444f52442d31000000000000000000000000000000545244310000000000000041434331000000000000015f08"
       "0200042d02000000000001e8030000e803000040c0d1df0200000002010000000000000000000000e9030000ea030000"
       "0000000000eb0300000000000000000000000000000000000000000000"},
      {"New stop limit order, GTD, sell, iceberg",
       'D',
       {{"ClientOrderID", "ORD-2"},
        {"ClearingAccount", "3"},
        {"InstrumentID", "133215"},
        {"PartyRoleQualifiers", "48"},
        {"OrderType", "4"},
        {"TIF", "6"},
        {"ExpireDateTime", "1784548800"},
        {"Side", "2"},
        {"OrderQty", "2147483647"},
        {"DisplayQty", "100"},
        {"LimitPrice", "10000"},
        {"Capacity", "3"},
        {"OrderSubType", "51"},
        {"Anonymity", "1"},
        {"StopPrice", "20000"},
        {"GroupID", "7"},
        {"ExecutingTrader", "4"}},
       "027a00444f52442d32000000000000000000000000000000000000000000000000000000000000000000000000035f08"
       "020000300406c00d5e6a02ffffff7f64000000102700000000000003003301204e000000000000000000000000000000"
       "0700000000040000000000000000000000000000000000000000000000"},
      {"New quote",
       'S',
       {{"ClientOrderID", "QTE-1"},
        {"TraderID", "TRD1"},
        {"ClearingAccount", "3"},
        {"InstrumentID", "133215"},
        {"BidPrice", "9950000000"},
        {"BidSize", "500"},
        {"AskPrice", "10050000000"},
        {"AskSize", "600"},
        {"Capacity", "2"},
        {"AutoCancel", "1"},
        {"ExecutingTrader", "3"},
        {"MiFIDFlags", "2"}},
       "024e00535154452d310000000000000000000000000000005452443100000000000000035f08020080f3105102000000"
       "f401000080d4065702000000580200000201000000000000000003000000020000"},
      {"Cancel/replace, stop price and account unchanged",
       'G',
       {{"ClientOrderID", "ORD-3"},
        {"OriginalClientOrderID", "ORD-1"},
        {"InstrumentID", "133215"},
        {"OrderQty", "900"},
        {"DisplayQty", "900"},
        {"LimitPrice", "12350000000"},
        {"Side", "1"},
        {"StopPrice", "-100000000"}},
       "027100474f52442d330000000000000000000000000000004f52442d3100000000000000000000000000000000000000"
       "00000000000000005f0802000000000000008403000084030000800b1ee002000000000000000000000000000001001f"
       "0afaffffffff0000000000000000000000000000"},
      {"Cancel by order id",
       'F',
       {{"ClientOrderID", "ORD-4"}, {"OrderID", "01hbIXLE8st"}, {"InstrumentID", "133215"}, {"Side", "1"}},
       "024600464f52442d34000000000000000000000000000000000000000000000000000000000000000000000030316862"
       "49584c45387374005f08020000000100000000000000000000"},
      {"Mass cancel, own orders of one instrument",
       'q',
       {{"ClientOrderID", "MC-1"}, {"MassCancelRequestType", "9"}, {"InstrumentID", "133215"}},
       "022b00714d432d3100000000000000000000000000000000095f0802000000000000000000000000000000000000"},
      {"Execution report: new",
       '8',
       {{"AppID", "1"},
        {"SequenceNo", "42"},
        {"ExecutionID", "0000000000E1"},
        {"ClientOrderID", "ORD-1"},
        {"OrderID", "01hbIXLE8st"},
        {"ExecType", "0"},
        {"LeavesQty", "1000"},
        {"DisplayQty", "1000"},
        {"InstrumentID", "133215"},
        {"Side", "1"},
        {"TransactTime", "530242873008721344"},
        {"Capacity", "2"},
        {"PublicOrderID", "01hbIXLE8st"}},
       "02980038012a0000003030303030303030303045314f52442d310000000000000000000000000000003031686249584c"
       "4538737400300000000000000000000000000000000000000000000000000000000000e803000000e80300005f080200"
       "00000100000000000000000000000000000000000000000000000000000000c00d5e6a15cd5b07000002003031686249"
       "584c453873740000000000"},
      {"Execution report: partial fill 400 @ 123.40",
       '8',
       {{"AppID", "1"},
        {"SequenceNo", "43"},
        {"ExecutionID", "0000000000E2"},
        {"ClientOrderID", "ORD-1"},
        {"OrderID", "01hbIXLE8st"},
        {"ExecType", "F"},
        {"OrderStatus", "1"},
        {"ExecutedPrice", "12340000000"},
        {"ExecutedQty", "400"},
        {"LeavesQty", "600"},
        {"DisplayQty", "600"},
        {"InstrumentID", "133215"},
        {"Side", "1"},
        {"Counterparty", "CCP01"},
        {"TradeLiquidityIndicator", "A"},
        {"TradeMatchID", "1338498875692"},
        {"TransactTime", "4294967293489581505"},
        {"LastMarket", "21"},
        {"Capacity", "2"},
        {"PublicOrderID", "01hbIXLE8st"}},
       "02980038012b0000003030303030303030303045324f52442d310000000000000000000000000000003031686249584c"
       "4538737400460000000000000000000000000100000000007585df02000000900100005802000000580200005f080200"
       "00000100000000000000004343503031000000000000412c01c0a437010000c10d5e6affc99a3b150002003031686249"
       "584c453873740000000000"},
      {"Execution report: rejected",
       '8',
       {{"AppID", "1"},
        {"SequenceNo", "44"},
        {"ExecutionID", "0000000000E3"},
        {"ClientOrderID", "ORD-9"},
        {"ExecType", "8"},
        {"OrderStatus", "8"},
        {"OrderRejectCode", "9100"},
        {"InstrumentID", "133215"},
        {"Side", "2"},
        {"TransactTime", "6079516098"}},
       "02980038012c0000003030303030303030303045334f52442d3900000000000000000000000000000000000000000000"
       "000000000038000000000000000000000000088c2300000000000000000000000000000000000000000000005f080200"
       "00000200000000000000000000000000000000000000000000000000000000c20d5e6a01000000000000000000000000"
       "0000000000000000000000"},
      {"Order cancel reject, unknown order",
       '9',
       {{"AppID", "1"},
        {"SequenceNo", "45"},
        {"ClientOrderID", "ORD-5"},
        {"OrderID", "NONE"},
        {"CancelRejectReason", "2000"},
        {"TransactTime", "1784548803"}},
       "023c0039012d0000004f52442d350000000000000000000000000000004e4f4e450000000000000000d0070000c30d5e"
       "6a0000000000000000000000000000"},
      {"Mass cancel report",
       'r',
       {{"AppID", "1"},
        {"SequenceNo", "46"},
        {"ClientOrderID", "MC-1"},
        {"MassCancelResponse", "7"},
        {"TransactTime", "23259385284"}},
       "02350072012e0000004d432d3100000000000000000000000000000000070000000000000000c40d5e6a050000000000"
       "0000000000000000"},
      {"Business reject, partition suspended",
       'j',
       {{"RejectCode", "9998"}, {"ClientOrderID", "ORD-6"}},
       "023c006a00000000000e2700004f52442d36000000000000000000000000000000000000000000000000000000000000"
       "000000000000000000000000000000"},
  };
  return k_answers;
}

}  // namespace dojima::mit
