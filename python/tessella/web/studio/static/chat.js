// A conversation as a chat template writes it: its tokens, and which of them a training would count in its loss.

import { ask } from "./ask.js";
import { blocks } from "./cuts.js";
import { choice, field, h, later, number, put } from "./dom.js";
import { list } from "./tokens.js";

const FIRST = [
  { role: "user", content: "How low is the lowest tile?" },
  { role: "assistant", content: "Lower than the others." },
];
const ROLES = ["system", "user", "assistant", "tool"];

function messages(state) {
  try {
    const read = JSON.parse(state.chat);
    if (Array.isArray(read) && read.length && read.every((one) => typeof one?.role === "string")) return read;
  } catch {
    // What is no conversation begins anew.
  }
  return structuredClone(FIRST);
}

/** The part of the playground for the tokenizers that have a chat template; `null` where none has. */
export function conversation(state, session, kept) {
  const able = session.tokenizers.filter((one) => one.chat.length);
  if (!able.length) return null;
  const said = messages(state);
  const rows = h("div", { class: "messages" });
  const shown = h("div", { class: "conversation", "aria-live": "polite" });
  const wrong = h("p", { class: "error", role: "alert" });
  let asked = 0;
  const known = () => able.find((one) => one.name === state.ck) ?? able[0];

  const draw = (told) => {
    const columns = { ...told, marks: new Uint8Array(told.ids.length), blocks: blocks(told.text, told) };
    const counted = told.mask?.reduce((sum, one) => sum + one, 0) ?? 0;
    shown.querySelectorAll(".tokens").forEach((box) => box.leave());
    put(shown,
      h("p", { class: "counts" }, `${number(told.ids.length)} tokens`, told.mask
        ? `, ${number(counted)} of them count in the loss: those with a bar below`
        : "; the template does not say which count in the loss", told.note ? h("span", { class: "note" }, ` ${told.note}`) : null),
      list(known().name, told.text, columns));
  };
  const run = async () => {
    const mine = ++asked;
    try {
      const told = await ask("chat", { tokenizer: known().name, messages: said, template: known().chat.includes(state.ct) ? state.ct : null, add_generation_prompt: state.cg === "yes" });
      if (mine !== asked) return;
      wrong.textContent = "";
      draw(told);
    } catch (error) {
      if (mine !== asked) return;
      put(shown);
      wrong.textContent = error.message;
    }
  };
  const soon = later(run, 150);
  const changed = () => { state.chat = JSON.stringify(said); soon(); kept(); };
  const build = () => put(rows, said.map((one, place) => {
    const content = h("textarea", { rows: 2, spellcheck: "false", dir: "auto", "aria-label": `Message ${place + 1}`, value: typeof one.content === "string" ? one.content : JSON.stringify(one.content ?? ""),
      oninput: () => { one.content = content.value; changed(); } });
    const roles = ROLES.includes(one.role) ? ROLES : [...ROLES, one.role];
    return h("div", { class: "message" },
      choice(one.role, roles.map((role) => [role, role]), (role) => { one.role = role; changed(); }, { "aria-label": `Role of message ${place + 1}` }),
      content,
      said.length > 1 ? h("button", { type: "button", "aria-label": `Remove message ${place + 1}`, onclick: () => { said.splice(place, 1); build(); changed(); } }, "×") : null);
  }));
  build();
  const named = h("span", { class: "row" });
  const templates = () => put(named, known().chat.length > 1
    ? field("Template", choice(known().chat.includes(state.ct) ? state.ct : "", [["", "the usual one"], ...known().chat.map((one) => [one, one])], (value) => { state.ct = value; changed(); })) : null);
  templates();
  const prompt = h("input", { type: "checkbox", checked: state.cg === "yes", onchange: () => { state.cg = prompt.checked ? "yes" : "no"; changed(); } });
  run();
  return h("section", { class: "chat" }, h("h2", {}, "Conversation"),
    h("div", { class: "controls" }, rows,
      h("div", { class: "row" },
        field("Tokenizer", choice(known().name, able.map((one) => [one.name, one.name]), (value) => { state.ck = value; templates(); changed(); })), named,
        h("label", { class: "check" }, prompt, " begin the answer"),
        h("button", { type: "button", id: "say", onclick: () => { said.push({ role: said.at(-1).role === "user" ? "assistant" : "user", content: "" }); build(); changed(); } }, "Add a message"))),
    wrong, shown);
}
