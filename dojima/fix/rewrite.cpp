#include "dojima/fix/rewrite.hpp"

#include <algorithm>
#include <array>

#include "dojima/fix/writer.hpp"

namespace dojima::fix {
namespace {

constexpr std::size_t k_fields_in_front = 3;  // 8, 9 and 35

/// Fields that stay together: a field alone, a length with its data, a count with its group.
struct Unit {
  std::uint64_t key;
  std::uint16_t begin, end;
};

class Rewriting {
 public:
  Rewriting(const MessageView& view, const Dictionary& dictionary, Writer& writer) noexcept
      : view_(view), dictionary_(dictionary), data_fields_(dictionary.data_fields()), writer_(writer) {
    const MessageFacts* message = dictionary.message(view.msg_type());
    shape_ = message == nullptr ? &dictionary.envelope() : message->shape;
  }

  void write_in_order(std::size_t begin, std::size_t end) noexcept { copy(begin, end); }

  /// The whole message behind its first three fields: header, body, trailer, each ascending.
  void write_message() noexcept {
    write_sorted(*shape_, k_fields_in_front, view_.size(), [this](std::size_t at, const Member* member) {
      return static_cast<std::uint64_t>(part_of(member)) << 32 | view_.number_of(at);
    });
  }

  /// Header and trailer left out.
  void write_body(FieldOrder order) noexcept {
    if (order == FieldOrder::compact) return copy_body();
    for (std::size_t at = k_fields_in_front; at < view_.size();) {
      const std::size_t end = unit_end(*shape_, at, view_.size());
      if (part_of(shape_->find(view_[at].tag)) == Part::body)
        units_[unit_count_++] = {view_.number_of(at), static_cast<std::uint16_t>(at), static_cast<std::uint16_t>(end)};
      at = end;
    }
    write_units(*shape_, 0);
  }

 private:
  enum class Part : std::uint8_t { header, body, trailer };

  [[nodiscard]] static Part part_of(const Member* member) noexcept {
    if (member == nullptr) return Part::body;
    return member->is(Member::k_header) ? Part::header : member->is(Member::k_trailer) ? Part::trailer : Part::body;
  }

  /// Where the bytes of a field begin, at its tag, and end, behind its separator.
  [[nodiscard]] std::size_t bytes_begin(std::size_t at) const noexcept { return at == 0 ? 0 : bytes_end(at - 1); }
  [[nodiscard]] std::size_t bytes_end(std::size_t at) const noexcept {
    return view_.offset_of(at) + view_[at].value.size() + 1;
  }
  /// The fields from `begin` to `end`, as they are.
  void copy(std::size_t begin, std::size_t end) noexcept {
    if (begin == end) return;
    const std::size_t first = bytes_begin(begin);
    writer_.raw(view_.bytes().subspan(first, bytes_end(end - 1) - first));
  }
  void write(std::size_t at) noexcept { copy(at, at + 1); }

  void copy_body() noexcept {
    constexpr std::uint8_t k_not_plain = Member::k_header | Member::k_trailer | Member::k_group;
    const std::size_t size = view_.size();
    std::size_t begin = k_fields_in_front;  // of fields that are next to each other, to be copied at once
    for (std::size_t at = begin; at < size;) {
      const Member* const member = shape_->find(view_[at].tag);
      if (member == nullptr || (member->flags & k_not_plain) == 0) {
        ++at;
        continue;
      }
      const std::size_t end = unit_end(member, at, size);
      if (part_of(member) != Part::body) {
        copy(begin, at);
        begin = end;
      }
      at = end;
    }
    copy(begin, size);
  }

  /// Where the unit that begins at `at` ends.
  [[nodiscard]] std::size_t unit_end(const Shape& shape, std::size_t at, std::size_t end) const noexcept {
    return unit_end(shape.find(view_[at].tag), at, end);
  }
  [[nodiscard]] std::size_t unit_end(const Member* member, std::size_t at, std::size_t end) const noexcept {
    if (member != nullptr && member->is(Member::k_group)) return group_end(dictionary_.shape(*member), at + 1, end);
    const bool has_data = at + 1 < end && data_fields_.has(view_[at + 1].tag);
    return at + (has_data && data_fields_.length_of(view_[at + 1].tag) == view_[at].tag ? 2 : 1);
  }

