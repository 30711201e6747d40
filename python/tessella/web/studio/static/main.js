// The frame: which page is shown, its state in the address, the colours, saving a view.

import { ask } from "./ask.js";
import { h, put, say } from "./dom.js";
import { save } from "./export.js";
import * as state from "./state.js";

const PAGES = {
  playground: ["Playground", () => import("./playground.js")],
  steps: ["Steps", () => import("./steps.js")],
  train: ["Train", () => import("./train.js")],
  vocabulary: ["Vocabulary", () => import("./vocabulary.js")],
  report: ["Report", () => import("./report.js")],
  diff: ["Diff", () => import("./diff.js")],
};
const main = document.getElementById("main");
const session = { tokenizers: [], corpora: [], own: new Map() };
let leave = null;
let now = {};

function navigation() {
  put(document.getElementById("nav"), Object.entries(PAGES).map(([page, [words]]) =>
    h("a", { href: `#${page}`, "aria-current": page === now.page ? "page" : null, onclick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go({ page, ...carried(page) }, true);
    } }, words)));
}

/** What a page takes over from another: the text and the tokenizers. */
function carried(page) {
  if (page === "train" || now.page === "train") return {};
  const [first] = now.t ?? [now.k];
  const text = page === "steps" && (now.text ?? "").length > 2000 ? undefined : now.text;
  return { text, t: now.t ?? (now.k ? [now.k] : undefined), k: now.k ?? first };
}

async function open() {
  leave?.();
  leave = null;
  now = await state.read();
  if (!Object.hasOwn(PAGES, now.page)) now.page = "playground";
  const [words, load] = PAGES[now.page];
  document.title = `${words} — Tessella studio`;
  navigation();
  try {
    // Small tokenizers may come along in the address.
    for (const json of now.own ?? []) {
      if (!session.own.has(json)) session.own.set(json, (await ask("load", { json })).name);
    }
    [session.tokenizers, session.corpora] = await Promise.all([ask("tokenizers"), ask("corpora")]);
    if (now.own) Object.assign(now, { t: now.own.map((json) => session.own.get(json)), k: session.own.get(now.own[0]) });
    const { page } = await load();
    // A page that was left has nothing more to say about the address.
    leave = page(main, now, session, (made) => made === now && state.write(made)) ?? null;
  } catch (error) {
    put(main, h("h1", {}, words), h("p", { class: "error", role: "alert" }, error.message));
  }
}

async function go(made, isNew) {
  await state.write(made, isNew);
  await open();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function theme() {
  const button = document.getElementById("theme");
  const order = ["", "light", "dark"];
  const set = (value) => {
    if (value) document.documentElement.dataset.theme = value;
    else delete document.documentElement.dataset.theme;
    localStorage.setItem("theme", value);
    button.title = { "": "As the system has it", light: "Light", dark: "Dark" }[value];
    say(`Colours: ${button.title}`);
  };
  set(localStorage.getItem("theme") ?? "");
  button.addEventListener("click", () => set(order[(order.indexOf(document.documentElement.dataset.theme ?? "") + 1) % 3]));
}

// Links from elsewhere come to the door, which sends on those who were here before.
localStorage.setItem("studio", location.pathname);
theme();
document.getElementById("export").addEventListener("click", () => save(`tessella-${now.page}`));
addEventListener("popstate", open);
open();
