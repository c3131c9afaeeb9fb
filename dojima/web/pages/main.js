// The page: a connection that repairs itself, six screens, and what the keys do.

import { applyFrame, newState, SECTION, VERSION } from "./frames.js";
import { Heat } from "./heat.js";
import { Ladder } from "./ladder.js";
import { Account, Auction, Latency } from "./charts.js";
import { Market, Sessions, Tape } from "./tables.js";
import { momentOf, phaseText, priceText, timeText } from "./words.js";

const byId = (id) => document.getElementById(id);
// Phases and counters are always sent: rates are made of what came before, too.
const bits = (...sections) => [SECTION.market, SECTION.counters, ...sections].reduce((sum, section) => sum + 2 ** section, 0);
const S = SECTION;
const VIEWS = [
  { id: "book", name: "Book", ofBooks: true, sections: bits(S.ladder, S.queue, S.tape, S.history) },
  { id: "market", name: "Market", ofBooks: true, sections: bits() },
  { id: "auction", name: "Auction", ofBooks: true, sections: bits(S.auction, S.ladder) },
  { id: "latency", name: "Latency", sections: bits(S.latency) },
  { id: "sessions", name: "Sessions", sections: bits(S.sessions, S.notices) },
  { id: "account", name: "Account", ofAccount: true, sections: bits(S.account, S.notices) },
];

const page = { state: newState(), view: VIEWS[0], instrument: 0, own: "", isUp: false, frames: 0, gaps: [], trouble: "" };
window.dojima = page;  // for whoever looks at it from the browser's console, and for tests

// The token is behind '#', which is sent nowhere; it goes out of the address line at once.
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) sessionStorage.setItem("token", given);
const token = sessionStorage.getItem("token") || "";

// ---- The connection

const OTHER_VERSION = 1002;  // the code with which a server closes a page that speaks another version than itself
let socket = null, wait = 250;

function send(words) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(words);
}

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`, `dojima.v${VERSION}`);
  socket.binaryType = "arraybuffer";
  socket.addEventListener("open", () => {
    send(`show ${page.view.sections}`);
    if (page.instrument) send(`watch ${page.instrument}`);
    if (page.own !== "") send(`own ${page.own}`);
    if (ladder.isOpen) ladder.close();
  });
  socket.addEventListener("message", (event) => {
    try {
      const { state, changed } = applyFrame(event.data, page.state);
      page.state = state;
      onFrame(changed);
    } catch (error) {
      page.trouble = String(error.message);
      socket.close();
    }
  });
  socket.addEventListener("close", (event) => {
    const wasUp = page.isUp;
    page.isUp = false;
    if (event.reason) page.trouble = event.reason;
    const isOther = event.code === OTHER_VERSION;
    status(isOther ? "page of another program: load it again" : wasUp || page.frames ? "connection lost; trying again" : "no connection; trying again", "down");
    requestDraw();
    setTimeout(connect, wait);
    wait = Math.min(wait * 2, 4000);
  });
}

/** Time moves no more, and nobody can send it back. */
const isEnded = (state) => state.isOver && !state.canJump;

function status(text, state) {
  const box = byId("link");
  if (box.textContent !== text) box.textContent = text;
  box.dataset.state = state;
}

function onFrame(changed) {
  if (!page.isUp) {
    page.isUp = true;
    page.trouble = "";
    wait = 250;
  }
  ++page.frames;
  status(isEnded(page.state) ? "connected; the run is over" : "connected", "up");
  if (changed.has(S.source)) onSource();
  if (changed.has(S.instruments)) onInstruments();
  if (changed.has(S.names) || changed.has(S.sessions)) onNames();
  if (changed.has(S.counters)) latency.note(page.state);
  for (const [section, screens] of [[S.ladder, [ladder, auction]], [S.queue, [ladder]], [S.market, [ladder, market, auction]],
    [S.tape, [tape]], [S.history, [heat]], [S.auction, [auction]], [S.latency, [latency]], [S.counters, [latency]],
    [S.sessions, [sessions]], [S.lastRejects, [sessions]], [S.notices, [sessions, account]], [S.account, [account]], [S.pace, [pace]], [S.source, [pace]]])
    if (changed.has(section)) for (const screen of screens) screen.isDirty = true;
  auction.isDirty = true;  // what is left of a call changes with time
  requestDraw();
}

// ---- What is chosen

/** A gateway has no books, and only a back-test has an account: their screens are not offered elsewhere. */
const isOffered = (view) => (!view.ofBooks || page.state.hasBooks) && (!view.ofAccount || page.state.hasAccount);
function onSource() {
  byId("source").textContent = page.state.source;
  for (const view of VIEWS) byId(`to-${view.id}`).parentElement.hidden = !isOffered(view);
  byId("choice").hidden = !page.state.hasBooks;
  if (!isOffered(page.view)) show(page.state.hasBooks ? VIEWS[0] : VIEWS[4]);
}

/** Whose orders can be marked: users of a venue, and the strategy of a back-test, whose are from the start. */
const USER = 0, STRATEGY = 6;
function onNames() {
  const { state } = page, box = byId("own"), names = state.names[3] || [];
  const kindOf = (at) => (state.sessions.get(at) || { kind: USER }).kind;
  const users = names.map((name, at) => [name, at]).filter(([, at]) => [USER, STRATEGY].includes(kindOf(at)));
  byId("own").hidden = byId("own-label").hidden = !state.hasBooks || users.length === 0;
  if (box.options.length === users.length + 1 && users.every(([name], at) => box.options[at + 1].text === name)) return;
  box.replaceChildren(new Option("nobody", ""), ...users.map(([name, at]) => new Option(name, at)));
  if (page.own !== "" && !users.some(([, at]) => String(at) === page.own)) page.own = "";
  if (page.own === "" && state.hasAccount && users.length > 0) mark(String(users[0][1]));
  box.value = page.own;
}

function mark(own) {
  page.own = own;
  send(`own ${own === "" ? "off" : own}`);
}

function onInstruments() {
  const { state } = page, box = byId("instrument");
  box.replaceChildren(...state.instruments.map((each) => new Option(each.symbol, each.id)));
  if (!state.byId.has(page.instrument)) page.instrument = state.instruments.length ? state.instruments[0].id : 0;
  box.value = String(page.instrument);
}

function watch(id, isBook) {
  if (!page.state.byId.has(id)) return;
  page.instrument = id;
  byId("instrument").value = String(id);
  ladder.close();
  heat.back = 0;
  page.state.history = page.state.ladder = page.state.auction = null;
  send(`watch ${id}`);
  for (const screen of SCREENS) screen.isDirty = true;
  if (isBook) show(VIEWS[0]);
  requestDraw();
}

function show(view) {
  page.view = view;
  for (const each of VIEWS) {
    byId(`view-${each.id}`).hidden = each !== view;
    const link = byId(`to-${each.id}`);
    if (each === view) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  document.title = `${view.name} – Dojima`;
  if (location.hash !== `#${view.id}`) history.replaceState(null, "", `#${view.id}`);
  send(`show ${view.sections}`);
  for (const screen of SCREENS) screen.isDirty = true;
  requestDraw();
}

