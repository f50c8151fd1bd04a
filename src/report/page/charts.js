// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the pages share: the figures embedded in them, the charts' looks, tables that sort.
"use strict";

const figures = JSON.parse(document.getElementById("figures").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
let drawn = [];

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// 18900000 -> "18.9M"; small numbers as they are.
function short(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  for (const [unit, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= unit) return `${+(value / unit).toPrecision(3)}${letter}`;
  }
  return `${+value.toPrecision(3)}`;
}

// A figure with a title, a sentence on how to read it, and a canvas of the given height.
function addFigure(title, text, height, wide) {
  const figure = document.createElement("figure");
  figure.className = wide ? "chart wide" : "chart";
  const caption = document.createElement("figcaption");
  const heading = document.createElement("h3");
  heading.textContent = title;
  const paragraph = document.createElement("p");
  paragraph.textContent = text;
  caption.append(heading, paragraph);
  const box = document.createElement("div");
  box.className = "canvas";
  box.style.height = `${height}px`;
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${title}. ${text} The figures stand in the table.`);
  box.append(canvas);
  figure.append(caption, box);
  document.querySelector(".charts").append(figure);
  return canvas;
}

const barHeight = (count) => 84 + 24 * count;

function axis(title, more = {}) {
  const line = style("--line");
  const logarithmic = more.type === "logarithmic";
  return {
    title: {display: true, text: title, color: style("--quiet")},
    grid: {color: (at) => (logarithmic && !isPower(at.tick.value) ? "transparent" : line), borderColor: line},
    ...more,
    ticks: {color: style("--quiet"), ...more.ticks},
  };
}

// A logarithmic axis names the powers of ten only.
const isPower = (value) => Number.isInteger(Math.log10(value));
const powers = {
  callback: (value) => (isPower(value) ? short(value) : ""),
  maxRotation: 0, autoSkip: false,
};
const powerBelow = (values) => 10 ** Math.floor(Math.log10(Math.min(...values.filter((value) => value > 0))) - .01);

const bar = (name, color, values) => ({
  type: "bar", label: name, data: values, backgroundColor: style(color), pointStyle: "rect",
  barPercentage: .82, categoryPercentage: .86, borderRadius: 2, order: 2,
});

// A short upright stroke on each row: a bound to hold the bar against.
const mark = (name, values) => ({
  type: "line", label: name, data: values, showLine: false, pointStyle: "line", rotation: 90,
  pointRotation: 90, pointRadius: 9, pointHoverRadius: 9, pointBorderWidth: 3, borderColor: style("--ink"),
  pointBorderColor: style("--ink"), order: 1,
});

function roof(gpu, peak, from, to) {
  const ridge = peak / gpu.memory_bandwidth;
  const at = (x) => ({x, y: Math.min(x * gpu.memory_bandwidth, peak) / 1e9});
  return [from, ridge, to].filter((x) => x >= from && x <= to).map(at);
}

// Takes the charts away, to draw them anew in other colours.
function clearCharts() {
  drawn.forEach((chart) => chart.destroy());
  drawn = [];
  document.querySelector(".charts").replaceChildren();
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 12.5;
}

// Sorts by the figure behind a cell (data-value), numbers as numbers; empty cells stay last.
function sortBy(header) {
  const table = header.closest("table");
  const column = [...header.parentElement.children].indexOf(header);
  const descending = header.getAttribute("aria-sort") === "ascending";
  table.querySelectorAll("thead th").forEach((each) => each.removeAttribute("aria-sort"));
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const value = (row) => row.children[column].dataset.value;
  const compare = (left, right) => {
    const [a, b] = [value(left), value(right)];
    if (a === "" || b === "") return (a === "") - (b === "");
    const order = isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b;
    return descending ? -order : order;
  };
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort(compare));
}

document.querySelectorAll("table.sortable thead button").forEach((button) =>
  button.addEventListener("click", () => sortBy(button.closest("th"))));
