#include "app/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace rwin::app {
namespace {

template <class T>
std::string written(const T& value) {
  std::string out;
  JsonWriter(out).value(value);
  return out;
}

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.field("a", 1);
  json.key("list");
  json.begin_array();
  json.begin_object();
  json.end_object();
  json.value("x");
  json.begin_array();
  json.end_array();
  json.null();
  json.end_array();
  json.field("b", true);
  json.line();
  json.field("c", false);
  json.end_object();
  EXPECT_EQ(out, "{\"a\":1,\"list\":[{},\"x\",[],null],\"b\":true,\n\"c\":false}");
}

TEST(JsonWriter, WritesNumbersThatReadBack) {
  EXPECT_EQ(written(0), "0");
  EXPECT_EQ(written(std::int64_t{INT64_MIN}), "-9223372036854775808");
  EXPECT_EQ(written(std::uint64_t{UINT64_MAX}), "18446744073709551615");
  EXPECT_EQ(written(std::uint8_t{7}), "7");
  EXPECT_EQ(written(25e6), "25000000");
  EXPECT_EQ(written(-0.5), "-0.5");
  EXPECT_EQ(written(1e15), "1000000000000000");
  for (const double value : {0.1, 1.0 / 3, 1e300, -1e-300, 5e-324, 123456.789}) {
    EXPECT_EQ(nlohmann::json::parse(written(value)).get<double>(), value);
  }
}

TEST(JsonWriter, HasNoNumberThatIsNotFinite) {
  EXPECT_EQ(written(std::nan("")), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(-std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonWriter, MakesUnknownNull) {
  EXPECT_EQ(written(std::optional<int>{}), "null");
  EXPECT_EQ(written(std::optional<int>{0}), "0");
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.text_or_null("os", "");
  json.rounded_field("bps", std::nullopt);
  json.rounded_field("bps2", 1.6);
  json.null_field("drops");
  json.end_object();
  EXPECT_EQ(out, R"({"os":null,"bps":null,"bps2":2,"drops":null})");
}

TEST(JsonWriter, EscapesText) {
  EXPECT_EQ(written("a\"b\\c\n\r\t\x01\x7F"), "\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u007f\"");
  EXPECT_EQ(written("h\xC3\xBCtte"), "\"h\xC3\xBCtte\"");
}

// A file name may be any bytes; the document must stay valid.
TEST(JsonWriter, ReplacesBrokenUtf8) {
  EXPECT_EQ(written("a\xFF"
                    "b"),
            "\"a\xEF\xBF\xBD"
            "b\"");
  for (int first = 0; first < 256; ++first) {
    for (const int second : {0x00, 0x22, 0x5C, 0x80, 0xBF, 0xC3, 0xFF}) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second), 'x'};
      EXPECT_TRUE(nlohmann::json::accept(written(text))) << first << " " << second;
    }
  }
}

}  // namespace
}  // namespace rwin::app
