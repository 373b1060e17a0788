// The page's only script. Its data is in #data (see harness/report/data.py for the shape), its texts come with the data.
// Whatever comes from results is put into the page as text, never as markup.
(() => {
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
document.documentElement.classList.add("scripts");

// ---- Small tools

/** An element. Attributes that are undefined or false are left out; functions are listeners. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter(each => each !== undefined && each !== null && each !== false));
  return made;
}

/** A text of the catalogue with its parts filled in. */
function t(key, parts = {}) {
  const text = data.texts[state.lang][key];
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in parts ? parts[name] : whole));
}

const sentence = place => data.sentences[place][data.languages.indexOf(state.lang)];
const word = verdict => t("verdict." + data.verdicts[verdict]);
const unique = list => [...new Set(list)];
const NOT_RUN = data.verdicts.indexOf("not-run");
const RACY = data.verdicts.indexOf("racy");

// ---- The state is the address

const PAGES = ["answer", "recipes", "across", "held", "take", "traps", "history", "method", "data"];
const KEYS = ["runtime", "version", "platform", "filesystem", "rows", "on", "fs", "v", "verdict", "q", "only", "unfold", "with", "recipe", "promise", "cell", "in", "lang"];
const state = {page: "answer", lang: "en"};

/** What the reader's browser prefers, of the languages that there are. */
function preferred() {
  let kept = null;
  try { kept = localStorage.getItem("claimgrid-language"); } catch { /* no storage here: then the browser decides each time */ }
  const wanted = [kept, ...(navigator.languages || [])].filter(Boolean).map(each => each.slice(0, 2));
  return wanted.find(each => data.languages.includes(each)) || "en";
}

/** The value of `part` that most builds have; of several the last. Where nobody chose, that is where there is most to say. */
function usual(builds, part) {
  const found = new Map();
  for (const each of builds) found.set(part(each), (found.get(part(each)) || 0) + 1);
  return [...found].reduce((best, each) => (best[1] > each[1] ? best : each), ["", 0])[0];
}

function readAddress() {
  const [page, query] = location.hash.slice(1).split("?");
  const given = new URLSearchParams(query || "");
  state.page = PAGES.includes(page) ? page : "answer";
  for (const key of KEYS) state[key] = given.get(key) || "";
  state.chosenLang = data.languages.includes(state.lang) ? state.lang : "";
  state.lang = state.chosenLang || preferred();
  const runtimes = data.tables.map(each => each.runtime);
  if (!runtimes.includes(state.runtime)) state.runtime = runtimes.includes("node") ? "node" : runtimes[0] || "";
  const builds = buildsOf(state.runtime);
  const like = /Windows/.test(navigator.userAgent) ? "windows" : /Mac OS/.test(navigator.userAgent) ? "macos" : "linux";
  const near = builds.filter(each => each.platform.startsWith(like));
  state.platform = state.platform || usual(near.length ? near : builds, each => each.platform);
  const there = builds.filter(each => each.platform === state.platform);
  state.filesystem = state.filesystem || usual(there, each => each.filesystem);
  const measured = there.filter(each => each.filesystem === state.filesystem);
  const program = usual(measured, each => family(each.version).split("-")[0]);
  const versions = measured.map(each => each.version).filter(each => family(each).split("-")[0] === program);
  state.version = state.version || versions.at(-1) || "";
}

/** The address of this view with some things changed; what is empty is left out. */
function address(changes = {}) {
  const next = {...state, ...changes, lang: "lang" in changes ? changes.lang : state.chosenLang};
  const query = new URLSearchParams();
  for (const key of KEYS) if (next[key]) query.set(key, next[key]);
  return "#" + next.page + "?" + query;
}

/** Change the view. Typing replaces the address instead of filling the browser's history. */
function go(changes, replace = false) {
  const next = address(changes);
  if (next === location.hash) return;
  if (replace) { history.replaceState(null, "", next); update(); } else location.hash = next;
}

// ---- Looking things up

const tableOf = runtime => data.tables.find(each => each.runtime === runtime);
const buildsOf = runtime => { const table = tableOf(runtime); return table ? table.builds.map(each => data.builds[each]) : []; };
const place = build => build.platform + " · " + build.filesystem;
const folder = build => build.platform + "-" + build.filesystem + "/" + build.runtime + "-" + build.version;
const isWine = build => build.platform.startsWith("wine-");
const platformName = platform => (platform.startsWith("wine-") ? t("ui.wine", {platform}) : platform);
const callOf = id => id.slice(id.indexOf(":") + 1).split("/")[0];
/** Shells share a runtime's name without being versions of one program. */
const family = version => (/^[a-z]/i.test(version) ? version.replace(/[\d.]+/g, "") : "");

/** One cell by the places of its table, claim and build; null where nothing was measured. */
function lookUp(table, row, column) {
  const found = table.cells[row][column];
  if (found < 0) return null;
  const [verdict, reason, cases, race, mechanism, , code] = data.cells[found];
  return {verdict, reason, cases, race, mechanism, code: data.codes[code === undefined ? table.claims[row][2] : code]};
}

/** Whether two cells are shown to differ. Where one of them was not raced, only what both do alone can be compared. */
function differ(one, other) {
  if (one[0] === other[0]) return false;
  return (wasRaced(one) && wasRaced(other)) || one[5] !== other[5];
}

const wasRaced = cell => data.races[cell[3]][3];

const verdictAt = (table, row, column) => (table.cells[row][column] < 0 ? NOT_RUN : data.cells[table.cells[row][column]][0]);

const claimPlaces = new Map();
data.tables.forEach(table => table.claims.forEach(([id], row) => claimPlaces.set(id, {table, row})));
const findClaim = id => claimPlaces.get(id);
const columnOf = (table, build) => table.builds.indexOf(data.builds.indexOf(build));

// ---- Pieces that several pages use

const badge = verdict => el("span", {class: "v v-" + data.verdicts[verdict]}, data.signs[verdict] + " " + word(verdict));

function copyButton(text) {
  return el("button", {type: "button", class: "copy", click: async event => {
    const button = event.currentTarget;
    let done = true;
    try { await navigator.clipboard.writeText(text); } catch { done = copyBySelection(text); }
    button.textContent = t(done ? "ui.copied" : "ui.copy-failed");
    byId("spoken").textContent = button.textContent;
    setTimeout(() => { button.textContent = t("ui.copy"); }, 1600);
  }}, t("ui.copy"));
}

