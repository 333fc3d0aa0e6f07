// [fix.KIND] tables of platforms and applications.
#include <fmt/format.h>

#include <algorithm>

#include "rules/readers.h"
#include "rules/table_reader.h"
#include "rules/template.h"

namespace rwin::rules {
namespace {

constexpr std::array<std::string_view, 4> kRoles = {"receiver", "sender", "middlebox",
                                                    "application"};
constexpr std::array<std::string_view, 3> kCertainties = {"sourced", "derived", "memory"};

std::string fix_id(std::string_view owner, std::string_view kind) {
  std::string id = std::string(owner) + "." + std::string(kind);
  std::replace(id.begin(), id.end(), '_', '-');
  return id;
}

// What a fix leaves out comes from the fix it is like, then from the generic words of its kind.
Value completed(const Value& fix, const Value& all, std::string_view kind, const Value* words,
                TableReader& reader) {
  Value whole = fix;
  if (const Value* like = fix.get("like")) {
    const Value* base = like->kind == Value::Kind::text ? all.get(like->text) : nullptr;
    if (base == nullptr || base->get("like") != nullptr) {
      reader.error(*like,
                   "'like' must name a kind of fix of this platform that is no 'like' itself");
    } else {
      whole = merged(*base, fix);
    }
  }
  const Value* generic = words == nullptr ? nullptr : words->get(kind);
  if (generic == nullptr) return whole;
  for (const std::string_view key : {"role", "title", "because", "takes_effect"}) {
    const Value* word = generic->get(key);
    if (word != nullptr && whole.get(key) == nullptr) whole.member(key) = *word;
  }
  return whole;
}

Fix read_fix(const Value& table, std::string_view owner, std::size_t kind,
             std::vector<std::string>& errors, bool& ok) {
  TableReader reader(table, errors);
  reader.allow_only({"like", "role", "title", "because", "look", "change", "persist", "undo",
                     "takes_effect", "warnings", "certainty", "buffer_per_window"});
  Fix fix;
  fix.kind = static_cast<FixKind>(kind);
  fix.id = fix_id(owner, kFixKinds[kind]);
  fix.title = reader.text("title", true);
  fix.because = reader.text("because", false);
  fix.takes_effect = reader.text("takes_effect", true);
  fix.buffer_per_window = reader.number("buffer_per_window", 0, 64);
  fix.role = static_cast<Role>(reader.word("role", kRoles).value_or(0));
  fix.certainty = static_cast<Certainty>(reader.word("certainty", kCertainties).value_or(0));
  fix.look = reader.texts("look");
  fix.change = reader.texts("change");
  fix.persist = reader.texts("persist");
  fix.undo = reader.texts("undo");
  fix.warnings = reader.texts("warnings");
  for (const std::string_view key :
       {"title", "because", "takes_effect", "look", "change", "persist", "undo", "warnings"}) {
    reader.check_templates(key, kPlaceholders);
  }
  ok = ok && reader.ok();
  return fix;
}

}  // namespace

const Fix* find_fix(const std::vector<Fix>& fixes, FixKind kind) {
  const auto found =
      std::find_if(fixes.begin(), fixes.end(), [kind](const Fix& fix) { return fix.kind == kind; });
  return found == fixes.end() ? nullptr : &*found;
}

std::vector<Fix> read_fixes(const Value& table, const std::string& id, const Value* words,
                            std::vector<std::string>& errors, bool& ok) {
  TableReader reader(table, errors);
  std::vector<Fix> fixes;
  const Value* all = table.get("fix");
  if (all == nullptr || all->kind != Value::Kind::table) {
    reader.error(table, "no [fix.*] table");
    ok = false;
    return fixes;
  }
  for (std::size_t i = 0; i < all->keys.size(); ++i) {
    const auto found = std::find(kFixKinds.begin(), kFixKinds.end(), all->keys[i]);
    if (found == kFixKinds.end() || all->items[i].kind != Value::Kind::table) {
      reader.error_at_key(all->items[i], fmt::format("unknown kind of fix '{}'", all->keys[i]));
      continue;
    }
    const Value whole = completed(all->items[i], *all, all->keys[i], words, reader);
    fixes.push_back(
        read_fix(whole, id, static_cast<std::size_t>(found - kFixKinds.begin()), errors, ok));
  }
  ok = ok && reader.ok();
  return fixes;
}

}  // namespace rwin::rules
