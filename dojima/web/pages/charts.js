// Curves: auctions, latencies, rates. uPlot draws them; the tables beside them hold the same numbers.

import { bandText, color, isCall, microseconds, moneyText, phaseText, priceText, quantityText, REASONS, setHeads, setRows, timeText } from "./words.js";

const PRICE = 1e8;

/** A chart that is made anew when its shape changes, and given new data otherwise. */
class Chart {
  constructor(id, options) {
    this.box = document.getElementById(id);
    this.options = options;
  }
  show(data) {
    const width = Math.max(200, this.box.clientWidth), theme = color("text");
    if (this.plot && (this.theme !== theme || this.count !== data.length)) {
      this.plot.destroy();
      this.plot = null;
    }
    if (!this.plot) {
      this.theme = theme;
      this.count = data.length;
      const axis = { stroke: theme, grid: { stroke: color("line"), width: 1 }, ticks: { stroke: color("line") } };
      const options = this.options(axis);
      this.plot = new window.uPlot({ width, height: 260, padding: [null, 24, null, null], cursor: { y: false }, ...options }, data, this.box);
      this.plot.root.querySelector("canvas").setAttribute("aria-hidden", "true");
      return;
    }
    if (this.plot.width !== width) this.plot.setSize({ width, height: 260 });
    this.plot.setData(data);
  }
}

const series = (label, name, more = {}) => ({ label, stroke: color(name), width: 1.5, points: { show: (plot) => plot.data[0].length === 1 }, ...more });
const seconds = (ns) => Number(ns) / 1e9;

/** Of seconds since 1970 the UTC with milliseconds; a little is added, as what the nearest number is may be below a whole one. */
const millisecondText = (at) => timeText((Math.round(at * 1e3) + 0.1) * 1e6);
/** As all other times of the page: UTC, to the millisecond where it is not whole. */
const utcText = (at) => millisecondText(at).replace(/\.000$/, "");

const LEAST_SECONDS = 2;
/** What an axis of times shows of times from `least` to `most`, in seconds: one instant has some time around it, as ticks of whole
 * days would all have the same text. */
export function timeRange(least, most) {
  if (least === null || most - least >= LEAST_SECONDS) return [least, most];
  const middle = Math.round((least + most) / 2 * 1e3) / 1e3;
  return [middle - LEAST_SECONDS / 2, middle + LEAST_SECONDS / 2];
}
/** How many pixels a tick takes at least: times within a second need four digits more. */
export const timeSpace = (least, most, pixels) => ((most - least) / pixels * 70 < 1 ? 100 : 70);
/** Texts of ticks that are `step` seconds apart: no two are alike. */
export function timeTicks(ticks, step) {
  const digits = step >= 1 ? 0 : step >= 0.1 && Number.isInteger(Math.round(step * 1e6) / 1e5) ? 1 : 3;
  return ticks.map((at) => millisecondText(at).slice(0, digits ? 9 + digits : 8));
}

/** An axis of times of day, and the series that has them. */
const timesOfDay = (axis) => ({ ...axis, space: (plot, at, least, most, pixels) => timeSpace(least, most, pixels),
  values: (plot, ticks, at, space, step) => timeTicks(ticks, step) });
/** Of one time alone uPlot makes a day, and it draws no line from one value to the next. */
const onlyTime = (plot) => (plot.data && plot.data[0] && plot.data[0].length === 1 ? plot.data[0][0] : null);
const timeScale = { range: (plot, least, most) => (onlyTime(plot) === null ? timeRange(least, most) : timeRange(onlyTime(plot), onlyTime(plot))) };
const timeSeries = (whose) => ({ label: `time, UTC, ${whose}`, value: (plot, at) => (at === null ? "–" : utcText(at)) });