// ---- Time

const pace = {
  draw(state) {
    this.isDirty = false;
    byId("pace").hidden = !state.hasPace;
    if (!state.hasPace) return;
    const text = (isEnded(state) ? "over" : state.isOver ? "at the end" : state.isPaused ? "paused" : "running") + `, ${state.speed} times the clock` + (token ? "" : " (the token is missing: open the address that was printed)");
    if (byId("pace-now").textContent !== text) byId("pace-now").textContent = text;
    for (const box of document.querySelectorAll("[data-pace], #jump-box input, #jump-box button")) box.disabled = !token || isEnded(state);
    byId("jump-box").hidden = !state.canJump;
    byId("progress-box").hidden = !(state.progress >= 0);
    if (state.progress >= 0) byId("progress").value = state.progress;
    const range = state.first ? `from ${timeText(state.first).slice(0, 8)}` : "";
    if (byId("range").textContent !== range) byId("range").textContent = range;
  },
  jump(text) {
    const moment = momentOf(text, page.state.time);
    byId("jump-note").textContent = moment === null ? "write a time of day such as 10:30:00" : "";
    if (moment !== null) send(`pace ${token} jump ${moment}`);
  },
  move(what) {
    const speeds = { slower: page.state.speed / 2, faster: page.state.speed * 2 };
    const words = speeds[what] ? `speed ${Math.min(10000, Math.max(0.1, speeds[what]))}` : what;
    send(`pace ${token} ${words}`);
  },
};

// ---- Drawing: once for each picture of the screen, and of what has changed only

const ladder = new Ladder(send), heat = new Heat(), tape = new Tape(), sessions = new Sessions();
const market = new Market((id) => watch(id, true)), auction = new Auction(), latency = new Latency(), account = new Account();
const SCREENS = [ladder, heat, tape, market, auction, latency, sessions, account, pace];
const OF_VIEW = { book: [ladder, heat, tape], market: [market], auction: [auction], latency: [latency], sessions: [sessions], account: [account] };

