#pragma once

// FIX vocabulary as numbers: tags, message types packed into 32 bits, the reasons of Reject(3) and
// BusinessMessageReject(j), and the members of the repeating groups that are read by name. Constants only.
//
//   if (view.msg_type() == type::k_new_order_single) price = view.price(tag::k_price);

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dojima::fix {

/// A field's number: 1 to 65535, all that dictionaries have.
using Tag = std::uint16_t;

/// The stand-in for the tags from 65536 to k_tag_max, all of them some user's own: MessageView::number_of says which.
inline constexpr Tag k_large_tag = 0;
/// Numbers above this are no tags.
inline constexpr std::uint32_t k_tag_max = 0x7fff'ffff;

/// MsgType(35) of one to four ASCII characters, the first in the low byte. All of them are below k_msg_type_end, so
/// that events of a state machine can be message types and others above.
enum class MsgType : std::uint32_t { none = 0 };
inline constexpr std::uint32_t k_msg_type_end = 0x8000'0000;
inline constexpr std::size_t k_msg_type_max = 4;

/// Packs one to four characters; anything else gives `MsgType::none`.
[[nodiscard]] constexpr MsgType msg_type(std::string_view text) noexcept {
  constexpr unsigned char k_ascii_max = 0x7f;
  if (text.size() > k_msg_type_max) return MsgType::none;
  std::uint32_t packed = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    const auto character = static_cast<unsigned char>(text[at]);
    if (character == 0 || character > k_ascii_max) return MsgType::none;
    packed = packed << 8 | character;
  }
  return static_cast<MsgType>(packed);
}

/// A packed type as characters again.
struct MsgTypeText {
  std::array<char, k_msg_type_max> characters{};
  [[nodiscard]] constexpr std::string_view view() const noexcept {
    std::size_t size = 0;
    while (size < characters.size() && characters[size] != 0) ++size;
    return {characters.data(), size};
  }
};
[[nodiscard]] constexpr MsgTypeText text_of(MsgType type) noexcept {
  MsgTypeText text;
  auto packed = static_cast<std::uint32_t>(type);
  for (std::size_t at = 0; packed != 0; packed >>= 8) text.characters[at++] = static_cast<char>(packed & 0xff);
  return text;
}

/// True for the session's own messages: Heartbeat, TestRequest, ResendRequest, Reject, SequenceReset, Logout, Logon.
[[nodiscard]] constexpr bool is_admin(MsgType type) noexcept {
  const auto packed = static_cast<std::uint32_t>(type);
  return (packed >= '0' && packed <= '5') || packed == 'A';
}

namespace type {
inline constexpr MsgType k_heartbeat = msg_type("0");
inline constexpr MsgType k_test_request = msg_type("1");
inline constexpr MsgType k_resend_request = msg_type("2");
inline constexpr MsgType k_reject = msg_type("3");
inline constexpr MsgType k_sequence_reset = msg_type("4");
inline constexpr MsgType k_logout = msg_type("5");
inline constexpr MsgType k_execution_report = msg_type("8");
inline constexpr MsgType k_order_cancel_reject = msg_type("9");
inline constexpr MsgType k_logon = msg_type("A");
inline constexpr MsgType k_new_order_single = msg_type("D");
inline constexpr MsgType k_order_cancel_request = msg_type("F");
inline constexpr MsgType k_order_cancel_replace_request = msg_type("G");
inline constexpr MsgType k_order_status_request = msg_type("H");
inline constexpr MsgType k_business_message_reject = msg_type("j");
inline constexpr MsgType k_order_mass_cancel_request = msg_type("q");
inline constexpr MsgType k_order_mass_cancel_report = msg_type("r");
inline constexpr MsgType k_order_mass_status_request = msg_type("AF");
inline constexpr MsgType k_dont_know_trade = msg_type("Q");
inline constexpr MsgType k_user_request = msg_type("BE");
inline constexpr MsgType k_quote = msg_type("S");
inline constexpr MsgType k_quote_cancel = msg_type("Z");
inline constexpr MsgType k_quote_status_report = msg_type("AI");
inline constexpr MsgType k_quote_acknowledgement = msg_type("b");
}  // namespace type

