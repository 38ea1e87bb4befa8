"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const NS = "http://www.w3.org/2000/svg", COLOURS = ["#0b4f8a", "#b3541e", "#1b5e35", "#6a3d9a"];
  const svg = (tag, at, text) => {
    const e = document.createElementNS(NS, tag);
    for (const [k, v] of Object.entries(at)) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const shown = (v) => (Math.abs(v) >= 1e4 || (v && Math.abs(v) < 1e-3) ? v.toExponential(2) : String(+v.toPrecision(4)));

  // Round numbers that divide a range into about four parts; whole powers of ten on a logarithmic axis.
  function ticks(low, high, logs) {
    if (logs) {
      const first = Math.ceil(low), last = Math.floor(high), found = [];
      for (let p = first; p <= last; p += Math.max(1, Math.ceil((last - first) / 5))) found.push(p);
      if (found.length > 1) return found;
    }
    const raw = (high - low) / 4, ten = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 2.5, 5, 10].map((m) => m * ten).find((s) => s >= raw);
    const found = [];
    for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + 1e-9 * step; v += step) found.push(Math.abs(v) < 1e-9 * step ? 0 : v);
    return found;
  }

  // A panel: curves by formula over the sliders, points by what was kept for the sliders' places.
  function panel(box, told) {
    const W = 640, H = 360, L = 84, R = 14, T = 12, B = 46, xs = told.xs;
    const formulas = told.curves.map((c) => new Function(...told.letters, "return " + c.code));
    const inputs = [...box.querySelectorAll("input")], picture = box.querySelector("svg"), read = box.querySelector(".read");
    function draw() {
      const places = inputs.map((i) => +i.value), values = {};
      told.sliders.forEach((s, i) => { values[s.name] = s.values[places[i]]; box.querySelectorAll("output")[i].textContent = s.values[places[i]]; });
      const at = (x) => told.letters.map((n) => (n === told.x ? x : values[n]));
      const lines = formulas.map((f) => xs.map((x) => f(...at(x))));
      const points = told.exact.map((e) => e.kept[e.sliders.map((n) => places[told.sliders.findIndex((s) => s.name === n)]).join(",")]);
      const usable = (y) => y !== null && Number.isFinite(y) && (!told.logs || y > 0);
      const all = [...lines, ...points].flat().filter(usable), scale = told.logs ? Math.log10 : (y) => y;
      let low = Math.min(...all.map(scale)), high = Math.max(...all.map(scale));
      if (high - low < 1e-9) { low -= 0.5; high += 0.5; }
      const pad = 0.06 * (high - low);
      low -= pad; high += pad;
      const wide = told.logx ? Math.log10 : (x) => x, x0 = wide(xs[0]), x1 = wide(xs[xs.length - 1]);
      const X = (x) => L + ((wide(x) - x0) / (x1 - x0)) * (W - L - R), Y = (y) => H - B - ((scale(y) - low) / (high - low)) * (H - T - B);
      picture.replaceChildren();
      for (const v of ticks(low, high, told.logs)) {
        const y = H - B - ((v - low) / (high - low)) * (H - T - B);
        picture.append(svg("path", { class: "grid", d: `M${L} ${y}H${W - R}` }), svg("text", { x: L - 6, y: y + 4, "text-anchor": "end" }, shown(told.logs ? 10 ** v : v)));
      }
      for (const u of ticks(x0, x1, told.logx)) {
        const x = L + ((u - x0) / (x1 - x0)) * (W - L - R);
        picture.append(svg("text", { x, y: H - B + 18, "text-anchor": x > W - R - 20 ? "end" : "middle" }, shown(told.logx ? 10 ** u : u)));
      }
      picture.append(svg("path", { class: "axis", d: `M${L} ${T}V${H - B}H${W - R}` }));
      picture.append(svg("text", { x: (L + W) / 2, y: H - 8, "text-anchor": "middle" }, told.x_label), svg("text", { x: 14, y: (T + H - B) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(T + H - B) / 2})` }, told.y_label));
      lines.forEach((ys, k) => {
        let d = "", pen = "M";
        ys.forEach((y, i) => { if (usable(y)) { d += `${pen}${X(xs[i]).toFixed(1)} ${Y(y).toFixed(1)}`; pen = "L"; } else pen = "M"; });
        picture.append(svg("path", { d, fill: "none", stroke: COLOURS[k], "stroke-width": 2.2, "stroke-dasharray": told.curves[k].bound ? "7 5" : "none", "data-curve": k }));
      });
      points.forEach((ys, k) => {
        const c = COLOURS[told.curves.length + k];
        ys.forEach((y, i) => { if (usable(y)) picture.append(k % 2 ? svg("rect", { x: X(xs[i]) - 3, y: Y(y) - 3, width: 6, height: 6, fill: "none", stroke: c, "stroke-width": 1.6 }) : svg("circle", { cx: X(xs[i]), cy: Y(y), r: 3.4, fill: "none", stroke: c, "stroke-width": 1.6 })); });
      });
      const middle = Math.floor(xs.length / 2), said = [];
      told.curves.forEach((c, k) => said.push(c.label + ": " + shown(lines[k][middle])));
      told.exact.forEach((e, k) => said.push(e.label + ": " + (usable(points[k][middle]) ? shown(points[k][middle]) : "none")));
      read.textContent = "At " + told.x_label + " " + shown(xs[middle]) + ": " + said.join("; ") + ".";
      picture.setAttribute("aria-label", told.title + ". " + read.textContent);
    }
    for (const i of inputs) i.addEventListener("input", draw);
    draw();
  }
  document.querySelectorAll("figure[data-panel]").forEach((box) => panel(box, data.panels[+box.dataset.panel]));

  // Formulas typed by a reader: numbers, letters, + - * / ^ and brackets, a few functions.
  const FUNCTIONS = { exp: Math.exp, log: Math.log, sqrt: Math.sqrt, abs: Math.abs };
  function reader(text, letters) {
    const tokens = text.replaceAll("**", "^").replaceAll("\u2212", "-").match(/\d+\.?\d*|\.\d+|[A-Za-z_]+|[-+*/^()]|\S/g) || [];
    let place = 0;
    const take = (t) => (tokens[place] === t ? (place++, true) : false);
    function sum() { let f = product(); for (;;) { if (take("+")) { const a = f, b = product(); f = (v) => a(v) + b(v); } else if (take("-")) { const a = f, b = product(); f = (v) => a(v) - b(v); } else return f; } }
    function product() { let f = sign(); for (;;) { if (take("*")) { const a = f, b = sign(); f = (v) => a(v) * b(v); } else if (take("/")) { const a = f, b = sign(); f = (v) => a(v) / b(v); } else return f; } }
    function sign() { if (take("-")) { const a = sign(); return (v) => -a(v); } take("+"); return power(); }
    function power() { const a = atom(); if (take("^")) { const b = sign(); return (v) => Math.pow(a(v), b(v)); } return a; }
    function atom() {
      const t = tokens[place++];
      if (t === undefined) throw new Error("the formula ends too early");
      if (/^[\d.]/.test(t)) { const n = Number(t); if (Number.isNaN(n)) throw new Error(t + " is no number"); return () => n; }
      if (t === "(") { const f = sum(); if (!take(")")) throw new Error("a bracket is not closed"); return f; }
      if (Object.hasOwn(FUNCTIONS, t)) { if (!take("(")) throw new Error(t + " wants a bracket"); const f = sum(), g = FUNCTIONS[t]; if (!take(")")) throw new Error("a bracket is not closed"); return (v) => g(f(v)); }
      if (letters.includes(t)) return (v) => v[t];
      throw new Error(/^[A-Za-z_]/.test(t) ? t + " is no letter of this exercise; its letters are " + letters.join(", ") : "“" + t + "” is not understood here");
    }
    const f = sum();
    if (place < tokens.length) throw new Error("“" + tokens[place] + "” is not understood here; write * for products");
    return f;
  }
  const form = document.getElementById("exercise");
  if (form) {
    const told = data.exercise, verdict = document.getElementById("verdict");
    const close = (a, b) => a !== null && b !== null && Number.isFinite(a) && Math.abs(a - b) <= 1e-8 * (1 + Math.abs(b));
    const same = (f, w) => w.some((x) => x !== null) && f.every((x, i) => w[i] === null || close(x, w[i]));
    const say = (text, name) => { verdict.textContent = text; verdict.className = name; };
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      const text = form.elements.answer.value;
      if (!text.trim()) { say("Write a formula first.", "wrong"); return; }
      let found;
      try {
        const f = reader(text, told.letters);
        found = told.points.map((p) => f(Object.fromEntries(told.letters.map((n, i) => [n, p[i]]))));
      } catch (error) { say("Not yet: " + error.message + ".", "wrong"); return; }
      if (same(found, told.right)) { say("Right. It agrees with the answer at " + found.length + " points.", "right"); return; }
      const known = told.wrong.find((w) => same(found, w.values));
      if (known) { say("Not yet: " + known.hint, "wrong"); return; }
      const i = found.findIndex((y, k) => !close(y, told.right[k]));
      say("Not yet: at " + told.letters.map((n, k) => n + " = " + told.points[i][k]).join(", ") + " your formula is " + shown(found[i]) + "; it should be " + shown(told.right[i]) + ".", "wrong");
    });
  }
  // what scrolls on a narrow screen can be reached from the keyboard
  for (const e of document.querySelectorAll("main p, main li")) if (e.scrollWidth > e.clientWidth + 1) e.tabIndex = 0;
  document.documentElement.dataset.ready = "true";
})();
