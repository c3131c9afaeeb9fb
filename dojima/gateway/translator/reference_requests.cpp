#include "dojima/gateway/translator/reference_requests.hpp"

#include <algorithm>
#include <charconv>

#include "dojima/gateway/messages/request_fields.hpp"

namespace dojima::gateway {
namespace {

namespace tag {
using namespace fix::tag;
constexpr fix::Tag k_currency = 15;
constexpr fix::Tag k_security_desc = 107;
constexpr fix::Tag k_no_related_sym = 146;
constexpr fix::Tag k_contract_multiplier = 231;
constexpr fix::Tag k_subscription_request_type = 263;
constexpr fix::Tag k_security_req_id = 320;
constexpr fix::Tag k_security_request_type = 321;
constexpr fix::Tag k_security_response_id = 322;
constexpr fix::Tag k_security_response_type = 323;
constexpr fix::Tag k_is_unsolicited = 325;
constexpr fix::Tag k_trad_ses_req_id = 335;
constexpr fix::Tag k_trading_session_id = 336;
constexpr fix::Tag k_trad_ses_status = 340;
constexpr fix::Tag k_total_securities = 393;
constexpr fix::Tag k_no_security_alt_id = 454;
constexpr fix::Tag k_security_alt_id = 455;
constexpr fix::Tag k_security_alt_id_source = 456;
constexpr fix::Tag k_security_list_request_type = 559;
constexpr fix::Tag k_security_request_result = 560;
constexpr fix::Tag k_is_last_fragment = 893;
constexpr fix::Tag k_user_request_id = 923;
constexpr fix::Tag k_user_request_type = 924;
constexpr fix::Tag k_user_status = 926;
constexpr fix::Tag k_user_status_text = 927;
}  // namespace tag

constexpr std::string_view k_nothing;
constexpr fix::MsgType k_security_list = fix::msg_type("y"), k_security_definition = fix::msg_type("d"),
                       k_trading_session_status = fix::msg_type("h"), k_user_response = fix::msg_type("BF");

/// What a session keeps of its largest message for what a repetition adds.
constexpr std::size_t k_kept_of_body = 64;
/// What the fields of a SecurityList in front of its instruments take, at most, but for the text of SecurityReqID(320).
constexpr std::size_t k_list_fields = 64;

// SecurityIDSource(22) and SecurityAltIDSource(456).
constexpr char k_by_sedol = '2', k_by_isin = '4', k_by_exchange = '8';

/// What write_security() writes, at most.
[[nodiscard]] std::size_t size_of_security(const SymbolConfig& symbol) noexcept {
  constexpr std::size_t k_number = 10, k_tag_2 = 4, k_tag_3 = 5, k_character = 1;
  const auto text = [](const std::string& value, std::size_t around) {
    return value.empty() ? std::size_t{0} : value.size() + around;
  };
  std::size_t size = symbol.symbol.size() + k_tag_2 + k_number + k_tag_2 + k_character + k_tag_2;
  if (!symbol.isin.empty() || !symbol.sedol.empty()) size += k_character + k_tag_3;
  if (symbol.lot != 1) size += k_number + k_tag_3;
  return size + text(symbol.isin, 2 * k_tag_3 + k_character) + text(symbol.sedol, 2 * k_tag_3 + k_character) +
         text(symbol.name, k_tag_3) + text(symbol.currency, k_tag_2);
}

/// Quantities are in lots: ContractMultiplier(231) says how many units one is. RoundLot(561) would be 1. FIX 4.2 has no
/// place for other ids.
void write_security(fix::Writer& writer, const SymbolConfig& symbol, bool has_other_ids) {
  writer.field(tag::k_symbol, symbol.symbol)
      .field(tag::k_security_id, symbol.instrument)
      .field(tag::k_security_id_source, k_by_exchange);
  const unsigned others = (symbol.isin.empty() ? 0U : 1U) + (symbol.sedol.empty() ? 0U : 1U);
  if (others != 0 && has_other_ids) writer.field(tag::k_no_security_alt_id, others);
  if (!symbol.isin.empty() && has_other_ids)
    writer.field(tag::k_security_alt_id, symbol.isin).field(tag::k_security_alt_id_source, k_by_isin);
  if (!symbol.sedol.empty() && has_other_ids)
    writer.field(tag::k_security_alt_id, symbol.sedol).field(tag::k_security_alt_id_source, k_by_sedol);
  if (symbol.lot != 1) writer.field(tag::k_contract_multiplier, symbol.lot);
  if (!symbol.name.empty()) writer.field(tag::k_security_desc, symbol.name);
  if (!symbol.currency.empty()) writer.field(tag::k_currency, symbol.currency);
}

// SecurityRequestResult(560).
constexpr unsigned k_valid = 0, k_unsupported = 1, k_none_found = 2;
// SecurityResponseType(323).
constexpr unsigned k_accepted = 1, k_listed = 4, k_not_accepted = 5, k_no_match = 6;
// UserStatus(926).
constexpr unsigned k_logged_in = 1, k_unknown_user = 3, k_other = 6;

}  // namespace

ReferenceRequests::ReferenceRequests(ClientChannels& channels, std::span<const SymbolConfig> symbols,
                                     std::span<const ClientConfig> clients, const VenueUsers& users)
    : channels_(channels), users_(users), symbols_(symbols.begin(), symbols.end()) {
  for (const ClientConfig& client : clients) names_.push_back({client.comp_id, client.username});
}

bool ReferenceRequests::is_repeatable(std::uint32_t client, const fix::MessageView& view, fix::Tag tag) {
  const Read fits = check_repeatable(view, tag);
  if (!fits) channels_.send_reject(client, view, fits.error());
  return fits.has_value();
}

/// Every request is answered once, so SubscriptionRequestType(263)=2 has nothing to end.
bool ReferenceRequests::is_question(std::uint32_t client, const fix::MessageView& view) {
  if (view.find(tag::k_subscription_request_type) != "2") return true;
  constexpr auto k_reason = static_cast<std::uint16_t>(fix::BusinessRejectReason::other);
  channels_.send_reject(client, view,
                        {.answer = Refusal::Answer::business,
                         .reason = k_reason,
                         .tag = tag::k_subscription_request_type,
                         .text = "SubscriptionRequestType(263)=2 ends nothing: there are no subscriptions"});
  return false;
}

void ReferenceRequests::answer_securities(std::uint32_t client, const fix::MessageView& view) {
  if (!is_repeatable(client, view, tag::k_security_req_id) || !is_question(client, view)) return;
  const std::string_view request = view.find(tag::k_security_req_id).value_or(k_nothing);
  const std::string_view type = view.find(tag::k_security_list_request_type).value_or(k_nothing);
  std::span<const SymbolConfig> meant;
  if (type == "4") meant = symbols_;
  if (type == "0") {
    const auto found = std::ranges::find(symbols_, view.find(tag::k_symbol).value_or(k_nothing), &SymbolConfig::symbol);
    if (found != symbols_.end()) meant = std::span(&*found, 1);
  }
  if (!meant.empty()) return send_securities(client, request, meant);
  fix::Writer writer = channels_.begin(client, k_security_list);
  writer.field(tag::k_security_req_id, request)
      .field(tag::k_security_response_id, channels_.next_exec_id())
      .field(tag::k_security_request_result, type == "0" || type == "4" ? k_none_found : k_unsupported);
  channels_.send(client, writer);
}

void ReferenceRequests::send_securities(std::uint32_t client, std::string_view request,
                                        std::span<const SymbolConfig> symbols) {
  const std::size_t largest = channels_.session(client).config().max_body;
  for (std::size_t at = 0, size = 0; at < symbols.size(); at += size) {
    fix::Writer writer = channels_.begin(client, k_security_list);
    const std::size_t around = writer.mark() + k_kept_of_body + k_list_fields + request.size();
    const std::size_t room = largest - std::min(largest, around);
    std::size_t bytes = size_of_security(symbols[at]);
    for (size = 1; size < k_fragment && at + size < symbols.size(); ++size) {
      bytes += size_of_security(symbols[at + size]);
      if (bytes > room) break;
    }
    const std::span<const SymbolConfig> piece = symbols.subspan(at, size);
    writer.field(tag::k_security_req_id, request)
        .field(tag::k_security_response_id, channels_.next_exec_id())
        .field(tag::k_security_request_result, k_valid)
        .field(tag::k_total_securities, symbols.size())
        .field(tag::k_is_last_fragment, at + piece.size() == symbols.size())
        .field(tag::k_no_related_sym, piece.size());
    for (const SymbolConfig& each : piece) write_security(writer, each, true);
    channels_.send(client, writer);
  }
}

void ReferenceRequests::answer_definition(std::uint32_t client, const fix::MessageView& view) {
  for (const fix::Tag tag : {tag::k_security_req_id, tag::k_symbol})
    if (!is_repeatable(client, view, tag)) return;
  const std::string_view type = view.find(tag::k_security_request_type).value_or(k_nothing);
  const bool is_4_2 = channels_.form(client).version == FixVersion::fix_4_2;
  if (type == "2")
    return refuse_definition(client, view, k_not_accepted, "the instruments have no security types to be listed");
  if (type == "3" && is_4_2) {
    for (const SymbolConfig& each : symbols_) send_definition(client, view, each, k_listed, symbols_.size());
    return;
  }
  if (type == "3")
    return refuse_definition(client, view, k_not_accepted, "instruments are listed by SecurityListRequest(x)");
  if (type != "0" && type != "1")
    return refuse_definition(client, view, k_not_accepted,
                             "SecurityRequestType(321) 0 and 1, of one instrument, are supported");
  ReasonText text;
  const SymbolConfig* const found = find_named(view, text);
  if (found == nullptr) return refuse_definition(client, view, k_no_match, text.view());
  send_definition(client, view, *found, k_accepted, 1);
}

/// By all names that the request gives it; `[N/A]` is none.
const SymbolConfig* ReferenceRequests::find_named(const fix::MessageView& view, ReasonText& text) const {
  const std::string_view given = view.find(tag::k_symbol).value_or(k_nothing);
  const std::string_view symbol = given == "[N/A]" ? k_nothing : given;
  const std::string_view id = view.find(tag::k_security_id).value_or(k_nothing);
  const std::string_view source = view.find(tag::k_security_id_source).value_or(k_nothing);
  const char by = source.size() == 1 ? source.front() : '\0';
  if (symbol.empty() && id.empty()) {
    text.add("Symbol(55) or SecurityID(48) names the instrument");
    return nullptr;
  }
  if (!id.empty() && by != k_by_sedol && by != k_by_isin && by != k_by_exchange) {
    text.add("the source(22) of a SecurityID(48) is 8 for the venue's number, 4 for an ISIN or 2 for a SEDOL");
    return nullptr;
  }
  const auto is_named = [&](const SymbolConfig& each) {
    if (!symbol.empty() && each.symbol != symbol) return false;
    if (id.empty()) return true;
    if (by == k_by_isin) return each.isin == id;
    if (by == k_by_sedol) return each.sedol == id;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    return error == std::errc{} && end == id.data() + id.size() && number == each.instrument;
  };
  const auto found = std::ranges::find_if(symbols_, is_named);
  if (found != symbols_.end()) return &*found;
  if (!symbol.empty() && !id.empty() && std::ranges::find(symbols_, symbol, &SymbolConfig::symbol) != symbols_.end())
    text.add("Symbol(55) and SecurityID(48) name two instruments");
  else
    text.add(symbol.empty() ? "unknown SecurityID(48) " : "unknown symbol ").add(symbol.empty() ? id : symbol);
  return nullptr;
}

void ReferenceRequests::send_definition(std::uint32_t client, const fix::MessageView& view, const SymbolConfig& symbol,
                                        unsigned response, std::size_t total) {
  const bool is_4_2 = channels_.form(client).version == FixVersion::fix_4_2;
  fix::Writer writer = channels_.begin(client, k_security_definition);
  writer.field(tag::k_security_req_id, view.find(tag::k_security_req_id).value_or(k_nothing))
      .field(tag::k_security_response_id, channels_.next_exec_id())
      .field(tag::k_security_response_type, response);
  if (is_4_2) writer.field(tag::k_total_securities, total);
  write_security(writer, symbol, !is_4_2);
  channels_.send(client, writer);
}

/// With the Symbol(55) that the client gave, if it gave one.
void ReferenceRequests::refuse_definition(std::uint32_t client, const fix::MessageView& view, unsigned response,
                                          std::string_view text) {
  fix::Writer writer = channels_.begin(client, k_security_definition);
  writer.field(tag::k_security_req_id, view.find(tag::k_security_req_id).value_or(k_nothing))
      .field(tag::k_security_response_id, channels_.next_exec_id())
      .field(tag::k_security_response_type, response);
  if (channels_.form(client).version == FixVersion::fix_4_2) writer.field(tag::k_total_securities, 0U);
  writer.field(tag::k_symbol, view.find(tag::k_symbol).value_or("[N/A]")).field(tag::k_text, text);
  channels_.send(client, writer);
}

void ReferenceRequests::answer_trading_session(std::uint32_t client, const fix::MessageView& view) {
  constexpr unsigned k_unknown = 0, k_open = 2, k_closed = 3;
  // FIX 4.2 has no word for a phase that is not known, and its message must have one: whether requests are taken.
  const bool is_old = channels_.form(client).version == FixVersion::fix_4_2;
  for (const fix::Tag tag : {tag::k_trad_ses_req_id, tag::k_trading_session_id})
    if (!is_repeatable(client, view, tag)) return;
  if (!is_question(client, view)) return;
  const bool is_subscription = view.find(tag::k_subscription_request_type) == "1";
  for (const std::uint32_t user : users_.of(client)) {
    ReasonText text;
    if (users_.venues() == 1)
      text.add("the venue's protocol does not carry its phase");
    else
      text.add(users_.venue_name(users_[user].venue))
          .add(channels_.is_venue_ready(user) ? " takes requests" : " is not connected")
          .add("; its protocol does not carry its phase");
    if (is_subscription) text.add("; SubscriptionRequestType(263)=1: no update follows");
    fix::Writer writer = channels_.begin(client, k_trading_session_status);
    writer.field(tag::k_trad_ses_req_id, view.find(tag::k_trad_ses_req_id).value_or(k_nothing))
        .field(tag::k_trading_session_id, view.find(tag::k_trading_session_id).value_or("1"))
        .field(tag::k_is_unsolicited, false)
        .field(tag::k_trad_ses_status, !is_old                          ? k_unknown
                                       : channels_.is_venue_ready(user) ? k_open
                                                                        : k_closed)
        .field(tag::k_text, text.view());
    channels_.send(client, writer);
  }
}

void ReferenceRequests::answer_user(std::uint32_t client, const fix::MessageView& view) {
  for (const fix::Tag tag : {tag::k_user_request_id, tag::k_username})
    if (!is_repeatable(client, view, tag)) return;
  const std::string_view user = view.find(tag::k_username).value_or(k_nothing);
  const Names& names = names_[client];
  const bool is_known = user == names.comp_id || (!names.username.empty() && user == names.username);
  const bool is_status = view.find(tag::k_user_request_type) == "4";
  fix::Writer writer = channels_.begin(client, k_user_response);
  writer.field(tag::k_user_request_id, view.find(tag::k_user_request_id).value_or(k_nothing))
      .field(tag::k_username, user)
      .field(tag::k_user_status, !is_known   ? k_unknown_user
                                 : is_status ? k_logged_in
                                             : k_other);
  if (is_known && !is_status)
    writer.field(tag::k_user_status_text,
                 "a Logon begins, a Logout ends a session; NewPassword(925) of a Logon changes "
                 "the password");
  channels_.send(client, writer);
}

}  // namespace dojima::gateway
