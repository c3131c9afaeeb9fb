#include "dojima/evidence/report.hpp"

namespace dojima::evidence {

// Two themes of one palette: all text has a contrast of at least 4.5 to its ground, all marks at least 3. Colours of
// curves differ in lightness as well as in hue, and every second one is dashed.
const char* report_style() noexcept {
  return R"(:root{color-scheme:light dark;
--paper:#fcfcfa;--card:#ffffff;--ink:#1b1f24;--soft:#565e68;--line:#d5d8d3;--grid:#e9eae6;--wash:#f2f3ef;
--good:#1a6b45;--bad:#a3301f;--warn:#85570a;
--c0:#1f5fa8;--c1:#c2491d;--c2:#1b7f6b;--c3:#8a4aa3;--c4:#96700a;--c5:#3d7a1f;--c6:#b03a6a;--c7:#5b6875}
@media (prefers-color-scheme:dark){:root{
--paper:#121518;--card:#181c20;--ink:#e8eaec;--soft:#a2abb4;--line:#39414a;--grid:#262c32;--wash:#1d2227;
--good:#67c99a;--bad:#f28b78;--warn:#e0b25a;
--c0:#7db2f2;--c1:#f3926b;--c2:#5cc9b3;--c3:#cb9fe6;--c4:#dcb84f;--c5:#93cc70;--c6:#f08fb5;--c7:#a9b4bf}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,sans-serif;font-variant-numeric:tabular-nums lining-nums}
main,header,footer{max-width:1240px;margin:0 auto;padding:0 24px}
header{padding-top:40px}
.over{margin:0;color:var(--soft);font-size:13px;letter-spacing:.06em;text-transform:uppercase}
h1{margin:6px 0 0;font-size:30px;line-height:1.2;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{margin:52px 0 4px;padding-top:14px;border-top:1px solid var(--line);font-size:21px;line-height:1.3;font-weight:650}
h3{margin:26px 0 6px;font-size:16px;font-weight:650}
p{margin:8px 0;max-width:74ch}
.soft{color:var(--soft)}
code{font:13px/1.5 ui-monospace,"SF Mono","Cascadia Mono","DejaVu Sans Mono","Liberation Mono",monospace;overflow-wrap:anywhere}
.verdict{margin:18px 0 10px;font-size:20px;line-height:1.35;font-weight:600;max-width:60ch}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.badges{display:flex;flex-wrap:wrap;gap:8px;margin:12px 0;padding:0;list-style:none}
.badges li{padding:2px 11px;border:1px solid currentColor;border-radius:99px;font-size:13px;font-weight:600}
.reasons{margin:0;padding:0;list-style:none;font-size:14px;color:var(--soft)}
.reasons li{margin:3px 0;max-width:88ch}
.reasons b{color:var(--ink);font-weight:600}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(132px,1fr));gap:1px;margin:26px 0 0;background:var(--line);border:1px solid var(--line)}
.tiles div{padding:12px 16px 13px;background:var(--card)}
.tiles dt{font-size:13px;color:var(--soft)}
.tiles dd{margin:1px 0 0;font-size:24px;line-height:1.25;font-weight:600;letter-spacing:-.01em;white-space:nowrap}
.tiles .u{font-size:.72em;font-weight:500;color:var(--soft);letter-spacing:0}
.tiles small{display:block;white-space:normal;font-size:12px;font-weight:400;letter-spacing:0;color:var(--soft)}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,500px),1fr));gap:34px 40px;margin:20px 0 0;align-items:start}
figure{margin:0;min-width:0;max-width:720px}
figcaption{min-height:3em;font-size:14px;line-height:1.45;color:var(--soft)}
figcaption b{color:var(--ink);font-weight:650}
.legend{display:flex;flex-wrap:wrap;gap:2px 18px;margin:8px 0 2px;padding:0;list-style:none;font-size:13px}
.legend li::before{content:"";display:inline-block;width:22px;margin-right:7px;vertical-align:.28em;border-top:2.5px solid var(--k)}
.legend .c1::before,.legend .c3::before,.legend .c5::before,.legend .c7::before{border-top-style:dashed}
.legend .dots::before{width:8px;height:8px;border:0;border-radius:50%;background:var(--k);vertical-align:0}
svg{display:block;width:100%;height:auto;margin-top:6px;overflow:visible}
svg text{font-size:12.5px;fill:var(--soft)}
svg .title{fill:var(--soft);font-size:12.5px}
svg .name,svg .value{fill:var(--ink);font-weight:600}
svg .value{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
svg .mid{text-anchor:middle}svg .end{text-anchor:end}
.grid{stroke:var(--grid);stroke-width:1;fill:none}
.mark,.axis{stroke:var(--soft);stroke-width:1;fill:none}
.total{--k:var(--ink)}.c0{--k:var(--c0)}.c1{--k:var(--c1)}.c2{--k:var(--c2)}.c3{--k:var(--c3)}
.c4{--k:var(--c4)}.c5{--k:var(--c5)}.c6{--k:var(--c6)}.c7{--k:var(--c7)}
.line{fill:none;stroke:var(--k);stroke-width:1.7;stroke-linejoin:round;stroke-linecap:round}
.line.total{stroke-width:2.4}
.line.c1,.line.c3,.line.c5,.line.c7{stroke-dasharray:7 3.5}
.line.faint{stroke-width:1;opacity:.65}
.dot{fill:var(--k);stroke:var(--paper);stroke-width:1}
.fill{fill:var(--k);opacity:.14}
.bars{fill:var(--k);opacity:.62}
.bars.solid{opacity:1}
.whisker{fill:none;stroke:var(--soft);stroke-width:1.3}
.quantum{fill:none;stroke:var(--warn);stroke-width:1;stroke-dasharray:1.5 3}
.step{fill:var(--warn)}
details{margin:6px 0 0;font-size:14px}
summary{width:max-content;max-width:100%;color:var(--soft);cursor:pointer;font-size:13px}
summary:focus-visible,a:focus-visible{outline:2px solid var(--c0);outline-offset:2px}
.wide{margin:8px 0 0;overflow-x:auto}
table{border-collapse:collapse;font-size:14px;line-height:1.35;min-width:min(100%,340px)}
th,td{padding:5px 0 5px 20px;text-align:right;vertical-align:top;border-bottom:1px solid var(--grid)}
td{white-space:nowrap}
th:first-child,td:first-child{padding-left:0;text-align:left}
thead th{color:var(--soft);font-weight:500;font-size:13px;vertical-align:bottom;border-bottom:1px solid var(--line)}
tbody th{font-weight:500}
th.l,td.l{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:9ch}
td small{display:block;font-size:12px;color:var(--soft)}
.thin{color:var(--soft);font-style:italic}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,340px),1fr));gap:8px 40px;margin:8px 0}
.facts dl{display:grid;grid-template-columns:minmax(104px,max-content) 1fr;gap:3px 16px;margin:0;font-size:14px;align-content:start}
.facts h3{margin-top:14px}
dl.plain dt{color:var(--soft)}
dl.plain dd{margin:0;overflow-wrap:anywhere}
.more{font-size:13px;color:var(--soft)}
footer{margin-top:56px;padding-top:14px;padding-bottom:40px;color:var(--soft);font-size:13px}
footer p{max-width:none}
@media (max-width:560px){
main,header,footer{padding-left:16px;padding-right:16px}
header{padding-top:24px}
h1{font-size:24px}.verdict{font-size:18px}
.tiles{grid-template-columns:repeat(2,1fr)}.tiles div:last-child:nth-child(odd){grid-column:1/-1}
figcaption{min-height:0}
.tiles dd{font-size:21px}
svg text,svg .title{font-size:17px}
svg .value,svg .note,svg .name{font-size:16px}
.line{stroke-width:2.2}.line.total{stroke-width:3}.line.faint{stroke-width:1.5}
th,td{padding-left:14px}
tbody th,thead th:first-child{position:sticky;left:0;background:var(--paper)}
.facts dl{grid-template-columns:minmax(92px,38%) 1fr}}
@media print{details>*{display:block}.plots{display:block}figure{break-inside:avoid;margin-bottom:24px}}
)";
}

}  // namespace dojima::evidence
