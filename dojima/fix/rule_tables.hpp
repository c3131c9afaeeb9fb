#pragma once

// The tables behind rules.hpp, after the FIX 4.4 specification (volumes 2, 4 and 6), with what FIX 4.2 has beyond it:
// sets of tags as runs of numbers. Only rules.cpp reads them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "dojima/fix/tags.hpp"

namespace dojima::fix::rules {

/// The last tag of FIX 4.4, and the first one that users may define.
inline constexpr Tag k_last_tag = 956;
inline constexpr Tag k_first_user_tag = 5000;

/// From `first` to `last`, both included.
struct Run {
  Tag first, last;
  constexpr Run(Tag only) : first(only), last(only) {}  // NOLINT(google-explicit-constructor): tables read better
  constexpr Run(Tag from, Tag to) : first(from), last(to) {}
};

/// A set of tags below 1024.
class TagSet {
 public:
  constexpr TagSet() = default;
  constexpr TagSet(std::initializer_list<Run> runs) {
    for (const Run& run : runs) {
      for (std::size_t tag = run.first; tag <= run.last; ++tag) words_[tag / 64] |= std::uint64_t{1} << tag % 64;
    }
  }
  [[nodiscard]] constexpr bool has(Tag tag) const noexcept {
    return tag < 1024 && (words_[tag / 64] >> tag % 64 & 1) != 0;
  }

