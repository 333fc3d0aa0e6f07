#include "app/html/style.h"

namespace rwin::app::html {

// Copy buttons, the time cursor over the pictures of a flow (pointer, arrow keys), explanations
// that open when they are linked to or printed. Without it everything stays readable.
std::string_view page_script() {
  return R"js("use strict";
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  // Copy.
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  };
  for (const button of all("button[data-copy]")) {
    button.hidden = false;
    const says = button.textContent;
    button.addEventListener("click", async () => {
      const done = await copy(document.getElementById(button.dataset.copy).textContent);
      button.textContent = done ? "Copied" : "Select it";
      button.focus();
      setTimeout(() => { button.textContent = says; }, 2000);
    });
  }

  // Figures for reading: three digits.
  const scaled = (value, base, units) => {
    let i = 0;
    while (value >= base && i + 1 < units.length) { value /= base; i += 1; }
    return Number(value.toPrecision(3)) + " " + units[i];
  };
  const say = {
    us: (v) => scaled(v, 1000, ["\u00b5s", "ms", "s"]),
    B: (v) => scaled(v, 1024, ["B", "KiB", "MiB", "GiB"]),
    V: (v) => scaled(v, 1000, ["B", "kB", "MB", "GB", "TB"]),
    bps: (v) => scaled(v, 1000, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"]),
    Bps: (v) => scaled(v / 8, 1000, ["B/s", "kB/s", "MB/s", "GB/s"]),
    n: (v) => String(v),
  };

  // The time cursor.
  for (const group of all(".pictures")) {
    const data = JSON.parse(group.querySelector("script").textContent);
    const read = group.querySelector(".read");
    const idle = read.textContent;
    const lines = all(".cursor", group);
    let at = -1;
    const show = (i) => {
      at = Math.max(0, Math.min(data.columns - 1, i));
      const us = (at + 0.5) * data.step;
      const x = data.left + data.width * Math.min(1, us / data.length);
      for (const line of lines) {
        line.style.visibility = "visible";
        line.setAttribute("transform", `translate(${x} 0)`);
      }
      const said = ["at " + say.us(us)];
      for (const s of data.series) {
        if (s.v[at] !== null && s.v[at] !== undefined) said.push(s.name + " " + say[s.unit](s.v[at]));
      }
      const piece = data.limits.find((p) => us >= p[0] && us < p[1]);
      if (piece) said.push("held by: " + piece[2]);
      read.textContent = said.join(" \u00b7 ");
    };
    const hide = () => {
      at = -1;
      for (const line of lines) line.style.visibility = "hidden";
      read.textContent = idle;
    };
    for (const svg of all("svg", group)) {
      svg.addEventListener("pointermove", (event) => {
        const box = svg.getBoundingClientRect();
        const x = (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
        show(Math.floor((x - data.left) / data.width * data.length / data.step));
      });
    }
    group.addEventListener("pointerleave", hide);
    group.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? Math.max(1, Math.round(data.columns / 20)) : 1;
      const to = { ArrowLeft: at - step, ArrowRight: at + step, Home: 0, End: data.columns - 1 }[event.key];
      if (event.key === "Escape") hide();
      if (to === undefined || event.target !== group) return;
      event.preventDefault();
      show(to);
    });
  }

  // Explanations.
  const open = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") {
      target.open = true;
      target.querySelector("summary").focus();
    }
  };
  addEventListener("hashchange", open);
  addEventListener("click", (event) => {
    if (event.target.closest('a[href^="#word-"]')) setTimeout(open);  // also when it is there already
  });
  open();
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const d of closed) d.open = true;
  });
  addEventListener("afterprint", () => {
    for (const d of closed) d.open = false;
  });
})();
)js";
}

}  // namespace rwin::app::html
