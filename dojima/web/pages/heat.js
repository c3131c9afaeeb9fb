// The heat map: the book over time, quantities by their logarithm, trades as circles; lines are the indicative price and,
// thinner, the bands: whole around the last auction, dashed around the last trade.

import { bandText, color, priceText, quantityText, setRows, surface, timeText } from "./words.js";

export class Heat {
  constructor() {
    this.canvas = document.getElementById("heat");
    this.columns = 120;  // that are seen
    this.back = 0;       // columns between the newest and the right edge
    this.zoom = 1;       // of prices
    this.isDirty = true;
    const canvas = this.canvas;
    let from = null;
    canvas.addEventListener("pointerdown", (event) => {
      from = [event.clientX, this.back];
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!from) return;
      this.go(from[1] + (event.clientX - from[0]) / canvas.clientWidth * this.columns);
    });
    canvas.addEventListener("pointerup", () => { from = null; });
    canvas.addEventListener("pointercancel", () => { from = null; });
    canvas.addEventListener("wheel", (event) => {
      this.scale(event.deltaY > 0 ? 1.2 : 1 / 1.2);
      event.preventDefault();
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const step = Math.max(1, this.columns / 8);
      const work = { ArrowLeft: () => this.go(this.back + step), ArrowRight: () => this.go(this.back - step),
        End: () => this.go(0), Home: () => this.go(Infinity), "+": () => this.scale(1 / 1.4), "-": () => this.scale(1.4),
        ArrowUp: () => this.stretch(1.3), ArrowDown: () => this.stretch(1 / 1.3) }[event.key];
      if (!work) return;
      work();
      event.preventDefault();
    });
  }

  go(back) {
    const most = Math.max(0, (this.have || 0) - 2);
    this.back = Math.round(Math.min(Math.max(back, 0), most));
    this.isDirty = true;
  }
  scale(by) {
    this.columns = Math.min(600, Math.max(10, Math.round(this.columns * by)));
    this.isDirty = true;
  }
  stretch(by) {
    this.zoom = Math.min(20, Math.max(1, this.zoom * by));
    this.isDirty = true;
  }

  draw(state) {
    const history = state.history;
    const { context, width, height } = surface(this.canvas);
    this.isDirty = false;
    if (!history || history.columns.length === 0) return;
    this.have = history.columns.length;
    const end = Math.max(1, this.have - this.back), columns = history.columns.slice(Math.max(0, end - this.columns), end);
    const prices = columns.flatMap((column) => [column.bids, column.asks].filter((side) => side.length)
      .map((side) => Number(side[Math.min(side.length - 1, 15)][0])));
    for (const column of columns) for (const [price] of column.trades) prices.push(Number(price));
    if (prices.length === 0) return;
    let low = Math.min(...prices), high = Math.max(...prices);
    const middle = (low + high) / 2, reach = Math.max((high - low) / 2 / this.zoom, 1);
    low = middle - reach * 1.03;
    high = middle + reach * 1.03;
    const right = 74, wide = width - right, step = wide / this.columns, left = wide - columns.length * step;
    const y = (price) => height - (Number(price) - low) / (high - low) * height;
    const tick = this.tick(columns), tall = Math.max(1.5, Math.min(height / 12, tick / (high - low) * height));
    const most = Math.log1p(Math.max(1, ...columns.flatMap((column) => [...column.bids, ...column.asks].map((cell) => Number(cell[1])))));
    columns.forEach((column, at) => {
      for (const [side, name] of [[column.bids, "bid"], [column.asks, "ask"]]) {
        context.fillStyle = color(name);
        for (const [price, quantity] of side) {
          const top = y(price) - tall / 2;
          if (top > height || top + tall < 0) continue;
          context.globalAlpha = 0.08 + 0.85 * Math.log1p(Number(quantity)) / most;
          context.fillRect(left + at * step, top, step + 0.4, tall);
        }
      }
    });
    context.globalAlpha = 1;
    this.decimals = (state.byId.get(history.instrument) || {}).decimals || 0;
    this.places = state.places.get(history.instrument) || 0;
    for (const [key, dash] of [["staticLow", []], ["staticHigh", []], ["dynamicLow", [5, 4]], ["dynamicHigh", [5, 4]]])
      this.line(context, columns, (column) => column.bands[key], { left, step, y, name: "bad", width: 1, dash });
    this.lines(context, columns, left, step, y);
    this.axes(context, columns, { width, height, wide, low, high, left, step, y });
    const last = columns[columns.length - 1];
    this.canvas.setAttribute("aria-label", `Heat map, ${columns.length} columns from ${timeText(columns[0].time)} to ${timeText(last.time)}`);
    if (document.getElementById("heat-details").open) this.table(history);
  }

  /** The smallest distance of neighbouring prices. */
  tick(columns) {
    let least = Infinity;
    for (const side of [columns[columns.length - 1].bids, columns[columns.length - 1].asks])
      for (let at = 1; at < side.length; ++at) least = Math.min(least, Math.abs(Number(side[at][0]) - Number(side[at - 1][0])));
    return Number.isFinite(least) ? least : 1;
  }

  /** Through the columns that have the price. */
  line(context, columns, priceOf, how) {
    context.strokeStyle = color(how.name);
    context.lineWidth = how.width;
    context.setLineDash(how.dash);
    context.beginPath();
    let isDown = false;
    columns.forEach((column, at) => {
      const price = priceOf(column);
      if (!price) { isDown = false; return; }
      const x = how.left + (at + 0.5) * how.step;
      if (isDown) context.lineTo(x, how.y(price)); else context.moveTo(x, how.y(price));
      isDown = true;
    });
    context.stroke();
    context.setLineDash([]);
  }

  lines(context, columns, left, step, y) {
    const largest = Math.max(1, ...columns.flatMap((column) => column.trades.map((cell) => Number(cell[1]))));
    this.line(context, columns, (column) => column.indicative, { left, step, y, name: "mark", width: 2, dash: [] });
    context.lineWidth = 1;
    context.strokeStyle = color("text");
    columns.forEach((column, at) => {
      for (const [price, quantity] of column.trades) {
        context.beginPath();
        context.arc(left + (at + 0.5) * step, y(price), 1.5 + 7 * Math.sqrt(Number(quantity) / largest), 0, 2 * Math.PI);
        context.stroke();
      }
    });
  }

  axes(context, columns, box) {
    context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    context.fillStyle = color("text");
    context.textAlign = "left";
    context.textBaseline = "middle";
    const raw = (box.high - box.low) / 8, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw);
    for (let price = Math.ceil(box.low / step) * step; price < box.high; price += step)
      context.fillText(priceText(Math.round(price), this.places), box.wide + 4, box.y(price));
    context.textBaseline = "bottom";
    const wide = columns.length * box.step;
    for (const share of wide > 260 ? [0, 0.5, 0.999] : wide > 130 ? [0, 0.999] : [0.999]) {
      const at = Math.floor(share * columns.length);
      context.textAlign = share === 0 ? "left" : share === 0.5 ? "center" : "right";
      context.fillText(timeText(columns[at].time).slice(0, 8), Math.max(2, box.left + (at + (share === 0.999 ? 1 : 0)) * box.step), box.height - 2);
    }
  }

  table(history) {
    const total = (side) => quantityText(side.reduce((sum, cell) => sum + Number(cell[1]), 0), this.decimals);
    setRows(document.getElementById("heat-rows"), history.columns.slice(-20).reverse().map((column) => [
      timeText(column.time), [column.bids.length ? priceText(column.bids[0][0], this.places) : "–", "n bid"],
      [column.asks.length ? priceText(column.asks[0][0], this.places) : "–", "n ask"], [total(column.bids), "n"], [total(column.asks), "n"],
      [total(column.trades), "n"], [column.indicative ? priceText(column.indicative, this.places) : "–", "n"],
      [bandText(column.bands.staticLow, column.bands.staticHigh, this.places), "n"], [bandText(column.bands.dynamicLow, column.bands.dynamicHigh, this.places), "n"]]));
  }
}
