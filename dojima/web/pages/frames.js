// Frames as docs/dashboard.md has them, into the state of the page. What is not known is stepped over.

import { placesOf } from "./words.js";

export const VERSION = 2;
export const SECTION = { source: 1, instruments: 2, names: 3, market: 4, ladder: 5, queue: 6, tape: 7, auction: 8,
  history: 9, latency: 10, counters: 11, sessions: 12, pace: 13, trouble: 14, notices: 15,
  lastRejects: 16, account: 17 };
const TAPE_ROWS = 200, POINTS = 600, NOTICES = 100;

export const newState = () => ({
  source: "", hasPace: false, hasBooks: true, hasAccount: false, instruments: [], byId: new Map(), names: {}, market: new Map(), ladder: null, queue: null,
  trades: 0, tape: [], auction: null, history: null, latencies: new Map(), counters: [], rejects: [],
  sessions: new Map(), lastRejects: new Map(), account: { rows: [], points: [] }, speed: 1, isPaused: false, canJump: false, isOver: false, first: 0, last: 0, progress: -1,
  notices: [], lost: 0, snapshots: 0, time: 0, number: 0, places: new Map(),
});

/** Prices of an instrument are shown with as many decimal places as the longest one seen of it. */
function learnPlaces(state, instrument, prices) {
  let places = state.places.get(instrument) || 0;
  for (const price of prices) places = placesOf(price, places);
  state.places.set(instrument, places);
}

