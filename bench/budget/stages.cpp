#include "bench/budget/stages.hpp"

#include <algorithm>
#include <cstdlib>

namespace dojima::bench {
namespace {

using harness::CallProfile, harness::StackCost, harness::StageMatch, harness::StageRule;

enum Place : std::size_t {
  parse,
  session,
  translate,
  encode,
  decode,
  route,
  journal,
  risk,
  match,
  report,
  send,
  decode_back,
  translate_back,
  session_back,
  loop,
  wire,
  clients,
};

constexpr Stage k_stages[] = {
    {"parse", "FIX messages framed and read"},
    {"session", "checked, in sequence, passed on"},
    {"translate", "the request into a command, limits of the client, its records"},
    {"encode", "MIT203 written into the venue's connection"},
    {"decode", "MIT203 read at the venue"},
    {"route", "to its partition, and what is done in which order there"},
    {"journal", "written before any effect; the disk's thread is not part of it"},
    {"risk", "the user's limits"},
    {"match", "the book"},
    {"report", "reports to owners, and their log"},
    {"send", "reports read up to the durable position, MIT203 written"},
    {"decode, back", "MIT203 read at the gateway"},
    {"translate, back", "the report into an ExecutionReport, the order's records"},
    {"session, back", "numbered, stored, sent"},
    {"loop", "the loop and the scheduler"},
    {"wire", "the simulated network, where a live run has sockets and the kernel", false},
    {"clients", "who sends the requests and counts the answers", false},
};

/// Functions that belong to whoever calls them have no rule: copies, allocation, containers, numbers, FIX fields.
constexpr StageRule k_rules[] = {
    {clients, "CountedClient::"},
    {clients, "dojima::bench::"},
    {parse, "dojima::fix::find_frame("},
    {parse, "dojima::fix::MessageView::"},
    {session_back, "dojima::fix::Session::send("},
    {session_back, "dojima::fix::Session::begin("},
    {session_back, "dojima::fix::Outbox::"},
    {session, "dojima::fix::SessionCore::"},
    {session, "dojima::fix::Session::on_bytes("},
    {translate, "dojima::gateway::ClientToExchange::"},
    {translate_back, "dojima::gateway::ExchangeToClient::"},
    {encode, "dojima::mit::ClientSession::send("},
    {decode_back, "dojima::mit::ClientSession::on_bytes("},
    {decode, "dojima::mit::ServerSession::on_bytes("},
    {send, "dojima::mit::ServerSession::send("},
    {send, "dojima::venue::Front::finish("},
    {route, "dojima::venue::Front::on_"},
    {route, "dojima::venue::Partition::"},
    {journal, "dojima::venue::CommandJournal::"},
    {risk, "dojima::venue::Risk::"},
    {match, "dojima::book::B"},
    {report, "dojima::venue::OwnerReports::"},
    {report, "dojima::venue::OwnedOrders::"},
    {wire, "dojima::link::SimulatedNetwork::"},
    {loop, "dojima::sched::Loop::"},
};

bool is_allocation(std::string_view function) {
  constexpr std::string_view k_names[] = {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "memalign"};
  return std::ranges::find(k_names, function) != std::end(k_names);
}

constexpr std::string_view k_copied = "dojima_copied_";

/// How many bytes a call of that function stands for; 0: it is none of those.
double bytes_of(const std::string& function) {
  return function.starts_with(k_copied) ? std::strtod(function.c_str() + k_copied.size(), nullptr) : 0;
}

double value(const CallProfile& profile, const StackCost& stack, std::span<const std::string_view> events) {
  double sum = 0;
  for (const std::string_view name : events) {
    const std::size_t place = profile.event(name);
    if (place < stack.self.size()) sum += static_cast<double>(stack.self[place]);
  }
  return sum;
}

void add(StageCost& cost, const CallProfile& profile, const StackCost& stack, std::size_t from) {
  static constexpr std::string_view k_first[] = {"I1mr", "D1mr", "D1mw"};
  static constexpr std::string_view k_last[] = {"ILmr", "DLmr", "DLmw"};
  static constexpr std::string_view k_branches[] = {"Bc", "Bi"};
  static constexpr std::string_view k_missed[] = {"Bcm", "Bim"};
  static constexpr std::string_view k_instructions[] = {"Ir"};
  const double instructions = value(profile, stack, k_instructions);
  cost.instructions += instructions;
  cost.first_level_misses += value(profile, stack, k_first);
  cost.last_level_misses += value(profile, stack, k_last);
  cost.branches += value(profile, stack, k_branches);
  cost.branch_misses += value(profile, stack, k_missed);
  if (is_allocation(stack.frames.back())) cost.allocations += static_cast<double>(stack.calls);
  std::vector<std::string> frames;
  for (std::size_t at = from; at < stack.frames.size(); ++at) frames.push_back(harness::short_name(stack.frames[at]));
  if (instructions > 0) cost.flames.add(frames, instructions);
}

StageCost& cost_at(RoadCost& road, std::size_t stage) {
  return stage == harness::k_no_stage ? road.unknown : road.stages[stage];
}

}  // namespace

std::span<const Stage> stages() noexcept {
  return k_stages;
}

std::span<const StageRule> stage_rules() noexcept {
  return k_rules;
}

RoadCost cost_of(const CallProfile& profile, const CallProfile* copies) {
  RoadCost road;
  road.stages.resize(std::size(k_stages));
  std::vector<bool> is_used(std::size(k_rules));
  for (const StackCost& stack : profile.stacks) {
    if (stack.frames.empty()) continue;
    const StageMatch found = harness::stage_of(stack.frames, k_rules);
    if (found.rule != harness::k_no_stage) is_used[found.rule] = true;
    add(cost_at(road, found.stage), profile, stack, found.frame);
  }
  for (std::size_t rule = 0; rule < std::size(k_rules); ++rule) {
    if (!is_used[rule]) road.unused.emplace_back(k_rules[rule].function);
  }
  if (copies == nullptr) return road;
  for (const StackCost& stack : copies->stacks) {
    if (stack.frames.empty()) continue;
    const double bytes = bytes_of(stack.frames.back()) * static_cast<double>(stack.calls);
    if (bytes > 0) cost_at(road, harness::stage_of(stack.frames, k_rules).stage).bytes_copied += bytes;
  }
  return road;
}

std::vector<std::string> unknown_stacks(const CallProfile& profile, std::size_t most) {
  std::vector<std::pair<std::uint64_t, std::string>> found;
  const std::size_t instructions = profile.event("Ir");
  for (const StackCost& stack : profile.stacks) {
    if (stack.frames.empty() || instructions >= stack.self.size()) continue;
    if (harness::stage_of(stack.frames, k_rules).stage != harness::k_no_stage) continue;
    std::string line;
    for (const std::string& frame : stack.frames) line += (line.empty() ? "" : " > ") + harness::short_name(frame);
    found.emplace_back(stack.self[instructions], std::move(line));
  }
  std::ranges::sort(found, std::greater<>{});
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < std::min(most, found.size()); ++at)
    lines.push_back(std::to_string(found[at].first) + "  " + found[at].second);
  return lines;
}

}  // namespace dojima::bench
