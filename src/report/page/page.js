// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Draws the charts of the ladder.
"use strict";

const rungs = figures.rungs;
rungs.forEach(takeCounters);
const counted = rungs.filter((rung) => rung.counters);
// On the virtual GPU only the host's rung has a time.
const timed = figures.context.virtual ? [] : rungs.filter((rung) => rung.gflops !== undefined);

// A real GPU's counters, read by Nsight Compute, are drawn like those of the virtual one; only
// complete sets are.
function takeCounters(rung) {
  const needed = ["fma_threads", "shared_load_wavefronts", "shared_load_conflicts", "shared_store_wavefronts",
                  "shared_store_conflicts", "global_load_sectors", "global_store_sectors"];
  const read = rung.hardware_counters;
  if (!rung.counters && read && needed.every((key) => key in read)) rung.counters = read;
  if (!rung.counters) return;
  const sectors = rung.counters.global_load_sectors + rung.counters.global_store_sectors;
  rung.flop_per_byte = sectors > 0 ? 2 * rung.counters.fma_threads / (32 * sectors) : 0;
}

const label = (rung) => `${rung.number} ${rung.name}${rung.dtype === "f32" ? "" : ` (${rung.dtype})`}`;

// Horizontal bars: the names of the rungs are long, and read from top to bottom as one climbs.
function drawBars({title, text, unit, shown, datasets, logarithmic, stacked, suggestedMax, after}) {
  const canvas = addFigure(title, text, barHeight(shown.length));
  const ticks = logarithmic ? powers : {callback: (value) => short(value)};
  const scale = axis(unit, {type: logarithmic ? "logarithmic" : "linear", stacked, suggestedMax, ticks});
  if (logarithmic) scale.min = powerBelow(datasets.flatMap((dataset) => dataset.data));
  else scale.beginAtZero = true;
  drawn.push(new Chart(canvas, {
    data: {labels: shown.map(label), datasets},
    options: {
      indexAxis: "y", animation: false, maintainAspectRatio: false,
      interaction: {mode: "index", axis: "y", intersect: false},
      scales: {x: scale, y: {stacked, grid: {display: false}, ticks: {color: style("--ink"), autoSkip: false}}},
      plugins: {
        legend: {display: datasets.length > 1, position: "top", align: "start",
                 labels: {color: style("--ink"), usePointStyle: true, boxWidth: 10}},
        tooltip: {callbacks: {
          label: (item) => `${item.dataset.label}: ${short(item.parsed.x)}`,
          afterBody: (items) => (after ? after(shown[items[0].dataIndex]) : ""),
        }},
      },
    },
  }));
}

function drawSectors() {
  const values = (key) => counted.map((rung) => rung.counters[key] || null);
  const sectors = counted.map((rung) => rung.counters.global_load_sectors + rung.counters.global_store_sectors);
  if (!sectors.some((value) => value > 0)) return;
  drawBars({
    title: "Global memory: sectors requested", unit: "sectors of 32 bytes (logarithmic)",
    text: "How much each rung asks of global memory. The stroke is the least possible: A, B and C once each.",
    shown: counted, logarithmic: true,
    datasets: [bar("loads", "--first", values("global_load_sectors")),
               bar("stores", "--second", values("global_store_sectors")),
               mark("A, B and C once", counted.map((rung) => rung.compulsory_bytes / 32))],
  });
}

function drawWavefronts() {
  const each = (rung, key) => rung.counters[key] / (rung.counters.fma_threads / 32);
  const shown = counted.filter((rung) => rung.counters.fma_threads > 0 &&
      rung.counters.shared_load_wavefronts + rung.counters.shared_store_wavefronts > 0);
  if (!shown.length) return;
  drawBars({
    title: "Shared memory: wavefronts for each FMA", unit: "wavefronts for each warp-wide FMA",
    text: "Passes through the shared-memory pipe that one warp-wide multiply-add costs. Tiles in registers bring it down.",
    shown, stacked: true,
    datasets: [bar("loads", "--first", shown.map((rung) => each(rung, "shared_load_wavefronts"))),
               bar("stores", "--second", shown.map((rung) => each(rung, "shared_store_wavefronts")))],
  });
}

