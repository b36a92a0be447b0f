// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/input/input_text.hpp"
#include "io/input/yaml_reader.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sys/stat.h>

#include <filesystem>
#include <string>

using Catch::Matchers::ContainsSubstring;
using namespace tessera::io;

namespace {

std::string message_of(const std::string& text) {
  try {
    parse_yaml(text, "case.yaml");
  } catch (const tessera::Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

std::string file_message(const std::string& path) {
  try {
    read_yaml(path);
  } catch (const tessera::Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

std::string repeated(const std::string& piece, int n) {
  std::string text;
  for (int i = 0; i < n; ++i)
    text += piece;
  return text;
}

} // namespace

TEST_CASE("aliases that would fill the memory are refused before they are copied", "[io][host]") {
  // 10^9 copies of the first list, in 300 bytes.
  std::string text = "a0: &a0 [1, 2, 3]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1) + ", ";
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeated(before, 9) +
            before.substr(0, before.size() - 2) + "]\n";
  }
  CHECK_THAT(message_of(text),
             ContainsSubstring("case.yaml:") && ContainsSubstring("too large") && ContainsSubstring("256.0 MiB"));
  // The same with one long text.
  const std::string long_text = "a: &a " + std::string(1000000, 'k') + "\nb: [" + repeated("*a, ", 1000) + "1]\n";
  CHECK_THAT(message_of(long_text), ContainsSubstring("case.yaml:2: the input is too large"));
  // The same with nested anchors, each of which is stored.
  const std::string nested = [] {
    std::string open;
    for (int i = 0; i < 90; ++i)
      open += "&n" + std::to_string(i) + " [";
    return open + repeated("1, ", 30000) + "1" + repeated("]", 90);
  }();
  CHECK_THAT(message_of(nested), ContainsSubstring("too large"));
  CHECK(message_of("a: &a [1, 2]\nb: [*a, *a, *a]\n") == "no error");
}

TEST_CASE("depth is limited", "[io][host]") {
  for (const char* piece : {"[", "{a: ", "- ", "? "})
    CHECK_THAT(message_of("x:\n  " + repeated(piece, 100000)),
               ContainsSubstring("case.yaml:2: ") && ContainsSubstring("more than 100 levels"));
  YamlNode root;
  CHECK_THROWS_AS(apply_override(root, {repeated("a.", 60000) + "b", "1", "--set"}), tessera::Error);
  CHECK_THROWS_AS(apply_override(root, {std::string(501, 'k'), "1", "--set"}), tessera::Error);
  apply_override(root, {repeated("a.", 50) + "b", "1", "--set"});
}

TEST_CASE("wrong indentation is reported as such, with its line", "[io][host]") {
  CHECK_THAT(message_of(" tessera: 1\nmesh: 2\n"),
             ContainsSubstring("case.yaml:2: this line does not belong to what stands before it"));
  CHECK_THAT(message_of("a:\n  b: 1\n c: 2\n"),
             ContainsSubstring("case.yaml:3:2: ") && ContainsSubstring("is not indented as those"));
  CHECK_THAT(message_of("a: 1\n b: 2\n"), ContainsSubstring("case.yaml:2:") && ContainsSubstring("indented too far"));
  CHECK_THAT(message_of("a:\n\tb: 2\n"), ContainsSubstring("case.yaml:2:") && ContainsSubstring("a tab indents"));
  CHECK_THAT(message_of("a: 1\n---\nb: 1\n"), ContainsSubstring("case.yaml:2: a second YAML document begins"));
  CHECK(message_of("---\na: 1\n...\n") == "no error");
}

// Otherwise the end of the file would end the text, and the keys in it would be lost silently.
TEST_CASE("a quote that nothing closes is reported with its line", "[io][host]") {
  const std::string swallowed = "\noutput: {quantities: [energy]}\n";
  for (const char* text : {R"("my case)", "'my case", "'my ''case", R"(&a "my \" case)"})
    CHECK(message_of("tessera: 1\ntitle: " + std::string(text) + swallowed) ==
          "case.yaml:2: a text in quotes begins here, whose closing quote is missing.");
  CHECK(message_of("\xef\xbb\xbf\"title: my case\n") ==
        "case.yaml:1: a text in quotes begins here, whose closing quote is missing.");
  for (const char* text : {R"("my case")", "'my ''case'", R"(&a "my \" case")", "my 'case", "\"two\n  lines\"",
                           "|\n  \"block", R"("ends in \\")", R"('C:\meshes\')"}) {
    INFO(text);
    CHECK(message_of("a: 1\ntitle: " + std::string(text) + "\n") == "no error");
    CHECK(message_of("\xef\xbb\xbftitle: " + std::string(text) + "\r\n") == "no error");
  }
}

TEST_CASE("what YAML allows and the input format does not is reported", "[io][host]") {
  CHECK_THAT(message_of("a: &a {b: 1}\nc:\n  <<: *a\n"), ContainsSubstring("case.yaml:3: merge keys"));
  CHECK(message_of("\"<<\": 1\n") == "no error");
  CHECK_THAT(message_of("a: !circle 1\n"), ContainsSubstring("case.yaml:1: the tag '!circle' is not supported"));
  CHECK(message_of("a: !!float 1\nb: !!map {}\n") == "no error");
  CHECK_THAT(message_of("? [a]\n: 1\n"), ContainsSubstring("a key must be a plain word"));
  CHECK_THAT(message_of("null: 1\n"), ContainsSubstring("case.yaml:1: a key must be a text; put the name null in"));
  CHECK_THAT(message_of("\"\": 1\n"), ContainsSubstring("must not be empty"));
  CHECK_THAT(message_of("a: 1\n" + std::string(600, 'k') + ": 1\n"),
             ContainsSubstring("case.yaml:2: the key '" + std::string(80, 'k') + "...' has 600 characters"));
  CHECK_THAT(message_of("\"a\\tb\": 1\n"), ContainsSubstring("the key 'a\\x09b' holds control characters"));
  CHECK_THAT(message_of("a: \"1\\0\"\n"), ContainsSubstring("the text '1\\x00' holds a NUL character"));
}

TEST_CASE("texts that are no UTF-8 are reported with their line; comments may be anything", "[io][host]") {
  CHECK_THAT(message_of("a: 1\nb: caf\xe9\n"), ContainsSubstring("case.yaml:2: the text 'caf\\xe9' is not UTF-8"));
  CHECK_THAT(message_of("a: 1\ncaf\xe9: 1\n"), ContainsSubstring("case.yaml:2: "));
  CHECK(message_of("a: 1 # caf\xe9\nb: caf\xc3\xa9\n") == "no error");
  CHECK(parse_yaml("\xef\xbb\xbf"
                   "a: 1\n",
                   "case.yaml")
            .find("a") != nullptr);
  CHECK_THAT(message_of(std::string("a: 1\nb: \0", 9)), ContainsSubstring("case.yaml:2: holds a NUL byte"));
  for (const char* text : {"a\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", ""})
    CHECK(is_utf8(text));
  for (const char* text :
       {"\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\x80", "a\xe2\x82"})
    CHECK_FALSE(is_utf8(text));
}

TEST_CASE("only regular files of a reasonable size are read as a case", "[io][host]") {
  const tessera::test::TemporaryFolder folder;
  CHECK_THAT(file_message("/dev/zero"), ContainsSubstring("is no regular file"));
  CHECK_THAT(file_message(folder.file(".")), ContainsSubstring("is a folder"));
  CHECK_THAT(file_message(folder.file("none.yaml")), ContainsSubstring("does not exist"));
  REQUIRE(::mkfifo(folder.file("pipe.yaml").c_str(), 0600) == 0);
  CHECK_THAT(file_message(folder.file("pipe.yaml")), ContainsSubstring("is no regular file"));
  folder.write("huge.yaml", "");
  std::filesystem::resize_file(folder.file("huge.yaml"), std::uintmax_t(1) << 40); // sparse
  CHECK_THAT(file_message(folder.file("huge.yaml")), ContainsSubstring("larger than 8.0 MiB"));
  CHECK(file_message(folder.write("case.yaml", "a: 1\n")) == "no error");
}

TEST_CASE("messages show texts in one line, without control characters and not too long", "[io][host]") {
  CHECK(printable("caf\xc3\xa9") == "caf\xc3\xa9");
  CHECK(printable("a\x1b[2J\nb\x7f") == "a\\x1b[2J\\x0ab\\x7f");
  CHECK(printable("caf\xe9") == "caf\\xe9");
  CHECK(printable("\xe2\x80\xa8\xc2\x85") == "\\xe2\\x80\\xa8\\xc2\\x85");
  CHECK(printable("\xc3\xa9\xc3\xa9\xc3\xa9", 2) == "\xc3\xa9\xc3\xa9...");
  CHECK(printable(std::string(80, 'k')) == std::string(80, 'k'));
  CHECK(printable(std::string(1000000, 'k')).size() == 83);
}
