// The page's own modules without a browser: what they make of texts and of damaged frames, and what they make of the frames of a
// replay, whose time is paused, stepped and sent elsewhere, held against what `dojima replay` says of the same file.
//
//   node tests/dashboard/page.mjs --program build/release/bin/dojima
//
// Exit status: 0 all of it holds, 1 something does not, 2 wrong arguments.

import { spawn, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyFrame, newState, VERSION } from "../../dojima/web/pages/frames.js";
import { bandText, momentOf, phaseText, placesOf, priceText, quantityText, REASONS, timeText } from "../../dojima/web/pages/words.js";
import { Auction, timeRange, timeSpace, timeTicks } from "../../dojima/web/pages/charts.js";

const at = process.argv.indexOf("--program");
if (at < 0 || !process.argv[at + 1]) {
  console.error("say --program FILE");
  process.exit(2);
}
const program = process.argv[at + 1];
const WAIT_MS = 20000;
const problems = [];

function check(is, what) {
  if (is) return;
  console.log(`not so: ${what}`);
  problems.push(what);
}
const same = (got, wanted, what) =>
  check(JSON.stringify(got) === JSON.stringify(wanted), `${what}: ${JSON.stringify(got)} is ${JSON.stringify(wanted)}`);

// ---- Texts

function texts() {
  same([priceText(12345000000), priceText(0), priceText(-50000000), priceText(100000000n)], ["123.45", "0", "-0.5", "1"], "prices");
  same([priceText(12345000000, 2), priceText(9980000000, 2), priceText(0, 2), priceText(12345678900, 2), priceText(-50000000n, 3)],
    ["123.45", "99.80", "0.00", "123.456789", "-0.500"], "prices below each other");
  same([placesOf(12345000000), placesOf(10000000000), placesOf(9980000000, 2), placesOf(1n), placesOf(-9981000000), placesOf(12345678900, 3)],
    [2, 0, 2, 8, 2, 6], "decimal places of prices");
  same([quantityText(1234567), quantityText(1234567, 3), quantityText(5n)], ["1,234,567", "1,234.567", "5"], "quantities");
  same([bandText(0, 0), bandText(9500000000, 10500000000)], ["–", "95 to 105"], "bands");
  same(timeText(1600000000123456789), "12:26:40.123", "a time");
  const day = 1599955200000000000n, now = 1600000000123456789;
  same(momentOf("10:30", now), String(day + 37800000000000n), "hours and minutes");
  same(momentOf(" 1:02:03.5 ", now), String(day + 3723500000000n), "half a second");
  same(momentOf("23:59:59.123456789", now), String(day + 86399123456789n), "nanoseconds");
  for (const wrong of ["", "10", "24:00", "10:60", "10:30:60", "10:30:00.", "ten", "10:30:00.1234567890", "-1:00"])
    same(momentOf(wrong, now), null, `"${wrong}" is no time of day`);
  same(phaseText({ phase: 1, dayPhase: 0 }), "opening call", "a phase");
  same(phaseText({ phase: 0, dayPhase: 4 }), "regular trading", "a phase of the day");
  same(REASONS.length, 41, "every reason has its words");
  same(REASONS[40], "by operator", "the last reason");
  same(Auction.curves({ bids: [{ price: 3e8, quantity: 5 }, { price: 1e8, quantity: 2 }], asks: [{ price: 2e8, quantity: 4 }] }),
    [[1, 2, 3], [7, 5, 5], [0, 4, 4]], "curves of demand and supply");
}

// ---- Axes

/** For a chart of any width and any stretch of time: the texts of neighbours differ, and none reaches into the next one. */
function axes() {
  const DIGIT_PX = 7.3, BETWEEN_PX = 8, FROM = 1600000000.123;
  const steps = [];
  for (let step = 0.001; step < 40000; step *= 10) steps.push(step, 2 * step, 2.5 * step, 5 * step);
  for (const pixels of [200, 330, 560, 1100]) {
    for (const seconds of [0, 0.05, 0.3, 0.9, 1.1, 3, 5.5, 9, 30, 200, 4000, 30000]) {
      const [least, most] = timeRange(FROM, FROM + seconds);
      check(least <= FROM && most >= FROM + seconds && most - least >= 1, `${seconds} s have some time around them`);
      const space = timeSpace(least, most, pixels);
      // As uPlot chooses: the first step that has the space.
      const step = steps.find((each) => each / (most - least) * pixels >= space);
      const ticks = [];
      for (let tick = Math.ceil(least / step); tick * step <= most; ++tick) ticks.push(tick * step);
      const texts = timeTicks(ticks, step);
      same(new Set(texts).size, texts.length, `texts of ${seconds} s on ${pixels} pixels, ${texts}`);
      check(texts.every((text) => text.length * DIGIT_PX + BETWEEN_PX <= step / (most - least) * pixels), `${texts} have their places, ${step} s on ${pixels} pixels`);
    }
  }
  same(timeRange(null, null), [null, null], "no times");
  same(timeTicks([1600000000, 1600000000.5], 0.5), ["12:26:40.0", "12:26:40.5"], "half a second");
  same(timeTicks([1600000000, 1600000000.25], 0.25), ["12:26:40.000", "12:26:40.250"], "a quarter");
  same(timeTicks([1600000000, 1600000060], 60), ["12:26:40", "12:27:40"], "a minute");
}

