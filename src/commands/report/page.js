"use strict";
// Sorts a table by the column whose title is pressed: numbers by size, texts by letters, what is unknown last.
for (const table of document.querySelectorAll("table.sortable")) {
  const titles = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const value = (row, column) => {
    const cell = row.cells[column];
    const text = cell.textContent.trim();
    const number = titles[column].classList.contains("n") ? Number.parseFloat(text.replaceAll(",", "")) : Number.NaN;
    return Number.isNaN(number) ? text : number;
  };
  const compare = (a, b, sign) => {
    const unknown = (v) => v === "" || v === "?" || v === "\u2014";
    if (unknown(a) || unknown(b)) return unknown(a) - unknown(b);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  };
  titles.forEach((title, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...title.childNodes);
    title.append(button);
    button.addEventListener("click", () => {
      const isUp = title.getAttribute("aria-sort") !== "ascending";
      for (const other of titles) other.removeAttribute("aria-sort");
      title.setAttribute("aria-sort", isUp ? "ascending" : "descending");
      const rows = [...body.rows].map((row) => [value(row, column), row]);
      rows.sort(([a], [b]) => compare(a, b, isUp ? 1 : -1));
      body.append(...rows.map(([, row]) => row));
    });
  });
}
// The dots without a number are one stop of the Tab key; arrow keys go from one to the next.
for (const group of document.querySelectorAll("svg .plain")) {
  const dots = [...group.querySelectorAll(".dot")];
  dots.forEach((dot, place) => dot.setAttribute("tabindex", place === 0 ? "0" : "-1"));
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const place = dots.indexOf(document.activeElement);
    const next = dots[place + (step ?? 0)];
    if (!step || place < 0 || !next) return;
    event.preventDefault();
    dots[place].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}
