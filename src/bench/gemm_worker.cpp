// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gemm_worker.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <system_error>

#include "bench/fma_peak.hpp"
#include "bench/gemm_check.hpp"
#include "bench/multiplier.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

Dtype parse_dtype(const std::string& name) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF64, Dtype::kBF16, Dtype::kF16, Dtype::kS8}) {
    if (name_of(dtype) == name) return dtype;
  }
  throw Error(ErrorCode::kInvalidArgument, fmt::format("dtype: '{}' is not measured", name));
}

// For how long this program has had a core, all its threads together.
double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// For how long its threads have waited for a core although they had work, all together; 0 where the
// system does not say.
double waiting_seconds() {
  double nanoseconds = 0;
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream statistics(thread.path() / "schedstat");  // running, waiting, turns
    double running = 0, waiting = 0;
    if (statistics >> running >> waiting) nanoseconds += waiting;
  }
  return nanoseconds * 1e-9;
}

/// From now on, which part of the time did this program have what it needed?
class Share {
 public:
  explicit Share(int threads) : threads_(threads), start_(now()) {}

  // Of several threads some may rightly sleep, so what counts is the time that they wanted to run and could
  // not. One thread is simpler: all time that was not its own was someone else's.
  double after(double seconds) const {
    if (!(seconds > 0)) return 1;
    const double passed = now() - start_;
    return threads_ == 1 ? passed / seconds : 1 - passed / seconds;
  }

 private:
  double now() const { return threads_ == 1 ? processor_seconds() : waiting_seconds(); }

  int threads_;
  double start_;
};

class Server {
 public:
  explicit Server(const WorkerOptions& options) : options_(options) {}

  std::string answer(const std::string& request) {
    std::istringstream words(request);
    std::string verb;
    words >> verb;
    if (verb == "hello") return hello();
    if (verb == "load") return load(words);
    if (verb == "check") return check(words);
    if (verb == "time") return time(words);
    if (verb == "peak") return peak(words);
    throw Error(ErrorCode::kInvalidArgument, fmt::format("request: '{}' is not known", verb));
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::string hello() {
    multiplier_ = options_.libraries.empty() ? make_own_multiplier(options_.threads)
                                             : open_peer(options_.libraries, options_.threads);
    return fmt::format("{}\t{}", multiplier_->file(), multiplier_->version());
  }

  std::string load(std::istringstream& words) {
    GemmShape shape;
    std::string dtype;
    std::uint64_t seed = 0;
    Scaling scaling;
    words >> dtype >> shape.trans_a >> shape.trans_b >> shape.m >> shape.n >> shape.k >>
        shape.batch >> seed >> scaling.alpha >> scaling.beta;
    calls_ = {};
    operands_.reset();  // before the next ones are made: they may be large
    operands_.emplace(shape, parse_dtype(dtype), seed, scaling);
    calls_ = multiplier_->bind(*operands_);
    if (!calls_) return "unsupported";
    return multiplier_->path(*operands_);
  }

  std::string check(std::istringstream& words) {
    std::uint64_t seed = 0;
    words >> seed;
    if (!calls_) throw Error(ErrorCode::kInvalidArgument, "check: no operands are loaded");
    operands_->begin();
    calls_(1);
    const GemmVerdict verdict = check_gemm(*operands_, seed);
    return fmt::format("{} {} {}", verdict.error, verdict.verified ? 1 : 0, verdict.wrong);
  }

  // Nothing but the calls stands between the two looks at the clock.
  std::string time(std::istringstream& words) {
    std::int64_t calls = 0, warm = 0;
    words >> calls >> warm;
    if (!calls_) throw Error(ErrorCode::kInvalidArgument, "time: no operands are loaded");
    calls_(warm);
    const Share share(options_.threads);
    const Clock::time_point start = Clock::now();
    calls_(calls);
    const Clock::time_point end = Clock::now();
    const double seconds = std::chrono::duration<double>(end - start).count();
    return fmt::format("{} {}", seconds, share.after(seconds));
  }

  std::string peak(std::istringstream& words) {
    std::string set, dtype;
    double wanted = 0;
    words >> set >> dtype >> wanted;
    const Share share(options_.threads);
    const Clock::time_point start = Clock::now();
    const double flops = measure_fma_peak(set, parse_dtype(dtype), options_.threads, wanted);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return fmt::format("{} {}", flops, share.after(seconds));
  }

  const WorkerOptions& options_;
  std::unique_ptr<Multiplier> multiplier_;
  std::optional<GemmOperands> operands_;
  Multiplier::Calls calls_;
};

// One line, without its end; nothing when the other end has closed.
std::optional<std::string> receive_line(int socket) {
  std::string line;
  for (char c = 0;;) {
    const ssize_t count = ::recv(socket, &c, 1, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    if (c == '\n') return line;
    line += c;
  }
}

bool send_line(int socket, std::string line) {
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  line += '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = ::send(socket, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

void serve_gemm(const WorkerOptions& options) {
  Server server(options);
  while (const std::optional<std::string> request = receive_line(options.socket)) {
    std::string reply;
    try {
      reply = "ok " + server.answer(*request);
    } catch (const std::exception& error) {
      reply = fmt::format("failed {}", error.what());
    }
    if (!send_line(options.socket, std::move(reply))) return;
  }
}

}  // namespace tilewise::bench
