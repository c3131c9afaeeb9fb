#include "dojima/fix/dictionaries/data_fields.hpp"

namespace dojima::fix {
namespace {

/// As the dictionaries have them; a test compares.
constexpr DataField k_standard[] = {
    {89, 93},       {91, 90},       {96, 95},       {213, 212},     {349, 348},     {351, 350},     {353, 352},
    {355, 354},     {357, 356},     {359, 358},     {361, 360},     {363, 362},     {365, 364},     {446, 445},
    {619, 618},     {622, 621},     {1185, 1184},   {1278, 1277},   {1281, 1280},   {1283, 1282},   {1398, 1397},
    {1402, 1401},   {1404, 1403},   {1469, 1468},   {1527, 1525},   {1579, 1578},   {1621, 1620},   {1665, 1664},
    {1697, 1678},   {1734, 1733},   {1872, 1871},   {1875, 1874},   {2073, 2072},   {2075, 2074},   {2112, 2111},
    {2180, 2179},   {2288, 2287},   {2352, 2351},   {2371, 2372},   {2482, 2481},   {2493, 2494},   {2521, 2522},
    {2638, 2637},   {2652, 2651},   {2666, 2665},   {2716, 2715},   {2719, 2718},   {2722, 2721},   {2798, 2797},
    {2801, 2802},   {2808, 2809},   {2814, 2815},   {40005, 40004}, {40009, 40008}, {40979, 40978}, {40981, 40980},
    {40983, 40982}, {40985, 40984}, {40987, 40986}, {40989, 40988}, {41084, 41083}, {41102, 41101}, {41108, 41107},
    {41257, 41256}, {41321, 41320}, {41325, 41324}, {41459, 41458}, {41477, 41476}, {41483, 41482}, {41654, 41653},
    {41711, 41710}, {41807, 41806}, {41812, 41811}, {41874, 41873}, {41970, 41969}, {42026, 42025}, {42172, 42171},
    {42452, 42451}, {42486, 43110}, {42653, 42652}, {42684, 43109}, {42948, 42947}, {42982, 43111},
};

}  // namespace

DataFields::DataFields(std::span<const DataField> fields) noexcept {
  for (const DataField& field : fields.first(fields.size() < k_most ? fields.size() : k_most)) {
    words_[field.tag >> 6] |= std::uint64_t{1} << (field.tag & 63);
    fields_[count_++] = field;
  }
}

Tag DataFields::length_of(Tag tag) const noexcept {
  if (!has(tag)) return 0;
  for (const DataField& field : fields()) {
    if (field.tag == tag) return field.length;
  }
  return 0;
}

const DataFields& standard_data_fields() noexcept {
  static const DataFields s_fields(k_standard);
  return s_fields;
}

}  // namespace dojima::fix