 private:
  std::array<std::uint64_t, 16> words_{};
};

inline constexpr TagSet k_header{8,          9,   {34, 35},   43,         {49, 50},   52,  {56, 57},   {90, 91},  97,
                                 {115, 116}, 122, {128, 129}, {142, 145}, {212, 213}, 347, {369, 370}, {627, 630}};
inline constexpr TagSet k_trailer{10, 89, 93};

// Formats. What is in none of these sets is text.
inline constexpr TagSet k_booleans{43,  97,  {113, 114}, 121, 123, 130, 141, 208, 258,        266, 325, {328, 329}, 377,
                                   411, 464, 547,        570, 575, 636, 650, 700, {719, 720}, 754, 797, 852};
inline constexpr TagSet k_characters{
    4,          13,  {20, 21},   25,         28,  39,         40,  54,         59,  61,  71,  77,  81,  94,  104,
    127,        150, 156,        160,        163, 165,        206, 263,        269, 274, 279, 281, 285, 317, 374,
    385,        388, {418, 419}, {433, 434}, 442, 447,        468, {480, 481}, 484, 497, 506, 514, 517, 525, 528,
    {530, 531}, 544, 564,        573,        587, {589, 591}, 613, 624,        695, 744, 747, 758, 783, 787};
inline constexpr TagSet k_timestamps{42,  52,  60,  62,  122, 126, 168, {341, 345}, 367,
                                     370, 438, 443, 483, 515, 586, 629, 769,        779};
inline constexpr TagSet k_integers{// numbers
                                   {67, 68},
                                   74,
                                   {82, 83},
                                   {87, 88},
                                   98,
                                   {102, 103},
                                   108,
                                   157,
                                   169,
                                   172,
                                   197,
                                   201,
                                   203,
                                   204,
                                   209,
                                   216,
                                   226,
                                   244,
                                   251,
                                   {264, 265},
                                   287,
                                   290,
                                   {297, 298},
                                   {300, 301},
                                   {303, 304},
                                   315,
                                   321,
                                   323,
                                   326,
                                   334,
                                   {338, 340},
                                   346,
                                   368,
                                   371,
                                   373,
                                   378,
                                   380,
                                   {393, 395},
                                   399,
                                   401,
                                   409,
                                   {414, 417},
                                   {422, 423},
                                   427,
                                   {429, 431},
                                   452,
                                   460,
                                   462,
                                   477,
                                   487,
                                   492,
                                   495,
                                   507,
                                   519,
                                   522,
                                   {532, 533},
                                   {537, 538},
                                   {549, 550},
                                   557,
                                   {559, 560},
                                   563,
                                   565,
                                   567,
                                   569,
                                   577,
                                   {581, 582},
                                   585,
                                   607,
                                   626,
                                   638,
                                   658,
                                   {660, 661},
                                   663,
                                   {665, 666},
                                   668,
                                   680,
                                   686,
                                   690,
                                   692,
                                   694,
                                   698,
                                   706,
                                   709,
                                   712,
                                   718,
                                   {722, 725},
                                   {727, 729},
                                   731,
                                   733,
                                   {748, 752},
                                   759,
                                   770,
                                   {773, 776},
                                   780,
                                   784,
                                   786,
                                   788,
                                   792,
                                   794,
                                   796,
                                   798,
                                   803,
                                   805,
                                   {807, 808},
                                   {812, 815},
                                   819,
                                   {826, 829},
                                   832,
                                   {835, 838},
                                   {840, 844},
                                   {846, 847},
                                   851,
                                   {853, 857},
                                   865,
                                   871,
                                   875,
                                   // sequence numbers and lengths
                                   7,
                                   9,
                                   16,
                                   34,
                                   36,
                                   45,
                                   90,
                                   93,
                                   95,
                                   212,
                                   348,
                                   350,
                                   352,
                                   354,
                                   356,
                                   358,
                                   360,
                                   362,
                                   364,
                                   369,
                                   383,
                                   445,
                                   618,
                                   621,
                                   630,
                                   789,
                                   // counts of groups
                                   33,
                                   73,
                                   78,
                                   85,
                                   124,
                                   136,
                                   146,
                                   199,
                                   215,
                                   232,
                                   {267, 268},
                                   {295, 296},
                                   382,
                                   384,
                                   386,
                                   398,
                                   420,
                                   428,
                                   {453, 454},
                                   457,
                                   473,
                                   510,
                                   518,
                                   534,
                                   539,
                                   552,
                                   555,
                                   558,
                                   576,
                                   580,
                                   604,
                                   627,
                                   670,
                                   683,
                                   702,
                                   711,
                                   735,
                                   753,
                                   756,
                                   768,
                                   778,
                                   781,
                                   {801, 802},
                                   804,
                                   806,
                                   809,
                                   816,
                                   862,
                                   864,
                                   870,
                                   887};
inline constexpr TagSet k_decimals{// prices and offsets
                                   6,
                                   31,
                                   44,
                                   99,
                                   {132, 133},
                                   140,
                                   153,
                                   {188, 191},
                                   {194, 195},
                                   202,
                                   211,
                                   218,
                                   260,
                                   270,
                                   316,
                                   {332, 333},
                                   366,
                                   389,
                                   426,
                                   451,
                                   566,
                                   612,
                                   631,
                                   637,
                                   {639, 643},
                                   {645, 646},
                                   651,
                                   662,
                                   669,
                                   679,
                                   681,
                                   684,
                                   697,
                                   730,
                                   732,
                                   734,
                                   799,
                                   810,
                                   834,
                                   839,
                                   845,
                                   {860, 861},
                                   867,
                                   {882, 883},
                                   // amounts
                                   12,
                                   {118, 119},
                                   137,
                                   154,
                                   159,
                                   {237, 238},
                                   381,
                                   {396, 397},
                                   404,
                                   406,
                                   408,
                                   412,
                                   540,
                                   708,
                                   {737, 738},
                                   {741, 742},
                                   746,
                                   766,
                                   858,
                                   {884, 886},
                                   890,
                                   {899, 901},
                                   {920, 922},
                                   // quantities
                                   14,
                                   32,
                                   38,
                                   53,
                                   80,
                                   84,
                                   {110, 111},
                                   {134, 135},
                                   {151, 152},
                                   192,
                                   210,
                                   271,
                                   {293, 294},
                                   319,
                                   {330, 331},
                                   387,
                                   {424, 425},
                                   437,
                                   {561, 562},
                                   {647, 648},
                                   652,
                                   673,
                                   685,
                                   687,
                                   {704, 705},
                                   745,
                                   800,
                                   863,
                                   879,
                                   // other numbers with a point, percentages
                                   155,
                                   158,
                                   223,
                                   {227, 228},
                                   231,
                                   236,
                                   {245, 246},
                                   {252, 253},
                                   {402, 403},
                                   405,
                                   407,
                                   410,
                                   413,
                                   {435, 436},
                                   469,
                                   485,
                                   512,
                                   516,
                                   520,
                                   {614, 615},
                                   623,
                                   {632, 634},
                                   {656, 657},
                                   765,
                                   811,
                                   {849, 850},
                                   869,
                                   898};

/// Values of the enumerations that orders and their reports use; one character each.
struct Values {
  Tag tag;
  std::string_view allowed;
};
inline constexpr std::array k_values{
    Values{tag::k_side, "123456789ABCDEFG"},      Values{tag::k_ord_type, "123456789ABCDEFGHIJKLMP"},
    Values{tag::k_time_in_force, "01234567"},     Values{tag::k_handl_inst, "123"},
    Values{tag::k_ord_status, "0123456789ABCDE"}, Values{tag::k_exec_type, "0123456789ABCDEFGHI"},
    Values{tag::k_cxl_rej_response_to, "12"},     Values{tag::k_order_capacity, "AGIPRW"},
    Values{tag::k_exec_trans_type, "0123"},
};

/// A repeating group: its count, the field that begins every entry, and all fields of its entries, those of groups
/// inside it included.
struct GroupRule {
  Tag count, first;
  TagSet members;
};
inline constexpr TagSet k_nested_parties{{524, 525}, 538, 545, {804, 805}};
inline constexpr std::array k_groups{
    GroupRule{78, 79, {{79, 80}, 467, {524, 525}, {538, 539}, 545, 661, 736, {804, 805}}},
    GroupRule{136, 137, {{137, 139}, 891}},
    GroupRule{232, 233, {{233, 234}}},
    GroupRule{382, 375, {337, 375, {437, 438}, 655}},
    GroupRule{384, 372, {372, 385}},
    GroupRule{386, 336, {336, 625}},
    GroupRule{453, 448, {{447, 448}, 452, 523, {802, 803}}},
    GroupRule{454, 455, {{455, 456}}},
    GroupRule{457, 458, {{458, 459}}},
    GroupRule{518, 519, {{519, 521}}},
    GroupRule{539, 524, k_nested_parties},
    GroupRule{555,
              600,
              {{248, 254},
               257,
               {524, 525},
               {538, 539},
               545,
               556,
               {564, 566},
               {587, 588},
               {596, 624},
               637,
               654,
               {683, 684},
               {687, 690},
               {739, 740},
               764,
               {804, 805},
               942,
               {955, 956}}},
    GroupRule{604, 605, {{605, 606}}},
    GroupRule{627, 628, {{628, 630}}},
    GroupRule{683, 688, {{688, 689}}},
    GroupRule{711,
              311,
              {{241, 247},
               256,
               {305, 313},
               {315, 318},
               {362, 365},
               {435, 436},
               {457, 459},
               {462, 463},
               542,
               {592, 595},
               763,
               810,
               {877, 879},
               {882, 889},
               941}},
    GroupRule{802, 523, {523, 803}},
    GroupRule{804, 545, {545, 805}},
    GroupRule{864, 865, {{865, 868}}},
    GroupRule{887, 888, {{888, 889}}},
};

/// How the value of a tag is written.
enum class Format : std::uint8_t { text, character, decimal, integer, boolean, timestamp };

/// All that the tables above say of one tag, in one place to look at.
struct Traits {
  Format format = Format::text;
  bool is_header = false;
  bool is_trailer = false;
  bool has_values = false;  // in k_values
  bool is_count = false;    // in k_groups
};

consteval std::array<Traits, 1024> gather_traits() {
  std::array<Traits, 1024> traits{};
  for (Tag tag = 0; tag < 1024; ++tag) {
    Traits& of = traits[tag];
    if (k_characters.has(tag)) of.format = Format::character;
    if (k_decimals.has(tag)) of.format = Format::decimal;
    if (k_integers.has(tag)) of.format = Format::integer;
    if (k_booleans.has(tag)) of.format = Format::boolean;
    if (k_timestamps.has(tag)) of.format = Format::timestamp;
    of.is_header = k_header.has(tag);
    of.is_trailer = k_trailer.has(tag);
  }
  for (const Values& values : k_values) traits[values.tag].has_values = true;
  for (const GroupRule& group : k_groups) traits[group.count].is_count = true;
  return traits;
}
inline constexpr std::array<Traits, 1024> k_traits = gather_traits();

/// Of any tag; tags beyond the tables have no traits.
[[nodiscard]] inline const Traits& traits_of(Tag tag) noexcept {
  return k_traits[tag < k_traits.size() ? tag : 0];
}

/// A message with a table of its own. `required` ends at the first 0.
struct MessageRule {
  MsgType type;
  std::array<Tag, 8> required;
  bool needs_instrument;  // Symbol(55) or SecurityID(48)
  TagSet allowed;         // of the body
};
inline constexpr std::array k_messages{
    MessageRule{type::k_heartbeat, {}, false, {112}},
    MessageRule{type::k_test_request, {112}, false, {112}},
    MessageRule{type::k_resend_request, {7, 16}, false, {7, 16}},
    MessageRule{type::k_reject, {45}, false, {45, 58, {354, 355}, {371, 373}}},
    MessageRule{type::k_sequence_reset, {36}, false, {36, 123}},
    MessageRule{type::k_logout, {}, false, {58, {95, 96}, {354, 355}}},
    MessageRule{type::k_logon,
                {98, 108},
                false,
                {58, {95, 96}, 98, 108, 141, {354, 355}, 372, {383, 385}, 464, {553, 554}, 789}},
    MessageRule{type::k_business_message_reject, {372, 380}, false, {45, 58, {354, 355}, 372, {379, 380}}},
    MessageRule{
        type::k_order_cancel_reject, {37, 11, 41, 39, 434}, false, {1,   11,       37,  39,  41,  58,  60,
                                                                    66,  {75, 76}, 102, 109, 198, 229, {354, 355},
                                                                    434, 526,      581, 583, 586, 636, 660}},
    MessageRule{
        type::k_execution_report,
        {37, 17, 150, 39, 54, 151, 14, 6},
        true,
        {1,          6,          {11, 15},   {17, 22},   {29, 32},   {37, 41},   44,         {47, 48},   {54, 55},
         {58, 60},   {63, 66},   {75, 77},   99,         103,        {106, 107}, {109, 111}, 113,        {118, 120},
         126,        {136, 139}, {150, 152}, {155, 159}, {167, 168}, {192, 195}, 198,        {200, 202}, {205, 207},
         {210, 211}, 218,        {220, 260}, {305, 313}, {315, 318}, {336, 337}, {348, 351}, {354, 355}, {362, 365},
         {375, 378}, {381, 382}, {388, 389}, {423, 427}, 432,        {435, 440}, 442,        {447, 448}, {452, 463},
         {468, 472}, {479, 481}, {483, 485}, 494,        497,        513,        {515, 516}, {518, 521}, {523, 529},
         {538, 539}, {541, 545}, {548, 549}, 551,        {555, 556}, {564, 566}, {581, 584}, {587, 625}, {635, 639},
         641,        {651, 652}, {654, 655}, 660,        {662, 663}, 667,        669,        {683, 684}, {687, 691},
         693,        {696, 699}, 701,        711,        {738, 740}, {761, 764}, 775,        788,        790,
         797,        {802, 805}, 810,        {835, 851}, 854,        {864, 868}, {873, 880}, {882, 889}, 891,
         898,        {911, 922}, {941, 943}, 947,        {955, 956}}},
    MessageRule{
        type::k_new_order_single,
        {11, 54, 60, 40},
        true,
        {1,          {11, 13},   15,         18,         {21, 23},   38,         40,         44,         {47, 48},
         {54, 55},   {58, 60},   {63, 65},   70,         {75, 81},   {99, 100},  {106, 107}, {109, 111}, 114,
         117,        {120, 121}, 126,        140,        152,        {167, 168}, {192, 193}, {200, 207}, {210, 211},
         218,        {220, 229}, {231, 236}, {239, 247}, {255, 256}, {305, 313}, {315, 318}, 336,        {348, 351},
         {354, 355}, {362, 365}, {376, 377}, 386,        {388, 389}, 423,        427,        432,        {435, 436},
         {439, 440}, {447, 448}, {452, 463}, {467, 472}, {479, 481}, 494,        497,        513,        516,
         {523, 526}, {528, 529}, {538, 539}, {541, 545}, {581, 583}, {589, 595}, 625,        635,        640,
         {660, 663}, 667,        691,        {696, 699}, 701,        711,        736,        {761, 763}, 775,
         788,        {802, 805}, 810,        {835, 838}, {840, 844}, {846, 849}, 854,        {864, 868}, {873, 879},
         {882, 889}, 898,        {913, 919}, 941,        947}},
    MessageRule{
        type::k_order_cancel_request,
        {41, 11, 54, 60},
        true,
        {1,          11,         22,         {37, 38},   41,         48,         {54, 55},   58,         60,
         {65, 66},   76,         {106, 107}, 109,        152,        167,        {200, 202}, {205, 207}, {223, 228},
         231,        {239, 247}, {255, 256}, {305, 313}, {315, 318}, {348, 351}, {354, 355}, {362, 365}, {376, 377},
         {435, 436}, {447, 448}, {452, 463}, {468, 472}, 516,        523,        526,        {541, 543}, 581,
         583,        586,        {592, 595}, 660,        667,        691,        711,        {762, 763}, 788,
         {802, 803}, 810,        {864, 868}, {873, 879}, {882, 889}, 898,        {913, 919}, 941,        947}},
    MessageRule{
        type::k_order_cancel_replace_request,
        {41, 11, 54, 60, 40},
        true,
        {1,          {11, 13},   15,         18,         {21, 22},   {37, 38},   {40, 41},   44,         {47, 48},
         {54, 55},   {58, 60},   {63, 66},   70,         {75, 80},   {99, 100},  {106, 107}, {109, 111}, 114,
         {120, 121}, 126,        152,        {167, 168}, {192, 193}, {200, 207}, {210, 211}, 218,        {220, 229},
         231,        {235, 236}, {239, 247}, {255, 256}, {305, 313}, {315, 318}, 336,        {348, 351}, {354, 355},
         {362, 365}, {376, 377}, 386,        {388, 389}, 423,        427,        432,        {435, 436}, {439, 440},
         {447, 448}, {452, 463}, {467, 472}, {479, 481}, 494,        497,        513,        516,        {523, 526},
         {528, 529}, {538, 539}, {541, 545}, {581, 583}, 586,        {589, 595}, 625,        635,        640,
         {660, 663}, 667,        691,        {696, 699}, 701,        711,        736,        {761, 763}, 775,
         788,        {802, 805}, 810,        {835, 838}, {840, 844}, {846, 849}, 854,        {864, 868}, {873, 879},
         {882, 889}, 898,        {913, 919}, 941,        947}},
};

/// MsgTypes of FIX 4.4: single characters, then pairs.
inline constexpr std::string_view k_single_types = "0123456789ABCDEFGHJKLMNPQRSTVWXYZabcdefghijklmnopqrstuvwxyz";
inline constexpr char k_last_of_b = 'H';  // AA to AZ, BA to BH

}  // namespace dojima::fix::rules