/** A page that was opened as a file may have no clipboard. */
function copyBySelection(text) {
  const field = el("textarea", {class: "unseen"});
  field.value = text;
  (document.querySelector("dialog[open]") || document.body).append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

function codeBlock(code) {
  return el("div", {class: "code"}, el("pre", {tabindex: "0"}, el("code", {}, code)), copyButton(code));
}

function cellLink(id, build, text) {
  return el("a", {href: address({cell: id, in: folder(build)})}, text);
}

/** How a command line has to be written on the platform of a build. */
function command(words, build) {
  const quote = build.platform.startsWith("windows") ? each => '"' + each.replace(/"/g, '\\"') + '"' : each => "'" + each.replace(/'/g, "'\"'\"'") + "'";
  return words.map(each => (/^[\w@%+=:,./-]+$/.test(each) ? each : quote(each))).join(" ");
}

/** Versions, newest first. */
const byVersion = new Intl.Collator("en", {numeric: true});
const newestFirst = versions => unique(versions).sort((one, other) => byVersion.compare(other, one));

/** Versions as a range of what was measured: nothing is said of those in between. */
function range(versions) {
  if (versions.length === 1) return versions[0];
  if (unique(versions.map(family)).length > 1) return versions.join(", ");
  return versions[0] + " – " + versions.at(-1);
}

// ---- The first screen: which call may I use?

function fillSelect(id, values, chosen, show = each => each) {
  const select = byId(id);
  const all = values.includes(chosen) || !chosen ? values : [...values, chosen];
  select.replaceChildren(...all.map(each => el("option", {value: each, selected: each === chosen}, show(each))));
}

function renderWhere() {
  const builds = buildsOf(state.runtime);
  fillSelect("runtime", data.tables.map(each => each.runtime), state.runtime);
  const here = newestFirst(builds.filter(each => each.platform === state.platform && each.filesystem === state.filesystem).map(each => each.version));
  const elsewhere = newestFirst(builds.map(each => each.version)).filter(each => !here.includes(each));
  fillSelect("version", [...here, ...elsewhere], state.version, each => (here.includes(each) ? each : t("ui.not-here", {version: each})));
  fillSelect("platform", unique(builds.map(each => each.platform)), state.platform, platformName);
  fillSelect("filesystem", unique(builds.map(each => each.filesystem)), state.filesystem);
}

function chosenBuild() {
  return buildsOf(state.runtime).find(each =>
    each.version === state.version && each.platform === state.platform && each.filesystem === state.filesystem);
}

function renderAnswer() {
  renderWhere();
  const build = chosenBuild();
  byId("answer").replaceChildren(...(build ? answerFor(build) : [notMeasured()]));
  // Who cannot see the answer change is told that it has, and not all of it at once.
  byId("spoken").textContent = build ? build.runtime + " " + build.version + " · " + place(build) + ": " + byId("answer").querySelector("h2").textContent : byId("answer").textContent;
}

function notMeasured() {
  const known = buildsOf(state.runtime);
  const here = known.filter(each => each.platform === state.platform && each.filesystem === state.filesystem);
  const same = known.filter(each => each.version === state.version);
  const others = unique([...(here.length || same.length ? [] : known), ...here.slice(-12), ...same]);
  return el("div", {class: "notice"},
    el("p", {}, el("strong", {}, t("ui.gap", {runtime: state.runtime, version: state.version, place: platformName(state.platform) + " · " + state.filesystem}))),
    el("p", {}, t("ui.gap-others")),
    el("ul", {class: "plain"}, others.slice(-24).map(each => el("li", {}, el("a",
      {href: address({version: each.version, platform: each.platform, filesystem: each.filesystem})},
      each.runtime + " " + each.version + " · " + platformName(each.platform) + " · " + each.filesystem)))));
}

function answerFor(build) {
  const safe = Object.keys(build.safe).length > 0;
  const list = safe ? build.safe : build.refuses;
  const some = Object.keys(list).length > 0;
  const {explored, raced} = levels(build);
  return [
    isWine(build) ? el("p", {class: "notice"}, t("ui.wine-warning")) : "",
    howSure(build),
    el("div", {class: "columns"},
      el("section", {class: "may"},
        el("h2", {}, t(safe ? "ui.use" : some ? "ui.use-none" : "ui.use-nothing-safe")),
        safe ? el("p", {class: "more"}, t("ui.use-rule")) : el("p", {class: "notice"}, t(some ? "ui.use-none-why" : explored + raced ? "ui.use-none-found" : "ui.use-nothing")),
        byKind(list, build),
        el("p", {}, el("a", {href: address({rows: "", on: build.platform, fs: build.filesystem, v: build.version, verdict: safe ? "safe" : "refuses", only: "", q: ""}) , click: () => setTimeout(() => byId("filters").scrollIntoView())},
          t("ui.all-of", {count: build.counts[safe ? "safe" : "refuses"] || 0, word: t("verdict." + (safe ? "safe" : "refuses"))}))),
        Object.keys(build.conditional).length ? el("details", {class: "fold"},
          el("summary", {}, badge(data.verdicts.indexOf("conditional")), " ", t("ui.use-conditional")), byKind(build.conditional, build)) : null),
      el("section", {class: "not"},
        el("h2", {}, t("ui.avoid")),
        Object.keys(build.traps).length ? byKind(build.traps, build) : el("p", {}, t("ui.avoid-nothing")),
        el("p", {}, el("a", {href: address({rows: "", on: build.platform, fs: build.filesystem, v: build.version, verdict: "unsafe,racy", only: "", q: ""}), click: () => setTimeout(() => byId("filters").scrollIntoView())},
          t("ui.all-of-two", {count: (build.counts.unsafe || 0) + (build.counts.racy || 0), one: t("verdict.unsafe"), other: t("verdict.racy")}))))),
  ];
}

const byKind = (list, build) => Object.entries(list).map(([kind, ids]) => [
  el("h3", {}, t("kind." + kind)), el("ul", {class: "cards"}, ids.map(id => card(id, build)))]);

function levels(build) {
  const table = tableOf(build.runtime);
  const column = columnOf(table, build);
  const found = {seen: 0, explored: 0, raced: 0, sequential: 0, none: 0};
  for (const row of table.cells) {
    const cell = row[column] < 0 ? null : data.cells[row[column]];
    found[cell ? levelOf({verdict: cell[0], race: cell[3]}) : "none"] += 1;
  }
  return found;
}

function howSure(build) {
  const found = levels(build);
  const tried = ["seen", "explored", "raced", "sequential"].filter(each => found[each]);
  const all = tried.reduce((sum, each) => sum + found[each], 0);
  const text = found.explored + found.raced
    ? t("ui.sure-raced", {all, parts: tried.map(each => t("ui.sure." + each, {count: found[each]})).join(t("list.comma"))})
    : t("ui.sure-sequential", {sequential: all});
  return el("p", {class: "sure"}, el("strong", {}, t("ui.how-sure")), " ", text, build.privileged ? " " + t("ui.privileged") : "",
    " ", t("ui.other-version"));
}

/** How much was done to find a verdict out. What was seen to go wrong needs no race to be certain. */
const levelOf = cell => (data.verdicts[cell.verdict] === "unsafe" ? "seen" : data.races[cell.race][2]);

/** In one sentence, for whoever only wants to know what to do: of looking first it is enough to know that it does. */
function whyOf(cell) {
  const looksFirst = cell.verdict === RACY && cell.mechanism >= 0 && data.mechanisms[cell.mechanism][0] === "check-then-act";
  return sentence(looksFirst ? data.mechanisms[cell.mechanism][1] : data.reasons[cell.reason][1]);
}

function card(id, build) {
  const {table, row} = findClaim(id);
  const cell = lookUp(table, row, columnOf(table, build));
  return el("li", {class: "card e-" + data.verdicts[cell.verdict]},
    codeBlock(cell.code),
    el("p", {}, badge(cell.verdict), " ", whyOf(cell)),
    el("p", {class: "more"}, el("span", {class: "level"}, t("ui.level." + levelOf(cell))), " · ", cellLink(id, build, t("ui.details")),
      " ", el("code", {class: "id"}, id)));
}

// ---- The matrix

const KINDS = ["create", "take", "held", "look"];
const ONLY = ["changes", "differs", "racy"];

function renderLegend() {
  byId("legend").replaceChildren(el("details", {class: "fold"}, el("summary", {}, t("ui.legend")), legend()));
}

const legend = () => el("dl", {class: "legend"}, data.verdicts.map((name, verdict) => el("div", {}, el("dt", {}, badge(verdict)), el("dd", {}, t("meaning." + name)))));

function select(key, label, values, show = each => each) {
  const chosen = state[key];
  const made = el("select", {"data-key": key, change: event => go({[key]: event.target.value})},
    el("option", {value: ""}, key === "rows" ? state.runtime : t("ui.any")),
    values.map(each => el("option", {value: each, selected: each === chosen}, show(each))));
  return el("label", {class: "field"}, el("span", {}, t(label)), made);
}

function field(key, label, hint) {
  const input = el("input", {type: "search", value: state[key], placeholder: hint, autocomplete: "off", spellcheck: "false", "data-key": key,
    input: event => go({[key]: event.target.value}, true)});
  return el("label", {class: "field"}, el("span", {}, t(label)), input);
}

function toggle(key, name, label, extra = "") {
  const on = state[key].split(",").includes(name);
  const rest = state[key].split(",").filter(each => each && each !== name);
  return el("button", {type: "button", class: "chip " + extra, "aria-pressed": String(on), "data-toggle": key + "." + name,
    click: () => go({[key]: (on ? rest : [...rest, name]).join(",")})}, label);
}

/** The controls are made anew only when they would be others: whoever types keeps the place. */
let filtersShown = "";
function renderFilters() {
  const shape = JSON.stringify([state.lang, state.runtime, state.rows, state.on, state.fs, state.verdict, state.only, state.unfold, state.page]);
  if (shape === filtersShown) return;
  filtersShown = shape;
  const active = document.activeElement;
  const focused = active && (active.dataset.toggle || active.dataset.key);
  const platforms = unique(data.builds.map(each => each.platform));
  const filesystems = unique(data.builds.map(each => each.filesystem));
  byId("filters").replaceChildren(
    el("div", {class: "filters", role: "group", "aria-label": t("ui.filters")},
      select("rows", "ui.runtime", [...data.tables.map(each => each.runtime).filter(each => each !== state.runtime), "all"], each => (each === "all" ? t("ui.all") : each)),
      field("v", "ui.version", "22"),
      select("on", "ui.platform", platforms, platformName),
      select("fs", "ui.filesystem", filesystems),
      field("q", "ui.text", "wx")),
    el("div", {class: "chips", role: "group", "aria-label": t("ui.verdicts")}, el("span", {class: "group"}, t("ui.verdicts")),
      data.verdicts.map((name, verdict) => toggle("verdict", name, data.signs[verdict] + " " + word(verdict), "v-" + name))),
    el("div", {class: "chips", role: "group", "aria-label": t("ui.only")}, el("span", {class: "group"}, t("ui.only")),
      ONLY.map(name => toggle("only", name, t("ui.only." + name)))),
    el("div", {class: "chips", role: "group", "aria-label": t("ui.view")}, unfolding(),
      el("a", {class: "reset", href: address({rows: "", on: "", fs: "", v: "", verdict: "", q: "", only: "", unfold: ""})}, t("ui.reset"))),
    el("p", {id: "count", class: "count", role: "status"}));
  if (focused) { const again = byId("filters").querySelector(`[data-toggle="${CSS.escape(focused)}"], [data-key="${CSS.escape(focused)}"]`); if (again) again.focus(); }
}

const unfolding = () => [el("span", {class: "group"}, t("ui.view")), ["versions", "variants"].map(name => toggle("unfold", name, t("ui.unfold." + name)))];

/** What the filters leave of one table: columns, and rows with the verdict of each column. */
function view(table, filter) {
  const columns = table.builds.map((number, at) => ({build: data.builds[number], at}))
    .filter(({build}) => (!filter.on || build.platform === filter.on) && (!filter.fs || build.filesystem === filter.fs)
      && (!filter.v || build.version.split(/[^\w.]+/).concat(build.version).some(each => each.startsWith(filter.v))));
  if (!columns.length) return null;
  // The place with most builds comes first.
  const size = new Map();
  for (const {build} of columns) size.set(place(build), (size.get(place(build)) || 0) + 1);
  columns.sort((one, other) => size.get(place(other.build)) - size.get(place(one.build)) || one.at - other.at);
  const places = unique(columns.map(({build}) => place(build))).map(where => columns.filter(({build}) => place(build) === where));
  const measured = row => places.map(there => there.filter(({at}) => verdictAt(table, row, at) !== NOT_RUN)
    .map(({build, at}) => ({version: build.version, cell: data.cells[table.cells[row][at]]})));
  const text = filter.q.toLowerCase();
  const rows = [];
  table.claims.forEach(([id, kind, code], row) => {
    if (filter.kind && kind !== filter.kind) return;
    if (text && !id.toLowerCase().includes(text) && !data.codes[code].toLowerCase().includes(text)) return;
    const verdicts = columns.map(({at}) => verdictAt(table, row, at));
    if (filter.verdicts.size && !verdicts.some(each => filter.verdicts.has(each))) return;
    if (filter.only.includes("racy") && !verdicts.includes(RACY)) return;
    if (filter.only.includes("changes") && !measured(row).some(hasChanges)) return;
    if (filter.only.includes("differs") && !differsSomewhere(measured(row))) return;
    rows.push({id, kind, row, verdicts});
  });
  return rows.length ? {table, columns, rows} : null;
}

/** Whether measured versions of one program in one place differ. */
function hasChanges(measured) {
  const last = {};
  return measured.some(({version, cell}) => {
    const name = family(version);
    const before = last[name];
    if (before && differ(before, cell)) return true;
    if (!before || wasRaced(cell) || !wasRaced(before)) last[name] = cell;
    return false;
  });
}

/** Whether two places differ in a version that both have; where there is none, in the newest of each. */
function differsSomewhere(places) {
  return places.some((one, n) => places.slice(n + 1).some(other => {
    const pairs = one.flatMap(mine => other.filter(each => each.version === mine.version).map(theirs => [mine, theirs]));
    if (!pairs.length && one.length && other.length) pairs.push([one.at(-1), other.at(-1)]);
    return pairs.some(([mine, theirs]) => differ(mine.cell, theirs.cell));
  }));
}

/** Neighbouring columns that agree in every row become one. */
function foldColumns({columns, rows}, unfold) {
  const groups = [];
  columns.forEach(({build}, n) => {
    const last = groups.at(-1);
    const same = last && !unfold && place(last.builds[0]) === place(build) && rows.every(each => each.verdicts[n] === each.verdicts[last.first]);
    if (same) last.builds.push(build); else groups.push({first: n, builds: [build]});
  });
  return groups;
}

/** Variants of one call that agree in every column become one row. */
function foldRows(rows, groups, unfold) {
  const folded = new Map();
  for (const each of rows) {
    const verdicts = groups.map(group => each.verdicts[group.first]);
    const key = unfold ? each.id : [each.kind, callOf(each.id), verdicts].join(" ");
    if (!folded.has(key)) folded.set(key, {...each, shown: verdicts, members: []});
    folded.get(key).members.push(each);
  }
  return [...folded.values()];
}

let drawing = 0;
/** Cells that are drawn before the reader sees anything. */
const AT_ONCE = 800;

function renderMatrix(target, filter) {
  const mine = ++drawing;
  const views = data.tables.filter(each => filter.runtime === "all" || each.runtime === filter.runtime).map(each => view(each, filter)).filter(Boolean);
  const later = [];
  let folded = 0;
  target.replaceChildren(...views.map(each => {
    const groups = foldColumns(each, filter.unfold.includes("versions"));
    const rows = foldRows(each.rows, groups, filter.unfold.includes("variants"));
    folded += rows.length;
    return matrixTable(each, groups, rows, later);
  }));
  if (!views.length) target.append(el("p", {class: "notice"}, t(filter.kind ? "ui.none-of-kind" : "ui.nothing")));
  // The rows in sight come at once, the rest while the reader looks at them.
  const more = () => {
    if (mine !== drawing) return;
    const until = performance.now() + 12;
    while (later.length && performance.now() < until) later.shift()();
    if (later.length) setTimeout(more);
  };
  setTimeout(more);
  return {rows: folded, claims: views.reduce((sum, each) => sum + each.rows.length, 0)};
}

function matrixTable({table, columns}, groups, rows, later) {
  const places = [];
  for (const group of groups) {
    const where = place(group.builds[0]);
    if (places.length && places.at(-1).where === where) places.at(-1).span += 1; else places.push({where, build: group.builds[0], span: 1});
  }
  const head = el("thead", {},
    el("tr", {}, el("th", {scope: "col", rowspan: "2", class: "corner"}, el("strong", {}, table.runtime), el("small", {}, t("ui.call"))),
      places.map(each => el("th", {scope: "colgroup", colspan: each.span, class: isWine(each.build) ? "wine" : undefined},
        el("span", {class: "stays"}, platformName(each.build.platform) + " · " + each.build.filesystem)))),
    el("tr", {}, groups.map(group => el("th", {scope: "col", class: group.builds.some(isChosen) ? "chosen" : undefined}, columnHead(group)))));
  const made = el("table", {class: "grid"}, el("caption", {class: "unseen"}, table.runtime), head);
  const kinds = KINDS.filter(kind => rows.some(each => each.kind === kind));
  let drawn = 0;
  for (const kind of kinds) {
    const body = el("tbody", {}, el("tr", {class: "kind"}, el("th", {scope: "rowgroup", colspan: groups.length + 1}, el("span", {}, t("kind." + kind)))));
    for (const each of rows.filter(one => one.kind === kind)) {
      const draw = () => body.append(matrixRow(table, columns, groups, each));
      if (drawn < AT_ONCE) draw(); else later.push(draw);
      drawn += groups.length;
    }
    made.append(body);
  }
  const first = made.querySelector("td button");
  if (first) first.tabIndex = 0;
  made.addEventListener("keydown", moveInGrid);
  const frame = el("div", {class: "scroll", role: "region", tabindex: "0", "aria-label": table.runtime}, made);
  setTimeout(() => settle(frame));
  return frame;
}

/** What stays in view is kept clear of, and the chosen build is brought into view. */
function settle(frame) {
  const width = frame.querySelector(".corner").offsetWidth;
  frame.style.setProperty("--beside", width + "px");
  const chosen = frame.querySelector("th.chosen");
  if (chosen && chosen.offsetLeft + chosen.offsetWidth > frame.clientWidth) frame.scrollLeft = chosen.offsetLeft - width;
}

const isChosen = build => build.runtime === state.runtime && build.version === state.version && build.platform === state.platform && build.filesystem === state.filesystem;

/** Long versions and names may go on in the next line after a sign. */
const breakable = text => text.match(/[^+\-/._]*[+\-/._]?/g).filter(Boolean).flatMap(part => [part, el("wbr")]);

function columnHead(group) {
  if (group.builds.length === 1) return breakable(group.builds[0].version);
  const versions = group.builds.map(each => each.version);
  return [el("button", {type: "button", class: "unfold", title: versions.join(", "), click: () => go({unfold: unique([...state.unfold.split(",").filter(Boolean), "versions"]).join(",")})}, range(versions)),
    el("small", {}, t("ui.versions", {count: versions.length}))];
}

function matrixRow(table, columns, groups, folded) {
  const call = folded.id.slice(folded.id.indexOf(":") + 1);
  const label = folded.members.length === 1 ? breakable(call) : [breakable(callOf(folded.id)), " ", el("button", {type: "button", class: "unfold", "aria-expanded": "false",
    click: event => unfoldRow(event.currentTarget, table, columns, groups, folded)}, t("ui.variants", {count: folded.members.length, names: someNames(folded.members)}))];
  return el("tr", {}, el("th", {scope: "row", title: folded.members.length > 1 ? folded.members.slice(0, 40).map(each => each.id).join("\n") : undefined}, el("span", {class: "call"}, label)),
    folded.shown.map((verdict, n) => matrixCell(verdict, folded, groups[n], columns)));
}

/** The first few variants by name, so that two folded rows of one call can be told apart. */
function someNames(members) {
  const names = members.map(({id}) => id.slice(id.indexOf(":") + 1).split("/").slice(1).join("/") || "–").sort((one, other) => one.length - other.length);
  return names.slice(0, 3).join(", ") + (names.length > 3 ? ", …" : "");
}

function unfoldRow(button, table, columns, groups, folded) {
  const row = button.closest("tr");
  const made = folded.members.map(each => matrixRow(table, columns, groups, {...each, shown: folded.shown, members: [each]}));
  // What was unfolded can be folded again, where it begins.
  made[0].querySelector(".call").append(" ", el("button", {type: "button", class: "unfold", "aria-expanded": "true", click: () => {
    made[0].before(row);
    for (const each of made) each.remove();
    button.focus();
  }}, t("ui.fold")));
  row.replaceWith(...made);
  made[0].querySelector("td button").focus();
}

function matrixCell(verdict, folded, group) {
  const name = data.verdicts[verdict];
  const build = group.builds.at(-1);
  const chosen = group.builds.find(isChosen) || build;
  return el("td", {class: "v-" + name}, verdict === NOT_RUN && !isThere(folded.id, chosen)
    ? el("span", {class: "gap"}, data.signs[verdict] + " " + word(verdict))
    : el("button", {type: "button", tabindex: "-1", "data-cell": folded.id, "data-in": folder(chosen), click: openCell},
      data.signs[verdict] + " " + (verdict === NOT_RUN ? t("ui.verdict.not-possible") : word(verdict))));
}

function isThere(id, build) {
  const {table, row} = findClaim(id);
  return table.cells[row][columnOf(table, build)] >= 0;
}

let opener = null;
function openCell(event) {
  opener = event.currentTarget;
  go({cell: opener.dataset.cell, in: opener.dataset.in});
}

/** Arrow keys move between cells; the Tab key passes the whole grid. */
function moveInGrid(event) {
  const steps = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]}[event.key];
  const from = event.target.closest("td");
  if (!steps || !from) return;
  event.preventDefault();
  const column = from.cellIndex;
  let next = from;
  if (steps[1]) {
    const side = steps[1] > 0 ? "nextElementSibling" : "previousElementSibling";
    for (next = from[side]; next && !next.querySelector("button"); next = next[side]);
  } else {
    const rows = [...event.currentTarget.rows];
    for (let at = rows.indexOf(from.parentElement) + steps[0]; rows[at]; at += steps[0]) {
      next = rows[at].cells[column];
      if (next && next.tagName === "TD" && next.querySelector("button")) break;
    }
  }
  const button = next && next.tagName === "TD" && next.querySelector("button");
  if (!button) return;
  from.querySelector("button").tabIndex = -1;
  button.tabIndex = 0;
  button.focus();
}