function drawConflicts() {
  const shown = counted.filter((rung) =>
    rung.counters.shared_load_wavefronts + rung.counters.shared_store_wavefronts > 0);
  if (!shown.length) return;
  const share = (rung, key) => 100 * rung.counters[key] /
      (rung.counters.shared_load_wavefronts + rung.counters.shared_store_wavefronts);
  drawBars({
    title: "Shared memory: bank conflicts", unit: "% of the rung's wavefronts", suggestedMax: 10,
    text: "The part of all wavefronts that exists only because lanes collide in a bank. No bar: free of conflicts.",
    shown, stacked: true,
    datasets: [bar("loads", "--first", shown.map((rung) => share(rung, "shared_load_conflicts"))),
               bar("stores", "--second", shown.map((rung) => share(rung, "shared_store_conflicts")))],
    after: (rung) => `loads ${short(rung.counters.shared_load_conflicts)}, ` +
        `stores ${short(rung.counters.shared_store_conflicts)} conflicts`,
  });
}

function drawOccupancy() {
  const shown = rungs.filter((rung) => rung.occupancy !== undefined);
  if (!shown.length) return;
  drawBars({
    title: "Occupancy", unit: "% of the warps an SM can hold", suggestedMax: 100,
    text: "More is not better: the fast rungs trade warps for registers, and keep their tiles there.",
    shown, datasets: [bar("occupancy", "--third", shown.map((rung) => 100 * rung.occupancy))],
    after: (rung) => `${rung.warps_per_sm} warps, limited by ${rung.occupancy_limit}` +
        (rung.registers === undefined ? "" : `\n${rung.registers} registers a thread`),
  });
}

function drawSpeed() {
  if (!timed.length) return;
  const bound = figures.context.gpu === undefined ? "percent_of_peak" : "percent_of_cublas";
  const name = bound === "percent_of_peak" ? "the FMA peak" : "cuBLAS";
  const peer = (rung) => (rung[bound] ? 100 * rung.gflops / rung[bound] : null);
  drawBars({
    title: "Speed", unit: "GFLOP/s", text: `Median of the timed runs; the stroke is ${name} in the same run.`,
    shown: timed,
    datasets: [bar("this rung", "--first", timed.map((rung) => rung.gflops)),
               mark(name, timed.map(peer))],
  });
  const compared = timed.filter((rung) => rung.percent_of_cublas !== undefined);
  if (!compared.length) return;
  drawBars({
    title: "Beside cuBLAS", unit: "% of cuBLAS's speed", suggestedMax: 100,
    text: "100 means as fast as the vendor's library on the same problem, measured in turns.",
    shown: compared,
    datasets: [bar("% of cuBLAS", "--third", compared.map((rung) => rung.percent_of_cublas))],
  });
}

// Rungs of (nearly) one intensity and speed share a point: "2–4, 7".
function groupPoints(points) {
  const groups = [];
  for (const point of points) {
    const near = groups.find((group) => Math.abs(Math.log(group.x / point.x)) < .03 &&
        Math.abs(Math.log(group.y / point.y)) < .03);
    if (near) near.rungs.push(point.rung);
    else groups.push({x: point.x, y: point.y, rungs: [point.rung]});
  }
  return groups;
}