// ---- Frames that are damaged

function refused(bytes, words) {
  try {
    applyFrame(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), newState());
    check(false, `refused: ${words}`);
  } catch (error) {
    check(String(error.message).includes(words), `"${error.message}" says ${words}`);
  }
}

function damaged(frame) {
  refused(Buffer.from("hello"), "no frame");
  const other = Buffer.from(frame);
  other[2] = 1;
  refused(other, "frames of version 1");
  for (const size of [24, 25, 31, frame.length - 1]) refused(frame.subarray(0, size), "");
  const short = Buffer.from(frame);
  short.writeUInt32LE(0xffffff, 28);
  refused(short, "beyond its frame");
}

// ---- A WebSocket by hand

class Page {
  constructor(url) {
    const { port, hash } = new URL(url);
    this.token = new URLSearchParams(hash.slice(1)).get("token");
    this.state = newState();
    this.bytes = Buffer.alloc(0);
    this.isOpen = false;
    this.snapshots = 0;
    this.first = null;
    this.socket = connect(Number(port), "127.0.0.1");
    const key = randomBytes(16).toString("base64");
    this.accept = createHash("sha1").update(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest("base64");
    this.socket.write(`GET /live HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: dojima.v${VERSION}\r\n\r\n`);
    this.socket.on("data", (data) => this.take(data));
    this.socket.on("error", () => {});
  }
  take(data) {
    this.bytes = Buffer.concat([this.bytes, data]);
    if (!this.isOpen) {
      const end = this.bytes.indexOf("\r\n\r\n");
      if (end < 0) return;
      const head = this.bytes.subarray(0, end).toString();
      check(head.startsWith("HTTP/1.1 101") && head.includes(this.accept), `the WebSocket opens: ${head}`);
      this.isOpen = true;
      this.bytes = this.bytes.subarray(end + 4);
    }
    for (;;) {
      if (this.bytes.length < 2) return;
      let size = this.bytes[1] & 127, from = 2;
      if (size === 126) { if (this.bytes.length < 4) return; size = this.bytes.readUInt16BE(2); from = 4; }
      else if (size === 127) { if (this.bytes.length < 10) return; size = Number(this.bytes.readBigUInt64BE(2)); from = 10; }
      if (this.bytes.length < from + size) return;
      const kind = this.bytes[0] & 15, body = Buffer.from(this.bytes.subarray(from, from + size));
      this.bytes = this.bytes.subarray(from + size);
      if (kind === 2) this.frame(body);
      if (kind === 8) this.closed = body.subarray(2).toString();
    }
  }
  frame(body) {
    this.first ??= body;
    if (body[3] & 1) ++this.snapshots;
    this.state = applyFrame(body.buffer.slice(body.byteOffset, body.byteOffset + body.length), this.state).state;
  }
  send(words) {
    const text = Buffer.from(words), mask = randomBytes(4);
    check(text.length < 126, "words are short");
    this.socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length]), mask, text.map((byte, place) => byte ^ mask[place % 4])]));
  }
  pace(words) { this.send(`pace ${this.token} ${words}`); }
  async until(is, what) {
    for (const end = Date.now() + WAIT_MS; Date.now() < end;) {
      if (is(this.state)) return;
      await new Promise((done) => setTimeout(done, 10));
    }
    check(false, `${what}, before ${WAIT_MS / 1000} s are over${this.closed ? `; it was closed: ${this.closed}` : ""}`);
  }
}

// ---- A replay

const run = (...words) => spawnSync(program, words, { encoding: "utf8" });

