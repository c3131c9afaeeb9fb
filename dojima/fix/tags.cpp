#include "dojima/fix/tags.hpp"

namespace dojima::fix {

std::string_view text_of(RejectReason reason) noexcept {
  switch (reason) {
    case RejectReason::invalid_tag_number:
      return "Invalid tag number";
    case RejectReason::required_tag_missing:
      return "Required tag missing";
    case RejectReason::tag_not_defined_for_message:
      return "Tag not defined for this message type";
    case RejectReason::undefined_tag:
      return "Undefined tag";
    case RejectReason::tag_without_value:
      return "Tag specified without a value";
    case RejectReason::value_incorrect:
      return "Value is incorrect (out of range) for this tag";
    case RejectReason::incorrect_format:
      return "Incorrect data format for value";
    case RejectReason::decryption_problem:
      return "Decryption problem";
    case RejectReason::signature_problem:
      return "Signature problem";
    case RejectReason::comp_id_problem:
      return "CompID problem";
    case RejectReason::sending_time_accuracy:
      return "SendingTime accuracy problem";
    case RejectReason::invalid_msg_type:
      return "Invalid MsgType";
    case RejectReason::xml_validation:
      return "XML validation error";
    case RejectReason::tag_appears_twice:
      return "Tag appears more than once";
    case RejectReason::tag_out_of_order:
      return "Tag specified out of required order";
    case RejectReason::group_out_of_order:
      return "Repeating group fields out of order";
    case RejectReason::group_count_incorrect:
      return "Incorrect NumInGroup count for repeating group";
    case RejectReason::field_separator_in_value:
      return "Non 'data' value includes field delimiter";
    case RejectReason::application_version:
      return "Invalid/Unsupported Application Version";
    case RejectReason::other:
      return "Other";
  }
  return "Unnamed reason";
}

std::string_view text_of(BusinessRejectReason reason) noexcept {
  switch (reason) {
    case BusinessRejectReason::other:
      return "Other";
    case BusinessRejectReason::unknown_id:
      return "Unknown ID";
    case BusinessRejectReason::unknown_security:
      return "Unknown Security";
    case BusinessRejectReason::unsupported_message_type:
      return "Unsupported Message Type";
    case BusinessRejectReason::application_not_available:
      return "Application not available";
    case BusinessRejectReason::conditionally_required_field_missing:
      return "Conditionally Required Field Missing";
    case BusinessRejectReason::not_authorized:
      return "Not authorized";
    case BusinessRejectReason::deliver_to_firm_not_available:
      return "DeliverTo firm not available at this time";
  }
  return "Unnamed reason";
}

}  // namespace dojima::fix
