// A text as coloured tokens: blocks that are drawn when they come into view, one place for the keyboard, details of
// the token that is pointed at.

import { ask } from "./ask.js";
import { h, number, put, short } from "./dom.js";
import { points, signs } from "./signs.js";

const COLOURS = 6;
const details = () => document.getElementById("details");
const known = new Map();

async function entry(tokenizer, id) {
  const key = `${id} ${tokenizer}`;
  if (!known.has(key)) {
    known.set(key, ask("token", { tokenizer, id }).catch((error) => ({ error: error.message })));
    if (known.size > 5000) known.delete(known.keys().next().value);
  }
  return known.get(key);
}

const rows = (pairs) =>
  h("dl", {}, pairs.filter((pair) => pair[1] !== "" && pair[1] !== null).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));

let wanted = 0;

/** Shows what is known of a token, in the corner of the page. */
export async function show(tokenizer, id, place) {
  const mine = ++wanted;
  const waiting = entry(tokenizer, id);
  const soon = setTimeout(() => {
    if (mine === wanted) put(details(), h("p", {}, `id ${number(id)} …`)).hidden = false;
  }, 150);
  const told = await waiting;
  clearTimeout(soon);
  if (mine !== wanted) return;
  const box = details();
  box.hidden = false;
  if (told.error) {
    put(box, h("p", { class: "error" }, told.error));
    return;
  }
  put(
    box,
    h("p", { class: "token-name" }, signs(told.text, true), " ", h("small", {}, tokenizer)),
    rows([
      ["id", number(told.id)],
      ["token", h("code", {}, signs(told.token, true))],
      ["bytes", h("code", {}, told.bytes)],
      ["code points", place?.text ? h("code", {}, points(place.text)) : ""],
      ["characters", place ? `${number(place.start)} to ${number(place.end)}` : ""],
      ["in UTF-8", place?.bytes ?? ""],
      ["kind", told.whole ? told.kind : `${told.kind}, part of a character`],
      ["rank", told.rank === undefined || told.rank === null ? "" : number(told.rank)],
      ["score", short(told.score)],
      ["audit", (told.flags ?? []).map(([name, words]) => `${name}: ${words}`).join("; ")],
    ]),
    h("button", { type: "button", class: "close", "aria-label": "Close the details", onclick: hide }, "×"),
  );
}

export function hide() {
  wanted++;
  details().hidden = true;
}

const count = (text) => [...text].length;
const encoder = new TextEncoder();

/** Where a token is: characters and bytes from the beginning of the text, counted only when it is looked at. */
function located(text, start, end) {
  const before = text.slice(0, start);
  const own = text.slice(start, end);
  const [chars, bytes] = [count(before), encoder.encode(before).length];
  const size = encoder.encode(own).length;
  return { text: own, start: chars, end: chars + count(own), bytes: `${number(bytes)} to ${number(bytes + size)}` };
}

/** One token as an element. `before` is the end of the token before it. */
function token(view, place, before) {
  const { columns, text } = view;
  const [start, end] = [columns.starts[place], columns.ends[place]];
  const id = columns.ids[place];
  const name = columns.names[id] ?? "";
  const isSpecial = view.special.has(place);
  const shares = !isSpecial && end > start && start < before;
  const content = isSpecial || end === start ? signs(name, true) : shares ? ["‥"] : signs(text.slice(Math.max(start, before), end));
  const kinds = ["token", `c${place % COLOURS}`];
  if (isSpecial) kinds.push("special");
  else if (end === start) kinds.push("empty");
  if (shares) kinds.push("part");
  if (columns.marks[place]) kinds.push("differs");
  if (columns.mask?.[place]) kinds.push("inloss");
  const words = `${name}, id ${id}${isSpecial ? ", special" : ""}${columns.marks[place] ? ", cut differently" : ""}${columns.mask?.[place] ? ", counts in the loss" : ""}`;
  return h("span", { class: kinds.join(" "), "data-place": place, role: "option", "aria-label": words, title: `${id}` }, content);
}

