// SPDX-License-Identifier: Apache-2.0
//
// What a design says ($display, $error, a failed assertion, $finish) goes to the log of the
// instance that runs on this thread; nothing here ever ends the process. The Verilated runtime is
// compiled with VL_USER_FINISH, VL_USER_STOP, VL_USER_FATAL, VL_USER_WARN and
// VL_PRINTF=kumi_vl_printf, so it calls the functions that KUMI_NODE_DEFINE_HOOKS defines in the
// adapter.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include "kumi/abi.h"

namespace kumi::node {

// Thrown out of an evaluation that would never end; the model must not be evaluated again.
struct NeverSettles {};

class Messages {
 public:
  // loops: the combinational loops that Verilator found in the design.
  void connect(void (*log)(void*, int, const char*), void* ctx, const char* loops) {
    log_ = log;
    ctx_ = ctx;
    loops_ = loops;
  }

  // Text comes in arbitrary pieces; a message is a line.
  void print(const char* text) {
    for (; *text != '\0'; ++text) {
      if (*text == '\n') {
        flush();
      } else {
        line_ += *text;
      }
    }
  }

  void flush() {
    if (line_.empty()) return;
    const bool error =
        line_.find("%Error") != std::string::npos || line_.find("%Fatal") != std::string::npos;
    const bool warning = line_.find("%Warning") != std::string::npos;
    for (const char* mark : {"%Error: ", "%Warning: "}) {  // the level says it
      if (line_.starts_with(mark)) line_.erase(0, std::strlen(mark));
    }
    if (error) last_error_ = line_;
    say(error ? 2 : warning ? 1 : 0, line_.c_str());
    line_.clear();
  }

  void fail(const char* filename, int line, const std::string& what, bool quiet) {
    flush();
    if (failed_) return;
    failed_ = true;
    text_ = last_error_.empty() || quiet
                ? (filename != nullptr && *filename != '\0'
                       ? std::string(filename) + ":" + std::to_string(line) + ": " + what
                       : what)
                : last_error_;
    if (last_error_.empty()) say(quiet ? 0 : 2, text_.c_str());
  }

  // Verilator gives up at its convergence limit, and would say so again and again.
  void never_settles(const char* filename, int line) {
    std::string what = "the signals never settle: a combinational loop";
    if (*loops_ != '\0') what += std::string(": ") + loops_;
    last_error_.clear();
    fail(filename, line, what, false);
    throw NeverSettles{};
  }

  bool failed() const { return failed_; }
  const char* text() const { return text_.c_str(); }

  static Messages*& current() {
    static thread_local Messages* messages = nullptr;
    return messages;
  }

 private:
  void say(int level, const char* text) {
    if (log_ != nullptr) log_(ctx_, level, text);
  }

  void (*log_)(void*, int, const char*) = nullptr;
  void* ctx_ = nullptr;
  const char* loops_ = "";
  std::string line_;
  std::string last_error_;
  std::string text_;
  bool failed_ = false;
};

inline int vl_print(const char* format, va_list args) {
  Messages* messages = Messages::current();
  if (messages == nullptr) return 0;
  va_list again;
  va_copy(again, args);
  const int n = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (n <= 0) return n;
  std::string text(static_cast<size_t>(n) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), format, args);
  messages->print(text.c_str());
  return n;
}

inline void vl_fail(const char* filename, int line, const char* what, bool quiet = false) {
  Messages* messages = Messages::current();
  if (messages == nullptr) return;
  if (std::strstr(what, "DIDNOTCONVERGE") != nullptr) messages->never_settles(filename, line);
  messages->fail(filename, line, what, quiet);
}

}  // namespace kumi::node

#define KUMI_NODE_DEFINE_HOOKS                                                   \
  extern "C" int kumi_vl_printf(const char* format, ...) {                       \
    va_list args;                                                                \
    va_start(args, format);                                                      \
    const int n = kumi::node::vl_print(format, args);                            \
    va_end(args);                                                                \
    return n;                                                                    \
  }                                                                              \
  void vl_finish(const char* filename, int line, const char*) {                  \
    Verilated::threadContextp()->gotFinish(true);                                \
    kumi::node::vl_fail(filename, line, "$finish", true);                        \
  }                                                                              \
  void vl_stop(const char* filename, int line, const char*) {                    \
    Verilated::threadContextp()->gotFinish(true);                                \
    kumi::node::vl_fail(filename, line, "$stop");                                \
  }                                                                              \
  void vl_fatal(const char* filename, int line, const char*, const char* what) { \
    Verilated::threadContextp()->gotFinish(true);                                \
    kumi::node::vl_fail(filename, line, what);                                   \
  }                                                                              \
  void vl_warn(const char*, int, const char*, const char* what) {                \
    if (auto* messages = kumi::node::Messages::current()) messages->print(what); \
  }
