#pragma once

// FIX fields of order entry by their names: those of the tags that all rooms share, those that only orders and the
// questions about them need, and the venue's own. For the gateway, and for a client that knows the venue's fields.

#include "dojima/fix/tags.hpp"

namespace dojima::gateway::tag {

using namespace fix::tag;

inline constexpr fix::Tag k_last_mkt = 30;
inline constexpr fix::Tag k_rule_80a = 47;  ///< FIX 4.2: the capacity
inline constexpr fix::Tag k_valid_until_time = 62;
inline constexpr fix::Tag k_quote_id = 117;
inline constexpr fix::Tag k_dk_reason = 127;
inline constexpr fix::Tag k_quote_req_id = 131;
inline constexpr fix::Tag k_bid_px = 132;
inline constexpr fix::Tag k_offer_px = 133;
inline constexpr fix::Tag k_bid_size = 134;
inline constexpr fix::Tag k_offer_size = 135;
inline constexpr fix::Tag k_no_related_sym = 146;
inline constexpr fix::Tag k_cash_order_qty = 152;
inline constexpr fix::Tag k_effective_time = 168;
inline constexpr fix::Tag k_max_show = 210;
inline constexpr fix::Tag k_peg_offset_value = 211;
inline constexpr fix::Tag k_subscription_request_type = 263;
inline constexpr fix::Tag k_order_id_alias = 278;  ///< MDEntryID: the order's id in the market data
inline constexpr fix::Tag k_no_quote_entries = 295;
inline constexpr fix::Tag k_quote_status = 297;
inline constexpr fix::Tag k_quote_cancel_type = 298;
inline constexpr fix::Tag k_quote_reject_reason = 300;
inline constexpr fix::Tag k_quote_response_level = 301;
inline constexpr fix::Tag k_security_req_id = 320;
inline constexpr fix::Tag k_trad_ses_req_id = 335;
inline constexpr fix::Tag k_trading_session_id = 336;
inline constexpr fix::Tag k_trad_ses_status = 340;
inline constexpr fix::Tag k_contra_broker = 375;
inline constexpr fix::Tag k_contra_broker_count = 382;
inline constexpr fix::Tag k_trading_session_count = 386;
inline constexpr fix::Tag k_discretion_inst = 388;
inline constexpr fix::Tag k_discretion_offset = 389;
inline constexpr fix::Tag k_price_type = 423;
inline constexpr fix::Tag k_order_percent = 516;
inline constexpr fix::Tag k_owner_type = 522;
inline constexpr fix::Tag k_mass_cancel_response = 531;
inline constexpr fix::Tag k_mass_cancel_reject_reason = 532;
inline constexpr fix::Tag k_quote_type = 537;
inline constexpr fix::Tag k_security_list_request_type = 559;
inline constexpr fix::Tag k_security_request_result = 560;
inline constexpr fix::Tag k_mass_status_req_id = 584;
inline constexpr fix::Tag k_mass_status_req_type = 585;
inline constexpr fix::Tag k_trading_session_sub_id = 625;
inline constexpr fix::Tag k_min_bid_size = 647;
inline constexpr fix::Tag k_min_offer_size = 648;
inline constexpr fix::Tag k_ord_status_req_id = 790;
inline constexpr fix::Tag k_trd_type = 828;
inline constexpr fix::Tag k_target_strategy = 847;
inline constexpr fix::Tag k_is_last_fragment = 893;
inline constexpr fix::Tag k_total_reports = 911;
inline constexpr fix::Tag k_is_last_report = 912;
inline constexpr fix::Tag k_user_request_id = 923;
inline constexpr fix::Tag k_user_request_type = 924;
inline constexpr fix::Tag k_user_status = 926;
inline constexpr fix::Tag k_user_status_text = 927;
inline constexpr fix::Tag k_secondary_display_qty = 1082;
inline constexpr fix::Tag k_display_method = 1084;
inline constexpr fix::Tag k_display_low_qty = 1085;
inline constexpr fix::Tag k_display_high_qty = 1086;
inline constexpr fix::Tag k_display_min_incr = 1087;
inline constexpr fix::Tag k_refresh_qty = 1088;
inline constexpr fix::Tag k_match_increment = 1089;
inline constexpr fix::Tag k_max_price_levels = 1090;
inline constexpr fix::Tag k_pre_trade_anonymity = 1091;
inline constexpr fix::Tag k_peg_price_type = 1094;
inline constexpr fix::Tag k_trigger_type = 1100;
inline constexpr fix::Tag k_trigger_action = 1101;
inline constexpr fix::Tag k_trigger_price = 1102;
inline constexpr fix::Tag k_display_qty = 1138;
inline constexpr fix::Tag k_appl_id = 1180;
inline constexpr fix::Tag k_market_segment_id = 1300;
inline constexpr fix::Tag k_mass_action_report_id = 1369;
inline constexpr fix::Tag k_target_party_count = 1461;
inline constexpr fix::Tag k_target_party_id = 1462;
inline constexpr fix::Tag k_target_party_id_source = 1463;
inline constexpr fix::Tag k_target_party_role = 1464;
inline constexpr fix::Tag k_order_origination = 1724;
inline constexpr fix::Tag k_party_role_qualifier = 2376;
inline constexpr fix::Tag k_order_attribute_count = 2593;
inline constexpr fix::Tag k_order_attribute_type = 2594;
inline constexpr fix::Tag k_order_attribute_value = 2595;
inline constexpr fix::Tag k_waiver_count = 2668;
inline constexpr fix::Tag k_waiver_publication_type = 2669;
inline constexpr fix::Tag k_waiver_publication_reason = 2670;

// The venue's own, in every version.
inline constexpr fix::Tag k_type_of_trade = 20000;
inline constexpr fix::Tag k_passive_only_order = 27010;
inline constexpr fix::Tag k_trade_match_number = 27020;
/// TradeLiquidityIndicator, for what FIX 4.2 and 4.4 have no number for.
inline constexpr fix::Tag k_trade_liquidity_indicator = 9730;
inline constexpr fix::Tag k_group_id = 27017;
inline constexpr fix::Tag k_offset = 27018;
inline constexpr fix::Tag k_pegged_exec_inst = 27021;
/// CancelOnDisconnect, of a Logon.
inline constexpr fix::Tag k_cancel_on_disconnect = 27030;

}  // namespace dojima::gateway::tag
