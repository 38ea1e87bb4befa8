"use strict";
(async () => {
  const $ = (id) => document.getElementById(id);
  const bytes = Uint8Array.from(atob($("data").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = JSON.parse(await new Response(stream).text());
  const claims = data.claims, byId = new Map(claims.map((c) => [c.id, c]));
  const fields = ["q", "document", "section", "verdict", "rung", "kind"], form = $("filters");
  const make = (tag, text, name) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (name) e.className = name;
    return e;
  };
  const address = (id) => "#" + new URLSearchParams({ claim: id });
  const link = (id) => { const a = make("a", id); a.href = address(id); return a; };
  const text = claims.map((c) => [c.id, c.headline, c.source, c.statement, ...c.details.map((d) => d[1])].join(" ").toLowerCase());
  const state = () => new URLSearchParams(location.hash.slice(1));
  let elements = null, groups = [];

  function build() {
    if (elements) return;
    elements = [];
    let key = "", group = null;
    for (const c of claims) {
      if (c.document + c.section !== key) {
        key = c.document + c.section;
        group = make("section", undefined, "group");
        group.append(make("h3", data.titles[c.document] + " · " + c.section));
        groups.push({ element: group, rows: [] });
        $("list").append(group);
      }
      const row = make("div", undefined, "row"), badge = make("span", c.told, "badge " + c.tone);
      const more = [c.rung, c.proof && "printed proof: " + c.proof].filter(Boolean).join(" · ");
      if (more) badge.append(make("small", more));
      row.append(link(c.id), make("span", c.headline), badge);
      group.append(row);
      elements.push(row);
      groups[groups.length - 1].rows.push(row);
    }
  }
  const options = (name) => {
    const chosen = form.elements.document.value, own = name === "section" && chosen;
    const values = [...new Set(claims.filter((c) => !own || c.document === chosen).map((c) => c[name]).filter(Boolean))];
    const select = form.elements[name], was = select.value;
    select.length = 1;
    for (const v of name === "section" ? values : values.sort()) select.add(new Option(v, v));
    select.value = values.includes(was) ? was : "";
  };
  ["section", "verdict", "rung", "kind"].forEach(options);

  let shown = claims;
  function filter() {
    build();
    const v = Object.fromEntries(fields.map((f) => [f, form.elements[f].value])), words = v.q.toLowerCase().split(/\s+/).filter(Boolean);
    shown = claims.filter((c, i) => {
      const fits = fields.slice(1).every((f) => !v[f] || c[f] === v[f]) && words.every((w) => text[i].includes(w));
      elements[i].hidden = !fits;
      return fits;
    });
    for (const g of groups) g.element.hidden = g.rows.every((r) => r.hidden);
    $("count").textContent = shown.length + " of " + claims.length + " rows";
  }
  function entry(list, name, value) {
    if (!value || value.length === 0) return;
    list.append(make("dt", name));
    const d = make("dd");
    if (Array.isArray(value)) { const u = make("ul"); for (const x of value) { const li = make("li"); li.append(x); u.append(li); } d.append(u); }
    else d.append(value);
    list.append(d);
  }
  // a node's premises are made when it is opened: a fact may be used in many places
  function node(tree, name, factor) {
    const [rule, says, premises] = tree.facts[name], box = make(premises.length ? "details" : "div", undefined, premises.length ? "" : "leaf");
    const head = premises.length ? make("summary") : box;
    head.append(make("b", name), " (" + rule + ")" + (factor ? ", times " + factor : ""));
    if (says) head.append(": ", make("code", says));
    if (premises.length) {
      box.append(head);
      box.addEventListener("toggle", () => { if (box.open && box.children.length === 1) for (const [n, f] of premises) box.append(node(tree, n, f)); });
    }
    return box;
  }
  // A bound whose parameters are moved: the value, its conditions, and a curve over one of the parameters.
  const round = (v) => (Math.abs(v) >= 1e5 || (v && Math.abs(v) < 1e-3) ? v.toExponential(3) : String(+v.toPrecision(5)));
  function live(told) {
    const box = make("section", undefined, "live"), n = told.sliders.length, names = told.sliders.map((_, i) => "v" + i);
    const value = new Function(...names, "return " + told.code);
    const conditions = told.conditions.map((c) => [c.words, new Function(...names, "return Boolean(" + c.code + ")")]);
    box.append(make("h3", "The bound, evaluated here"));
    const grid = make("div", undefined, "sliders"), said = make("p", undefined, "value"), choice = make("select"), S = "http://www.w3.org/2000/svg";
    said.setAttribute("role", "status");
    const inputs = told.sliders.map((s, i) => {
      const label = make("label"), name = make("span"), out = make("output"), input = make("input");
      name.innerHTML = s.math;
      Object.assign(input, { type: "range", min: 0, max: s.values.length - 1, value: s.start });
      input.setAttribute("aria-label", s.name);
      label.append(name, " = ", out, input);
      grid.append(label);
      choice.add(new Option(s.name, i));
      return [input, out];
    });
    choice.value = Math.max(0, told.sliders.findIndex((s) => ["T", "R", "eta", "e", "s"].includes(s.name)));
    const over = make("label", "curve over ", "over"), picture = document.createElementNS(S, "svg");
    over.append(choice);
    picture.setAttribute("viewBox", "0 0 560 240");
    picture.setAttribute("role", "img");
    const put = (tag, at, words) => { const e = document.createElementNS(S, tag); for (const [k, v] of Object.entries(at)) e.setAttribute(k, v); if (words !== undefined) e.textContent = words; picture.append(e); };
    function draw() {
      const at = inputs.map(([input, out], i) => { const v = told.sliders[i].values[+input.value]; out.textContent = v; return v; });
      const broken = conditions.filter(([, f]) => !f(...at)).map(([words]) => words), y = value(...at);
      said.textContent = broken.length ? "No value: " + broken.join("; ") + " is broken here." : "Right-hand side: " + (Number.isFinite(y) ? round(y) : "not a finite number");
      said.className = broken.length ? "value bad" : "value";
      const k = +choice.value, xs = told.sliders[k].values;
      const points = xs.map((x) => { const p = at.slice(); p[k] = x; const v = value(...p); return [x, conditions.every(([, f]) => f(...p)) && Number.isFinite(v) ? v : null]; });
      const good = points.filter((p) => p[1] !== null), logs = good.length > 1 && good.every((p) => p[1] > 0) && Math.max(...good.map((p) => p[1])) > 30 * Math.min(...good.map((p) => p[1]));
      const scale = logs ? Math.log10 : (v) => v, ys = good.map((p) => scale(p[1]));
      picture.replaceChildren();
      picture.setAttribute("aria-label", "Curve over " + told.sliders[k].name);
      if (!good.length) { put("text", { x: 20, y: 120 }, "The conditions hold nowhere on this line."); return; }
      let low = Math.min(...ys), high = Math.max(...ys);
      if (high - low < 1e-12) { low -= 0.5; high += 0.5; }
      const X = (i) => 90 + (i / (xs.length - 1)) * 455, Y = (v) => 200 - ((scale(v) - low) / (high - low)) * 180;
      put("path", { class: "axis", d: "M90 15V200H545" });
      for (const v of [low, high]) put("text", { x: 84, y: 204 - ((v - low) / (high - low)) * 180, "text-anchor": "end" }, round(logs ? 10 ** v : v));
      [0, Math.floor((xs.length - 1) / 2), xs.length - 1].forEach((i) => put("text", { x: X(i), y: 218, "text-anchor": i ? (i === xs.length - 1 ? "end" : "middle") : "start" }, String(xs[i])));
      put("text", { x: 318, y: 236, "text-anchor": "middle" }, told.sliders[k].name);
      let d = "", pen = "M";
      points.forEach(([, v], i) => { if (v === null) pen = "M"; else { d += `${pen}${X(i).toFixed(1)} ${Y(v).toFixed(1)}`; pen = "L"; } });
      put("path", { class: "curve", d });
      if (!broken.length && Number.isFinite(y) && (!logs || y > 0)) put("circle", { cx: X(+inputs[k][0].value), cy: Y(y), r: 5 });
    }
    for (const [input] of inputs) input.addEventListener("input", draw);
    choice.addEventListener("input", draw);
    box.append(said, grid, over, picture);
    if (told.supposed.length) box.append(make("p", "Supposed, and not checked here: " + told.supposed.join("; ") + "."));
    if (told.exact.length) {
      const list = make("ul");
      for (const e of told.exact) list.append(make("li", e.at + ": worst case " + e.worst + " (certified, rounded), bound " + e.bound));
      box.append(make("h3", "Exact worst cases beside it, for clients of curvature 1/10 to 1"), list);
    } else box.append(make("p", "Results hold no exact worst case for this bound.", "soft"));
    draw();
    return box;
  }
  function show(c) {
    const box = $("claim");
    box.replaceChildren(make("h2", c.id + ": " + c.headline), make("p", data.titles[c.document] + ", " + (c.source || c.section)));
    const list = make("dl"), verdict = make("span", c.told + (c.rung ? " (" + c.rung + ")" : ""), "badge " + c.tone);
    if (c.math) { const f = make("div", undefined, "formula"); f.tabIndex = 0; f.setAttribute("role", "region"); f.setAttribute("aria-label", "Statement"); f.innerHTML = c.math; box.append(f); }
    entry(list, "Verdict", verdict);
    if (c.found && c.found !== c.verdict) entry(list, "Its own check found", c.found);
    entry(list, "Verdict on the printed proof", c.proof);
    entry(list, "Kind of fault", c.fault);
    entry(list, "Kind of claim", c.kind);
    for (const [name, value] of c.details) entry(list, name, name === "Reproduce" || name === "Script" ? make("code", value) : value);
    if (byId.has(c.repair)) entry(list, "Corrected", link(c.repair));
    entry(list, "Rests on", c.rests.map(link));
    entry(list, "What rests on it", c.carries.map(link));
    box.append(list);
    if (c.live) box.append(live(c.live));
    if (c.tree) {
      box.append(make("h3", c.tree.ends.length && Object.values(c.tree.facts).some((f) => f[2].length) ? "Derivation, from the conclusion down to what is assumed" : "Steps that were verified one by one"));
      for (const end of c.tree.ends) box.append(node(c.tree, end, ""));
    }
    if (c.graph) {
      const g = make("div", undefined, "graph");
      g.innerHTML = c.graph;
      for (const a of g.querySelectorAll("a")) a.setAttribute("href", address(a.dataset.claim));
      box.append(g);
    }
  }
  function route(moved) {
    const s = state(), claim = byId.get(s.get("claim")), sheet = s.get("sheet");
    const list = !claim && !sheet && [...s.keys()].length > 0;
    $("overview").hidden = Boolean(claim || sheet || list);
    $("claims").hidden = !list;
    $("claim").hidden = !claim;
    for (const e of document.querySelectorAll(".sheet")) e.hidden = e.id !== "errata-" + sheet;
    if (claim) { show(claim); if (moved) { scrollTo(0, 0); $("claim").focus({ preventScroll: true }); } }
    if (list) {
      form.elements.document.value = s.get("document") || "";
      options("section");
      for (const f of fields) form.elements[f].value = s.get(f) || "";
      filter();
    }
  }
  function changed() {
    options("section");
    const s = new URLSearchParams({ view: "claims" });
    for (const f of fields) if (form.elements[f].value) s.set(f, form.elements[f].value);
    history.replaceState(null, "", "#" + s);
    filter();
  }
  form.addEventListener("input", changed);
  form.addEventListener("submit", (e) => e.preventDefault());
  $("clear").addEventListener("click", () => { form.reset(); changed(); });
  const save = (name, type, content) => {
    const a = make("a");
    a.href = URL.createObjectURL(new Blob([content], { type }));
    a.download = name;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 1000);
  };
  const part = (c) => Object.fromEntries(data.exported.map((f) => [f, c[f]]));
  const quoted = (v) => '"' + String(v).replaceAll('"', '""') + '"';
  $("json").addEventListener("click", () => save("claims.json", "application/json", JSON.stringify(shown.map(part), null, 1)));
  $("csv").addEventListener("click", () => save("claims.csv", "text/csv", [data.exported, ...shown.map((c) => data.exported.map((f) => c[f]))].map((r) => r.map(quoted).join(",")).join("\r\n") + "\r\n"));
  $("schema").addEventListener("click", () => save("claims.schema.json", "application/json", JSON.stringify({ $schema: "https://json-schema.org/draft/2020-12/schema", type: "array", items: { type: "object", required: data.exported, additionalProperties: false, properties: Object.fromEntries(data.exported.map((f) => [f, { type: "string" }])) } }, null, 1)));
  for (const b of document.querySelectorAll(".print")) b.addEventListener("click", () => print());
  for (const a of document.querySelectorAll("a[data-claim]")) a.href = address(a.dataset.claim);
  for (const a of document.querySelectorAll("a[data-verdict]")) a.href = "#" + new URLSearchParams({ view: "claims", verdict: a.dataset.verdict });
  addEventListener("hashchange", () => route(true));
  document.querySelector(".skip").addEventListener("click", (e) => { e.preventDefault(); $("main").focus(); });
  route(false);
  document.documentElement.dataset.ready = "true";
})();
