// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Draws the charts of the benchmark: speeds over sizes, ratios by group, the roofline.

const {context, results} = figures;
const onGpu = context.device !== "cpu";
const unit = onGpu ? 1e3 : 1;  // speeds in TFLOP/s on a GPU
const unitName = onGpu ? "TFLOP/s" : "GFLOP/s";
const arithmetic = (result) => result.dtype + (result.mode === "ieee" ? "" : ` ${result.mode}`);
const arithmetics = [...new Set(results.map(arithmetic))];
const timed = results.filter((result) => result.gflops !== undefined);
const hues = ["--first", "--second", "--third", "--accent", "--warn", "--bad"];
const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const shapes = ["circle", "rect", "triangle", "rectRot", "crossRot", "star"];
const size = (result) => `${result.m}×${result.n}×${result.k} ${result.trans_a}${result.trans_b}`;
const legend = {position: "top", align: "start",
                labels: {color: style("--ink"), usePointStyle: true, boxWidth: 10, boxHeight: 7}};

// Squares of the transposition that most of them have.
function squaresOf(name) {
  const all = results.filter((result) => arithmetic(result) === name && result.m === result.n && result.n === result.k);
  const trans = (result) => result.trans_a + result.trans_b;
  const count = (value) => all.filter((result) => trans(result) === value).length;
  const most = [...new Set(all.map(trans))].sort((a, b) => count(b) - count(a))[0];
  return all.filter((result) => trans(result) === most).sort((a, b) => a.m - b.m);
}

function line(name, points, index) {
  return {type: "line", label: name, data: points.filter((point) => point.y > 0), borderColor: style(hues[index]),
          backgroundColor: style(hues[index]), borderWidth: 2, pointBorderWidth: 1, borderDash: dashes[index % dashes.length],
          pointStyle: shapes[index % shapes.length], pointRadius: 4, tension: 0};
}

function drawSizes(name) {
  const squares = squaresOf(name);
  const peers = Object.keys(context.peers);
  const datasets = [line("ours", squares.map((each) => ({x: each.m, y: (each.gflops || 0) / unit})), 0)]
      .concat(peers.map((peer, i) => line(peer, squares.map((each) => ({x: each.m, y: (each.peers[peer] || 0) / unit})), i + 1)))
      .filter((dataset) => dataset.data.length);
  if (squares.length < 2 || !datasets.length) return;
  const sizes = squares.map((each) => each.m);
  const canvas = addFigure(`Squares, ${name}`, `Median speed of n × n × n, ${squares[0].trans_a}${squares[0].trans_b}.`, 330);
  const named = [];  // sizes too near the one before would write over it
  sizes.forEach((value) => { if (!named.length || value >= 1.45 * named[named.length - 1]) named.push(value); });
  const ticks = {callback: (value) => (named.includes(value) ? value : ""), maxRotation: 0, autoSkip: false};
  const x = axis("n (logarithmic)", {type: "logarithmic", min: sizes[0] / 1.1, max: sizes[sizes.length - 1] * 1.1, ticks});
  x.afterBuildTicks = (scale) => { scale.ticks = sizes.map((value) => ({value})); };
  x.grid.color = style("--line");
  drawn.push(new Chart(canvas, {
    data: {datasets},
    options: {
      animation: false, maintainAspectRatio: false, interaction: {mode: "x", intersect: false},
      scales: {x, y: axis(unitName, {beginAtZero: true})},
      plugins: {legend: {...legend, labels: {...legend.labels, color: style("--ink")}},
                tooltip: {callbacks: {label: (item) => `${item.dataset.label}: ${short(item.parsed.y)} ${unitName}`}}},
    },
  }));
}