export class Auction {
  constructor() {
    this.chart = new Chart("auction-chart", (axis) => ({
      scales: { x: timeScale, v: {} },
      axes: [timesOfDay(axis), { ...axis, size: 70 }, { ...axis, scale: "v", side: 1, grid: { show: false }, size: 60 }],
      series: [timeSeries("market"), series("price", "mark", { paths: window.uPlot.paths.stepped({ align: 1 }) }), series("volume", "bid", { scale: "v" }),
        series("imbalance", "ask", { scale: "v" })] }));
    this.curve = new Chart("curve-chart", (axis) => ({
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 50, space: 80 }, { ...axis, size: 72 }],
      series: [{ label: "price" }, series("demand", "bid", { paths: window.uPlot.paths.stepped({ align: -1 }) }),
        series("supply", "ask", { paths: window.uPlot.paths.stepped({ align: 1 }) })] }));
  }

  /** At each price: what would be bought there at most, and what sold. */
  static curves(ladder) {
    const prices = [...new Set([...ladder.bids, ...ladder.asks].map((level) => Number(level.price)))].sort((a, b) => a - b);
    const sum = (levels, fits) => levels.reduce((all, level) => all + (fits(Number(level.price)) ? Number(level.quantity) : 0), 0);
    return [prices.map((price) => price / PRICE), prices.map((price) => sum(ladder.bids, (of) => of >= price)),
      prices.map((price) => sum(ladder.asks, (of) => of <= price))];
  }

  draw(state, instrument) {
    this.isDirty = false;
    const auction = state.auction, row = state.market.get(instrument) || {};
    if (!auction || auction.instrument !== instrument) return;
    const places = state.places.get(instrument) || 0, price = (units) => priceText(units, places);
    const inCall = isCall(row.phase), until = Number(auction.until), left = (until - state.time) / 1e9;
    const facts = [["Phase", phaseText(row)],
      ["Ends", until > 9e18 ? "nobody knows" : timeText(until)],
      ["Left", until > 9e18 || !(left > 0) ? "–" : `${left.toFixed(1)} s`],
      ["Indicative price", inCall && auction.price ? price(auction.price) : "–"],
      ["Indicative volume", inCall ? quantityText(auction.quantity) : "–"],
      ["Imbalance", inCall && auction.imbalance ? `${quantityText(auction.imbalance)} ${["", "buy", "sell"][auction.imbalanceSide]}` : "–"],
      ["Band around the last auction", bandText(auction.bands.staticLow, auction.bands.staticHigh, places)],
      ["Band around the last trade", bandText(auction.bands.dynamicLow, auction.bands.dynamicHigh, places)],
      ["Last auction", auction.lastPrice ? `${quantityText(auction.lastQuantity)} at ${price(auction.lastPrice)}` : "–"]];
    const box = document.getElementById("auction-facts");
    if (box.children.length !== facts.length) {
      box.replaceChildren(...facts.map(([name]) => {
        const pair = document.createElement("div");
        pair.append(document.createElement("dt"), document.createElement("dd"));
        pair.firstChild.textContent = name;
        return pair;
      }));
    }
    facts.forEach(([, text], at) => { box.children[at].lastChild.textContent = text; });
    const points = auction.points.filter((point) => point.price);
    this.chart.show([points.map((point) => seconds(point.time)), points.map((point) => Number(point.price) / PRICE),
      points.map((point) => Number(point.quantity)), points.map((point) => Number(point.imbalance))]);
    const curves = state.ladder && state.ladder.instrument === instrument ? Auction.curves(state.ladder) : [[], [], []];
    this.curve.show(curves);
    if (!document.getElementById("auction-details").open) return;
    setRows(document.getElementById("auction-rows"), auction.points.slice(-20).reverse().map((point) => [timeText(point.time),
      [price(point.price), "n"], [quantityText(point.quantity), "n"], [quantityText(point.imbalance), "n"]]));
    setRows(document.getElementById("curve-rows"), curves[0].map((value, at) => [[value.toFixed(places), "n"], [quantityText(curves[1][at]), "n"],
      [quantityText(curves[2][at]), "n"]]));
  }
}

/** What a back-test's strategy holds and has earned. */
export class Account {
  constructor() {
    this.chart = new Chart("account-chart", (axis) => ({ scales: { x: timeScale }, axes: [timesOfDay(axis), { ...axis, size: 84 }],
      series: [timeSeries("market"), series("equity", "good", { paths: window.uPlot.paths.stepped({ align: 1 }) })] }));
  }

  draw(state) {
    this.isDirty = false;
    const { rows, points } = state.account, all = rows.find((row) => row.instrument === 0);
    const last = all ? [{ time: state.time, equity: all.equity }] : [];
    const shown = [...points, ...last.filter((point) => !points.length || point.time > points[points.length - 1].time)];
    this.chart.show([shown.map((point) => seconds(point.time)), shown.map((point) => point.equity)]);
    setRows(document.getElementById("account-rows"), [...rows].sort((a, b) => (a.instrument || Infinity) - (b.instrument || Infinity)).map((row) => {
      const of = state.byId.get(row.instrument);
      return [of ? of.symbol : "all", [of ? quantityText(row.position, of.decimals) : "–", "n"], [quantityText(row.openOrders), "n"],
        [quantityText(row.orders), "n"], [quantityText(row.fills), "n"], [moneyText(row.cash), "n"], [moneyText(row.fees), "n"], [moneyText(row.equity), "n"]];
    }));
    setRows(document.getElementById("fill-rows"), state.notices.slice(-30).reverse().map((notice) => [timeText(notice.time), notice.text]));
    if (!document.getElementById("account-details").open) return;
    setRows(document.getElementById("equity-rows"), shown.slice(-30).reverse().map((point) => [timeText(point.time), [moneyText(point.equity), "n"]]));
  }
}

