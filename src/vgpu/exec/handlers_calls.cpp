// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the driver does for kernels that print or assert. printf's arguments stand in a buffer of the
// thread, each at a multiple of its size: 4 bytes for int, 8 for long, pointers and double
// (CUDA C++ Programming Guide, "Formatted output").
#include <fmt/format.h>

#include <cstring>
#include <iterator>

#include "tilewise/error.hpp"
#include "vgpu/exec/handlers.hpp"
#include "vgpu/exec/lanes.hpp"
#include "vgpu/exec/location.hpp"
#include "vgpu/exec/memory_modes.hpp"

namespace tilewise::vgpu {
namespace {

constexpr std::size_t kMostText = 4096;  ///< of a string that a kernel names

[[noreturn]] void misuse(const Warp& w, const Op& op, int lane, const std::string& what) {
  throw Error(ErrorCode::kExecution,
              fmt::format("{}: {} {}", where(*w.worker->program, op.instruction),
                          thread_name(w, lane), what));
}

template <class T> T local_value(const Warp& w, int lane, std::uint64_t offset) {
  T value{};
  std::memcpy(&value, w.local + static_cast<std::size_t>(lane) * w.local_bytes + offset,
              sizeof value);
  return value;
}

// Bytes from a generic address on to the end of what holds it; none for an address of nothing.
std::string_view readable(const Warp& w, int lane, std::uint64_t address) {
  if ((address & kWindowMask) == kLocalWindow) {
    const std::uint64_t offset = address & ~kWindowMask;
    if (offset >= w.local_bytes) return {};
    const std::byte* own = w.local + static_cast<std::size_t>(lane) * w.local_bytes;
    return {reinterpret_cast<const char*>(own + offset), w.local_bytes - offset};
  }
  for (const Memory* memory : {w.worker->module_memory, w.worker->memory}) {
    const Memory::Range range = memory->find(address);
    if (address >= range.begin && address < range.end) {
      return {reinterpret_cast<const char*>(address), range.end - address};
    }
  }
  return {};
}

std::string_view text_at(const Warp& w, int lane, std::uint64_t address) {
  std::string_view bytes = readable(w, lane, address);
  bytes = bytes.substr(0, std::min(kMostText, bytes.size()));
  return bytes.substr(0, bytes.find('\0'));
}

/// One lane's printf.
class Formatter {
 public:
  Formatter(const Warp& w, const Op& op, int lane, std::string_view arguments)
      : w_(w), op_(op), lane_(lane), arguments_(arguments) {}

  std::string run(std::string_view format) {
    while (!format.empty()) {
      const std::size_t percent = std::min(format.find('%'), format.size());
      text_ += format.substr(0, percent);
      format.remove_prefix(percent);
      if (format.starts_with("%%")) {
        text_ += '%';
        format.remove_prefix(2);
      } else if (!format.empty()) {
        format.remove_prefix(convert(format));
      }
    }
    return std::move(text_);
  }

 private:
  // "%-8.3f": returns how many characters it takes.
  std::size_t convert(std::string_view format) {
    std::string spec = "%";
    std::size_t at = 1;
    for (; at < format.size() && std::strchr("-+ #0123456789.*", format[at]); ++at) {
      if (format[at] == '*') spec += fmt::format("{}", take<std::int32_t>());
      else spec += format[at];
    }
    bool wide = false;
    for (; at < format.size() && std::strchr("hljztL", format[at]); ++at) {
      wide |= format[at] != 'h' && format[at] != 'L';
    }
    if (at == format.size()) misuse(w_, op_, lane_, "calls printf with an unfinished conversion");
    append(spec, format[at], wide);
    return at + 1;
  }

  void append(const std::string& spec, char conversion, bool wide) {
    switch (conversion) {
      case 'd':
      case 'i':
        return print<long long>(spec + "lld", wide ? take<std::int64_t>() : take<std::int32_t>());
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        return print<unsigned long long>(spec + "ll" + conversion,
                                         wide ? take<std::uint64_t>() : take<std::uint32_t>());
      case 'c': return print(spec + "c", take<std::int32_t>());
      case 'p': return print(spec + "p", reinterpret_cast<void*>(take<std::uint64_t>()));
      case 's':
        return print(spec + "s", std::string(text_at(w_, lane_, take<std::uint64_t>())).c_str());
      default: break;
    }
    if (!std::strchr("aAeEfFgG", conversion)) {
      misuse(w_, op_, lane_, fmt::format("calls printf with the conversion %{}", conversion));
    }
    print(spec + conversion, take<double>());
  }

  template <class T> T take() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    if (at_ + sizeof(T) > arguments_.size()) {
      misuse(w_, op_, lane_, "calls printf with fewer arguments than its format asks for");
    }
    T value{};
    std::memcpy(&value, arguments_.data() + at_, sizeof value);
    at_ += sizeof(T);
    return value;
  }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  template <class T> void print(const std::string& spec, T value) {
    std::string buffer(kMostText, '\0');
    const int written = std::snprintf(buffer.data(), buffer.size(), spec.c_str(), value);
    if (written < 0) misuse(w_, op_, lane_, "calls printf with a conversion that fails");
    text_.append(buffer, 0,
                 std::min<std::size_t>(static_cast<std::size_t>(written), kMostText - 1));
  }
#pragma GCC diagnostic pop

  const Warp& w_;
  const Op& op_;
  int lane_;
  std::string_view arguments_;
  std::size_t at_ = 0;
  std::string text_;
};

struct Print {
  static void masked(Warp& w, const Op& op) {
    std::string text;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!is_active(w.active, lane)) continue;
      const auto format = local_value<std::uint64_t>(w, lane, op.r[1]);
      const auto arguments = local_value<std::uint64_t>(w, lane, op.r[2]);
      text += Formatter(w, op, lane, readable(w, lane, arguments)).run(text_at(w, lane, format));
      const std::int32_t result = 1;
      std::memcpy(w.local + static_cast<std::size_t>(lane) * w.local_bytes + op.r[0], &result,
                  sizeof result);
    }
    if (w.worker->print) (*w.worker->print)(text);
  }
};

struct AssertFail {
  static void masked(Warp& w, const Op& op) {
    const int lane = w.first_lane();
    const auto text = [&](int i) {
      return text_at(w, lane, local_value<std::uint64_t>(w, lane, op.r[i]));
    };
    misuse(w, op, lane,
           fmt::format("fails the assertion `{}` ({}:{}, in {})", text(0), text(1),
                       local_value<std::uint32_t>(w, lane, op.r[2]), text(3)));
  }
};

constexpr HandlerEntry kTable[] = {
    {"vprintf", Print::masked, Print::masked},
    {"__assertfail", AssertFail::masked, AssertFail::masked},
};

}  // namespace

HandlerSpan handlers_calls() { return {kTable, std::size(kTable)}; }

}  // namespace tilewise::vgpu