function drawRatios(name) {
  const groups = Object.entries(figures.geometric_means[name] || {}).filter(([, peers]) => peers.best);
  if (!groups.length) return;
  const canvas = addFigure(`Against the fastest peer, ${name}`,
      "Geometric mean over each group's shapes; the stroke is the group's lowest shape. 1 is as fast.", barHeight(groups.length));
  const lowest = mark("lowest shape", groups.map(([, peers]) => peers.best.lowest));
  const scale = axis("our speed / the peer's", {beginAtZero: true, suggestedMax: 1.2});
  scale.grid = {borderColor: style("--line"), color: (at) => style(at.tick.value === 1 ? "--ink" : "--line")};
  drawn.push(new Chart(canvas, {
    data: {labels: groups.map(([group]) => group),
           datasets: [bar("geometric mean", "--first", groups.map(([, peers]) => peers.best.ratio)), lowest]},
    options: {
      indexAxis: "y", animation: false, maintainAspectRatio: false, interaction: {mode: "index", axis: "y", intersect: false},
      scales: {x: scale, y: {grid: {display: false}, ticks: {color: style("--ink"), autoSkip: false}}},
      plugins: {
        legend: {...legend, labels: {...legend.labels, color: style("--ink")}},
        tooltip: {callbacks: {
          label: (item) => `${item.dataset.label}: ${item.parsed.x.toFixed(3)}`,
          afterBody: (items) => `lowest at ${groups[items[0].dataIndex][1].best.lowest_shape}`,
        }},
      },
    },
  }));
}

function drawRoofline() {
  const shown = timed.filter((result) => result.compulsory_bytes > 0 && result.peak > 0);
  if (!context.memory_bandwidth || !shown.length) return;
  const intensity = (result) => 2 * result.m * result.n * result.k / result.compulsory_bytes;
  const from = Math.min(...shown.map(intensity)) / 2;
  const to = 2 * Math.max(...shown.map(intensity));
  const gpu = {memory_bandwidth: context.memory_bandwidth * 1e9};
  const names = arithmetics.filter((name) => shown.some((result) => arithmetic(result) === name));
  const points = names.map((name, index) => {
    const own = shown.filter((result) => arithmetic(result) === name);
    return {type: "scatter", label: name, data: own.map((result) => ({x: intensity(result), y: result.gflops / unit})), own,
            backgroundColor: style(hues[index % hues.length]), borderColor: style("--card"), borderWidth: 1,
            pointStyle: shapes[index % shapes.length], pointRadius: 5, pointHoverRadius: 8, order: 1};
  });
  const roofs = names.map((name, index) => ({
    type: "line", label: `roof ${name}`, borderColor: style(hues[index % hues.length]), borderWidth: 1.5,
    borderDash: dashes[index % dashes.length], pointRadius: 0, pointHitRadius: 0, fill: false, order: 2, pointStyle: "line",
    data: roof(gpu, 1e9 * shown.find((result) => arithmetic(result) === name).peak, from, to)
        .map(({x, y}) => ({x, y: y / unit})),
  }));
  const canvas = addFigure("Roofline", "Our speed over the FLOP of a byte that has to move at least once (A, B and C). " +
      "The slope is the memory's bandwidth, the roofs the datasheet's rates; a third of f16's for accurate.", 460, true);
  drawn.push(new Chart(canvas, {
    data: {datasets: points.concat(roofs)},
    options: {
      animation: false, maintainAspectRatio: false,
      scales: {
        x: axis("FLOP for each byte of A, B and C (logarithmic)", {type: "logarithmic", min: from, max: to, ticks: powers}),
        y: axis(`${unitName} (logarithmic)`, {type: "logarithmic", ticks: powers}),
      },
      plugins: {
        legend: {...legend, labels: {...legend.labels, color: style("--ink"), boxWidth: 20}},
        tooltip: {filter: (item) => Boolean(item.dataset.own), callbacks: {
          label: (item) => {
            const result = item.dataset.own[item.dataIndex];
            return `${item.dataset.label} ${size(result)}: ${short(result.gflops / unit)} ${unitName}, ` +
                `${short(100 * result.gflops / result.peak)}% of its roof`;
          },
        }},
      },
    },
  }));
}

function drawAll() {
  clearCharts();
  arithmetics.forEach(drawSizes);
  arithmetics.forEach(drawRatios);
  drawRoofline();
  document.getElementById("charts").hidden = !drawn.length;
}

dark.addEventListener("change", drawAll);
drawAll();
