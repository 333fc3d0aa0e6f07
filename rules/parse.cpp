// Puts the data files together: what builds on what, what replaces what.
#include <algorithm>
#include <set>

#include "rules/catalogue_data.h"
#include "rules/packed.h"
#include "rules/readers.h"
#include "rules/table_reader.h"

namespace rwin::rules {
namespace {

std::optional<Value> read_tree(const Catalogue::Text& text, std::vector<std::string>& errors) {
  if (text.packed) return unpack(text.text, text.name);
  return read_toml(text.name, text.text, errors);
}

void remove(Value& table, std::string_view key) {
  const auto found = std::find(table.keys.begin(), table.keys.end(), key);
  if (found == table.keys.end()) return;
  table.items.erase(table.items.begin() + (found - table.keys.begin()));
  table.keys.erase(found);
}

// One kind of file, by id. A later layer replaces entries of an earlier one and may build on them.
class Trees {
 public:
  explicit Trees(std::vector<std::string>& errors) : errors_(errors) {}

  // All of one layer: built-in files, then those of the user.
  void add_layer(const std::vector<Catalogue::Text>& texts) {
    std::set<std::string> seen;
    for (const Catalogue::Text& text : texts) {
      auto tree = read_tree(text, errors_);
      if (!tree) continue;
      TableReader reader(*tree, errors_);
      const std::string id = reader.text("id", true);
      if (id.empty()) continue;
      if (!seen.insert(id).second) reader.error(*tree, "'" + id + "' is there twice");
      const auto same = find(id);
      if (same == entries_.end()) {
        entries_.push_back({id, std::move(*tree)});
        continue;
      }
      // "like" itself changes the one of the layer below, anything else replaces it.
      const Value* like = tree->get("like");
      if (like != nullptr && like->text == id) {
        remove(*tree, "like");
        *tree = merged(std::move(same->tree), *tree);
      }
      same->tree = std::move(*tree);
    }
  }

  // The tree with everything that it takes from others. Faults are reported.
  [[nodiscard]] Value whole(const std::string& id) {
    std::vector<std::string> open;
    return resolve(find(id), open);
  }

  [[nodiscard]] std::vector<std::string> ids() const {
    std::vector<std::string> result;
    for (const Entry& entry : entries_) result.push_back(entry.id);
    return result;
  }

 private:
  struct Entry {
    std::string id;
    Value tree;
  };
  using Place = std::vector<Entry>::iterator;

  Place find(std::string_view id) {
    return std::find_if(entries_.begin(), entries_.end(),
                        [&](const Entry& entry) { return entry.id == id; });
  }

  Value resolve(Place place, std::vector<std::string>& open) {
    const Value& tree = place->tree;
    if (tree.get("like") == nullptr) return tree;
    TableReader reader(tree, errors_);
    const Value& like = *tree.get("like");
    const std::string base_id = reader.text("like", true);
    open.push_back(place->id);
    const Place base = find(base_id);
    if (base == entries_.end() || std::find(open.begin(), open.end(), base_id) != open.end()) {
      reader.error(like, "'like' must name another platform, not '" + base_id + "'");
      return tree;
    }
    Value below = resolve(base, open);
    if (below.get("family") == nullptr) below.member("family") = like;
    for (const std::string_view key : {"like", "likely", "aliases", "signature", "without"}) {
      remove(below, key);
    }
    for (const std::string& kind : reader.texts("without")) remove(below.member("fix"), kind);
    return merged(std::move(below), tree);
  }

  std::vector<std::string>& errors_;
  std::vector<Entry> entries_;
};

void read_fingerprint_file(const Catalogue::Text& text, CatalogueData& data,
                           std::vector<std::string>& errors) {
  const auto tree = read_tree(text, errors);
  if (!tree) return;
  TableReader reader(*tree, errors);
  reader.allow_only({"signature"});
  if (tree->get("signature") == nullptr) reader.error(*tree, "no [[signature]]");
  for (Signature& signature : read_signatures(*tree, {}, data, errors)) {
    data.signatures.push_back(std::move(signature));
  }
}

// An alias is no name of a platform before. (A later id may be one: ids win, so a user's file may
// use any name for its own.)
void check_aliases(const Value& tree, const CatalogueData& data, std::vector<std::string>& errors) {
  const Value* aliases = tree.get("aliases");
  const Value* id = tree.get("id");
  if (aliases == nullptr || id == nullptr) return;
  TableReader reader(tree, errors);
  for (const Value& alias : aliases->items) {
    for (const Platform& other : data.platforms) {
      if (other.id == id->text) break;
      const auto& names = other.aliases;
      if (other.id == alias.text ||
          std::find(names.begin(), names.end(), alias.text) != names.end())
        reader.error(alias, "'" + alias.text + "' is a name of '" + other.id + "'");
    }
  }
}

}  // namespace

Catalogue Catalogue::parse(const std::vector<Texts>& layers, std::vector<std::string>& errors) {
  auto data = std::make_shared<CatalogueData>();
  Trees platforms(errors), applications(errors);
  for (const Texts& layer : layers) {
    platforms.add_layer(layer.platforms);
    applications.add_layer(layer.applications);
  }
  const std::vector<std::string> ids = platforms.ids();
  const bool has_words = std::find(ids.begin(), ids.end(), "generic") != ids.end();
  const Value generic = has_words ? platforms.whole("generic") : Value{};
  const Value* words = generic.get("fix");
  std::vector<std::string> faults;  // told behind those of joining
  std::vector<Value> whole;         // without what is read already
  whole.reserve(ids.size());
  for (const std::string& id : ids) {
    whole.push_back(id == "generic" ? generic : platforms.whole(id));
    if (auto platform = read_platform(whole.back(), words, faults)) {
      data->platforms.push_back(std::move(*platform));
    }
    for (const std::string_view key : {"fix", "tune"}) remove(whole.back(), key);
  }
  errors.insert(errors.end(), faults.begin(), faults.end());
  for (const Value& tree : whole) check_aliases(tree, *data, errors);
  for (const std::string& id : applications.ids()) {
    if (auto application = read_application(applications.whole(id), words, errors)) {
      data->applications.push_back(std::move(*application));
    }
  }
  // The user's signatures come first: of equally good ones the first wins.
  for (const Value& tree : whole) {
    const Value* id = tree.get("id");
    if (id == nullptr || tree.get("signature") == nullptr) continue;
    if (data->platform(id->text) == nullptr) continue;  // its fault is told already
    for (Signature& signature : read_signatures(tree, id->text, *data, errors)) {
      data->signatures.push_back(std::move(signature));
    }
  }
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    for (const Text& text : layer->fingerprints) read_fingerprint_file(text, *data, errors);
  }
  for (const Platform& platform : data->platforms) {
    if (platform.likely > 0) data->likely.push_back(&platform);
  }
  std::stable_sort(data->likely.begin(), data->likely.end(),
                   [](const Platform* a, const Platform* b) { return a->likely < b->likely; });
  Catalogue catalogue;
  catalogue.data_ = std::move(data);
  return catalogue;
}

}  // namespace rwin::rules