function filterNow(kind = "") {
  return {
    runtime: kind ? "all" : state.rows || state.runtime,
    on: kind ? "" : state.on, fs: kind ? "" : state.fs, v: kind ? "" : state.v, q: kind ? "" : state.q, kind,
    verdicts: new Set(kind ? [] : state.verdict.split(",").filter(Boolean).map(each => data.verdicts.indexOf(each))),
    only: kind ? [] : state.only.split(","), unfold: state.unfold.split(","),
  };
}

// ---- One cell, opened

function renderCell() {
  const dialog = byId("cell");
  if (state.recipe) { openDialog(recipeBody()); return; }
  if (!state.cell) { if (dialog.open) dialog.close(); return; }
  const found = findClaim(state.cell);
  const column = found ? found.table.builds.findIndex(each => folder(data.builds[each]) === state.in) : -1;
  const cell = column < 0 ? null : lookUp(found.table, found.row, column);
  openDialog(cell ? cellBody(found.table, found.row, column, cell) : [el("h2", {id: "cell-title"}, state.cell), el("p", {class: "notice"}, t("ui.no-cell", {where: state.in}))]);
}

function openDialog(body) {
  const dialog = byId("cell");
  const close = el("button", {type: "button", class: "close", "aria-label": t("ui.close"), click: () => dialog.close()}, "×");
  byId("cell-body").replaceChildren(close, ...body);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function cellBody(table, row, column, cell) {
  const [id] = table.claims[row];
  const build = data.builds[table.builds[column]];
  return [
    el("h2", {id: "cell-title"}, id),
    el("p", {class: "where-line"}, table.runtime + " " + build.version + " · " + platformName(build.platform) + " · " + build.filesystem + " · " + build.os),
    el("p", {class: "verdict-line"}, badge(cell.verdict), " ", sentence(data.reasons[cell.reason][1])),
    codeBlock(cell.code),
    el("h3", {}, t("ui.cases")),
    caseTable(data.caseSets[cell.cases]),
    el("h3", {}, t("ui.race")),
    el("p", {}, sentence(data.races[cell.race][1])),
    el("h3", {}, t("ui.mechanism")),
    el("p", {}, cell.mechanism < 0 ? t("mechanism.none") : sentence(data.mechanisms[cell.mechanism][1])),
    el("h3", {}, t("ui.versions-of-it")),
    runsOf(table, row),
    el("h3", {}, t("ui.see")),
    ...["try", ...({explored: ["explore"], raced: ["race"]}[data.races[cell.race][2]] || [])].map(verb => codeBlock(command(["claimgrid", verb, id, "--runtime", build.request], build))),
    el("p", {class: "more"}, el("a", {href: location.href}, t("ui.link")), " ", copyButton(location.href)),
  ];
}

/** Outcomes that are as they should be, whichever case it is. */
const FINE = ["won", "refused"];
const MOOT = ["unsupported", "unavailable", "not-run"];

const quality = raw => (FINE.includes(raw.outcome) ? "fine" : MOOT.includes(raw.outcome) ? "moot" : "bad");

function caseTable(flat) {
  const rows = [];
  for (let n = 0; n < flat.length; n += 2) {
    const [raw, said, saw] = data.cases[flat[n + 1]];
    rows.push(el("tr", {class: quality(raw)}, el("th", {scope: "row"}, t("occupant." + data.occupants[flat[n]])), el("td", {}, sentence(said)), el("td", {}, sentence(saw))));
  }
  return el("div", {class: "scroll short", role: "region", tabindex: "0", "aria-label": t("ui.cases")}, el("table", {class: "cases"},
    el("thead", {}, el("tr", {}, ["ui.occupant", "ui.said", "ui.saw"].map(key => el("th", {scope: "col"}, t(key))))), el("tbody", {}, rows)));
}

/** Where the verdict changes, place by place: only measured versions, and no word about those in between. */
function runsOf(table, row) {
  const groups = new Map();
  table.builds.forEach((number, at) => {
    const build = data.builds[number];
    const key = place(build) + family(build.version);
    const verdict = verdictAt(table, row, at);
    const runs = groups.get(key) || groups.set(key, []).get(key);
    if (runs.length && runs.at(-1).verdict === verdict) runs.at(-1).builds.push(build); else runs.push({verdict, builds: [build]});
  });
  return el("ul", {class: "runs"}, [...groups.values()].map(runs => el("li", {},
    el("span", {class: "place"}, platformName(runs[0].builds[0].platform) + " · " + runs[0].builds[0].filesystem + ": "),
    runs.map((run, n) => [n ? el("span", {class: "between"}, " " + t("ui.between") + " ") : null,
      cellLink(table.claims[row][0], run.builds.at(-1), range(run.builds.map(each => each.version))), " ", badge(run.verdict)]))));
}

byId("cell").addEventListener("close", () => {
  if (state.cell || state.recipe) go({cell: "", in: "", recipe: "", promise: ""});
  const again = opener && !opener.isConnected && opener.dataset.cell ? document.querySelector(`[data-cell="${CSS.escape(opener.dataset.cell)}"][data-in="${CSS.escape(opener.dataset.in)}"]`) : opener;
  if (again) again.focus();
  opener = null;
});
byId("cell").addEventListener("click", event => { if (event.target === byId("cell")) byId("cell").close(); });

// ---- The other pages

const bodies = {
  across(target) {
    if (!data.meetings.length) { target.replaceChildren(el("p", {class: "notice"}, t("ui.no-meetings"))); return; }
    const sides = meeting => [meeting.first[0], meeting.second[0]];
    const runtimes = unique(data.meetings.flatMap(sides)).sort();
    const one = runtimes.includes(state.runtime) ? state.runtime : runtimes[0];
    const shown = data.meetings.filter(each => sides(each).includes(one) && (!state.with || sides(each).includes(state.with)));
    const pick = (key, label, values, chosen, any) => el("label", {class: "field"}, el("span", {}, t(label)), el("select", {id: "across-" + key,
      change: event => { go(key === "runtime" ? {runtime: event.target.value, version: "", platform: "", filesystem: "", rows: "", with: ""} : {with: event.target.value}); byId("across-" + key).focus(); }},
      any ? el("option", {value: ""}, t("ui.any")) : null, values.map(each => el("option", {value: each, selected: each === chosen}, each))));
    target.replaceChildren(
      el("div", {class: "where"}, el("span", {class: "ask"}, t("ui.i-use")), pick("runtime", "ui.runtime", runtimes, one), pick("with", "ui.with", runtimes.filter(each => each !== one), state.with, true)),
      ...(shown.length ? shown.map(meetingOf) : [el("p", {class: "notice"}, t("ui.no-meetings-of", {runtime: one}))]));
  },

  recipes(target) {
    if (!data.recipes.length) { target.replaceChildren(el("p", {class: "notice"}, t("ui.recipe.none"))); return; }
    const judged = data.recipes.filter(each => !each[6]);
    const left = data.recipes.filter(each => each[6]);
    target.replaceChildren(
      ...["lock", "publish", "consume"].map(kind => judged.filter(each => each[1] === kind)).filter(each => each.length).map(recipeTable),
      left.length ? el("section", {}, el("h2", {}, t("ui.recipe.not-judged")), el("ul", {}, left.map(each => el("li", {}, el("code", {}, each[0]), ": " + each[6])))) : "",
      el("h2", {}, t("ui.recipe.promises")),
      el("dl", {class: "legend"}, data.promises.map(name => el("div", {}, el("dt", {}, t("promise." + name)), el("dd", {}, t("meaning." + name))))),
      el("p", {class: "rule"}, t("ui.recipe.rule")));
  },

  held(target) { kindPage(target, "held"); },
  take(target) { kindPage(target, "take"); },

  traps(target) {
    target.replaceChildren(el("p", {class: "rule"}, t("ui.traps-rule")), el("ol", {class: "traps"}, data.traps.map(trap => {
      const builds = trap.builds.map(each => data.builds[each]);
      const shown = data.builds[trap.shown];
      const {table, row} = findClaim(trap.claim);
      const cell = lookUp(table, row, table.builds.indexOf(trap.shown));
      return el("li", {class: "card e-" + data.verdicts[cell.verdict]},
        el("h2", {}, cellLink(trap.claim, shown, trap.claim)),
        codeBlock(cell.code),
        el("p", {}, badge(cell.verdict), " ", whyOf(cell)),
        el("p", {class: "more"}, t("ui.trap-where", {where: groupedPlaces(builds)}), trap.clean >= 0 ? " " + t("ui.trap-clean", {where: groupedPlaces([data.builds[trap.clean]])}) : "",
          " ", t("ui.trap-points", {points: trap.points, why: trap.why.map(each => t("ui.trap." + each)).join(t("list.comma"))})));
    })));
  },

  history(target) {
    const chosen = data.changes.filter(each => each.runtime === state.runtime);
    target.replaceChildren(
      el("label", {class: "field"}, el("span", {}, t("ui.runtime")), el("select", {id: "history-runtime", change: event => go({runtime: event.target.value, version: "", platform: "", filesystem: "", rows: ""})},
        data.tables.map(each => el("option", {value: each.runtime, selected: each.runtime === state.runtime}, each.runtime)))),
      ...(chosen.length ? chosen.map(series => el("section", {},
        el("h2", {}, series.runtime + " · " + platformName(series.platform) + " · " + series.filesystem),
        el("p", {}, t("ui.measured-versions", {versions: series.versions.join(t("list.comma"))})),
        series.changes.length ? stepsOf(series) : el("p", {}, t("ui.no-changes"))))
        : [el("p", {class: "notice"}, t("ui.one-version"))]));
  },

  method(target) {
    target.replaceChildren(
      ...["how", "occupants", "races", "controls", "not"].map(each => el("section", {}, el("h2", {}, t("ui.method." + each)), el("p", {}, t("ui.method." + each + ".text")))),
      el("h2", {}, t("ui.legend")), legend(),
      el("h2", {}, t("ui.builds")), buildTable());
  },

  data(target) {
    target.replaceChildren(
      el("p", {class: "chips"},
        el("button", {type: "button", class: "action", click: () => download("claimgrid.json", "application/json", JSON.stringify({results: plainResults(), pairs: plainPairs()}))}, t("ui.download-json")),
        el("button", {type: "button", class: "action", click: () => download("claimgrid.csv", "text/csv", csv())}, t("ui.download-csv"))),
      el("p", {}, t("ui.data-shape")),
      codeBlock(JSON.stringify(plainResults(1), null, 1)));
  },
};

/** How a promise stands, in the colours of the verdicts that mean as much. */
const STANDING = {kept: "safe", broken: "unsafe", "not-explored": "indeterminate", "not-promised": "unsupported"};
const standingText = at => data.standingSigns[at] + " " + t("standing." + data.standings[at]);
const kitchenPlace = ({runtime, version, platform, filesystem}) => platform + "-" + filesystem + "/" + runtime + "-" + version;

/** One kind of recipe: a row for each with each build, a column for each promise that any of them makes. */
function recipeTable(recipes) {
  const kind = recipes[0][1];
  const made = data.promises.map((_, at) => at).filter(at => recipes.some(each => each[8].some(judged => judged[0] === at)));
  const name = t("ui.recipe.kind." + kind);
  return el("section", {}, el("h2", {}, name), el("div", {class: "scroll", role: "region", tabindex: "0", "aria-label": name}, el("table", {class: "grid recipes"},
    el("thead", {}, el("tr", {}, el("th", {scope: "col", class: "corner"}, t("ui.recipe")), made.map(at => el("th", {scope: "col", title: t("meaning." + data.promises[at])}, t("promise." + data.promises[at]))))),
    el("tbody", {}, recipes.map(recipe => {
      const where = data.kitchens[recipe[7]];
      return el("tr", {},
        el("th", {scope: "row"}, el("a", {class: "call", href: address({recipe: recipe[0], in: kitchenPlace(where), promise: ""}), click: openRecipe}, recipe[0]),
          el("small", {}, sentence(recipe[2])), el("small", {}, (recipe[4] || where.runtime) + (recipe[4] ? " · " + where.runtime : "") + " " + where.version + " · " + platformName(where.platform) + " · " + where.filesystem)),
        made.map(at => {
          const judged = recipe[8].find(each => each[0] === at);
          const standing = judged ? judged[1] : data.standings.indexOf("not-promised");
          return el("td", {class: "v-" + STANDING[data.standings[standing]]}, judged
            ? el("button", {type: "button", "aria-haspopup": "dialog", click: event => { opener = event.currentTarget; go({recipe: recipe[0], in: kitchenPlace(where), promise: data.promises[at]}); }}, standingText(standing))
            : el("span", {class: "gap"}, "·", el("span", {class: "unseen"}, t("standing.not-promised"))));
        }));
    })))));
}

function openRecipe(event) {
  opener = event.currentTarget;
}

/** A recipe opened: at one promise, or at all that it makes. */
function recipeBody() {
  const recipe = data.recipes.find(each => each[0] === state.recipe && kitchenPlace(data.kitchens[each[7]]) === state.in);
  if (!recipe) return [el("h2", {id: "cell-title"}, state.recipe), el("p", {class: "notice"}, t("ui.no-cell", {where: state.in}))];
  const [id, , title, code, library, advice, obstacle, at, all] = recipe;
  const where = data.kitchens[at];
  const chosen = all.filter(each => data.promises[each[0]] === state.promise);
  return [
    el("h2", {id: "cell-title"}, id),
    el("p", {class: "where-line"}, sentence(title) + " · " + [library, where.runtime + " " + where.version, platformName(where.platform), where.filesystem].filter(Boolean).join(" · ")),
    obstacle ? el("p", {class: "notice"}, obstacle) : "",
    ...(chosen.length ? chosen : all).map(each => promiseBody(each, id, where)),
    advice >= 0 ? el("p", {class: "notice"}, sentence(advice)) : "",
    el("h3", {}, t("ui.recipe.code")),
    codeBlock(data.codes[code]),
    el("p", {class: "more"}, chosen.length ? [el("a", {href: address({promise: ""})}, t("ui.recipe.all")), " · "] : "", el("a", {href: location.href}, t("ui.link")), " ", copyButton(location.href)),
  ];
}

function promiseBody([promise, standing, explored, why, schedule, steps, also], id, where) {
  const again = which => codeBlock(command(["claimgrid", "recipe", "try", id, "--schedule", which, "--runtime", where.request], where));
  const name = data.standings[standing];
  return el("section", {},
    el("p", {class: "verdict-line"}, el("strong", {}, t("promise." + data.promises[promise])), " ", el("span", {class: "v v-" + STANDING[name]}, standingText(standing)), " ",
      name === "kept" ? t("ui.recipe.explored", {count: explored}) : sentence(why)),
    el("p", {class: "more"}, t("meaning." + data.promises[promise])),
    steps.length ? [lanes(steps), again(schedule)] : "",
    also.map(([how, which]) => [el("p", {class: "more"}, t("ui.recipe.also", {how: sentence(how)})), again(which)]));
}

/** A schedule as a picture: a lane for everybody who takes part, coloured by how they stand, and in each row what one of them does. */
function lanes(steps) {
  const actors = unique(steps.map(each => each[0])).sort((one, other) => (one === "" ? 1 : other === "" ? -1 : one < other ? -1 : 1));
  const stands = {};
  const after = {"held-back": "paused", waits: "paused", holds: "holding", killed: "gone", refused: "over", done: "over", released: "over", finished: "over", failed: "over"};
  return el("div", {class: "scroll short", role: "region", tabindex: "0", "aria-label": t("ui.recipe.schedule")}, el("table", {class: "cases lanes"},
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "#"), actors.map(each => el("th", {scope: "col"}, each || t("ui.recipe.outside"))))),
    el("tbody", {}, steps.map(([actor, what, calls, act], n) => {
      stands[actor] = after[act] || "";
      return el("tr", {}, el("th", {scope: "row"}, String(n + 1)), actors.map(each => el("td", {class: "lane " + (stands[each] || "") + (each === actor ? " acts" : "")},
        each === actor ? [calls >= 0 ? el("code", {}, data.calls[calls]) : "", el("span", {}, sentence(what))] : "")));
    }))));
}