namespace tag {
// Header and trailer.
inline constexpr Tag k_begin_string = 8;
inline constexpr Tag k_body_length = 9;
inline constexpr Tag k_check_sum = 10;
inline constexpr Tag k_msg_seq_num = 34;
inline constexpr Tag k_msg_type = 35;
inline constexpr Tag k_poss_dup_flag = 43;
inline constexpr Tag k_sender_comp_id = 49;
inline constexpr Tag k_sender_sub_id = 50;
inline constexpr Tag k_sending_time = 52;
inline constexpr Tag k_target_comp_id = 56;
inline constexpr Tag k_target_sub_id = 57;
inline constexpr Tag k_signature = 89;
inline constexpr Tag k_secure_data = 91;
inline constexpr Tag k_poss_resend = 97;
inline constexpr Tag k_on_behalf_of_comp_id = 115;
inline constexpr Tag k_on_behalf_of_sub_id = 116;
inline constexpr Tag k_orig_sending_time = 122;
inline constexpr Tag k_deliver_to_comp_id = 128;
inline constexpr Tag k_deliver_to_sub_id = 129;
inline constexpr Tag k_sender_location_id = 142;
inline constexpr Tag k_target_location_id = 143;
inline constexpr Tag k_on_behalf_of_location_id = 144;
inline constexpr Tag k_deliver_to_location_id = 145;
inline constexpr Tag k_last_msg_seq_num_processed = 369;
inline constexpr Tag k_appl_ver_id = 1128;

// Session messages.
inline constexpr Tag k_begin_seq_no = 7;
inline constexpr Tag k_end_seq_no = 16;
inline constexpr Tag k_new_seq_no = 36;
inline constexpr Tag k_ref_seq_num = 45;
inline constexpr Tag k_text = 58;
inline constexpr Tag k_raw_data_length = 95;
inline constexpr Tag k_raw_data = 96;
inline constexpr Tag k_encrypt_method = 98;
inline constexpr Tag k_heart_bt_int = 108;
inline constexpr Tag k_test_req_id = 112;
inline constexpr Tag k_gap_fill_flag = 123;
inline constexpr Tag k_reset_seq_num_flag = 141;
inline constexpr Tag k_encoded_text_length = 354;
inline constexpr Tag k_encoded_text = 355;
inline constexpr Tag k_ref_tag_id = 371;
inline constexpr Tag k_ref_msg_type = 372;
inline constexpr Tag k_session_reject_reason = 373;
inline constexpr Tag k_business_reject_ref_id = 379;
inline constexpr Tag k_business_reject_reason = 380;
inline constexpr Tag k_max_message_size = 383;
inline constexpr Tag k_username = 553;
inline constexpr Tag k_password = 554;
inline constexpr Tag k_next_expected_msg_seq_num = 789;
inline constexpr Tag k_new_password = 925;
inline constexpr Tag k_default_appl_ver_id = 1137;
inline constexpr Tag k_session_status = 1409;

// Orders and reports.
inline constexpr Tag k_account = 1;
inline constexpr Tag k_avg_px = 6;
inline constexpr Tag k_cl_ord_id = 11;
inline constexpr Tag k_cum_qty = 14;
inline constexpr Tag k_currency = 15;
inline constexpr Tag k_exec_id = 17;
inline constexpr Tag k_exec_inst = 18;
inline constexpr Tag k_exec_ref_id = 19;
inline constexpr Tag k_exec_trans_type = 20;
inline constexpr Tag k_handl_inst = 21;
inline constexpr Tag k_security_id_source = 22;
inline constexpr Tag k_last_px = 31;
inline constexpr Tag k_last_qty = 32;
inline constexpr Tag k_order_id = 37;
inline constexpr Tag k_order_qty = 38;
inline constexpr Tag k_ord_status = 39;
inline constexpr Tag k_ord_type = 40;
inline constexpr Tag k_orig_cl_ord_id = 41;
inline constexpr Tag k_price = 44;
inline constexpr Tag k_security_id = 48;
inline constexpr Tag k_side = 54;
inline constexpr Tag k_symbol = 55;
inline constexpr Tag k_time_in_force = 59;
inline constexpr Tag k_transact_time = 60;
inline constexpr Tag k_trade_date = 75;
inline constexpr Tag k_stop_px = 99;
inline constexpr Tag k_cxl_rej_reason = 102;
inline constexpr Tag k_ord_rej_reason = 103;
inline constexpr Tag k_client_id = 109;
inline constexpr Tag k_min_qty = 110;
inline constexpr Tag k_max_floor = 111;
inline constexpr Tag k_expire_time = 126;
inline constexpr Tag k_exec_type = 150;
inline constexpr Tag k_leaves_qty = 151;
inline constexpr Tag k_security_exchange = 207;
inline constexpr Tag k_exec_restatement_reason = 378;
inline constexpr Tag k_expire_date = 432;
inline constexpr Tag k_cxl_rej_response_to = 434;
inline constexpr Tag k_party_id_source = 447;
inline constexpr Tag k_party_id = 448;
inline constexpr Tag k_party_role = 452;
inline constexpr Tag k_no_party_ids = 453;
inline constexpr Tag k_party_sub_id = 523;
inline constexpr Tag k_secondary_cl_ord_id = 526;
inline constexpr Tag k_secondary_exec_id = 527;
inline constexpr Tag k_order_capacity = 528;
inline constexpr Tag k_order_restrictions = 529;
inline constexpr Tag k_mass_cancel_request_type = 530;
inline constexpr Tag k_account_type = 581;
inline constexpr Tag k_no_party_sub_ids = 802;
inline constexpr Tag k_party_sub_id_type = 803;
inline constexpr Tag k_last_liquidity_ind = 851;
inline constexpr Tag k_trd_match_id = 880;
}  // namespace tag

