"""The market maker `touch` on hftbacktest, run by backtest_peers.py in an environment that has it.

    python backtest_maker.py ROWS.npz levels|orders QUEUE_MODEL PERIOD_NS QUANTITY LATENCY_NS MOST LOW HIGH fills|rounds

The strategy is ours, step by step: at a look it does nothing unless both sides have a best price and they are apart; of
each side, first bids then asks, it cancels what is accepted, not changing and not at the best price, and submits one
post-only order at the best price unless one is there. No more than MOST orders' worth is held. PERIOD_NS 0: it looks
whenever the feed has said something.

"fills" prints one JSON object with every fill in the order in which it was learned: [time at the exchange, order, side,
price, quantity]. "rounds" runs once for each line of standard input and prints rows, seconds of processor time and the
number of fills; what is compiled has been compiled before. Prices and quantities are whole: ticks and lots of 1.
"""

import json
import sys
import time

import numpy as np
from numba import njit
from numba.typed import List

from hftbacktest import (BUY, FILLED, GTX, LIMIT, NEW, NONE, SELL, BacktestAsset, ROIVectorMarketDepthBacktest)

ROWS, KIND, MODEL = sys.argv[1], sys.argv[2], sys.argv[3]
PERIOD, QUANTITY, LATENCY, MOST, LOW, HIGH = (int(word) for word in sys.argv[4:10])


@njit
def keep_at(hbt, side, price, is_wanted, quantity, numbers):
    is_there = False
    away = List.empty_list(np.uint64(0))
    values = hbt.orders(0).values()
    while values.has_next():
        order = values.get()
        if order.side != side or not (order.status == NEW or order.status == NONE):
            continue
        if is_wanted and order.price_tick == price:
            is_there = True
        elif order.status == NEW and order.req == NONE:
            away.append(order.order_id)
    for number in away:
        hbt.cancel(0, number, False)
    if is_wanted and not is_there:
        numbers[0] += 1
        if side == BUY:
            hbt.submit_buy_order(0, numbers[0], float(price), float(quantity), GTX, LIMIT, False)
        else:
            hbt.submit_sell_order(0, numbers[0], float(price), float(quantity), GTX, LIMIT, False)


@njit
def learn(hbt, fills, count):
    values = hbt.orders(0).values()
    has_ended = False
    while values.has_next():
        order = values.get()
        if order.status == FILLED:
            row = fills[count[0]]
            row[0] = order.exch_timestamp
            row[1] = order.order_id
            row[2] = order.side
            row[3] = order.exec_price_tick
            row[4] = round(order.exec_qty)
            count[0] += 1
        has_ended = has_ended or (order.status != NEW and order.status != NONE)
    if has_ended:
        hbt.clear_inactive_orders(0)


@njit
def look(hbt, quantity, most, numbers, fills, count):
    learn(hbt, fills, count)
    depth = hbt.depth(0)
    bid, ask = depth.best_bid_tick, depth.best_ask_tick
    if not (depth.best_bid > 0 and depth.best_ask > 0) or bid >= ask:
        return
    position = round(hbt.position(0))
    held = abs(position) // quantity
    if position < 0:
        held = -held
    keep_at(hbt, BUY, bid, held < most, quantity, numbers)
    keep_at(hbt, SELL, ask, held > -most, quantity, numbers)


@njit
def run(hbt, period, quantity, most, fills):
    numbers, count = np.zeros(1, np.uint64), np.zeros(1, np.int64)
    looks = 0
    if period > 0:
        while hbt.elapse(period) == 0:
            look(hbt, quantity, most, numbers, fills, count)
            looks += 1
    else:
        # 2: the feed; 0: nothing within the time; 1: the end.
        while True:
            what = hbt.wait_next_feed(False, 10**15)
            if what == 1:
                break
            if what == 2:
                look(hbt, quantity, most, numbers, fills, count)
                looks += 1
    learn(hbt, fills, count)
    return count[0], looks


def asset(rows):
    made = BacktestAsset().data([rows]).linear_asset(1.0).constant_order_latency(LATENCY, LATENCY)
    name, _, exponent = MODEL.partition(":")
    if KIND == "orders":
        made = made.l3_fifo_queue_model()
    elif name == "risk_averse":
        made = made.risk_adverse_queue_model()
    elif name == "power1":
        made = made.power_prob_queue_model(float(exponent or 3))
    elif name == "power2":
        made = made.power_prob_queue_model2(float(exponent or 3))
    elif name == "power3":
        made = made.power_prob_queue_model3(float(exponent or 3))
    elif name == "log1":
        made = made.log_prob_queue_model()
    else:
        made = made.log_prob_queue_model2()
    return (made.no_partial_fill_exchange().trading_value_fee_model(0.0, 0.0).tick_size(1.0).lot_size(1.0)
            .roi_lb(float(LOW)).roi_ub(float(HIGH)).last_trades_capacity(0))


def main():
    rows = np.load(ROWS)["data"]
    fills = np.zeros((1 << 20, 5), np.int64)

    def once():
        hbt = ROIVectorMarketDepthBacktest([asset(rows)])
        begin = time.process_time()
        count, looks = run(hbt, PERIOD, QUANTITY, MOST, fills)
        seconds = time.process_time() - begin
        hbt.close()
        return int(count), int(looks), seconds

    count, looks, _ = once()  # compiles
    if sys.argv[10] == "fills":
        side = {1: "buy", -1: "sell", 255: "sell"}
        print(json.dumps([[int(at), int(order), side[int(which)], int(price), int(quantity)]
                          for at, order, which, price, quantity in fills[:count]]))
        return
    print(json.dumps({"ready": True}), flush=True)
    for _ in sys.stdin:
        count, looks, seconds = once()
        print(json.dumps({"rows": len(rows), "seconds": seconds, "fills": count, "wakes": looks}), flush=True)


if __name__ == "__main__":
    main()