/** Two builds that met: what to paste on each side, and every pair that was tried. */
function meetingOf(meeting, n) {
  const names = meeting.first.join(" ") + " × " + meeting.second.join(" ") + " · " + platformName(meeting.platform) + " · " + meeting.filesystem;
  const firsts = unique(meeting.pairs.map(each => each[0])), seconds = unique(meeting.pairs.map(each => each[1]));
  const made = el("table", {class: "grid"},
    el("thead", {}, el("tr", {}, el("th", {scope: "col", class: "corner"}, t("ui.pair")), seconds.map(each => el("th", {scope: "col"}, each)))),
    el("tbody", {}, firsts.map(one => el("tr", {}, el("th", {scope: "row"}, el("span", {class: "call"}, one)), seconds.map(other => pairCell(meeting, n, one, other))))));
  return el("section", {}, el("h2", {}, names), pairToPaste(meeting),
    el("div", {class: "scroll", role: "region", tabindex: "0", "aria-label": names}, made), el("div", {id: "pair-" + n, "aria-live": "polite"}));
}

function pairCell(meeting, n, one, other) {
  const pair = meeting.pairs.find(each => each[0] === one && each[1] === other);
  const verdict = pair ? pair[2] : NOT_RUN;
  const text = data.signs[verdict] + " " + word(verdict);
  return el("td", {class: "v-" + data.verdicts[verdict]}, pair
    ? el("button", {type: "button", "aria-expanded": "false", click: event => showPair(event.currentTarget, pair, n)}, text)
    : el("span", {class: "gap"}, text));
}

