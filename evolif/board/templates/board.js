// The table: sorted, filtered, and two models chosen in it; and which view the address after the # asks for.
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const form = document.querySelector("form.tools");
  const counts = document.querySelector(".counts");
  const grid = document.querySelector("table.board");
  const tableView = document.getElementById("board");
  const view = document.getElementById("view");
  const compareButton = form.querySelector(".compare");
  const title = document.title;

  // --- light and dark ---------------------------------------------------------------------------------------------

  const root = document.documentElement;
  const toggle = document.querySelector("button.theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const kept = (value) => {
    // A page opened from a disk may have no storage.
    try {
      if (value !== undefined) localStorage.setItem("evolif-theme", value);
      return localStorage.getItem("evolif-theme");
    } catch {
      return null;
    }
  };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const named = () => { toggle.textContent = isDark() ? "Light" : "Dark"; };
  const chosen = kept();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    kept(root.dataset.theme);
    named();
  });
  system.addEventListener("change", named);
  named();

  // --- sorting ----------------------------------------------------------------------------------------------------

  const heads = all("thead th", grid);
  const names = new Intl.Collator("en", { numeric: true });
  const keyOf = (row, id) => {
    const cell = id ? all("td", row).find((one) => one.dataset.column === id) : null;
    return cell && cell.dataset.value !== undefined ? Number(cell.dataset.value) : null;
  };
  const sortBy = (head, direction) => {
    const id = head.dataset.column;
    const sign = direction === "ascending" ? 1 : -1;
    for (const body of all("tbody", grid)) {
      const rows = all("tr[data-row]", body).map((row) => [row, keyOf(row, id)]);
      rows.sort(([a, one], [b, other]) => {
        const byName = names.compare(a.dataset.row, b.dataset.row);
        if (!id) return sign * byName;
        if (one === null || other === null) return (one === null) - (other === null) || byName;
        return sign * (one - other) || byName;
      });
      body.append(...rows.map(([row]) => row));
    }
    for (const one of heads) one.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", direction);
  };
  for (const head of heads) {
    const first = !head.dataset.column || head.dataset.lower === "1" ? "ascending" : "descending";
    const second = first === "ascending" ? "descending" : "ascending";
    head.querySelector(".sort").addEventListener("click", () =>
      sortBy(head, head.getAttribute("aria-sort") === first ? second : first));
  }

  // --- filters ----------------------------------------------------------------------------------------------------

  const valueOf = (name) => (form.elements[name] ? form.elements[name].value : "");
  const filter = () => {
    const words = valueOf("q").toLowerCase().split(/\s+/).filter(Boolean);
    const hidden = new Set();
    for (const head of heads.filter((one) => one.dataset.column)) {
      const scenario = valueOf("scenario"), profile = valueOf("profile");
      head.hidden = Boolean((scenario && head.dataset.scenario !== scenario) || (profile && head.dataset.profile !== profile));
      if (head.hidden) hidden.add(head.dataset.column);
    }
    let shown = 0;
    const rows = all("tr[data-row]", grid);
    for (const row of rows) {
      const name = row.dataset.row.toLowerCase();
      let played = false;
      for (const cell of all("td", row)) {
        cell.hidden = hidden.has(cell.dataset.column);
        if (!cell.hidden && !cell.classList.contains("none")) played = true;
      }
      row.hidden = !played || !words.every((word) => name.includes(word));
      shown += !row.hidden;
    }
    grid.classList.toggle("no-spent", !form.elements.spent.checked);
    counts.textContent = shown === rows.length && !hidden.size ? "" : `${shown} of ${rows.length} models, ${heads.length - 1 - hidden.size} of ${heads.length - 1} columns`;
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", filter);

  // --- two models -------------------------------------------------------------------------------------------------

  let picked = [];
  const boxes = all("input.choose", grid);
  for (const box of boxes) box.hidden = false;
  const showPicked = () => {
    for (const box of boxes) box.checked = picked.includes(box.value);
    compareButton.disabled = picked.length !== 2;
    compareButton.textContent = picked.length === 1 ? "Choose a second model" : picked.length ? "Compare the two" : "Choose two models to compare";
  };
  grid.addEventListener("change", (event) => {
    const box = event.target;
    if (!box.classList.contains("choose")) return;
    picked = box.checked ? [...picked, box.value].slice(-2) : picked.filter((name) => name !== box.value);
    showPicked();
  });
  compareButton.addEventListener("click", () => { location.hash = views.pairHash(...picked); });
  showPicked();

  // --- views ------------------------------------------------------------------------------------------------------

  const decoded = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const asked = () => {
    const [, kind, rest] = /^#(model|compare|column)=(.*)$/s.exec(location.hash) || [];
    if (kind === "model") return views.model(decoded(rest));
    if (kind === "column") return views.column(decoded(rest));
    if (kind === "compare") return views.compare(...rest.split("&").map(decoded));
    return null;
  };
  let place = 0;
  const route = (event) => {
    const found = asked();
    if (!tableView.hidden) place = scrollY;
    tableView.hidden = found !== null;
    view.hidden = found === null;
    view.replaceChildren(...(found ? found.parts.filter(Boolean) : []));
    document.title = found ? `${found.title} · ${title}` : title;
    if (found) {
      scrollTo(0, 0);
      if (event) view.focus({ preventScroll: true });
    } else if (event) scrollTo(0, place);
  };
  addEventListener("hashchange", route);
  // Paper is light, whatever the screen is.
  let onScreen;
  addEventListener("beforeprint", () => {
    for (const fold of all("details")) fold.open = true;
    onScreen = root.dataset.theme;
    root.dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    if (onScreen) root.dataset.theme = onScreen;
    else delete root.dataset.theme;
  });
  route();
})();
