// The list of all sessions, and their transcripts, which are loaded from shards: scripts that call evolif.shard(NAME,
// [HTML, …]). That HTML is what the page of fewer sessions has inside, escaped by the same templates; it is parsed into
// a document in which nothing runs or loads. Nothing else here makes HTML out of text.
"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const make = (tag, look, text) => {
    const made = document.createElement(tag);
    if (look) made.className = look;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const form = document.querySelector("form.filters");
  const list = document.querySelector(".sessions");
  const counts = document.querySelector(".counts");
  const navs = all("nav.pages");
  const index = JSON.parse(document.getElementById("session-index").textContent);
  const [MODEL, DIALOGUE, EPOCH, ENDING, OUTCOMES, GROUPS] = [0, 1, 2, 3, 4, 5];
  const FIELDS = ["model", "dialogue", "ending", "failed", "q", "order", "only"];
  const ON_A_PAGE = 50;
  const number = (value) => value.toLocaleString("en");
  const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

  // --- sessions -----------------------------------------------------------------------------------------------------

  const rows = index.rows;
  const failures = rows.map((row) => row[OUTCOMES].split("-").length - 1);
  const failedTurns = (row) => failures[row];
  const keyOf = (row) => `${index.models[rows[row][MODEL]][0]}/${rows[row][DIALOGUE]}/${rows[row][EPOCH]}`;
  const titleOf = (row) => {
    const epoch = rows[row][EPOCH] > 1 ? `, epoch ${rows[row][EPOCH]}` : "";
    return `${index.models[rows[row][MODEL]][1]}, dialogue ${rows[row][DIALOGUE]}${epoch}`;
  };
  const aboutOf = (row) =>
    `${index.endings[rows[row][ENDING]]}, ${counted(rows[row][OUTCOMES].length, "turn")}, ${number(failedTurns(row))} failed`;

  let rowsByKey = null;
  const rowOf = (key) => {
    if (!key) return undefined;
    if (!rowsByKey) rowsByKey = new Map(rows.map((_, row) => [keyOf(row), row]));
    return rowsByKey.get(key);
  };

  const LOOKS = { "+": ["ok", "✓"], "-": ["bad", "✗"], 0: ["none", "–"] };
  const strip = (outcomes) => {
    const made = make("span", "strip");
    made.setAttribute("aria-hidden", "true");
    for (const [same] of outcomes.matchAll(/(.)\1*/g)) {
      const [look, sign] = LOOKS[same[0]];
      made.append(make("span", look, sign.repeat(same.length)));
    }
    return made;
  };

  // --- shards -------------------------------------------------------------------------------------------------------

  const MOST_KEPT = 12;
  const firstRows = [];
  let total = 0;
  for (const [, size] of index.shards) {
    firstRows.push(total);
    total += size;
  }
  const shardOf = (row) => {
    let [low, high] = [0, firstRows.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (firstRows[middle] <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  const arrived = new Map();
  window.evolif = { shard: (name, texts) => arrived.set(name, texts) };

  const kept = new Map();
  const load = (shard) => {
    const known = kept.get(shard);
    if (known) return known;
    const [name, size] = index.shards[shard];
    const place = `${decodeURIComponent(index.folder)}/${name}`;
    const loading = new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.addEventListener("load", () => {
        const texts = arrived.get(name);
        arrived.delete(name);
        script.remove();
        const sound = Array.isArray(texts) && texts.length === size && texts.every((text) => typeof text === "string");
        if (sound) resolve(texts);
        else reject(new Error(`The file ${place} is damaged or belongs to another page, so this cannot be shown. Write the page again.`));
      });
      script.addEventListener("error", () => {
        script.remove();
        reject(new Error(`The file ${place} is not there or cannot be read. Keep the folder beside this page; then close this dialogue and open it again.`));
      });
      script.src = `${index.folder}/${name}`;
      document.head.append(script);
    });
    kept.set(shard, loading);
    loading.catch(() => kept.delete(shard));
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
    return loading;
  };

  const transcript = async (row) => {
    const shard = shardOf(row);
    return (await load(shard))[row - firstRows[shard]];
  };

  // --- one session --------------------------------------------------------------------------------------------------

  const clip = (text) => {
    const more = make("button", "more");
    more.type = "button";
    const label = () => {
      const clipped = text.classList.contains("clipped");
      more.textContent = clipped ? `Show all ${number(Number(text.dataset.long))} characters` : "Show less";
      more.setAttribute("aria-expanded", String(!clipped));
    };
    text.classList.add("clipped");
    more.addEventListener("click", () => {
      text.classList.toggle("clipped");
      label();
    });
    label();
    text.after(more);
  };

  const fill = async (session) => {
    const inside = session.querySelector(".inside");
    if (inside.dataset.state) return;
    inside.dataset.state = "loading";
    inside.setAttribute("aria-busy", "true");
    inside.replaceChildren(make("p", "meta", "Loading…"));
    try {
      const text = await transcript(Number(session.dataset.row));
      inside.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
      for (const long of all(".text[data-long]", inside)) clip(long);
      inside.dataset.state = "shown";
    } catch (fault) {
      const told = make("p", "warning", fault.message);
      told.setAttribute("role", "alert");
      inside.replaceChildren(told);
      delete inside.dataset.state;
    }
    inside.removeAttribute("aria-busy");
  };

  const element = (row) => {
    const session = make("details", "session");
    session.dataset.key = keyOf(row);
    session.dataset.row = row;
    const summary = make("summary");
    summary.append(make("span", "who", titleOf(row)), " ", make("span", "sum", aboutOf(row)), " ", strip(rows[row][OUTCOMES]));
    session.append(summary, make("div", "inside"));
    session.addEventListener("toggle", () => {
      if (session.open) fill(session);
      const state = readState();
      if (session.open === (state.get("s") === session.dataset.key)) return;
      if (session.open) state.set("s", session.dataset.key);
      else state.delete("s");
      state.delete("t");
      writeState(state);
    });
    return session;
  };

  // --- the address: #model=…&q=…&page=…, and the link to a turn, #s=MODEL/DIALOGUE/EPOCH&t=TURN ---------------------

  const readState = () => new URLSearchParams(location.hash.slice(1));

  const writeState = (state) => {
    const hash = state.toString().replaceAll("%2F", "/").replaceAll("%3A", ":");
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  };

  const fieldState = () => {
    const state = readState();
    for (const name of FIELDS) {
      const field = form.elements[name];
      const value = field.type === "checkbox" ? (field.checked ? "1" : "") : field.value;
      if (value) state.set(name, value);
      else state.delete(name);
    }
    for (const name of ["s", "t", "page"]) state.delete(name);
    return state;
  };

  const showState = (state) => {
    for (const name of FIELDS) {
      const field = form.elements[name];
      if (field.type === "checkbox") field.checked = state.get(name) === "1";
      else if (field.value !== (state.get(name) || "")) field.value = state.get(name) || "";
    }
  };

  // --- filters and order --------------------------------------------------------------------------------------------

  const ORDERS = {
    dialogue: (a, b) => rows[a][DIALOGUE] - rows[b][DIALOGUE] || rows[a][EPOCH] - rows[b][EPOCH],
    failed: (a, b) => failedTurns(b) - failedTurns(a),
    short: (a, b) => rows[a][OUTCOMES].length - rows[b][OUTCOMES].length,
    long: (a, b) => rows[b][OUTCOMES].length - rows[a][OUTCOMES].length,
  };

  const chosen = (state) => {
    const place = (name, values) => (state.get(name) ? values.indexOf(state.get(name)) : null);
    const model = place("model", index.models.map(([key]) => key));
    const ending = place("ending", index.endings);
    const group = place("failed", index.groups);
    const dialogue = state.get("dialogue") ? Number(state.get("dialogue")) : null;
    const only = state.get("only") === "1";
    const found = [];
    rows.forEach((row, at) => {
      if (model !== null && row[MODEL] !== model) return;
      if (dialogue !== null && row[DIALOGUE] !== dialogue) return;
      if (ending !== null && row[ENDING] !== ending) return;
      if (group !== null && !row[GROUPS].includes(group)) return;
      if (only && !row[OUTCOMES].includes("-")) return;
      found.push(at);
    });
    const order = Object.hasOwn(ORDERS, state.get("order") || "") ? ORDERS[state.get("order")] : null;
    return order ? found.sort((a, b) => order(a, b) || a - b) : found;
  };

  const plain = (text) => text.replace(/\s+/g, " ").trim().toLowerCase();
  const escaped = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };
  const textOf = (html) => plain(html.replace(/<[^>]*>/g, ""));

  // Reads the shards of the sessions one after another, until all are searched or `go` says no.
  const search = async (candidates, words, go, tell) => {
    const sought = words.replace(/[&<>"']/g, (sign) => escaped[sign]);
    const found = new Set();
    const missing = new Set();
    const byShard = new Map();
    for (const row of candidates) {
      if (plain(`${titleOf(row)} ${aboutOf(row)}`).includes(words)) found.add(row);
      else if (byShard.has(shardOf(row))) byShard.get(shardOf(row)).push(row);
      else byShard.set(shardOf(row), [row]);
    }
    let done = 0;
    for (const [shard, own] of byShard) {
      try {
        const texts = await load(shard);
        for (const row of own) if (textOf(texts[row - firstRows[shard]]).includes(sought)) found.add(row);
      } catch {
        missing.add(shard);
      }
      done += 1;
      if (!go()) return null;
      tell(done, byShard.size, found.size);
    }
    return { found, missing: missing.size };
  };

  // --- the list -----------------------------------------------------------------------------------------------------

  let shown = [];
  let run = 0;
  let applied = "";
  const wanted = (state) => [...FIELDS, "page"].map((name) => state.get(name) || "").join("\n");

  const show = (page) => {
    const pages = Math.max(1, Math.ceil(shown.length / ON_A_PAGE));
    const at = Math.min(Math.max(page, 1), pages);
    list.replaceChildren(...shown.slice((at - 1) * ON_A_PAGE, at * ON_A_PAGE).map(element));
    for (const nav of navs) {
      nav.hidden = pages === 1;
      nav.querySelector(".where").textContent = `Page ${number(at)} of ${number(pages)}`;
      for (const button of all("button", nav)) {
        const target = at + Number(button.dataset.step);
        button.disabled = target < 1 || target > pages;
        button.dataset.page = target;
      }
    }
  };

  const tellCounts = (state, more) => {
    const only = state.get("only") === "1";
    const turns = shown.reduce((sum, row) => sum + (only ? failedTurns(row) : rows[row][OUTCOMES].length), 0);
    const every = rows.reduce((sum, row) => sum + row[OUTCOMES].length, 0);
    counts.textContent =
      `${number(shown.length)} of ${counted(rows.length, "dialogue")}, ${number(turns)} of ${counted(every, "turn")}${more}`;
  };

  // Shows what the address asks for; a session that it names stands in the list even if a filter leaves it out.
  const apply = async () => {
    const state = readState();
    const mine = ++run;
    applied = wanted(state);
    showState(state);
    list.classList.toggle("only-failed", state.get("only") === "1");
    let candidates = chosen(state);
    let more = "";
    const words = plain(state.get("q") || "");
    if (words) {
      shown = [];
      show(1);
      const tell = (done, files, found) => {
        if (done % 10 === 0) counts.textContent = `Searching: ${number(done)} of ${counted(files, "file")}, ${number(found)} found so far`;
      };
      counts.textContent = "Searching…";
      const result = await search(candidates, words, () => mine === run, tell);
      if (!result) return;
      candidates = candidates.filter((row) => result.found.has(row));
      if (result.missing) more = `; ${counted(result.missing, "file")} of transcripts could not be read and searched`;
    }
    const linked = rowOf(state.get("s"));
    if (linked !== undefined && !candidates.includes(linked)) candidates.unshift(linked);
    shown = candidates;
    tellCounts(state, more);
    const place = linked === undefined ? -1 : shown.indexOf(linked);
    show(place < 0 ? Number(state.get("page")) || 1 : Math.floor(place / ON_A_PAGE) + 1);
    if (linked !== undefined) await openLinked(linked, state.get("t") || "");
  };

  const openLinked = async (row, turn) => {
    const session = list.querySelector(`.session[data-row="${row}"]`);
    session.open = true;
    await fill(session);
    const wanted = /^\d{1,6}$/.test(turn) ? session.querySelector(`.turn[data-t="${turn}"]`) : null;
    const target = wanted || session;
    for (const one of all(".target")) one.classList.remove("target");
    target.classList.add("target");
    target.scrollIntoView({ block: "start" });
    (wanted || session.querySelector("summary")).focus({ preventScroll: true });
  };

  // A folded section opens where the address names it, or asks for something in it.
  const unfold = () => {
    const state = readState();
    const asked = [...FIELDS, "s", "page"].some((name) => state.get(name));
    let named = "dialogues";
    try {
      if (!asked) named = decodeURIComponent(location.hash.slice(1));
    } catch {
      named = "";
    }
    const section = named ? document.getElementById(named) : null;
    const fold = section && section.querySelector("details.chapter");
    if (!fold || fold.open) return;
    fold.open = true;
    section.scrollIntoView();
  };

  const follow = () => {
    unfold();
    const state = readState();
    // A link within what is shown, as from turn to turn, leaves the list as it is.
    const linked = rowOf(state.get("s"));
    const session = linked === undefined ? null : list.querySelector(`.session[data-row="${linked}"]`);
    if (session) openLinked(linked, state.get("t") || "");
    else if (linked !== undefined || wanted(state) !== applied) apply();
  };

  // --- events -------------------------------------------------------------------------------------------------------

  for (const [name, values] of [["model", index.models.map(([key, , label]) => [key, label])], ["ending", [...index.endings].sort()], ["failed", [...index.groups].sort()]]) {
    for (const value of values) {
      const option = make("option", "", Array.isArray(value) ? value[1] : value);
      option.value = Array.isArray(value) ? value[0] : value;
      form.elements[name].append(option);
    }
  }

  let waiting = 0;
  const changed = () => {
    writeState(fieldState());
    apply();
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(changed, 250);
  });
  form.addEventListener("reset", () => setTimeout(changed, 0));
  for (const nav of navs) {
    nav.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("button[data-page]") : null;
      if (!button) return;
      const state = readState();
      for (const name of ["s", "t"]) state.delete(name);
      state.set("page", button.dataset.page);
      writeState(state);
      applied = wanted(state);
      show(Number(button.dataset.page));
      counts.scrollIntoView({ block: "start" });
      const first = list.querySelector("summary");
      if (first) first.focus({ preventScroll: true });
    });
  }
  window.addEventListener("beforeprint", () => {
    for (const fold of all("details.table, details.chapter")) fold.open = true;
  });
  window.addEventListener("hashchange", follow);
  unfold();
  apply();
})();