  /// Behind the last field of a group's entries; strangers inside it belong to it.
  [[nodiscard]] std::size_t group_end(const Shape& shape, std::size_t begin, std::size_t end) const noexcept {
    std::size_t last = begin;
    for (std::size_t at = begin; at < end;) {
      const Tag tag = view_[at].tag;
      if (shape.find(tag) == nullptr && (dictionary_.field(tag) != nullptr || last == begin)) break;
      const bool is_member = shape.find(tag) != nullptr;
      at = is_member ? unit_end(shape, at, end) : at + 1;
      if (is_member) last = at;
    }
    return last;
  }

  template <class Key>
  void write_sorted(const Shape& shape, std::size_t begin, std::size_t end, Key key_of) noexcept {
    const std::size_t first = unit_count_;
    for (std::size_t at = begin; at < end;) {
      const std::size_t behind = unit_end(shape, at, end);
      units_[unit_count_++] = {key_of(at, shape.find(view_[at].tag)), static_cast<std::uint16_t>(at),
                               static_cast<std::uint16_t>(behind)};
      at = behind;
    }
    write_units(shape, first);
  }

  /// Writes the units from `first` on in the order of their keys, and forgets them.
  void write_units(const Shape& shape, std::size_t first) noexcept {
    const std::size_t last = unit_count_;
    // By place where keys are the same: nothing that occurs twice changes its order.
    std::sort(units_.begin() + static_cast<std::ptrdiff_t>(first), units_.begin() + static_cast<std::ptrdiff_t>(last),
              [](const Unit& a, const Unit& b) { return a.key != b.key ? a.key < b.key : a.begin < b.begin; });
    for (std::size_t unit = first; unit < last; ++unit) write_unit(shape, units_[unit]);
    unit_count_ = first;
  }

  void write_unit(const Shape& shape, const Unit& unit) noexcept {
    write(unit.begin);
    const Member* member = shape.find(view_[unit.begin].tag);
    if (member == nullptr || !member->is(Member::k_group)) return write_in_order(unit.begin + 1u, unit.end);
    const Shape& entries = dictionary_.shape(*member);
    for (std::size_t at = unit.begin + 1u; at < unit.end;) {
      std::size_t behind = unit_end(entries, at, unit.end);
      while (behind < unit.end && view_[behind].tag != entries.first()) behind = unit_end(entries, behind, unit.end);
      write_sorted(entries, at, behind, [](std::size_t, const Member* own) {
        constexpr std::uint64_t k_behind_all = 0xffff'ffff;
        return own == nullptr ? k_behind_all : std::uint64_t{own->position};
      });
      at = behind;
    }
  }

  const MessageView& view_;
  const Dictionary& dictionary_;
  const DataFields& data_fields_;
  Writer& writer_;
  const Shape* shape_;
  std::size_t unit_count_ = 0;
  std::array<Unit, MessageView::k_fields_max> units_;  // a stack: the groups inside a group follow it
};

}  // namespace

Result<Bytes> rewrite(const MessageView& view, const Dictionary& dictionary, FieldOrder order, Room room) noexcept {
  if (view.size() < k_fields_in_front || view[2].tag != tag::k_msg_type)
    return fail(ErrorCode::malformed, tag::k_msg_type, 0, 0, "a message that was read");
  Writer writer(room, view[0].value);
  Rewriting rewriting(view, dictionary, writer);
  rewriting.write_in_order(k_fields_in_front - 1, k_fields_in_front);
  if (order == FieldOrder::canonical) {
    rewriting.write_message();
  } else {
    rewriting.write_in_order(k_fields_in_front, view.size());
  }
  return writer.finish();
}

void rewrite_body(const MessageView& view, const Dictionary& dictionary, FieldOrder order, Writer& writer) noexcept {
  Rewriting(view, dictionary, writer).write_body(order);
}

}  // namespace dojima::fix
