#include "dojima/venue/recovery/replayer.hpp"

#include <new>
#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/base/state.hpp"

namespace dojima::venue {

namespace {

/// Of every slot an order table saves its generation, and that it is free or more of its order.
constexpr std::size_t k_bytes_of_slot = 8;

}  // namespace

Result<Time> time_of_state(Bytes state) {
  StateReader in(state);
  std::string settings;
  market::Sequence last;
  Time time;
  static_cast<void>(in.section("settings") && in.read(settings) && in.section("commands") && in.read(last) &&
                    in.read(time));
  if (!in.is_good()) return std::unexpected(in.result().error());
  return time;
}

void Replayer::make(const PartitionSettings& settings) {
  partition_ = std::make_unique<Partition>(settings.config, journal_);
  settings_ = settings;
  if (on_made_) on_made_(*partition_);
}

void Replayer::begin(const PartitionSettings& settings) {
  DOJIMA_ASSERT(partition_ == nullptr && pending_.empty(), "a partition begins once", pending_.size());
  make(settings);
}

market::Sequence Replayer::last() const noexcept {
  return partition_ != nullptr ? partition_->last_command() : market::Sequence{pending_.size()};
}

// ---- Commands ------------------------------------------------------------------------------------------------------

Result<void> Replayer::apply(const journal::Record& record) {
  if (record.sequence.value != last().value + 1)
    return fail(ErrorCode::wrong_state, 0, 0, static_cast<std::int64_t>(record.sequence.value), "the next record");
  if (partition_ != nullptr && !partition_->replay(record.bytes))
    return fail(ErrorCode::malformed, 0, 0, static_cast<std::int64_t>(record.sequence.value), "a command");
  if (partition_ != nullptr && partition_->divergence())
    return fail(ErrorCode::refused, 0, 0, static_cast<std::int64_t>(record.sequence.value),
                "the state that the journal's writer had here");
  market::Setting setting;
  const bool is_setting = record.bytes.size() == sizeof setting &&
                          load_little<market::CommandHeader>(record.bytes, 0).type == market::CommandType::setting;
  if (is_setting) return add(load_little<market::Setting>(record.bytes, 0));
  if (partition_ != nullptr) return {};
  return fail(ErrorCode::missing, 0, 0, static_cast<std::int64_t>(record.sequence.value),
              "settings before the first command");
}

Result<void> Replayer::add(const market::Setting& setting) {
  const bool is_complete = text_.add(setting);
  if (partition_ == nullptr) pending_.push_back(setting);
  if (!is_complete) return {};
  const Result<PartitionSettings> settings = parse_settings(text_.text());
  if (!settings) return std::unexpected(settings.error());
  if (partition_ != nullptr) return change(*settings);
  try {
    make(*settings);
  } catch (const std::invalid_argument&) {
    return fail(ErrorCode::refused, 0, 0, 0, "settings of which a partition can be made");
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::no_room, 0, 0, 0, "memory for the partition");
  }
  for (const market::Setting& first : std::exchange(pending_, {})) partition_->apply(first.header);
  return {};
}

// ---- State ---------------------------------------------------------------------------------------------------------

void Replayer::save(StateWriter& out, std::uint64_t reports) const {
  DOJIMA_ASSERT(partition_ != nullptr, "only a partition has state", pending_.size());
  out.section("settings");
  out.add(text_of(settings_));
  partition_->save(out, reports);
}

Result<void> Replayer::load(Bytes state) {
  DOJIMA_ASSERT(partition_ == nullptr && pending_.empty(), "a state is loaded before anything else", pending_.size());
  StateReader in(state);
  std::string text;
  in.section("settings");
  if (!in.read(text)) return in.result();
  const Result<PartitionSettings> settings = parse_settings(text);
  if (!settings) return std::unexpected(settings.error());
  // Before memory is taken for what the settings say: it must be there.
  if (settings->config.limits.orders > in.left() / k_bytes_of_slot)
    return fail(ErrorCode::malformed, 0, static_cast<std::uint32_t>(state.size() - in.left()),
                static_cast<std::int64_t>(settings->config.limits.orders),
                "as many bytes as an order table of limits.orders takes");
  try {
    make(*settings);
    return partition_->load(in);
  } catch (const std::logic_error&) {  // what cannot be (std::invalid_argument), or be so long (std::length_error)
    return fail(ErrorCode::refused, 0, 0, 0, "settings of which a partition can be made");
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::no_room, 0, 0, 0, "memory for the partition");
  }
}

Result<void> Replayer::change(const PartitionSettings& settings) {
  std::vector<std::byte> state;
  StateWriter out([&state](Bytes piece) { state.insert(state.end(), piece.begin(), piece.end()); });
  partition_->save(out);
  out.flush();
  std::unique_ptr<Partition> before = std::move(partition_);
  const PartitionSettings old_settings = settings_;
  StateReader in(state);
  Result<void> loaded;
  try {
    make(settings);
    // Those that it has more of were not there when the state was saved.
    loaded = partition_->load(in, old_settings.config.instruments.size());
  } catch (const std::invalid_argument&) {
    loaded = fail(ErrorCode::refused, 0, 0, 0, "settings of which a partition can be made");
  } catch (const std::bad_alloc&) {
    loaded = fail(ErrorCode::no_room, 0, 0, 0, "memory for the partition");
  }
  if (loaded) return {};
  partition_ = std::move(before);
  settings_ = old_settings;
  return loaded;
}

}  // namespace dojima::venue
