#include "dojima/gateway/durable_connection.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::gateway {

void DurableConnection::hold_for(const journal::FileJournal& journal) {
  journal_ = &journal;
  buffer_.resize(k_bytes);
  messages_.resize(k_messages);
}

void DurableConnection::on_open(link::Transport& transport, link::Time now) {
  out_ = &transport;
  is_room_wanted_ = false;
  forget();
  session_.on_open(*this, now);
}

void DurableConnection::on_writable(link::Time now) {
  let_go();
  session_.on_writable(now);
}

void DurableConnection::on_closed(link::CloseReason reason, link::Time now) {
  forget();
  out_ = nullptr;
  session_.on_closed(reason, now);
}

Room DurableConnection::prepare(std::size_t size) {
  is_passing_ = passes();
  if (is_passing_) return out_->prepare(size);
  const Room room = prepare_waiting(size);
  is_room_wanted_ = is_room_wanted_ || room.empty();
  return room;
}

Room DurableConnection::prepare_waiting(std::size_t size) {
  if (count_ == messages_.size()) return {};
  if (buffer_.size() - end_ < size && begin_ != 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < size) return {};
  return Room(buffer_).subspan(end_, size);
}

void DurableConnection::commit(std::size_t size) {
  if (is_passing_) return out_->commit(size);
  end_ += size;
  const std::size_t at = first_ + count_;
  messages_[at >= messages_.size() ? at - messages_.size() : at] = {journal_->last(), size};
  ++count_;
}

void DurableConnection::release(link::Time now) {
  if (count_ == 0 || out_ == nullptr) return;
  let_go();
  if (count_ <= messages_.size() / 2 && std::exchange(is_room_wanted_, false)) session_.on_writable(now);
}

void DurableConnection::let_go() {
  if (count_ == 0 || out_ == nullptr) return;
  const journal::Sequence durable = journal_->durable();
  while (count_ != 0 && messages_[first_].needs <= durable) {
    const std::size_t size = messages_[first_].size;
    const Room room = out_->prepare(size);
    if (room.empty()) return;  // on_writable follows
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), size, room.begin());
    out_->commit(size);
    begin_ += size;
    first_ = first_ + 1 == messages_.size() ? 0 : first_ + 1;
    --count_;
  }
  if (count_ == 0) forget();
}

void DurableConnection::close(link::CloseReason reason) {
  forget();
  out_->close(reason);
}

}  // namespace dojima::gateway
