// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What is recorded of wgmma and TMA, on the virtual GPU and on a Hopper GPU where there is one: `golden check`
// must read it and agree, and must not agree once a bit of it is changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "../core/expect_error.hpp"
#include "../core/temporary_folder.hpp"
#include "bench/capture_tma.hpp"
#include "bench/capture_wgmma.hpp"
#include "core/file.hpp"
#include "kernels/probe/hopper_ptx.hpp"
#include "vgpu/golden_mma.hpp"
#include "vgpu/golden_rows.hpp"
#include "vgpu/golden_tma.hpp"

namespace tilewise::bench {
namespace {

using test::TemporaryFolder;
using vgpu::GoldenRecords;

std::unique_ptr<device::Device> virtual_device() {
  return device::open(device::Choice::kVirtual, "h200");
}

std::vector<std::unique_ptr<device::Device>> devices() {
  std::vector<std::unique_ptr<device::Device>> all;
  all.push_back(virtual_device());
  const std::vector<model::Gpu> real = device::cuda_devices();
  if (!real.empty() && kernels::has_hopper_probes(real[0].compute_major, real[0].compute_minor))
    all.push_back(device::open(device::Choice::kCuda, ""));
  return all;
}

void expect_all(const GoldenRecords& outcome, int records) {
  EXPECT_EQ(outcome.records, records) << outcome.file;
  EXPECT_EQ(outcome.matches, records) << outcome.file;
  for (const std::string& mismatch : outcome.first_mismatches)
    ADD_FAILURE() << outcome.file << ": " << mismatch;
}

// Values of one column of a CSV file.
std::multiset<std::string> column(const std::string& csv, std::size_t index, std::size_t columns) {
  std::multiset<std::string> values;
  for (const vgpu::GoldenRow& row : vgpu::golden_rows(csv, "test", columns))
    values.emplace(row.text(index));
  return values;
}

TEST(CaptureWgmma, WhatIsRecordedMatches) {
  const TemporaryFolder folder;
  for (const auto& device : devices()) {
    for (const std::string_view name : wgmma_probes(9, 0)) {
      const std::string text = capture_wgmma(*device, name, 12, 7);
      expect_all(vgpu::check_mma_file(folder.with(std::string(name) + ".bin", text)), 12);
      EXPECT_NE(capture_wgmma(*device, name, 1, 8), text.substr(0, text.size() / 12));
    }
  }
}

TEST(CaptureWgmma, AChangedBitDoesNotMatch) {
  const TemporaryFolder folder;
  for (const std::string_view name : wgmma_probes(9, 0)) {
    std::string text = capture_wgmma(*devices()[0], name, 3, 1);
    text.back() ^= 1;
    const GoldenRecords outcome =
        vgpu::check_mma_file(folder.with(std::string(name) + ".bin", text));
    EXPECT_EQ(outcome.matches, 2) << name;
  }
}

TEST(CaptureWgmma, EveryGoldenFileHasAProbe) {
  const std::vector<std::string_view> names = wgmma_probes(9, 0);
  const std::string golden = std::string(TILEWISE_TESTS_DIR) + "/golden";
  int files = 0;
  for (const std::filesystem::path& file : vgpu::find_mma_files(golden)) {
    const std::string name = file.stem().string();
    if (!name.starts_with("wgmma")) continue;
    ++files;
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  }
  EXPECT_EQ(files, 15);
}

TEST(CaptureWgmma, OnlyHopperHasIt) {
  EXPECT_TRUE(wgmma_probes(8, 9).empty());
  EXPECT_TRUE(wgmma_probes(10, 0).empty());
  test::expect_error(ErrorCode::kUnsupported, {"mma_m8n8k4_f64"},
                     [] { capture_wgmma(*devices()[0], "mma_m8n8k4_f64", 1, 1); });
}

TEST(CaptureLayouts, WhatIsRecordedMatches) {
  constexpr int kSpellings = 26;
  const TemporaryFolder folder;
  for (const auto& device : devices()) {
    const std::string text = capture_layouts(*device, 4, 3);
    expect_all(vgpu::check_tma_file(folder.with("wgmma_layouts.csv", text)), 4 * kSpellings);
    const auto values = [&](std::size_t index) { return column(text, index, 10); };
    for (const char* elements : {"s8", "f16", "f16.f16", "bf16", "tf32"})
      EXPECT_GE(values(1).count(elements), 16u) << elements;
    EXPECT_GE(values(3).count("1"), 24u);
    EXPECT_GE(values(4).count("1"), 36u);
    EXPECT_EQ(values(5).count("registers"), 32u);
    const std::multiset<std::string> sizes = values(2);
    EXPECT_GE(std::set<std::string>(sizes.begin(), sizes.end()).size(), 10u) << "columns";
    std::set<char> swizzles;  // the two highest bits
    for (const std::string& descriptor : values(8)) swizzles.insert(descriptor[0] & ~3);
    EXPECT_GE(swizzles.size(), 3u);
  }
}

TEST(CaptureLayouts, AChangedBitDoesNotMatch) {
  const TemporaryFolder folder;
  std::string text = capture_layouts(*devices()[0], 1, 3);
  char& last = text[text.size() - 2];
  last = last == '0' ? '1' : '0';
  const GoldenRecords outcome = vgpu::check_tma_file(folder.with("wgmma_layouts.csv", text));
  EXPECT_EQ(outcome.records - outcome.matches, 1);
}

TEST(CaptureTensorMaps, WhatIsRecordedMatches) {
  const TemporaryFolder folder;
  for (const auto& device : devices()) {
    const std::string text = capture_tensor_maps(*device, 400, 5);
    expect_all(vgpu::check_tma_file(folder.with("tensor_maps.csv", text)), 400);
    const std::multiset<std::string> accepted = column(text, 10, 11);
    EXPECT_GE(accepted.count("0"), 100u);
    EXPECT_GE(accepted.count("1"), 100u);
  }
}

TEST(CaptureTensorMaps, AChangedVerdictDoesNotMatch) {
  const TemporaryFolder folder;
  std::string text = capture_tensor_maps(*devices()[0], 10, 5);
  text[text.size() - 2] ^= 1;
  const GoldenRecords outcome = vgpu::check_tma_file(folder.with("tensor_maps.csv", text));
  EXPECT_EQ(outcome.matches, 9);
}

// Of each process a real GPU gives one fault; the virtual one goes on.
std::string all_copies(device::Device& device, const std::vector<TensorCopy>& copies) {
  std::string text = tensor_copies_head();
  for (std::size_t done = 0; done < copies.size();) {
    const std::string rows = capture_copies(device, copies, done);
    EXPECT_FALSE(rows.empty());
    text += rows;
    done += static_cast<std::size_t>(std::ranges::count(rows, '\n'));
    if (!device.is_virtual() || rows.empty()) break;
  }
  return text;
}

TEST(CaptureTensorCopies, WhatIsRecordedMatches) {
  const TemporaryFolder folder;
  for (const auto& device : devices()) {
    const std::string text = all_copies(*device, tensor_copies(340, 1));
    const int rows = static_cast<int>(std::ranges::count(text, '\n')) - 1;
    expect_all(vgpu::check_tma_file(folder.with("tensor_copies.csv", text)), rows);
    if (!device->is_virtual()) continue;
    EXPECT_EQ(rows, 340);
    const std::multiset<std::string> what = column(text, 1, 15), faults = column(text, 13, 15);
    for (const std::string_view kind : kernels::kTensorProbes)
      EXPECT_GE(what.count(std::string(kind)), 1u) << kind;
    EXPECT_GE(what.count("load"), 150u);
    EXPECT_GE(what.count("store"), 30u);
    EXPECT_GE(faults.count("1"), 8u);
    EXPECT_LE(faults.count("1"), 40u) << "a process each";
  }
}

TEST(CaptureTensorCopies, AChangedBitDoesNotMatch) {
  const TemporaryFolder folder;
  // Not on a real GPU as well: by now this process may have had its fault there.
  std::string text = all_copies(*virtual_device(), tensor_copies(12, 2));
  const std::size_t hash = text.find_last_of("0123456789abcdef");
  text[hash] = text[hash] == '0' ? '1' : '0';
  const GoldenRecords outcome = vgpu::check_tma_file(folder.with("tensor_copies.csv", text));
  EXPECT_EQ(outcome.records - outcome.matches, 1);
}

TEST(CaptureTensorCopies, TheSameSeedGivesTheSameCopies) {
  const std::vector<TensorCopy> once = tensor_copies(40, 9), again = tensor_copies(40, 9);
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].what, again[i].what);
    EXPECT_EQ(once[i].coordinates, again[i].coordinates);
    EXPECT_EQ(once[i].map.address, again[i].map.address);
  }
}

}  // namespace
}  // namespace tilewise::bench
