# cmake -DOUT=file.cpp -DROOT=rules -P embed.cmake: writes the data files of this folder into one source file.
# Each text becomes a raw string; the delimiter is checked not to occur in it.
set(delimiter "rwin_text")

function(embed_group function_name pattern)
  file(GLOB files ${ROOT}/${pattern})
  list(SORT files)
  set(entries "")
  foreach(file IN LISTS files)
    file(READ ${file} text)
    string(FIND "${text}" ")${delimiter}\"" clash)
    if(NOT clash EQUAL -1)
      message(FATAL_ERROR "${file}: holds the delimiter of the embedded text")
    endif()
    get_filename_component(name ${file} NAME)
    string(APPEND entries "    {\"${name}\", R\"${delimiter}(${text})${delimiter}\"},\n")
  endforeach()
  string(APPEND code
    "namespace {\nconstexpr EmbeddedText k_${function_name}[] = {\n${entries}};\n}  // namespace\n"
    "std::span<const EmbeddedText> ${function_name}() { return k_${function_name}; }\n")
  set(code "${code}" PARENT_SCOPE)
endfunction()

set(code "// Made by embed.cmake.\n#include \"rules/embedded.h\"\n\nnamespace rwin::rules {\n")
embed_group(platform_texts "platforms/*.toml")
embed_group(application_texts "applications/*.toml")
embed_group(fingerprint_texts "fingerprints.toml")
embed_group(explain_texts "explain/*.md")
string(APPEND code "}  // namespace rwin::rules\n")
file(WRITE ${OUT} "${code}")