/// Members of the Parties group, its first field first: what MessageView::group takes.
inline constexpr std::array k_party_members{tag::k_party_id,         tag::k_party_id_source, tag::k_party_role,
                                            tag::k_no_party_sub_ids, tag::k_party_sub_id,    tag::k_party_sub_id_type};

/// SessionRejectReason(373), FIXT 1.1. FIX 4.2 knows codes up to 11 only, FIX 4.4 those up to 17 and 99.
enum class RejectReason : std::uint8_t {
  invalid_tag_number = 0,
  required_tag_missing = 1,
  tag_not_defined_for_message = 2,
  undefined_tag = 3,
  tag_without_value = 4,
  value_incorrect = 5,
  incorrect_format = 6,
  decryption_problem = 7,
  signature_problem = 8,
  comp_id_problem = 9,
  sending_time_accuracy = 10,
  invalid_msg_type = 11,
  xml_validation = 12,
  tag_appears_twice = 13,
  tag_out_of_order = 14,
  group_out_of_order = 15,
  group_count_incorrect = 16,
  field_separator_in_value = 17,
  application_version = 18,
  other = 99,
};

/// The reason's standard name, e.g. "Required tag missing"; what Text(58) of a Reject says. Static.
[[nodiscard]] std::string_view text_of(RejectReason reason) noexcept;

/// BusinessRejectReason(380), FIX 4.4.
enum class BusinessRejectReason : std::uint8_t {
  other = 0,
  unknown_id = 1,
  unknown_security = 2,
  unsupported_message_type = 3,
  application_not_available = 4,
  conditionally_required_field_missing = 5,
  not_authorized = 6,
  deliver_to_firm_not_available = 7,
};

/// The reason's standard name, e.g. "Unsupported Message Type". Static.
[[nodiscard]] std::string_view text_of(BusinessRejectReason reason) noexcept;

}  // namespace dojima::fix