/** Fills a block with its tokens, and with the text between them that belongs to none. */
function draw(view, block, index) {
  const [first, end] = view.columns.blocks[index];
  const nodes = [];
  let before = 0;
  for (let place = first - 1; place >= 0; place--) {
    if (view.special.has(place)) continue;
    before = view.columns.ends[place];
    break;
  }
  for (let place = first; place < end; place++) {
    const start = view.columns.starts[place];
    if (!view.special.has(place) && start > before) {
      nodes.push(h("span", { class: "gap", title: "belongs to no token" }, signs(view.text.slice(before, start))));
    }
    nodes.push(token(view, place, before));
    if (!view.special.has(place)) before = Math.max(before, view.columns.ends[place]);
  }
  const last = index === view.columns.blocks.length - 1;
  if (last && before < view.text.length) {
    nodes.push(h("span", { class: "gap", title: "belongs to no token" }, signs(view.text.slice(before))));
  }
  put(block, nodes);
  block.style.removeProperty("min-height");
}

/** A list of tokens that draws what is in view. */
export function list(tokenizer, text, columns) {
  const view = { columns, text, special: new Set(columns.special), tokenizer };
  const box = h("div", { class: "tokens", role: "listbox", tabindex: "0", dir: "auto", "aria-label": `Tokens of ${tokenizer}` });
  // About 40 tokens go into a line: good enough for the bar at the side until a block is drawn.
  const shells = columns.blocks.map(([first, end], index) =>
    h("div", { class: "block", "data-index": index, role: "presentation", style: { "min-height": `${Math.ceil((end - first) / 12) * 1.9}em` } }));
  box.append(...shells);
  const watcher = new IntersectionObserver(
    (seen) => {
      for (const one of seen) {
        const block = one.target;
        if (one.isIntersecting) {
          if (!block.firstChild) draw(view, block, Number(block.dataset.index));
        } else if (block.firstChild && shells.length > 20 && !block.contains(document.activeElement)) {
          block.style.setProperty("min-height", `${block.offsetHeight}px`);
          block.replaceChildren();
        }
      }
    },
    { rootMargin: "600px" },
  );
  shells.slice(0, 3).forEach((block, index) => draw(view, block, index));
  shells.forEach((block) => watcher.observe(block));
  let chosen = -1;
  const at = (place) => {
    const [start, end] = [columns.starts[place], columns.ends[place]];
    show(tokenizer, columns.ids[place], end > start ? located(text, start, end) : null);
  };
  const choose = (place) => {
    box.querySelector(".chosen")?.classList.remove("chosen");
    chosen = Math.min(Math.max(place, 0), columns.ids.length - 1);
    const index = columns.blocks.findIndex(([, end]) => chosen < end);
    if (index < 0) return;
    if (!shells[index].firstChild) draw(view, shells[index], index);
    const element = shells[index].querySelector(`[data-place="${chosen}"]`);
    element.classList.add("chosen");
    element.id = `${box.dataset.name}-${chosen}`;
    box.setAttribute("aria-activedescendant", element.id);
    element.scrollIntoView({ block: "nearest" });
    at(chosen);
  };
  box.dataset.name = `tokens-${Math.random().toString(36).slice(2)}`;
  box.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 10, ArrowUp: -10, PageDown: 100, PageUp: -100 }[event.key];
    if (step) choose(chosen + step);
    else if (event.key === "Home") choose(0);
    else if (event.key === "End") choose(columns.ids.length - 1);
    else if (event.key === "Escape") hide();
    else return;
    event.preventDefault();
  });
  const pointed = (event) => event.target.closest?.("[data-place]");
  box.addEventListener("pointerover", (event) => {
    const element = pointed(event);
    if (element) at(Number(element.dataset.place));
  });
  box.addEventListener("click", (event) => {
    const element = pointed(event);
    if (element) choose(Number(element.dataset.place));
  });
  box.fillAll = () => shells.forEach((block, index) => block.firstChild || draw(view, block, index));
  box.leave = () => watcher.disconnect();
  return box;
}

/** Some texts as chips in a row, as pieces and symbols are shown. */
export function chips(texts, kind = () => "", attributes = () => ({})) {
  return texts.map((text, place) =>
    h("span", { class: `chip c${place % COLOURS} ${kind(place)}`, dir: "auto", ...attributes(place) }, text === "" ? "∅" : signs(text, true)));
}
