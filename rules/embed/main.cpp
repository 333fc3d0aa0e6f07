// Writes the data files of rules/ into one source file: rwin_embed_rules RULES OUT. The build's own
// tool; a file that is no TOML stops the build with its name and line.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "rules/packed.h"

namespace {

namespace fs = std::filesystem;

// As a C++ string; what follows an octal escape never belongs to it.
std::string literal(const std::string& bytes) {
  std::string text = "\"";
  std::size_t on_line = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\' && c != '?') {
      text += c;
    } else {
      text += '\\';
      for (const unsigned shift : {6U, 3U, 0U})
        text += static_cast<char>('0' + ((byte >> shift) & 7U));
    }
    if (++on_line == 80) {
      text += "\"\n    \"";
      on_line = 0;
    }
  }
  return text + '"';
}

std::vector<fs::path> files_of(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension && entry.path().filename() != "README.md")
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Writer {
 public:
  // A function of that name gives the files: TOML packed, others as they are.
  void group(const std::string& function, const std::vector<fs::path>& files) {
    code_ << "namespace {\nconstexpr EmbeddedText k_" << function << "[] = {\n";
    for (const fs::path& path : files) {
      std::ifstream in(path, std::ios::binary);
      std::stringstream text;
      if (!(text << in.rdbuf())) faults_.push_back(path.string() + ": cannot be read");
      const std::string bytes = path.extension() == ".toml" ? packed(path, text.str()) : text.str();
      code_ << "  {\"" << path.filename().string() << "\", {" << literal(bytes) << ", "
            << bytes.size() << "}},\n";
    }
    code_ << "};\n}  // namespace\nstd::span<const EmbeddedText> " << function << "() { return k_"
          << function << "; }\n";
  }

  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
  [[nodiscard]] std::string code() const {
    return "#include \"rules/embedded.h\"\n\nnamespace rwin::rules {\n" + code_.str() +
           "}  // namespace rwin::rules\n";
  }

 private:
  std::string packed(const fs::path& path, const std::string& text) {
    const auto tree = rwin::rules::read_toml(path.string(), text, faults_);
    return tree ? rwin::rules::pack(*tree) : std::string();
  }

  std::ostringstream code_;
  std::vector<std::string> faults_;
};

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fputs("usage: rwin_embed_rules RULES OUT\n", stderr);
    return 2;
  }
  const fs::path rules = words[1];
  Writer writer;
  writer.group("platform_files", files_of(rules / "platforms", ".toml"));
  writer.group("application_files", files_of(rules / "applications", ".toml"));
  writer.group("fingerprint_files", {rules / "fingerprints.toml"});
  writer.group("explain_texts", files_of(rules / "explain", ".md"));
  for (const std::string& fault : writer.faults()) std::fprintf(stderr, "%s\n", fault.c_str());
  if (!writer.faults().empty()) return 1;
  std::ofstream out(words[2], std::ios::binary);
  return out << writer.code() && out.flush() ? 0 : 1;
}