/** Reads in order; throws a RangeError beyond the end. Whole numbers are Numbers where that is exact, else BigInts. */
class Reader {
  constructor(view, from, end) { this.view = view; this.at = from; this.end = end; }
  take(size) {
    const at = this.at;
    if (at + size > this.end) throw new RangeError("a section is cut short");
    this.at += size;
    return at;
  }
  u8() { return this.view.getUint8(this.take(1)); }
  u16() { return this.view.getUint16(this.take(2), true); }
  u32() { return this.view.getUint32(this.take(4), true); }
  f64() { return this.view.getFloat64(this.take(8), true); }
  i64() {
    const value = this.view.getBigInt64(this.take(8), true), number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  u64() {
    const value = this.view.getBigUint64(this.take(8), true), number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  /** Times are given to the microsecond. */
  time() { return Number(this.view.getBigInt64(this.take(8), true)); }
  skip(size) { this.take(size); }
  text() {
    const size = this.u8();
    return new TextDecoder().decode(new Uint8Array(this.view.buffer, this.view.byteOffset + this.take(size), size));
  }
  get more() { return this.at < this.end; }
}

const bands = (from) => ({ staticLow: from.i64(), staticHigh: from.i64(), dynamicLow: from.i64(), dynamicHigh: from.i64() });
const cells = (from, count) => Array.from({ length: count }, () => [from.i64(), from.i64()]);
const levels = (from, count) => Array.from({ length: count }, () => {
  return { price: from.i64(), quantity: from.i64(), orders: from.u32(), own: from.u32() };
});

const readers = {
  [SECTION.source](from, state) {
    const flags = from.u8();
    state.hasPace = (flags & 1) !== 0;
    state.hasBooks = (flags & 2) === 0;
    state.hasAccount = (flags & 4) !== 0;
    state.source = from.text();
  },
  [SECTION.instruments](from, state) {
    state.instruments = Array.from({ length: from.u32() }, () => ({ id: from.u32(), reference: from.i64(),
      partition: from.u8(), decimals: from.u8(), symbol: from.text(), segment: from.text() }));
    state.byId = new Map(state.instruments.map((each) => [each.id, each]));
  },
  [SECTION.names](from, state) {
    state.names[from.u8()] = Array.from({ length: from.u16() }, () => from.text());
  },
  [SECTION.market](from, state) {
    while (from.more) {
      const row = { instrument: from.u32(), phase: from.u8(), dayPhase: from.u8(), has: from.u8() };
      from.skip(1);
      for (const key of ["bid", "bidQuantity", "ask", "askQuantity", "last", "lastQuantity", "volume", "trades"])
        row[key] = from.i64();
      state.market.set(row.instrument, row);
      learnPlaces(state, row.instrument, [row.bid, row.ask, row.last]);
    }
  },
  [SECTION.ladder](from, state) {
    const instrument = from.u32(), bids = from.u16(), asks = from.u16();
    state.ladder = { instrument, bidLevels: from.u32(), askLevels: from.u32(), bids: levels(from, bids),
      asks: levels(from, asks) };
    learnPlaces(state, instrument, [...state.ladder.bids, ...state.ladder.asks].map((level) => level.price));
  },
  [SECTION.queue](from, state) {
    const instrument = from.u32(), side = from.u8();
    from.skip(1);
    const count = from.u16(), price = from.i64(), orders = from.u32();
    from.skip(4);
    state.queue = { instrument, side, price, orders,
      shown: Array.from({ length: count }, () => {
        const order = { id: from.u64(), quantity: from.i64(), isOwn: (from.u8() & 1) !== 0 };
        from.skip(7);
        return order;
      }) };
  },
  [SECTION.tape](from, state) {
    state.trades = from.u64();
    const count = from.u32();
    from.skip(4);
    for (let at = 0; at < count; ++at) {
      state.tape.push({ number: from.u64(), time: from.time(), price: from.i64(), quantity: from.i64(),
        instrument: from.u32(), side: from.u8(), flags: from.u8() });
      from.skip(2);
      const trade = state.tape[state.tape.length - 1];
      learnPlaces(state, trade.instrument, [trade.price]);
    }
    state.tape.splice(0, Math.max(state.tape.length - TAPE_ROWS, 0));
  },
  [SECTION.auction](from, state) {
    const made = { instrument: from.u32(), call: from.u32(), imbalanceSide: from.u8(), type: from.u8() };
    const before = state.auction, count = from.u16();
    from.skip(4);
    for (const key of ["until", "price", "quantity", "imbalance", "lastPrice", "lastQuantity"]) made[key] = from.i64();
    made.bands = bands(from);
    const first = from.u64();
    const isSame = before && before.instrument === made.instrument && before.call === made.call && first !== 1;
    made.points = isSame ? before.points : [];
    for (let at = 0; at < count; ++at)
      made.points.push({ time: from.time(), price: from.i64(), quantity: from.i64(), imbalance: from.i64() });
    made.points.splice(0, Math.max(made.points.length - POINTS, 0));
    state.auction = made;
  },
  [SECTION.history](from, state) {
    const made = { instrument: from.u32(), generation: from.u32(), interval: from.time(), columns: [] };
    const first = from.u32(), count = from.u32();
    if (first !== 0 && state.history) made.columns = state.history.columns.slice(0, first);
    for (let at = 0; at < count; ++at) {
      const column = { time: from.time(), indicative: from.i64(), bands: bands(from) };
      const bids = from.u16(), asks = from.u16(), trades = from.u16();
      from.skip(2);
      column.bids = cells(from, bids);
      column.asks = cells(from, asks);
      column.trades = cells(from, trades);
      made.columns.push(column);
    }
    state.history = made;
  },
  [SECTION.latency](from, state) {
    const stage = from.u16(), rows = from.u16(), count = from.u32();
    state.latencies.set(stage, {
      rows: Array.from({ length: rows }, () => ({ number: from.u64(), time: from.time(), count: from.u64(),
        p50: from.u64(), p90: from.u64(), p99: from.u64(), p999: from.u64(), most: from.u64() })),
      cells: Array.from({ length: count }, () => [from.u64(), from.u64()]),
    });
  },
  [SECTION.counters](from, state) {
    const counters = from.u16(), reasons = from.u16();
    from.skip(4);
    state.counters = Array.from({ length: counters }, () => from.u64());
    state.rejects = Array.from({ length: reasons }, () => [from.u64(), from.u64()]);
  },
  [SECTION.sessions](from, state) {
    while (from.more) {
      const session = { logons: from.u64(), openOrders: from.u64(), nextOut: from.u64(), sessionBegin: from.u64(),
        nextIn: from.u64(), lag: from.u64(), rejects: from.u64() };
      state.sessions.set(from.u16(), session);
      session.isUp = from.u8() === 1;
      session.isLocked = from.u8() !== 0;
      session.isKilled = from.u8() !== 0;
      session.kind = from.u8();
      session.lastReject = from.u8();
      from.skip(1);
    }
  },
  [SECTION.lastRejects](from, state) {
    state.lastRejects = new Map();
    while (from.more) state.lastRejects.set(from.u16(), from.text());
  },
  [SECTION.account](from, state) {
    const count = from.u32(), first = from.u32(), points = from.u32();
    from.skip(4);
    state.account.rows = Array.from({ length: count }, () => ({ instrument: from.u32(), openOrders: from.u32(),
      position: from.i64(), fills: from.u64(), orders: from.u64(), equity: from.f64(), cash: from.f64(), fees: from.f64() }));
    state.account.points.splice(first);
    for (let at = 0; at < points; ++at) state.account.points.push({ time: from.time(), equity: from.f64() });
  },
  [SECTION.pace](from, state) {
    state.speed = from.f64();
    state.isPaused = from.u8() !== 0;
    const flags = from.u8();
    state.canJump = (flags & 1) !== 0;
    state.isOver = (flags & 2) !== 0;
    from.skip(6);
    state.first = from.time();
    state.last = from.time();
    state.progress = from.f64();
  },
  [SECTION.trouble](from, state) {
    state.lost = from.u64();
    state.snapshots = from.u64();
  },
  [SECTION.notices](from, state) {
    from.u64();
    const count = from.u32();
    from.skip(4);
    for (let at = 0; at < count; ++at) state.notices.push({ number: from.u64(), time: from.time(), text: from.text() });
    state.notices.splice(0, Math.max(state.notices.length - NOTICES, 0));
  },
};

/** The state after a frame, and which sections it had. Throws an Error with words for a person. */
export function applyFrame(buffer, before) {
  const view = new DataView(buffer);
  if (buffer.byteLength < 24 || view.getUint8(0) !== 0x44 || view.getUint8(1) !== 0x4a)
    throw new Error("these bytes are no frame");
  if (view.getUint8(2) !== VERSION)
    throw new Error(`frames of version ${view.getUint8(2)}, and this page knows ${VERSION}: load it again`);
  if (view.getUint32(16, true) !== buffer.byteLength) throw new Error("a frame that is not as long as it says");
  const state = (view.getUint8(3) & 1) !== 0 ? newState() : before;
  state.number = view.getUint32(4, true);
  state.time = Number(view.getBigInt64(8, true));
  const changed = new Set();
  for (let at = 24; at < buffer.byteLength;) {
    const type = view.getUint16(at, true), size = view.getUint32(at + 4, true);
    if (at + 8 + size > buffer.byteLength) throw new Error("a section that ends beyond its frame");
    if (readers[type]) readers[type](new Reader(view, at + 8, at + 8 + size), state);
    changed.add(type);
    at += 8 + size;
  }
  return { state, changed };
}
