// SPDX-License-Identifier: Apache-2.0
//
// Draws what kumihimo.live.picture describes: once, from DATA, or again with each message of the
// server. The server is told which registers to read.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const KEEP = 240; // points of a rate that stay on the page
const MOST = 8; // kinds of requests in one picture
const byId = (id) => document.getElementById(id);
const history = new Map(); // direction of a cable -> {x, y}

function scaled(value, units, step = 1000) {
  let i = 0;
  while (Math.abs(value) >= step && i < units.length - 1) { value /= step; i += 1; }
  return `${value >= 100 || i === 0 ? value.toFixed(0) : value.toPrecision(3)} ${units[i]}`;
}
const rate = (bps) => scaled(bps, ["b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s"]);
const span = (ns) => ns === null ? "-" : scaled(ns, ["ns", "us", "ms", "s"]);
const count = (n) => n === null ? "-" : n.toLocaleString("en");

function fill(id, rows) {
  const body = byId(id).tBodies[0];
  body.replaceChildren(...rows.map((cells) => {
    const row = document.createElement("tr");
    for (const cell of cells) {
      const at = row.insertCell();
      const [text, style] = Array.isArray(cell) ? cell : [cell, ""];
      at.textContent = text;
      at.className = style;
    }
    return row;
  }));
}

function element(parent, kind, attributes, text = "") {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  parent.append(made);
  return made;
}

function place(station) {
  return { x: 70 + 500 * station.x, y: 40 + 320 * station.y };
}

function drawGraph(graph) {
  const svg = byId("graph");
  svg.replaceChildren();
  const at = new Map(graph.stations.map((s) => [s.name, place(s)]));
  for (const cable of graph.cables) {
    const a = at.get(cable.a), b = at.get(cable.b);
    element(svg, "line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: "cable", "data-name": cable.name });
    const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 - 4 };
    element(svg, "text", { ...middle, class: "rate", "data-rate": cable.name },
      cable.name.includes("--") ? "" : cable.name);
  }
  for (const station of graph.stations) {
    const p = at.get(station.name);
    const group = element(svg, "g", { class: "station" });
    element(group, "rect", { x: p.x - 48, y: p.y - 18, width: 96, height: 36, rx: 6 });
    element(group, "text", { x: p.x, y: p.y - 2 }, station.name);
    element(group, "text", { x: p.x, y: p.y + 12, class: "what" }, station.what);
  }
}

function showCables(cables) {
  for (const cable of cables) {
    const both = [cable.ab, cable.ba];
    const dropped = both[0].dropped + both[1].dropped;
    const moving = both.some((way) => way.bps > 0);
    const name = CSS.escape(cable.name);
    const line = document.querySelector(`line[data-name="${name}"]`);
    if (!line) continue;
    line.setAttribute("class", ["cable", moving && "moving", dropped && "dropping",
      !cable.plugged && "unplugged"].filter(Boolean).join(" "));
    document.querySelector(`text[data-rate="${name}"]`).textContent =
      moving ? rate(Math.max(both[0].bps, both[1].bps)) : "";
  }
  fill("cables", cables.map((c) => [
    c.name + (c.plugged ? "" : " (unplugged)"), count(c.ab.frames), count(c.ba.frames),
    rate(c.ab.bps), rate(c.ba.bps), [count(c.ab.dropped + c.ba.dropped), c.ab.dropped + c.ba.dropped ? "lost" : ""],
  ]));
}

const layout = (x, y) => ({
  margin: { l: 60, r: 10, t: 10, b: 50 }, xaxis: { title: { text: x } },
  yaxis: { title: { text: y }, rangemode: "tozero" }, showlegend: true, legend: { font: { size: 10 } },
});
const options = { displayModeBar: false, responsive: true };

function remember(data) {
  for (const cable of data.cables) {
    const [a, b] = cable.name.split("--");
    for (const [way, name] of [["ab", `${a} > ${b}`], ["ba", `${b} > ${a}`]]) {
      if (!history.has(name)) history.set(name, { x: [], y: [] });
      const line = history.get(name);
      line.x.push(data.now_ps / 1e6);
      line.y.push(cable[way].bps);
      if (line.x.length > KEEP) { line.x.shift(); line.y.shift(); }
    }
  }
  // Copies: Plotly takes an array that it knows for unchanged.
  return [...history].map(([name, line]) => ({ name, us: [...line.x], bps: [...line.y] }));
}

function showRates(rates) {
  const used = rates.filter((line) => line.bps.some((v) => v > 0));
  Plotly.react("rates", used.map((line) => ({ x: line.us, y: line.bps, name: line.name, mode: "lines" })),
    layout("simulated time (us)", "bits per simulated second"), options);
}

function showExchanges(exchanges) {
  const timed = exchanges.filter((e) => e.histogram.count.length && e.kind !== "ARP")
    .sort((a, b) => b.requests - a.requests).slice(0, MOST);
  Plotly.react("latency", timed.map((e) => ({
    x: e.histogram.us, y: e.histogram.count, type: "scatter", mode: "lines", line: { shape: "hvh" }, fill: "tozeroy",
    name: `${e.kind} > ${e.server} at ${e.interface}`,
  })), layout("request to reply, simulated (us)", "replies"), options);
  fill("exchanges", exchanges.map((e) => [
    e.interface, e.kind, e.client, e.server, count(e.requests), [count(e.lost), e.lost ? "lost" : ""],
    ...["median", "p90", "p99", "max"].map((k) => span(e[`latency_${k}_ns`])),
  ]));
}

function showRegisters(found) {
  const section = byId("registers-section");
  section.hidden = !found;
  if (!found) return;
  const select = byId("block");
  const names = found.blocks.join();
  if (select.dataset.names !== names) {
    select.dataset.names = names;
    select.replaceChildren(...found.blocks.map((name) => new Option(name, name)));
  }
  select.value = found.block;
  const fields = (r) => Object.entries(r.fields || {}).map(([k, v]) => `${k}=${v}`).join(" ");
  fill("registers", found.rows.map((r) => [r.register, "0x" + r.address.toString(16).padStart(4, "0"),
    Array.isArray(r.value) ? r.value.slice(0, 8).join(" ") : r.value ?? "", fields(r), r.description]));
}

let drawn = "";
function show(data) {
  const shape = JSON.stringify(data.graph);
  if (shape !== drawn) { drawn = shape; drawGraph(data.graph); }
  byId("clock").textContent = data.ratio
    ? `simulated ${span(data.now_ps / 1000)}, wall ${data.wall_s.toFixed(0)} s, ${count(Math.round(data.ratio))} times slower than the hardware`
    : `simulated ${span(data.now_ps / 1000)}`;
  showCables(data.cables);
  showRates(data.rates || remember(data));
  showExchanges(data.exchanges);
  fill("drops", data.drops.map((d) => [d.where, d.counter, [count(d.count), "lost"], d.why]));
  showRegisters(data.registers);
}

function listen() {
  const socket = new WebSocket(`ws://${location.host}/feed`);
  socket.onmessage = (message) => show(JSON.parse(message.data));
  socket.onclose = () => { byId("clock").textContent += " (ended)"; };
  byId("block").onchange = (event) => socket.send(JSON.stringify({ block: event.target.value }));
}

if (DATA) show(DATA); else listen();
