// SPDX-License-Identifier: Apache-2.0
// Makes the tables of the page sortable and filterable, and shows the hints of the pictures. The page says all that it
// has to say without it.
"use strict";
(() => {
  const FEWEST_TO_FILTER = 12;

  const valueOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent.trim() : Number(cell.dataset.v);
  };

  const compare = (left, right) => {
    if (typeof left === "number") {
      return typeof right === "number" ? left - right : -1;
    }
    return typeof right === "number" ? 1 : left.localeCompare(right, "en", {numeric: true});
  };

  const sort = (table, column) => {
    const header = table.tHead.rows[0].cells[column];
    const ascending = header.getAttribute("aria-sort") !== "ascending";
    for (const cell of table.tHead.rows[0].cells) {
      cell.removeAttribute("aria-sort");
    }
    header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const rows = Array.from(table.tBodies[0].rows, (row) => ({row, value: valueOf(row, column)}));
    // Empty cells come last, in either order.
    const isEmpty = ({value}) => value === "";
    const full = rows.filter((one) => !isEmpty(one));
    full.sort((left, right) => (ascending ? 1 : -1) * compare(left.value, right.value));
    table.tBodies[0].append(...full.concat(rows.filter(isEmpty)).map(({row}) => row));
  };

  const makeSortable = (table) => {
    Array.from(table.tHead.rows[0].cells, (cell, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...cell.childNodes);
      button.addEventListener("click", () => sort(table, column));
      cell.append(button);
    });
  };

  const makeFilterable = (table) => {
    const rows = Array.from(table.tBodies[0].rows);
    if (FEWEST_TO_FILTER > rows.length) {
      return;
    }
    const label = document.createElement("label");
    label.className = "filter";
    const input = document.createElement("input");
    input.type = "search";
    const count = document.createElement("span");
    count.setAttribute("role", "status");
    const name = document.createElement("span");
    name.textContent = "Filter rows";
    input.setAttribute("aria-label", `Filter rows: ${table.caption.textContent}`);
    label.append(name, input, count);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = words.length > 0 ? `${shown} of ${rows.length}` : "";
    });
    table.parentElement.before(label);
  };

  const hint = document.createElement("div");
  hint.className = "hint";
  hint.hidden = true;

  const centre = (element) => {
    const box = element.getBoundingClientRect();
    return {x: box.left + box.width / 2, y: box.top + box.height / 2, box};
  };

  const distance = (element, x, y) => {
    const {box} = centre(element);
    const dx = Math.max(box.left - x, 0, x - box.right);
    const dy = Math.max(box.top - y, 0, y - box.bottom);
    return Math.hypot(dx, dy);
  };

  const showNearest = (marks, event) => {
    const NEAR = 24;
    let nearest = null;
    let least = NEAR;
    for (const mark of marks) {
      const away = distance(mark.element, event.clientX, event.clientY);
      if (least > away) {
        least = away;
        nearest = mark;
      }
    }
    hint.hidden = nearest === null;
    if (nearest !== null) {
      hint.textContent = nearest.text;
      const {x, box} = centre(nearest.element);
      const left = Math.min(x + 10, document.documentElement.clientWidth - hint.offsetWidth - 8);
      hint.style.left = `${Math.max(left, 8) + window.scrollX}px`;
      hint.style.top = `${box.bottom + 8 + window.scrollY}px`;
    }
  };

  // Titles that are shown here are taken out, so that the browser does not show them once more.
  const addHints = (picture) => {
    const marks = Array.from(picture.querySelectorAll("title"), (title) => {
      const mark = {element: title.parentElement, text: title.textContent};
      title.remove();
      return mark;
    });
    if (marks.length > 0) {
      picture.addEventListener("pointermove", (event) => showNearest(marks, event));
      picture.addEventListener("pointerleave", () => { hint.hidden = true; });
    }
  };

  // Only what can be scrolled takes the focus.
  const stopAtScrolling = () => {
    for (const one of document.querySelectorAll(".scroll")) {
      one.tabIndex = one.scrollWidth > one.clientWidth ? 0 : -1;
    }
  };

  document.querySelectorAll("table.sortable").forEach((table) => {
    makeSortable(table);
    makeFilterable(table);
  });
  document.querySelectorAll("svg[role=img]").forEach(addHints);
  document.body.append(hint);
  stopAtScrolling();
  window.addEventListener("resize", stopAtScrolling);
  document.addEventListener("toggle", stopAtScrolling, true);
})();