function numberRanges(numbers) {
  const parts = [];
  for (const number of numbers) {
    const last = parts[parts.length - 1];
    if (last && last[1] === number - 1) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}

// Writes each group's numbers beside its point, one row further out where a neighbour's would touch.
function writeLabels(ctx, elements, dataset) {
  const out = dataset.labelsBelow ? 1 : -1;
  const taken = [];
  elements.forEach((element, i) => {
    const text = numberRanges(dataset.groups[i].rungs.map((rung) => rung.number));
    const half = ctx.measureText(text).width / 2 + 3;
    let row = 0;
    while (taken.some((box) => box.row === row && Math.abs(box.x - element.x) < box.half + half)) row += 1;
    taken.push({row, x: element.x, half});
    ctx.fillText(text, element.x, element.y + (out > 0 ? 20 : -11) + out * 15 * row);
  });
}

const pointLabels = {
  id: "pointLabels",
  afterDatasetsDraw(chart) {
    const {ctx} = chart;
    ctx.save();
    ctx.font = "600 12px system-ui, sans-serif";
    ctx.fillStyle = style("--ink");
    ctx.textAlign = "center";
    chart.data.datasets.forEach((dataset, index) => {
      if (dataset.groups && chart.isDatasetVisible(index)) {
        writeLabels(ctx, chart.getDatasetMeta(index).data, dataset);
      }
    });
    ctx.restore();
  },
};

function drawRoofline() {
  const gpu = figures.gpu;
  const shown = counted.filter((rung) => rung.flop_per_byte > 0);
  if (!gpu || !shown.length) return;
  const peak = (rung) => (rung.dtype === "f64" ? gpu.peak_f64 : gpu.peak_f32);
  const height = (rung) => (rung.gflops !== undefined ? rung.gflops
      : Math.min(rung.flop_per_byte * gpu.memory_bandwidth, peak(rung)) / 1e9);
  const from = Math.min(...shown.map((rung) => rung.flop_per_byte)) / 2;
  const to = Math.max(2 * gpu.peak_f32 / gpu.memory_bandwidth, 4 * Math.max(...shown.map((rung) => rung.flop_per_byte)));
  const scatter = (dtype, color, below) => {
    const groups = groupPoints(shown.filter((rung) => rung.dtype === dtype)
        .map((rung) => ({x: rung.flop_per_byte, y: height(rung), rung})));
    return {type: "scatter", label: `${dtype} rungs`, data: groups.map(({x, y}) => ({x, y})), groups,
            labelsBelow: below, backgroundColor: style(color), borderColor: style("--card"), borderWidth: 1,
            pointRadius: 7, pointHoverRadius: 9, order: 1};
  };
  const line = (name, value, color, dash) => ({
    type: "line", label: name, data: roof(gpu, value, from, to), borderColor: style(color), borderWidth: 2,
    borderDash: dash, pointRadius: 0, pointHitRadius: 0, fill: false, order: 2, pointStyle: "line"});
  const datasets = [scatter("f32", "--first", false), scatter("f64", "--second", true)]
      .filter((dataset) => dataset.data.length);
  datasets.push(line(`f32 roof of ${gpu.name}`, gpu.peak_f32, "--quiet", []));
  if (shown.some((rung) => rung.dtype === "f64") && gpu.peak_f64 > 0) {
    datasets.push(line("f64 roof", gpu.peak_f64, "--quiet", [6, 5]));
  }
  const text = timed.length
      ? "Measured speed over the FLOP that each rung makes of a byte it requests. Above the slope: caches answer most requests."
      : "The speed each rung could reach if every sector it requests came from memory. Caches lift the real figure; " +
        "climbing right is what tiling does. Numbers are the rungs of the table.";
  const canvas = addFigure("Roofline", text, 460, true);
  drawn.push(new Chart(canvas, {
    data: {datasets}, plugins: [pointLabels],
    options: {
      animation: false, maintainAspectRatio: false,
      scales: {
        x: axis("FLOP for each byte requested from global memory (logarithmic)",
                {type: "logarithmic", min: from, max: to, ticks: powers}),
        y: axis("GFLOP/s (logarithmic)", {type: "logarithmic", max: 4 * gpu.peak_f32 / 1e9, ticks: powers}),
      },
      plugins: {
        legend: {position: "top", align: "start", labels: {color: style("--ink"), usePointStyle: true, boxWidth: 26}},
        tooltip: {filter: (item) => Boolean(item.dataset.groups), callbacks: {
          label: (item) => item.dataset.groups[item.dataIndex].rungs.map(label),
          afterBody: (items) => (items.length ? `${short(items[0].parsed.x)} FLOP a byte, ${short(items[0].parsed.y)} GFLOP/s` : ""),
        }},
      },
    },
  }));
}

function drawAll() {
  clearCharts();
  drawSpeed();
  drawSectors();
  drawWavefronts();
  drawConflicts();
  drawOccupancy();
  drawRoofline();
  if (!drawn.length) document.getElementById("charts").hidden = true;
}

// A link from the table opens the rung it leads to.
function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") target.open = true;
}
addEventListener("hashchange", openTarget);
openTarget();

dark.addEventListener("change", drawAll);
drawAll();
