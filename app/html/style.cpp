#include "app/html/style.h"

namespace rwin::app::html {

// Area colours carry dark letters in both themes; a letter, a label or a shape always says the
// same.
std::string_view picture_style() {
  return R"css(
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2024;--dim:#57606a;--grid:#dde2e7;--red:#b42318;
--blue:#1b5fad;--area:#a9cdf0;--violet:#6d3fa8;--green:#1d6b41;--greenarea:#a8d8bb;--brown:#7d5300;
--again:#c0159c}
@media screen and (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e4e8ec;--dim:#9aa5b1;
--grid:#2e363f;--red:#ff8a7a;--blue:#7db8f5;--area:#28527c;--violet:#bf9bf0;--green:#7bd6a0;
--greenarea:#2a5c41;--brown:#e3b85c;--again:#ff7ad9}}
svg{font:12px system-ui,sans-serif}
svg text{fill:var(--dim)}
svg path{fill:none;stroke-width:1.5}
.paper{fill:var(--paper)}
svg .g{stroke:var(--grid);stroke-width:1}
path.window,path.edge,path.ceiling{stroke:var(--red)}
path.window{stroke-width:2}
path.ceiling{stroke-dasharray:7 4}
path.flight{fill:var(--area);stroke:var(--blue);stroke-width:.5}
path.rtt{stroke:var(--violet);stroke-width:2}
path.base{stroke:var(--violet);stroke-dasharray:2 4}
path.rate{fill:var(--greenarea);stroke:var(--green);stroke-width:.5}
path.line{stroke:var(--brown);stroke-dasharray:10 3 2 3}
path.sent{stroke:var(--blue);stroke-width:1.6}
path.acked{stroke:var(--green)}
path.again{stroke:var(--again);stroke-width:2}
path.cursor{stroke:var(--ink);stroke-width:1;visibility:hidden}
svg text.window,svg text.edge,svg text.ceiling{fill:var(--red)}
svg text.flight,svg text.sent{fill:var(--blue)}
svg text.base{fill:var(--violet)}
svg text.line{fill:var(--brown)}
svg text.acked{fill:var(--green)}
svg text.again{fill:var(--again)}
svg text.on{fill:#1c2024;font-weight:600}
.l-receiver-window{fill:#f29e92;background:#f29e92}.l-receiver-app{fill:#e3a3de;background:#e3a3de}
.l-congestion{fill:#f0cd5e;background:#f0cd5e}.l-bandwidth{fill:#93d0a4;background:#93d0a4}
.l-sender-app{fill:#c3cad3;background:#c3cad3}.l-sender-buffer{fill:#adc0f0;background:#adc0f0}
.l-sender-paced{fill:#9ad6e6;background:#9ad6e6}.l-slow-start{fill:#dccfae;background:#dccfae}
.l-handshake,.l-closing{fill:#e2e5e9;background:#e2e5e9}.l-unknown{fill:#f3f4f6;background:#f3f4f6}
)css";
}

std::string_view page_style() {
  return R"css(
*{box-sizing:border-box}
body{margin:0 auto;max-width:1040px;padding:1.2rem 1.2rem 4rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,sans-serif}
a{color:var(--blue)}
:focus-visible{outline:3px solid var(--blue);outline-offset:2px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.5rem;background:var(--paper);padding:.4rem .8rem;z-index:2}
h1{font-size:1.5rem;line-height:1.25;margin:.4rem 0 .6rem}
h2{font-size:1.25rem;line-height:1.3;margin:0}
h3{font-size:1.05rem;margin:1.6rem 0 .4rem}
h4{font-size:1rem;margin:0;color:var(--ink)}
.source,.caption,.note,figcaption{color:var(--dim);font-size:.9rem}
.source{margin:0;overflow-wrap:anywhere}
.hosts{padding:0;list-style:none}
.hosts li{border-left:4px solid var(--grid);padding:.25rem .8rem;margin:.4rem 0}
.hosts li.held,article.held{border-left-color:var(--red)}
article{border:1px solid var(--grid);border-left:4px solid var(--grid);border-radius:6px;
padding:1rem 1.2rem;margin:1.6rem 0;overflow-wrap:anywhere}
.sure{display:inline-block;border:1px solid var(--dim);border-radius:1rem;padding:0 .6rem;font-size:.85rem;
color:var(--dim)}
.cause{font-size:1.05rem;margin:.5rem 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.6rem 0}
dt{color:var(--dim)}dd{margin:0}
caption{text-align:left}
table{border-collapse:collapse;width:100%;margin:.6rem 0}
th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--grid);vertical-align:top}
th{font-weight:600;color:var(--dim)}
td.n{text-align:right;white-space:nowrap}
.scroll,.plot{overflow-x:auto}
figure{margin:1rem 0 0}
.plot svg{display:block;min-width:680px;width:100%;height:auto}
.legend{display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;margin:.3rem 0 0;padding:0;list-style:none;
font-size:.9rem}
.legend b{display:inline-block;min-width:1.4em;text-align:center;margin-right:.4em;border-radius:3px;
color:#1c2024}
.read{position:sticky;bottom:0;background:var(--paper);border-top:1px solid var(--grid);min-height:1.7rem;
padding:.15rem 0;font-size:.9rem;font-variant-numeric:tabular-nums}
.step{display:grid;grid-template-columns:4rem 1fr max-content;gap:.2rem .8rem;align-items:start;
margin:.35rem 0}
pre{margin:0;padding:.5rem .7rem;overflow-x:auto;border:1px solid var(--grid);border-radius:4px;
font:14px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
button{font:inherit;font-size:.9rem;padding:.3rem .8rem;border:1px solid var(--dim);border-radius:4px;
background:var(--paper);color:var(--ink);cursor:pointer;min-width:5.5rem}
button:hover{border-color:var(--blue);color:var(--blue)}
details{margin:.5rem 0}
summary{cursor:pointer}
details pre{white-space:pre;overflow-wrap:normal}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:1.8rem}
.pair .plot{overflow:visible}
.pair .plot svg{min-width:0;overflow:visible;font-size:15px}
@media(max-width:640px){.step{grid-template-columns:1fr}.pair{grid-template-columns:1fr}.pair .plot svg{overflow:hidden;font-size:12px}
dl{grid-template-columns:1fr}dt{margin-top:.4rem}}
@media print{body{max-width:none;padding:0;font-size:11pt}button,.skip,.read{display:none!important}
article{border:0;padding:0}figure,.step,tr{break-inside:avoid}h2,h3,h4{break-after:avoid}
.plot svg{min-width:0}a{color:inherit}
svg rect,.legend b{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)css";
}

}  // namespace rwin::app::html
