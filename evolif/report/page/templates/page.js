// The filters of the page's list of dialogues. Their whole state stands in the address after the #, beside the link to
// a turn, which transcript.js follows once everything here has run.
"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const sessions = all(".session");
  const form = document.querySelector("form.filters");
  const counts = document.querySelector(".counts");
  const list = document.querySelector(".sessions");
  const FIELDS = ["model", "ending", "failed", "q", "only"];
  const texts = new Map();
  if (!form) return;

  // --- state ------------------------------------------------------------------------------------------------------

  const readState = () => new URLSearchParams(location.hash.slice(1));

  const writeState = (state) => {
    // Slashes and colons stay readable in an address.
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
    return state;
  };

  const plain = (text) => text.replace(/\s+/g, " ").trim().toLowerCase();

  const textOf = (session) => {
    if (!texts.has(session)) texts.set(session, plain(session.textContent));
    return texts.get(session);
  };

  const matches = (session, state, words) => {
    const data = session.dataset;
    if (state.get("model") && data.model !== state.get("model")) return false;
    if (state.get("ending") && data.ending !== state.get("ending")) return false;
    if (state.get("failed") && !data.failed.split(" ").includes(state.get("failed"))) return false;
    if (state.get("only") && data.bad === "0") return false;
    return !words || textOf(session).includes(words);
  };

  const number = (value) => value.toLocaleString("en");
  const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

  const filter = (state) => {
    const words = plain(state.get("q") || "");
    const only = state.get("only") === "1";
    let shown = 0;
    let turns = 0;
    let every = 0;
    let elsewhere = 0;
    list.classList.toggle("only-failed", only);
    for (const session of sessions) {
      const linked = session.dataset.key === state.get("s");
      const visible = linked || matches(session, state, words);
      session.hidden = !visible;
      every += Number(session.dataset.turns);
      if (!visible && words && session.classList.contains("outside") && matches(session, state, "")) elsewhere += 1;
      if (!visible) continue;
      shown += 1;
      turns += Number(only ? session.dataset.bad : session.dataset.turns);
    }
    let told = `${number(shown)} of ${counted(sessions.length, "dialogue")}, ${number(turns)} of ${counted(every, "turn")}`;
    if (elsewhere) told += `; the search does not cover ${counted(elsewhere, "dialogue")} outside this page`;
    counts.textContent = told;
  };

  // A folded section opens where the address names it, or asks for something in it.
  const unfold = (state) => {
    const asked = [...FIELDS, "s"].some((name) => state.get(name));
    const named = asked ? "dialogues" : decodeURIComponent(location.hash.slice(1));
    const section = named ? document.getElementById(named) : null;
    const fold = section && section.querySelector("details.chapter");
    if (!fold || fold.open) return;
    fold.open = true;
    section.scrollIntoView();
  };

  const apply = () => {
    const state = readState();
    unfold(state);
    for (const name of FIELDS) {
      const field = form.elements[name];
      if (field.type === "checkbox") field.checked = state.get(name) === "1";
      else if (field.value !== (state.get(name) || "")) field.value = state.get(name) || "";
    }
    filter(state);
  };

  let waiting = 0;
  const changed = () => {
    const state = fieldState();
    state.delete("s");
    state.delete("t");
    writeState(state);
    filter(state);
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(changed, 120);
  });
  form.addEventListener("reset", () => setTimeout(changed, 0));

  for (const session of sessions) {
    if (session.tagName !== "DETAILS") continue;
    session.addEventListener("toggle", () => {
      const state = readState();
      if (session.open && state.get("s") !== session.dataset.key) {
        state.set("s", session.dataset.key);
        state.delete("t");
      } else if (!session.open && state.get("s") === session.dataset.key) {
        state.delete("s");
        state.delete("t");
      } else return;
      writeState(state);
    });
  }

  window.addEventListener("beforeprint", () => {
    for (const fold of all("details.table, details.chapter")) fold.open = true;
  });
  window.addEventListener("hashchange", apply);
  apply();
})();