const KEPT = 300;  // seconds of rates

export class Latency {
  constructor() {
    this.stage = document.getElementById("stage");
    this.stage.addEventListener("change", () => { this.isDirty = true; });
    this.rates = [];  // [time of the clock in s, counters]
    this.chart = new Chart("latency-chart", (axis) => ({ scales: { x: timeScale, y: { distr: 3 } },
      axes: [timesOfDay(axis), { ...axis, size: 72, values: (plot, ticks) => ticks.map((tick) => (tick === null ? "" : tick.toLocaleString("en"))) }],
      series: [timeSeries("market"), series("p50", "good"), series("p90", "bid"), series("p99", "ask"), series("p99.9", "bad")] }));
    this.histogram = new Chart("histogram-chart", (axis) => ({
      scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
      axes: [{ ...axis, label: "microseconds" }, { ...axis, size: 72 }],
      series: [{ label: "from" }, series("requests", "bid", { fill: color("bid") + "55", paths: window.uPlot.paths.stepped({ align: 1 }) })] }));
    this.rate = new Chart("rate-chart", (axis) => ({ scales: { x: timeScale }, axes: [timesOfDay(axis), { ...axis, size: 72 }],
      series: [timeSeries("your clock"), ...this.rated.map((name, at) => series(name, at ? "ask" : "bid"))] }));
    this.rated = [];  // the counters that it shows
  }

  note(state) {
    const now = performance.timeOrigin + performance.now(), last = this.rates[this.rates.length - 1];
    if (last && (now - last[0] * 1e3 < 950 || last[1].length !== state.counters.length)) {
      if (last[1].length !== state.counters.length) this.rates = [];
      return;
    }
    this.rates.push([now / 1e3, state.counters.map(Number)]);
    if (this.rates.length > KEPT) this.rates.shift();
  }

  rateOf(at, name, names) {
    const place = names.indexOf(name);
    const [before, now] = [this.rates[at - 1], this.rates[at]];
    return place < 0 ? null : Math.max(0, (now[1][place] - before[1][place]) / (now[0] - before[0]));
  }

  draw(state) {
    this.isDirty = false;
    const stages = state.names[2] || [], names = state.names[1] || [];
    if (this.stage.options.length !== stages.length) this.stage.replaceChildren(...stages.map((name, at) => new Option(name, at)));
    const of = state.latencies.get(Number(this.stage.value) || 0);
    if (of) {
      this.chart.show([of.rows.map((row) => seconds(row.time)), ...["p50", "p90", "p99", "p999"].map((key) => of.rows.map((row) => Number(row[key]) / 1000))]);
      this.histogram.show([of.cells.map((cell) => Math.max(Number(cell[0]), 1) / 1000), of.cells.map((cell) => Number(cell[1]))]);
    }
    const times = this.rates.slice(1).map(([time]) => time);
    this.rated = ["commands", "reports sent"].every((name) => names.includes(name)) ? ["commands", "reports sent"] : names.slice(0, 2);
    if (times.length > 1) this.rate.show([times, ...this.rated.map((name) => times.map((_, at) => this.rateOf(at + 1, name, names)))]);
    const last = this.rates.length - 1;
    setRows(document.getElementById("counter-rows"), names.map((name, at) => [name, [quantityText(state.counters[at] || 0), "n"],
      [last > 0 ? quantityText(Math.round(this.rateOf(last, name, names))) : "–", "n"]]));
    setRows(document.getElementById("reject-rows"), state.rejects.map(([reason, count]) => [REASONS[Number(reason)] || reason, [quantityText(count), "n"]]));
    if (!document.getElementById("latency-details").open) return;
    setRows(document.getElementById("latency-rows"), (of ? of.rows : []).slice(-30).reverse().map((row) => [timeText(row.time), [quantityText(row.count), "n"],
      ...["p50", "p90", "p99", "p999", "most"].map((key) => [microseconds(Number(row[key])), "n"])]));
    setRows(document.getElementById("histogram-rows"), (of ? of.cells : []).filter((cell) => cell[1]).map((cell) => [[microseconds(Number(cell[0])), "n"],
      [quantityText(cell[1]), "n"]]));
    setHeads(document.getElementById("rate-head"), ["Time", ...this.rated.map((name) => [name, "n"])]);
    setRows(document.getElementById("rate-rows"), times.map((time, at) => [utcText(time), ...this.rated.map((name) =>
      [quantityText(Math.round(this.rateOf(at + 1, name, names))), "n"])]).slice(-30).reverse());
  }
}
