#include "text/address.h"

#include <gtest/gtest.h>

namespace rwin {
namespace {

TEST(Address, GoesToTextAndBack) {
  for (const char* text : {"192.0.2.1", "0.0.0.0", "2001:db8::1", "::", "fe80::1:2"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address_text(*address), text);
  }
  EXPECT_EQ(parse_address("[2001:db8::1]"), parse_address("2001:db8::1"));
}

TEST(Address, RefusesWhatIsNone) {
  for (const char* text :
       {"", "1.2.3", "1.2.3.4.5", "host", "[]", "2001:db8::1::2", "1.2.3.4/24"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
}

TEST(Address, EndpointsPutBracketsRoundIpv6) {
  EXPECT_EQ(endpoint_text({*parse_address("192.0.2.1"), 443}), "192.0.2.1:443");
  EXPECT_EQ(endpoint_text({*parse_address("2001:db8::1"), 443}), "[2001:db8::1]:443");
  EXPECT_EQ(address_text({}), "");
}

}  // namespace
}  // namespace rwin
