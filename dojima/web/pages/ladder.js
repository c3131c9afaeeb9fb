// The ladder: levels of the chosen instrument, best prices in the middle; queue by queue on demand.

import { color, priceText, quantityText, setRows, surface } from "./words.js";

const ROW = 17;

export class Ladder {
  constructor(send) {
    this.send = send;
    this.canvas = document.getElementById("ladder");
    this.chosen = null;  // [side, price]
    this.shown = [];     // of the last drawing: rows with their levels
    this.canvas.addEventListener("click", (event) => {
      const at = Math.floor(event.offsetY / ROW);
      if (this.shown[at]) this.choose(this.shown[at].side, this.shown[at].price, true);
    });
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    document.getElementById("queue-off").addEventListener("click", () => this.close());
  }

  onKey(event) {
    const at = this.shown.findIndex((row) => this.chosen && row.price === this.chosen[1] && row.side === this.chosen[0]);
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step) {
      const next = this.shown[at < 0 ? this.shown.findIndex((row) => row.side === 1) : at + step];
      if (next) this.choose(next.side, next.price, false);
    } else if (event.key === "Enter" && this.chosen) {
      this.choose(this.chosen[0], this.chosen[1], true);
    } else if (event.key === "Escape") {
      this.close();
    } else {
      return;
    }
    event.preventDefault();
  }

  choose(side, price, isOpen) {
    this.chosen = [side, price];
    if (isOpen) this.send(`queue ${side === 1 ? "B" : "S"} ${price}`);
    this.isOpen = isOpen || this.isOpen;
    this.isDirty = true;
  }

  close() {
    if (this.isOpen) this.send("queue off");
    this.isOpen = false;
    this.chosen = null;
    document.getElementById("queue").hidden = true;
    this.isDirty = true;
  }

  draw(state) {
    const ladder = state.ladder;
    if (!ladder) return;
    const decimals = (state.byId.get(ladder.instrument) || {}).decimals || 0;
    this.places = state.places.get(ladder.instrument) || 0;
    const { context, width, height } = surface(this.canvas);
    const rows = Math.floor(height / ROW), half = Math.floor(rows / 2);
    const row = state.market.get(ladder.instrument) || {};
    const asks = ladder.asks.slice(0, half), bids = ladder.bids.slice(0, rows - half);
    const lines = [...asks.map((level) => ({ ...level, side: 2 })).reverse(), ...bids.map((level) => ({ ...level, side: 1 }))];
    // A call's book may be crossed, and that of a closing price cross: then prices are in their order, of either side.
    const isCrossed = asks.length > 0 && bids.length > 0 && Number(bids[0].price) >= Number(asks[0].price);
    if (isCrossed) lines.sort((a, b) => Number(b.price) - Number(a.price) || a.side - b.side);
    this.shown = lines;
    const most = Math.max(1, ...lines.map((line) => Number(line.quantity)));
    context.font = "13px system-ui, 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    const bid = color("bid"), ask = color("ask"), text = color("text"), quiet = color("quiet"), mark = color("mark");
    lines.forEach((line, at) => {
      const y = at * ROW + ROW / 2, isBid = line.side === 1;
      const length = Number(line.quantity) / most * width * 0.36;
      context.globalAlpha = 0.28;
      context.fillStyle = isBid ? bid : ask;
      context.fillRect(isBid ? width * 0.36 - length : width * 0.64, at * ROW + 1, length, ROW - 2);
      context.globalAlpha = 1;
      if (this.chosen && this.chosen[0] === line.side && this.chosen[1] === line.price) {
        context.strokeStyle = text;
        context.strokeRect(0.5, at * ROW + 0.5, width - 1, ROW - 1);
      }
      const isLast = (row.has & 4) !== 0 && row.last === line.price;
      context.textAlign = "center";
      context.fillStyle = isLast ? mark : text;
      context.fillText((isLast ? "◆ " : "") + priceText(line.price, this.places), width / 2, y);
      context.fillStyle = isBid ? bid : ask;
      context.textAlign = isBid ? "right" : "left";
      context.fillText(quantityText(line.quantity, decimals), isBid ? width * 0.36 - 4 : width * 0.64 + 4, y);
      context.fillStyle = quiet;
      context.textAlign = isBid ? "left" : "right";
      if (line.orders) context.fillText(String(line.orders), isBid ? 16 : width - 16, y);
      if (line.own) {
        context.fillStyle = mark;
        context.fillText("●", isBid ? 3 : width - 3, y);
      }
    });
    if (lines.length === 0) {
      context.fillStyle = quiet;
      context.textAlign = "center";
      context.fillText("nothing rests in this book", width / 2, height / 2);
    }
    const best = (levels, word) => levels.length ? `${word} ${priceText(levels[0].price, this.places)}, ${quantityText(levels[0].quantity, decimals)}` : `no ${word}`;
    const own = [...ladder.bids, ...ladder.asks].reduce((sum, level) => sum + level.own, 0);
    const label = `Ladder: ${best(ladder.bids, "bid")}; ${best(ladder.asks, "ask")}${own ? `; ${own} orders marked` : ""}`;
    this.canvas.setAttribute("aria-label", label);
    if (document.getElementById("ladder-details").open) this.table(ladder, decimals);
    this.queue(state, decimals);
    this.isDirty = false;
  }

  table(ladder, decimals) {
    const orders = (level) => [`${level.orders || "–"}${level.own ? ` (${level.own} marked)` : ""}`, "n"];
    setRows(document.getElementById("ladder-rows"), [
      ...ladder.asks.slice(0, 30).reverse().map((level) => ["", "", [priceText(level.price, this.places), "n"],
        [quantityText(level.quantity, decimals), "n ask"], orders(level)]),
      ...ladder.bids.slice(0, 30).map((level) => [orders(level), [quantityText(level.quantity, decimals), "n bid"],
        [priceText(level.price, this.places), "n"], "", ""])]);
  }

  queue(state, decimals) {
    const box = document.getElementById("queue"), queue = state.queue;
    box.hidden = !this.isOpen;
    if (!this.isOpen || !queue || !this.chosen || queue.price !== this.chosen[1]) return;
    document.getElementById("queue-title").textContent =
      `${queue.side === 1 ? "Bids" : "Asks"} at ${priceText(queue.price, this.places)}: ` +
      (queue.orders && !queue.shown.length ? `${queue.orders} orders, which are not shown one by one` :
        queue.orders ? `${queue.orders} orders` : "no orders are shown");
    setRows(document.getElementById("queue-rows"), queue.shown.slice(0, 30).map((order, at) =>
      [at + 1, String(order.id) + (order.isOwn ? " ● marked" : ""), [quantityText(order.quantity, decimals), "n"]]));
  }
}