/** Of the pairs that were seen to keep each other out, the one that people would take: with nothing beside the name, both by the same way,
 * and short. Code that is harmful with another source is left out: whoever copies it has no way to see the difference. */
function pairToPaste(meeting) {
  const score = ({cells}) => 1e6 * cells.some(each => /\b(source|mine)\b/.test(each.code)) + 1e5 * (wayOf(cells[0]) !== wayOf(cells[1])) + cells.map(each => each.code).join().length;
  for (const name of ["safe", "refuses"]) {
    const fitting = meeting.pairs.filter(each => data.verdicts[each[2]] === name)
      .map(pair => ({pair, cells: [cellIn(pair[0], meeting.first, meeting), cellIn(pair[1], meeting.second, meeting)]}))
      .filter(each => each.cells.every(cell => cell && !cell.twin)).sort((one, other) => score(one) - score(other));
    if (!fitting.length) continue;
    const {pair, cells} = fitting[0];
    return el("div", {class: "paste"}, el("p", {}, badge(pair[2]), " ", t(name === "safe" ? "ui.pair-use" : "ui.pair-use-refuses")),
      el("div", {class: "columns"}, [meeting.first, meeting.second].map((side, at) => el("div", {}, el("h3", {}, side.join(" ")), codeBlock(cells[at].code), el("p", {class: "more"}, el("code", {class: "id"}, pair[at]))))));
  }
  return el("p", {class: "notice"}, t("ui.pair-none"));
}

