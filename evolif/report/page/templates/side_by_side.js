// The choice of turns, and all dialogues at once. Without it everything is there, dialogue by dialogue.
"use strict";
(() => {
  const form = document.querySelector("form.choices");
  const main = document.querySelector("main");
  const dialogues = Array.from(document.querySelectorAll("details.session"));
  if (!form || !main) return;
  const only = form.elements.only;
  const all = form.elements.all;

  const apply = () => main.classList.toggle("only-differing", only.checked);

  const label = () => {
    all.textContent = dialogues.every((one) => one.open) ? "Close all dialogues" : "Open all dialogues";
  };

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  only.addEventListener("change", apply);
  all.addEventListener("click", () => {
    const open = !dialogues.every((one) => one.open);
    for (const one of dialogues) one.open = open;
    label();
  });
  for (const one of dialogues) one.addEventListener("toggle", label);
  window.addEventListener("hashchange", () => {
    // A link leads to a turn, whether or not it differs.
    only.checked = false;
    apply();
  });
  apply();
  label();
})();