let isAsked = false;
function requestDraw() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(draw);
}

const still = matchMedia("(prefers-reduced-motion: reduce)");
let drawnAt = 0;

function draw(now) {
  isAsked = false;
  // Whoever wants little motion sees a picture a second.
  if (still.matches && now - drawnAt < 1000) {
    setTimeout(requestDraw, 1000 - (now - drawnAt));
    return;
  }
  if (drawnAt) {
    page.gaps.push(now - drawnAt);
    if (page.gaps.length > 1000) page.gaps.shift();
  }
  drawnAt = now;
  const { state } = page, row = state.market.get(page.instrument), price = (units) => priceText(units, state.places.get(page.instrument));
  byId("time").textContent = timeText(state.time);
  byId("phase").textContent = phaseText(row);
  byId("top").textContent = row ? `${row.has & 1 ? price(row.bid) : "–"} / ${row.has & 2 ? price(row.ask) : "–"}${row.has & 4 ? `, last ${price(row.last)}` : ""}` : "";
  const lost = state.lost ? `The screens lost count ${state.lost} times and were made anew from a snapshot.` : "";
  const trouble = page.trouble || lost;
  byId("trouble").hidden = !trouble;
  if (byId("trouble").textContent !== trouble) byId("trouble").textContent = trouble;
  for (const screen of [...OF_VIEW[page.view.id], pace]) if (screen.isDirty) screen.draw(state, page.instrument);
  page.drawn = (page.drawn || 0) + 1;
  if (page.frames) page.firstData ??= performance.now();
}

// ---- Buttons and keys

byId("views").append(...VIEWS.map((view) => {
  const item = document.createElement("li"), link = document.createElement("a");
  link.id = `to-${view.id}`;
  link.href = `#${view.id}`;
  link.textContent = view.name;
  item.append(link);
  return item;
}));
const viewOfHash = () => VIEWS.find((view) => `#${view.id}` === location.hash);
addEventListener("hashchange", () => { if (viewOfHash()) show(viewOfHash()); });
byId("instrument").addEventListener("change", (event) => watch(Number(event.target.value)));
byId("choice").addEventListener("submit", (event) => event.preventDefault());
byId("own").addEventListener("change", (event) => mark(event.target.value));
byId("pace").addEventListener("submit", (event) => {
  event.preventDefault();
  pace.jump(byId("jump").value);
});
byId("pace").addEventListener("click", (event) => { if (event.target.dataset.pace) pace.move(event.target.dataset.pace); });
addEventListener("resize", () => { for (const screen of SCREENS) screen.isDirty = true; requestDraw(); });
for (const box of document.querySelectorAll("details, input, select"))
  box.addEventListener(box.tagName === "DETAILS" ? "toggle" : "input", () => { for (const screen of SCREENS) screen.isDirty = true; requestDraw(); });
for (const id of ["ladder", "heat"])
  for (const kind of ["keydown", "click", "pointermove", "wheel"]) byId(id).addEventListener(kind, requestDraw);
for (const id of ["market-head", "market-before", "market-after"]) byId(id).addEventListener("click", requestDraw);

const THEMES = ["system", "light", "dark"];
function theme(name) {
  if (name === "system") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = name;
  byId("theme").textContent = `Theme: ${name}`;
  localStorage.setItem("theme", name);
  for (const screen of SCREENS) screen.isDirty = true;
  requestDraw();
}
byId("theme").addEventListener("click", () => theme(THEMES[(THEMES.indexOf(localStorage.getItem("theme") || "system") + 1) % 3]));
theme(THEMES.includes(localStorage.getItem("theme")) ? localStorage.getItem("theme") : "system");

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input:not([type=checkbox]), select")) return;
  const step = { "[": -1, "]": 1 }[event.key], view = VIEWS[Number(event.key) - 1];
  const { state } = page;
  const moves = { p: state.isPaused ? "resume" : "pause", s: "step", ",": "slower", ".": "faster" };
  const canMove = state.hasPace && token !== "";
  if (view && isOffered(view)) {
    show(view);
  } else if (canMove && moves[event.key]) {
    pace.move(moves[event.key]);
  } else if (canMove && state.canJump && event.key === "j") {
    byId("jump").focus();
  } else if (step) {
    const all = page.state.instruments, at = all.findIndex((each) => each.id === page.instrument);
    if (all.length) watch(all[(at + step + all.length) % all.length].id);
  } else if (event.key === "/" && state.hasBooks) {
    show(VIEWS[1]);
    byId("filter").focus();
  } else {
    return;
  }
  event.preventDefault();
});

show(viewOfHash() || VIEWS[0]);
connect();
