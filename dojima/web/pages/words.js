// Numbers and names as people read them.

export const PHASES = ["continuous", "opening call", "intraday call", "re-opening call", "closing call",
  "closing price cross", "halted", "closed"];
export const DAY_PHASES = ["", "start of day", "opening call", "opening call, extended", "regular trading",
  "intraday call", "intraday call, extended", "volatility halt", "re-opening call", "re-opening call, extended",
  "closing call", "closing call, extended", "closing price cross", "post close", "end of day", "halted"];
export const REASONS = ["none", "unknown instrument", "unknown order", "unknown user", "not the owner", "not supported",
  "price not on a tick", "price out of range", "quantity out of range", "another side", "nothing changed",
  "quantity already executed", "order table full", "levels full", "too many orders", "market without a price",
  "book closed", "time in force", "by owner", "session ended", "display not allowed", "no price", "linked order",
  "expiry passed", "self trade", "passive only", "linked order executed", "time expired", "wrong phase", "killed",
  "not permitted", "rate exceeded", "price collar", "value out of range", "open value", "position limit", "duplicate order",
  "repeated executions", "limits full", "protection", "by operator"];
export const isCall = (phase) => phase >= 1 && phase <= 4;

const SCALE = 100000000n;

/** How many decimal places a price in units of 1e-8 needs, if not fewer than `known`. */
export function placesOf(units, known = 0) {
  let places = known;
  for (let value = BigInt(units) * 10n ** BigInt(places) % SCALE; value !== 0n; value = value * 10n % SCALE) ++places;
  return places;
}

/** The shortest exact text of a price in units of 1e-8 that has at least `places` decimal places. */
export function priceText(units, places = 0) {
  let value = BigInt(units);
  const sign = value < 0n ? "-" : "";
  if (value < 0n) value = -value;
  const whole = (value / SCALE).toString();
  const part = (value % SCALE).toString().padStart(8, "0").replace(/0+$/, "").padEnd(places, "0");
  return sign + whole + (part ? "." + part : "");
}
export const bandText = (low, high, places = 0) => (high ? `${priceText(low, places)} to ${priceText(high, places)}` : "–");
/** A quantity in units of 10^-decimals. */
export const quantityText = (value, decimals = 0) =>
  (Number(value) / 10 ** decimals).toLocaleString("en", { maximumFractionDigits: decimals });
/** Money of the instruments' currency. */
export const moneyText = (value) => value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 4 });
export const microseconds = (ns) => (ns / 1000).toLocaleString("en", { maximumFractionDigits: ns < 100000 ? 2 : 0 });

/** Nanoseconds of UTC as time of day with milliseconds. */
export function timeText(ns) {
  if (!ns) return "–";
  return new Date(Number(ns) / 1e6).toISOString().slice(11, 23);
}

const DAY_NS = 86400000000000n;

/** "10:30", "10:30:05.25" on the UTC day of a time, as nanoseconds in a text; null: it is no time of day. */
export function momentOf(text, timeNs) {
  const found = /^\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*$/.exec(text);
  if (!found) return null;
  const [hours, minutes, seconds] = [found[1], found[2], found[3] || "0"].map(Number);
  if (hours > 23 || minutes > 59 || seconds > 59) return null;
  const day = BigInt(Math.floor(Number(timeNs) / Number(DAY_NS))) * DAY_NS;
  return String(day + BigInt(hours * 3600 + minutes * 60 + seconds) * 1000000000n + BigInt((found[4] || "").padEnd(9, "0")));
}

/** The phase of a row, by its day where it has one. */
export const phaseText = (row) => (row ? DAY_PHASES[row.dayPhase] || PHASES[row.phase] || "?" : "");

/** Sets the rows of a table's body: cells are texts, or [text, class]. Only what differs is touched. */
export function setRows(body, rows) {
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((cells, at) => {
    const row = body.rows[at] || body.insertRow();
    while (row.cells.length > cells.length) row.deleteCell(-1);
    cells.forEach((cell, place) => {
      const box = row.cells[place] || row.insertCell();
      const [text, name] = Array.isArray(cell) ? cell : [cell, ""];
      if (text instanceof Node) {
        if (box.firstChild !== text) box.replaceChildren(text);
      } else if (box.textContent !== String(text)) {
        box.textContent = text;
      }
      if (box.className !== name) box.className = name;
    });
  });
}

/** Sets the headings of a table's columns: texts, or [text, class]. */
export function setHeads(row, heads) {
  const texts = heads.map((head) => [head].flat());
  if (row.cells.length === texts.length && texts.every(([text], at) => row.cells[at].textContent === text)) return;
  row.replaceChildren(...texts.map(([text, name]) => {
    const box = document.createElement("th");
    box.scope = "col";
    box.className = name || "";
    box.textContent = text;
    return box;
  }));
}

let styles = null;
export const color = (name) => (styles ??= getComputedStyle(document.documentElement)).getPropertyValue("--" + name).trim();

/** A canvas's context in CSS pixels, as sharp as the screen. */
export function surface(canvas) {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}
