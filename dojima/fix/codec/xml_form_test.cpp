#include "dojima/fix/codec/xml_form.hpp"

#include <gtest/gtest.h>
#include <string>

namespace dojima::fix {
namespace {

TEST(FixXmlForm, takes_what_xml_1_0_takes) {
  for (const char* text : {"<a/>", "<a></a>", "<a >x</a >", "<a b='1' c=\"2\"/>", "<a b = '1'>x &lt; &#10; &#xAf;</a>",
                           "<?xml version='1.0' encoding='UTF-8'?>\n<!-- a - b --><a><b><a/></b>\t</a>\n<!---->\n",
                           "<a><![CDATA[<b>&]]></a>", "<?style sheet?><a><?go?></a>",
                           "\xef\xbb\xbf<n:\xc3\xa9 x.y-1='>'/>", "<a>]] ></a>"})
    EXPECT_TRUE(is_well_formed_xml(text)) << text;
}

TEST(FixXmlForm, refuses_what_is_no_xml) {
  for (const char* text : {"",
                           " ",
                           "text",
                           "<a>",
                           "<a></b>",
                           "</a>",
                           "<a/><b/>",
                           "<a/>x",
                           "x<a/>",
                           "<1/>",
                           "<a b/>",
                           "<a b=1/>",
                           "<a b='1/>",
                           "<a b='1' b='2'/>",
                           "<a b='1'c='2'/>",
                           "<a b='<'/>",
                           "<a b='&x'/>",
                           "<a>&x;</a>",
                           "<a>&#;</a>",
                           "<a>&#x;</a>",
                           "<a>& </a>",
                           "<a>]]></a>",
                           "<a><!-- -- --></a>",
                           "<a><!-- </a>",
                           "<a><![CDATA[</a>",
                           "<a><?xml v?></a>",
                           "<a><?></a>",
                           "<a>\x02</a>",
                           "<!DOCTYPE a><a/>",
                           "<a",
                           "<a ",
                           "<",
                           "<a></a",
                           "<?xml",
                           "<?xml version='1.0'",
                           "< a/>"})
    EXPECT_FALSE(is_well_formed_xml(text)) << text;
}

TEST(FixXmlForm, has_a_bottom) {
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += "<a>";
    for (std::size_t i = 0; i < depth; ++i) text += "</a>";
    return text;
  };
  EXPECT_TRUE(is_well_formed_xml(nested(k_xml_depth_max)));
  EXPECT_FALSE(is_well_formed_xml(nested(k_xml_depth_max + 1)));
}

}  // namespace
}  // namespace dojima::fix
