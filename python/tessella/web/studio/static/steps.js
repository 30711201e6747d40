// A text on its way through the stages, each aligned with the original; then how the model chose its tokens.

import { ask } from "./ask.js";
import { choice, field, h, later, number, put } from "./dom.js";
import { signs } from "./signs.js";
import { whole } from "./state.js";
import { story } from "./story.js";
import { chips, hide, show } from "./tokens.js";

const PIECES = 300;

/** The pieces of a stage; pointing at one marks all that stand for the same characters. */
function stage(name, pieces, note) {
  const shown = pieces.slice(0, PIECES);
  return h("section", { class: "stage" }, h("h3", {}, name, note ? h("small", {}, ` ${note}`) : null),
    h("div", { class: "chips" },
      chips(shown.map((one) => one.text), (place) => (shown[place].added === null ? "" : "added"), (place) => ({
        "data-start": shown[place].start, "data-end": shown[place].end, tabindex: "0", role: "img",
        "aria-label": `${shown[place].text}, characters ${shown[place].start} to ${shown[place].end}`,
        title: `characters ${shown[place].start} to ${shown[place].end}`,
      })),
      pieces.length > PIECES ? h("span", {}, ` … and ${number(pieces.length - PIECES)} more`) : null));
}

function aligned(box) {
  const mark = (event) => {
    const at = event.target.closest?.("[data-start]");
    box.querySelectorAll(".aligned").forEach((one) => one.classList.remove("aligned"));
    if (!at) return;
    const [start, end] = [Number(at.dataset.start), Number(at.dataset.end)];
    for (const one of box.querySelectorAll("[data-start]")) {
      const [first, last] = [Number(one.dataset.start), Number(one.dataset.end)];
      if ((first < end && start < last) || one === at) one.classList.add("aligned");
    }
  };
  box.addEventListener("pointerover", mark);
  box.addEventListener("focusin", mark);
}

export function page(main, state, session, keep) {
  const names = session.tokenizers.map((one) => one.name);
  if (!names.includes(state.k)) state.k = names[0];
  state.text ??= "unhug the tokenizers";
  const shown = h("div", {});
  const wrong = h("p", { class: "error", role: "alert" });
  const kept = later(() => keep(state), 300);
  let asked = 0;
  let stop = new AbortController();

  const draw = (told) => {
    const sequence = told.sequences[0];
    const picked = whole(state.piece, Math.max(sequence.pieces.length - 1, 0));
    const letters = [...sequence.text].map((one, place) => ({ text: one, start: place, end: place + 1, added: null }));
    const how = h("div", { class: "story" });
    const choose = (place) => {
      state.piece = String(place);
      pieces.forEach((one, other) => one.setAttribute("aria-pressed", String(other === place)));
      put(how, sequence.pieces[place] ? story(sequence.pieces[place], state, kept) : h("p", {}, "There is no piece."));
    };
    const pieces = sequence.pieces.slice(0, PIECES).map((one, place) =>
      h("button", { type: "button", class: "chip pick", "aria-pressed": "false", onclick: () => { delete state.step; delete state.way; choose(place); kept(); } },
        signs(one.piece.text, true)));
    const tokens = told.tokens.slice(0, 1000);
    const box = h("div", {},
      h("h2", {}, "Stages"),
      stage("characters", letters),
      sequence.stages.slice(1).map((one) => stage(one.name, one.pieces)),
      h("section", { class: "stage" }, h("h3", {}, "tokens"),
        h("div", { class: "chips" }, chips(tokens.map((one) => one.token), (place) => (tokens[place].special ? "special" : ""), (place) => ({
          "data-start": tokens[place].sequence === null ? -1 : tokens[place].start,
          "data-end": tokens[place].sequence === null ? -1 : tokens[place].end,
          tabindex: "0", role: "button", "aria-label": `${tokens[place].token}, id ${tokens[place].id}`, title: `id ${tokens[place].id}`,
          onclick: () => show(state.k, tokens[place].id), onkeydown: (event) => event.key === "Enter" && show(state.k, tokens[place].id),
        })))),
      h("section", { class: "stage" }, h("h3", {}, "ids"), h("p", { class: "ids" }, told.ids.slice(0, 1000).join(" "))));
    aligned(box);
    put(shown, told.chance ? h("p", { class: "note" }, `With ${told.chance}.`) : null, box,
      h("h2", {}, `The model: ${told.model}`),
      h("div", { class: "chips", role: "group", "aria-label": "Pieces" }, pieces, sequence.pieces.length > PIECES ? ` … and ${sequence.pieces.length - PIECES} more` : null),
      how);
    choose(picked);
  };
  const run = async () => {
    const mine = ++asked;
    stop.abort();
    stop = new AbortController();
    try {
      const given = { tokenizer: state.k, text: state.text.toWellFormed?.() ?? state.text, special: state.special !== "no", n_best: Math.max(whole(state.best, 50, 5), 1) };
      const told = await ask("steps", given, stop.signal);
      if (mine !== asked) return;
      wrong.textContent = "";
      draw(told);
    } catch (error) {
      if (mine === asked && error.name !== "AbortError") wrong.textContent = error.message;
    }
  };
  const soon = later(run, 120);
  const changed = () => { soon(); kept(); };
  const text = h("textarea", { rows: 2, spellcheck: "false", dir: "auto", id: "text", value: state.text, maxlength: 2000,
    oninput: () => { state.text = text.value; delete state.piece; delete state.step; delete state.way; changed(); } });
  const best = h("input", { type: "range", min: 1, max: 50, value: whole(state.best, 50, 5), oninput: () => { state.best = best.value; many.textContent = best.value; changed(); } });
  const many = h("output", {}, String(whole(state.best, 50, 5)));
  put(main, h("h1", {}, "Steps"),
    h("div", { class: "controls" }, field("Text", text, "wide"),
      h("div", { class: "row" },
        field("Tokenizer", choice(state.k, names.map((one) => [one, one]), (value) => { state.k = value; delete state.piece; delete state.step; delete state.way; changed(); })),
        field("Best ways of a lattice", h("span", { class: "row" }, best, many)))),
    wrong, shown);
  run();
  return hide;
}
