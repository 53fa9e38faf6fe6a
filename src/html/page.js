"use strict";
// Makes an answer below `root` interactive: titles sort tables, and dots of charts lead to rows.
function enhance(root) {
  const DAYS = { d: 1, mo: 365 / 12, y: 365 };
  // The value by which a cell sorts: a number, an age in days, or a text. `null` is unknown.
  const value = (row, column, isNumber) => {
    const text = row.cells[column].textContent.trim();
    if (text === "" || text === "?" || text === "\u2014") return null;
    if (isNumber) {
      const number = Number.parseFloat(text.replace(/^[^\d.-]+/, "").replaceAll(",", ""));
      return Number.isNaN(number) ? text : number;
    }
    const age = /^(\d+)(d|mo|y)\b/.exec(text);
    return age ? Number(age[1]) * DAYS[age[2]] : text;
  };
  // Unknown values come last in both directions.
  const compare = (a, b, sign) => {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const sortable = (table) => {
    const titles = [...table.tHead.rows[0].cells];
    const body = table.tBodies[0];
    titles.forEach((title, column) => {
      if (title.tagName !== "TH") return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...title.childNodes);
      title.append(button);
      button.addEventListener("click", () => {
        const isUp = title.getAttribute("aria-sort") !== "ascending";
        for (const other of titles) other.removeAttribute("aria-sort");
        title.setAttribute("aria-sort", isUp ? "ascending" : "descending");
        const isNumber = title.classList.contains("n");
        const rows = [...body.rows].map((row) => [value(row, column, isNumber), row]);
        rows.sort(([a], [b]) => compare(a, b, isUp ? 1 : -1));
        body.append(...rows.map(([, row]) => row));
      });
    });
  };
  for (const table of root.querySelectorAll("table.sortable")) {
    if (table.tBodies[0].rows.length > 1) sortable(table);
  }
  // The dots without a number are one stop of the Tab key; arrow keys go from one to the next.
  for (const group of root.querySelectorAll("svg .plain")) {
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
  // The address of the page stays: it may be the question.
  for (const dot of root.querySelectorAll("a.dot[href]")) {
    dot.addEventListener("click", (event) => {
      const row = root.querySelector(dot.getAttribute("href"));
      if (!row) return;
      event.preventDefault();
      for (const other of root.querySelectorAll("tr.found")) other.classList.remove("found");
      row.classList.add("found");
      row.setAttribute("tabindex", "-1");
      row.focus({ preventScroll: true });
      row.scrollIntoView({ block: "center" });
    });
  }
}