async function replay(folder) {
  const file = join(folder, "day.events");
  const made = run("gen", "--requests", "4000", "--rate", "400", "--seed", "3", "--out", file);
  check(made.status === 0, `a day is made: ${made.stderr}`);
  const replayed = JSON.parse(run("replay", file, "--json").stdout);
  const books = replayed.tables.find((table) => table.name === "books").rows;

  const process_ = spawn(program, ["replay", file, "--speed", "10", "--no-progress", "--dashboard", "127.0.0.1:0"]);
  let out = "", trouble = "";
  process_.stderr.on("data", (text) => { trouble += text; });
  const ended = new Promise((done) => process_.on("exit", done));
  const url = await new Promise((done) => {
    process_.stdout.on("data", (text) => {
      out += text;
      const found = /dashboard (http:\S+)/.exec(out);
      if (found) done(found[1]);
    });
    process_.on("exit", () => done(null));
  });
  check(url !== null, `the address is printed: ${out} ${trouble}`);
  if (url === null) return;
  const page = new Page(url);
  await page.until((state) => state.instruments.length > 0 && state.ladder && state.ladder.bids.length > 0 && state.trades > 5, "books and trades come");
  same(page.state.source, "day.events", "the source has its name");
  const places = page.state.places.get(page.state.ladder.instrument);
  check([...page.state.ladder.bids, ...page.state.ladder.asks].every((level) => placesOf(level.price) <= places), "prices of a ladder have the same places");
  check(page.state.hasPace && page.state.hasBooks, "time can be moved, and there are books");
  await page.until((state) => state.canJump, "time can be sent elsewhere");
  damaged(page.first);
  page.pace("pause");
  await page.until((state) => state.isPaused, "time is paused");
  const paused = page.state.time;
  page.pace("step");
  await page.until((state) => state.time > paused, "time makes a step");
  const stepped = page.state.time, first = page.state.first, goal = BigInt(Math.round(first)) + 2000000000n;
  page.pace(`jump ${goal}`);
  await page.until((state) => Math.abs(state.time - Number(goal)) < 50e6, "time is two seconds behind the first event");
  const snapshots = page.snapshots;
  check(stepped < Number(goal) || snapshots > 1, "time that goes back begins with a snapshot");
  page.pace(`jump ${BigInt(Math.round(first)) + 500000000n}`);
  await page.until((state) => state.time < Number(goal) - 1e9, "time goes back");
  check(page.snapshots > snapshots, "with a snapshot");
  same(page.state.tape.length, 0, "the tape begins anew");
  check(page.state.isPaused, "and is still paused");
  page.pace("speed 10000");
  page.pace("resume");
  await page.until((state) => state.isOver, "the file is over");
  // What the page has at the end is what a replay without it says.
  for (const row of books) {
    const of = page.state.instruments.find((each) => each.symbol === row.symbol);
    check(of !== undefined, `there is ${row.symbol}`);
    if (!of) continue;
    await page.until((state) => state.market.has(of.id), `${row.symbol} is in the market`);
    const seen = page.state.market.get(of.id);
    same([seen.has & 1 ? Number(priceText(seen.bid)) : null, seen.has & 2 ? Number(priceText(seen.ask)) : null],
      [row.bid ? Number(row.bid) : null, row.ask ? Number(row.ask) : null], `best prices of ${row.symbol}`);
    if (row.last_trade) same(Number(priceText(seen.last)), Number(row.last_trade), `the last trade of ${row.symbol}`);
  }
  const last = Number(page.state.last);
  page.pace("pause");
  page.pace(`jump ${goal}`);
  await page.until((state) => !state.isOver && state.time < last - 1e9, "from the end it goes back");
  // Without the token nothing moves.
  const stranger = new Page(url);
  await stranger.until((state) => state.instruments.length > 0, "another page sees the same");
  stranger.send(`pace ${"0".repeat(32)} pause`);
  await stranger.until(() => stranger.closed !== undefined, "whoever has no token is closed");
  check((stranger.closed || "").includes("token"), `and the reason is sent: ${stranger.closed}`);
  process_.kill("SIGINT");
  same(await ended, 0, `Ctrl-C ends it with its result; ${trouble}`);
  check(out.includes("events"), "and prints it");
  page.socket.destroy();
  stranger.socket.destroy();
}

texts();
axes();
const folder = mkdtempSync(join(tmpdir(), "dojima-page-"));
try {
  await replay(folder);
} finally {
  rmSync(folder, { recursive: true });
}
console.log(problems.length ? `${problems.length} problems` : "the page's modules do what they should");
process.exit(problems.length ? 1 : 0);
