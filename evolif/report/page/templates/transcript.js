// In every transcript: long texts, evidence, links to a turn. Nothing here makes HTML out of text: elements are shown,
// hidden, given classes, or made with createElement and textContent.
"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const byKey = new Map(all(".session").map((session) => [session.dataset.key, session]));

  // --- long texts -------------------------------------------------------------------------------------------------

  for (const text of all(".text[data-long]")) {
    const more = document.createElement("button");
    more.type = "button";
    more.className = "more";
    const label = () => {
      const clipped = text.classList.contains("clipped");
      more.textContent = clipped ? `Show all ${Number(text.dataset.long).toLocaleString("en")} characters` : "Show less";
      more.setAttribute("aria-expanded", String(!clipped));
    };
    text.classList.add("clipped");
    more.addEventListener("click", () => {
      text.classList.toggle("clipped");
      label();
    });
    label();
    text.after(more);
  }

  // --- evidence ---------------------------------------------------------------------------------------------------

  const marksOf = (button) =>
    all("mark[data-v]", button.closest(".turn")).filter((mark) => mark.dataset.v.split(" ").includes(button.dataset.v));

  const show = (button, on) => {
    const turn = button.closest(".turn");
    for (const mark of all("mark.on", turn)) mark.classList.remove("on");
    if (on) for (const mark of marksOf(button)) mark.classList.add("on");
    turn.classList.toggle("pointing", on);
  };

  const pressed = (turn) => turn.querySelector('button.v[aria-pressed="true"]');

  const restore = (turn) => {
    const kept = pressed(turn);
    if (kept) show(kept, true);
    else {
      for (const mark of all("mark.on", turn)) mark.classList.remove("on");
      turn.classList.remove("pointing");
    }
  };

  const verdictAt = (event) => (event.target instanceof Element ? event.target.closest("button.v[data-v]") : null);

  document.addEventListener("pointerover", (event) => {
    const button = verdictAt(event);
    if (button && event.pointerType === "mouse") show(button, true);
  });
  document.addEventListener("pointerout", (event) => {
    const button = verdictAt(event);
    if (button && event.pointerType === "mouse" && !button.contains(event.relatedTarget)) restore(button.closest(".turn"));
  });
  document.addEventListener("click", (event) => {
    const button = verdictAt(event);
    if (!button) return;
    const turn = button.closest(".turn");
    const was = button.getAttribute("aria-pressed") === "true";
    for (const other of all('button.v[aria-pressed="true"]', turn)) other.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", String(!was));
    restore(turn);
    if (was) return;
    const first = marksOf(button)[0];
    const clipped = first && first.closest(".clipped");
    if (clipped) clipped.nextElementSibling.click();
    if (first) first.scrollIntoView({ block: "nearest" });
  });

  // --- links: #s=MODEL/DIALOGUE/EPOCH&t=TURN ------------------------------------------------------------------------

  const open = () => {
    const state = new URLSearchParams(location.hash.slice(1));
    const session = byKey.get(state.get("s"));
    if (!session) return;
    const turn = /^\d{1,6}$/.test(state.get("t") || "") ? state.get("t") : "";
    if (session.classList.contains("outside")) {
      const link = `#s=${encodeURIComponent(session.dataset.key)}${turn && `&t=${turn}`}`;
      location.replace(session.querySelector("a").getAttribute("href") + link);
      return;
    }
    if ("open" in session) session.open = true;
    const target = (turn && session.querySelector(`.turn[data-t="${turn}"]`)) || session;
    for (const one of all(".target")) one.classList.remove("target");
    target.classList.add("target");
    target.scrollIntoView({ block: "start" });
    const focused = target === session ? session.querySelector("summary") || session : target;
    focused.focus({ preventScroll: true });
  };

  window.addEventListener("hashchange", open);
  open();
})();
