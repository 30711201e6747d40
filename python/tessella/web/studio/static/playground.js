// Coloured tokens as one types, by up to four tokenizers side by side.

import { choice, field, h, later, number, put, say } from "./dom.js";
import { conversation } from "./chat.js";
import { hide, list } from "./tokens.js";

const MOST = 4;
// Characters of a text that is long.
const LONG = 20000;
const FIRST = "Low, lower, lowest: naïve café, 東京タワー, مرحبا بالعالم, 👩‍👩‍👧‍👦 and 3.14159.\n\tif (a == b) return   0;";

function cards(state, answer, context, price) {
  const least = Math.min(...answer.columns.map((one) => one.ids.length));
  return answer.columns.map((one, place) => {
    const name = state.t[place];
    const many = one.ids.length;
    const characters = answer.characters;
    const share = context ? many / context : 0;
    const more = many > least && least ? `+${Math.round((100 * (many - least)) / least)} %` : "";
    const differ = one.marks.reduce((sum, mark) => sum + mark, 0);
    return h("section", { class: "card", "aria-label": `Tokens of ${name}` },
      h("h2", {}, name, " ", h("small", {}, `${number(many)} ${many === 1 ? "token" : "tokens"} ${more}`)),
      h("p", { class: "counts" },
        `${number(characters)} characters, ${number(one.bytes)} bytes`,
        many ? `, ${(one.bytes / many).toFixed(2)} bytes per token` : "",
        answer.columns.length > 1 ? `, ${number(differ)} cuts that others do not have` : "",
        price ? `, costs ${((many * price) / 1e6).toPrecision(3)}` : ""),
      context ? h("p", { class: "context" },
        h("progress", { class: share > 1 ? "over" : "", max: 1, value: Math.min(share, 1), "aria-label": `Share of the context of ${name}` }),
        ` ${(100 * share).toPrecision(3)} % of ${number(context)}`) : null,
      list(name, answer.text, one));
  });
}

export function page(main, state, session, keep) {
  const names = session.tokenizers.map((one) => one.name);
  state.t = (state.t ?? []).filter((name) => names.includes(name)).slice(0, MOST);
  if (!state.t.length) state.t = names.slice(0, Math.min(names.length, 2));
  state.text ??= FIRST;
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const shown = h("div", { class: "cards" });
  const wrong = h("p", { class: "error", role: "alert" });
  let asked = 0;
  let answer = null;

  const redraw = () => {
    if (!answer) return;
    shown.querySelectorAll(".tokens").forEach((box) => box.leave());
    put(shown, cards(state, answer, Number(state.context) || 0, Number(state.price) || 0));
    say(answer.columns.map((one, place) => `${state.t[place]}: ${one.ids.length} tokens`).join(", "));
  };
  const run = () => {
    asked += 1;
    worker.postMessage({ number: asked, text: state.text, tokenizers: state.t, special: state.special !== "no" });
    worker.sent = state.text;
  };
  worker.onmessage = ({ data }) => {
    if (data.number !== asked) return;
    wrong.textContent = data.error ?? "";
    if (data.error) return;
    answer = { text: worker.sent, characters: data.characters, columns: data.columns };
    redraw();
  };
  // Long texts wait for a pause: their address is long, and so is their answer.
  const soon = later(run, () => (state.text.length > LONG ? 300 : 40));
  const kept = later(() => keep(state), () => (state.text.length > LONG ? 2000 : 300));
  const changed = () => {
    hide();
    soon();
    kept();
  };

  const text = h("textarea", { rows: 5, spellcheck: "false", dir: "auto", value: state.text, id: "text",
    oninput: () => { state.text = text.value; changed(); } });
  const chosen = h("div", { class: "row" });
  const choose = () => {
    put(chosen,
      state.t.map((name, place) => h("span", { class: "pair" },
        choice(name, names.map((one) => [one, one]), (value) => { state.t[place] = value; choose(); changed(); }, { "aria-label": `Tokenizer ${place + 1}` }),
        state.t.length > 1 ? h("button", { type: "button", "aria-label": `Remove ${name}`, onclick: () => { state.t.splice(place, 1); choose(); changed(); } }, "×") : null)),
      state.t.length < MOST ? h("button", { type: "button", id: "add", onclick: () => {
        state.t.push(names.find((one) => !state.t.includes(one)) ?? names[0]); choose(); changed(); } }, "Add a tokenizer") : null);
  };
  choose();
  const special = h("input", { type: "checkbox", checked: state.special !== "no",
    onchange: () => { state.special = special.checked ? "yes" : "no"; changed(); } });
  const amount = (name, words, hint) => {
    const input = h("input", { type: "number", min: 0, value: state[name] ?? "", placeholder: hint,
      oninput: () => { state[name] = input.value; redraw(); kept(); } });
    return field(words, input);
  };
  put(main,
    h("h1", {}, "Playground"),
    h("div", { class: "controls" },
      field("Text", text, "wide"),
      chosen,
      h("div", { class: "row" },
        h("label", { class: "check" }, special, " special tokens"),
        amount("context", "Context, in tokens", "such as 8192"),
        amount("price", "Price of a million tokens", "such as 2.5"))),
    wrong, shown, conversation(state, session, kept));
  if (!state.context) {
    const known = session.tokenizers.find((one) => one.max_length);
    if (known) state.context = String(known.max_length);
  }
  run();
  return () => { worker.terminate(); hide(); };
}
