// The tape, the market and the sessions: tables, which need no picture.

import { phaseText, priceText, quantityText, REASONS, setHeads, setRows, timeText } from "./words.js";

const BY = ["–", "buyer", "seller"];
const HEADS = ["Time", "Symbol", ["Price", "n"], ["Quantity", "n"], "By"];

export class Tape {
  constructor() {
    this.all = document.getElementById("tape-all");
    this.all.addEventListener("change", () => { this.isDirty = true; });
  }
  draw(state, instrument) {
    this.isDirty = false;
    document.getElementById("trades").textContent = `${quantityText(state.trades)} trades`;
    // Of one instrument its name says nothing, and takes the place of the rest.
    const isOfAll = this.all.checked, columns = (cells) => cells.filter((_, at) => isOfAll || at !== 1);
    setHeads(document.getElementById("tape-head"), columns(HEADS));
    const rows = [];
    for (let at = state.tape.length - 1; at >= 0 && rows.length < 40; --at) {
      const trade = state.tape[at];
      if (!isOfAll && trade.instrument !== instrument) continue;
      const of = state.byId.get(trade.instrument);
      rows.push(columns([timeText(trade.time), of ? of.symbol : trade.instrument, [priceText(trade.price, state.places.get(trade.instrument)), "n"],
        [quantityText(trade.quantity, of ? of.decimals : 0), "n"], [(trade.flags & 2) ? "taken back" : (trade.flags & 4) ? "corrected" : (trade.flags & 1) ? "auction" : BY[trade.side], ["", "bid", "ask"][trade.side]]]));
    }
    setRows(document.getElementById("tape-rows"), rows);
  }
}

const COLUMNS = [["Symbol", (e) => e.symbol], ["Segment", (e) => e.segment], ["Phase", (e, r) => phaseText(r)],
  ["Bid qty", (e, r) => r.has & 1 ? Number(r.bidQuantity) : null], ["Bid", (e, r) => r.has & 1 ? Number(r.bid) : null],
  ["Ask", (e, r) => r.has & 2 ? Number(r.ask) : null], ["Ask qty", (e, r) => r.has & 2 ? Number(r.askQuantity) : null],
  ["Last", (e, r) => r.has & 4 ? Number(r.last) : null], ["Volume", (e, r) => Number(r.volume)],
  ["Trades", (e, r) => Number(r.trades)]];
const PAGE = 100;

export class Market {
  constructor(watch) {
    this.watch = watch;
    this.sort = 0;
    this.direction = 1;
    this.page = 0;
    this.filter = document.getElementById("filter");
    document.getElementById("market-form").addEventListener("submit", (event) => event.preventDefault());
    this.filter.addEventListener("input", () => { this.page = 0; this.isDirty = true; });
    const head = document.getElementById("market-head");
    this.heads = COLUMNS.map(([name], at) => {
      const box = document.createElement("th");
      box.scope = "col";
      if (at >= 3) box.className = "n";
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", () => {
        this.direction = this.sort === at ? -this.direction : at >= 3 ? -1 : 1;
        this.sort = at;
        this.page = 0;
        this.isDirty = true;
      });
      box.append(button);
      head.append(box);
      return box;
    });
    document.getElementById("market-before").addEventListener("click", () => this.turn(-1));
    document.getElementById("market-after").addEventListener("click", () => this.turn(1));
    this.buttons = new Map();
  }

  turn(by) {
    this.page = Math.max(0, this.page + by);
    this.isDirty = true;
  }

  button(each) {
    if (!this.buttons.has(each.id)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = each.symbol;
      button.addEventListener("click", () => this.watch(each.id));
      this.buttons.set(each.id, button);
    }
    return this.buttons.get(each.id);
  }

  draw(state) {
    this.isDirty = false;
    const none = { has: 0, phase: 0, dayPhase: 0, volume: 0, trades: 0 };
    const wanted = this.filter.value.trim().toLowerCase();
    const value = COLUMNS[this.sort][1];
    const found = state.instruments.map((each) => [each, state.market.get(each.id) || none])
      .filter(([each, row]) => !wanted || `${each.symbol} ${each.segment} ${phaseText(row)}`.toLowerCase().includes(wanted));
    found.sort((a, b) => {
      const one = value(...a), other = value(...b);
      if (one === other) return a[0].id - b[0].id;
      if (one === null || other === null) return one === null ? 1 : -1;
      return (one < other ? -1 : 1) * this.direction;
    });
    this.heads.forEach((head, at) => {
      head.setAttribute("aria-sort", at !== this.sort ? "none" : this.direction > 0 ? "ascending" : "descending");
    });
    this.page = Math.min(this.page, Math.max(0, Math.ceil(found.length / PAGE) - 1));
    const from = this.page * PAGE;
    const count = `${found.length} of ${state.instruments.length} instruments` + (found.length > PAGE ? `, from ${from + 1}` : "");
    const box = document.getElementById("market-count");
    if (box.textContent !== count) box.textContent = count;
    const price = (has, units, { id }) => (has ? priceText(units, state.places.get(id)) : "–");
    const quantity = (has, lots, each) => (has ? quantityText(lots, each.decimals) : "–");
    setRows(document.getElementById("market-rows"), found.slice(from, from + PAGE).map(([each, row]) => [
      this.button(each), each.segment, phaseText(row), [quantity(row.has & 1, row.bidQuantity, each), "n"],
      [price(row.has & 1, row.bid, each), "n bid"], [price(row.has & 2, row.ask, each), "n ask"], [quantity(row.has & 2, row.askQuantity, each), "n"],
      [price(row.has & 4, row.last, each), "n"], [quantityText(row.volume, each.decimals), "n"], [quantityText(row.trades), "n"]]));
  }
}

const KINDS = ["user", "client", "venue user", "drop copy", "group", "line", "strategy"];
const USER = 0, CLIENT = 1, GROUP = 4, STRATEGY = 6;
const TRADES_ITSELF = [USER, STRATEGY];

export class Sessions {
  draw(state) {
    this.isDirty = false;
    const names = state.names[3] || [], number = (value, has = value) => [has ? quantityText(value) : "–", "n"];
    const rows = [...state.sessions.entries()].sort((a, b) => a[0] - b[0])
      .filter(([, of]) => of.kind !== GROUP || of.nextIn);  // that have been heard of
    setRows(document.getElementById("session-rows"), rows.map(([at, of]) => [
      names[at] || at, KINDS[of.kind] || of.kind, of.isUp ? "up" : "down", number(of.logons), number(of.openOrders, TRADES_ITSELF.includes(of.kind)),
      number(of.sessionBegin, of.isUp && of.sessionBegin), number(of.nextIn), number(of.nextOut), [quantityText(of.lag), "n"],
      number(of.rejects, TRADES_ITSELF.includes(of.kind) || of.kind === CLIENT),
      state.lastRejects.get(at) || (of.lastReject ? REASONS[of.lastReject] || of.lastReject : "–"),
      [of.isLocked ? "locked" : "", of.isKilled ? "killed" : ""].filter((word) => word).join(", ")]));
    const notices = state.notices.slice(-100).reverse();
    document.getElementById("notices").hidden = notices.length === 0;
    setRows(document.getElementById("notice-rows"), notices.map((notice) => [timeText(notice.time), notice.text]));
  }
}