/** The system call that takes the name, without what differs from one to the other for no reason that matters here. */
const wayOf = cell => (cell.mechanism < 0 ? "" : data.mechanisms[cell.mechanism][0].replace(/at2?\b.*|\(.*/, ""));

/** A cell in the build that met; `twin` is whether the same code does harm in it under another id. */
function cellIn(id, [runtime, version], {platform, filesystem}) {
  const found = findClaim(id);
  const build = buildsOf(runtime).find(each => each.version === version && each.platform === platform && each.filesystem === filesystem);
  if (!found || !build) return null;
  const column = columnOf(found.table, build);
  const cell = lookUp(found.table, found.row, column);
  return cell && {...cell, twin: harmfulCodes(found.table, column).has(cell.code)};
}

const harmful = new Map();
function harmfulCodes(table, column) {
  const key = table.runtime + " " + column;
  if (!harmful.has(key)) {
    const cells = table.cells.map((_, row) => lookUp(table, row, column)).filter(Boolean);
    harmful.set(key, new Set(cells.filter(each => ["unsafe", "racy"].includes(data.verdicts[each.verdict])).map(each => each.code)));
  }
  return harmful.get(key);
}

function kindPage(target, kind) {
  const box = el("div", {class: "matrix"});
  target.replaceChildren(el("div", {class: "chips", role: "group", "aria-label": t("ui.view")}, unfolding()), box);
  renderMatrix(box, filterNow(kind));
}

function showPair(button, pair, n) {
  for (const other of button.closest("table").querySelectorAll("[aria-expanded=true]")) other.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-expanded", "true");
  const [first, second, verdict, overFirst, overSecond, race] = pair;
  const line = (holder, taker, at) => el("tr", {class: quality(data.cases[at][0])}, el("th", {scope: "row"}, t("ui.pair-over", {taker, holder})), el("td", {}, sentence(data.cases[at][1])), el("td", {}, sentence(data.cases[at][2])));
  byId("pair-" + n).replaceChildren(el("div", {class: "card e-" + data.verdicts[verdict]},
    el("p", {class: "verdict-line"}, badge(verdict), " ", el("code", {}, first), " × ", el("code", {}, second)),
    el("div", {class: "scroll short", role: "region", tabindex: "0", "aria-label": t("ui.cases")}, el("table", {class: "cases"}, el("thead", {}, el("tr", {}, ["ui.case", "ui.said", "ui.saw"].map(key => el("th", {scope: "col"}, t(key))))),
      el("tbody", {}, line(first, second, overFirst), line(second, first, overSecond)))),
    el("p", {}, sentence(data.races[race][1]))));
}

/** Names while they are few; the rest is counted. */
function fewNames(names) {
  if (names.length <= 4) return names.join(t("list.comma"));
  return t("list.two", {first: names.slice(0, 3).join(t("list.comma")), last: t("list.more-versions", {count: names.length - 3})});
}

function groupedPlaces(builds) {
  const groups = new Map();
  for (const build of builds) (groups.get(place(build)) || groups.set(place(build), []).get(place(build))).push(build);
  return [...groups.values()].map(group => platformName(group[0].platform) + " · " + group[0].filesystem + t("list.colon") + fewNames(newestFirst(group.map(each => each.version)))).join(t("list.semicolon"));
}

function stepsOf(series) {
  const steps = new Map();
  for (const change of series.changes) {
    const key = change[0] + " → " + change[1];
    (steps.get(key) || steps.set(key, []).get(key)).push(change);
  }
  const one = ([, newer, was, became, claims]) => el("li", {}, el("details", {class: "fold"},
    el("summary", {}, badge(was), " → ", badge(became), " ", t("ui.calls", {count: claims.length}), " ", claims[0].slice(claims[0].indexOf(":") + 1) + (claims.length > 1 ? " …" : "")),
    el("ul", {}, claims.map(id => el("li", {}, linkIn(id, series, newer))))));
  return el("ol", {class: "steps"}, [...steps.entries()].map(([key, changes]) => el("li", {},
    el("h3", {}, key, " ", el("small", {}, t("ui.between"))),
    el("ul", {class: "plain"}, changes.map(one)))));
}

function linkIn(id, series, version) {
  const build = buildsOf(series.runtime).find(each => each.version === version && each.platform === series.platform && each.filesystem === series.filesystem);
  return cellLink(id, build, id);
}

function buildTable() {
  const shown = data.verdicts.map((name, verdict) => ({name, verdict}));
  return el("div", {class: "scroll", role: "region", tabindex: "0", "aria-label": t("ui.builds")}, el("table", {class: "grid numbers"},
    el("thead", {}, el("tr", {}, el("th", {scope: "col", class: "corner"}, t("ui.build")), shown.map(each => el("th", {scope: "col"}, word(each.verdict))), el("th", {scope: "col"}, t("ui.how-sure-short")), el("th", {scope: "col"}, t("ui.controls")))),
    el("tbody", {}, data.builds.map(build => {
      const found = levels(build);
      return el("tr", {}, el("th", {scope: "row"}, build.runtime + " " + build.version, el("br"), el("small", {}, platformName(build.platform) + " · " + build.filesystem + " · " + build.os)),
        shown.map(each => el("td", {}, String(build.counts[each.name] || 0))),
        el("td", {}, t("ui.sure-short", found)),
        el("td", {}, t(build.controls["free-name-won"] && build.controls["overwrite-seen"] ? "ui.controls-hold" : "ui.controls-failed"),
          build.controls["race-caught"] === false ? " " + t("ui.controls-race-missed") : ""));
    }))));
}

/** Everything, written out again: an entry for every call in every build. */
function plainResults(limit = Infinity) {
  const found = [];
  for (const table of data.tables) for (let row = 0; row < table.claims.length; row++) for (let column = 0; column < table.builds.length; column++) {
    const cell = lookUp(table, row, column);
    if (!cell) continue;
    if (found.length >= limit) return found;
    const build = data.builds[table.builds[column]];
    const cases = {};
    const flat = data.caseSets[cell.cases];
    for (let n = 0; n < flat.length; n += 2) cases[data.occupants[flat[n]]] = data.cases[flat[n + 1]][0];
    found.push({runtime: build.runtime, version: build.version, platform: build.platform, filesystem: build.filesystem, claim: table.claims[row][0], kind: table.claims[row][1],
      code: cell.code, verdict: data.verdicts[cell.verdict], reason: data.reasons[cell.reason][0], cases, race: data.races[cell.race][0],
      mechanism: cell.mechanism < 0 ? null : data.mechanisms[cell.mechanism][0]});
  }
  return found;
}

/** Every pair of two runtimes, in the same way. */
function plainPairs() {
  return data.meetings.flatMap(({platform, filesystem, first, second, pairs}) => pairs.map(pair => ({platform, filesystem,
    first: {runtime: first[0], version: first[1], claim: pair[0]}, second: {runtime: second[0], version: second[1], claim: pair[1]},
    verdict: data.verdicts[pair[2]], "over-first": data.cases[pair[3]][0], "over-second": data.cases[pair[4]][0], race: data.races[pair[5]][0]})));
}

function csv() {
  // A cell that a spreadsheet would take for a formula is told that it is text.
  const safe = each => '"' + String(each === null ? "" : each).replace(/^[=+\-@\t\r]/, "'$&").replace(/"/g, '""') + '"';
  const names = ["runtime", "version", "platform", "filesystem", "claim", "kind", "verdict", "mechanism", "code"];
  return [names.join(","), ...plainResults().map(each => names.map(name => safe(each[name])).join(","))].join("\r\n") + "\r\n";
}

function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  el("a", {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// ---- Putting it all on the screen

/** What a page was last drawn for; it is drawn again only when that has changed. */
const drawn = {};

function update() {
  readAddress();
  document.documentElement.lang = state.lang;
  document.title = (state.page === "answer" ? t("ui.title") : t("ui.page." + state.page)) + " · claimgrid";
  for (const each of document.querySelectorAll("[data-t]")) each.textContent = t(each.dataset.t);
  for (const each of document.querySelectorAll("[data-lang]")) each.setAttribute("aria-pressed", String(each.dataset.lang === state.lang));
  for (const each of document.querySelectorAll("[data-page]")) {
    each.href = address({page: each.dataset.page, cell: "", in: "", recipe: "", promise: ""});
    if (each.dataset.page !== state.page) each.removeAttribute("aria-current");
    else if (!each.hasAttribute("aria-current")) {
      each.setAttribute("aria-current", "page");
      // Where the pages do not fit into one line; and a page is read from its beginning.
      each.parentElement.scrollLeft = each.offsetLeft - each.parentElement.offsetLeft;
      if (Object.keys(drawn).length) scrollTo(0, 0);
    }
  }
  for (const each of document.querySelectorAll("[data-for]")) each.hidden = each.dataset.for !== state.page;
  const {cell, in: where, recipe, promise, ...rest} = state;
  const shape = JSON.stringify(rest);
  if (drawn[state.page] !== shape) {
    if (state.page === "answer") {
      renderAnswer();
      renderLegend();
      renderFilters();
      const found = renderMatrix(byId("matrix"), filterNow());
      byId("count").textContent = t("ui.count", {rows: found.rows, claims: found.claims});
    } else bodies[state.page](byId("body-" + state.page));
    drawn[state.page] = shape;
  }
  renderCell();
}

for (const each of document.querySelectorAll("[data-lang]")) each.addEventListener("click", () => {
  try { localStorage.setItem("claimgrid-language", each.dataset.lang); } catch { /* then the address keeps it */ }
  go({lang: each.dataset.lang});
});
byId("where").addEventListener("submit", event => event.preventDefault());
byId("where").addEventListener("change", event => {
  const {id, value} = event.target;
  // Another runtime or place has other versions and filesystems; what it has, too, of the choice is kept.
  const next = {...state, [id]: value};
  const known = buildsOf(next.runtime).filter(each => id === "runtime" || each.platform === next.platform);
  const has = (...parts) => known.some(each => parts.every(part => each[part] === next[part]));
  if (id === "runtime") {
    go({runtime: value, rows: "", version: "", ...(has("platform", "filesystem") ? {} : {platform: "", filesystem: ""})});
  } else {
    const filesystem = id === "platform" && !has("filesystem") ? "" : next.filesystem;
    const version = id === "version" || (filesystem && has("filesystem", "version")) ? next.version : "";
    go({[id]: value, filesystem, version});
  }
});
addEventListener("hashchange", update);
document.querySelector(".skip").addEventListener("click", event => { event.preventDefault(); byId("main").focus(); });
update();
})();
