// Where two tokenizers cut a text differently, alike places together, those that cost most first.

import { choice, field, h, later, number, put } from "./dom.js";
import { chips } from "./tokens.js";

function parts(row, which) {
  const cuts = row.cuts[which];
  // Tokens that end at the same place share a character.
  const ends = [...new Set(cuts)];
  const texts = ends.map((end, place) => row.text.slice(place ? ends[place - 1] : 0, end));
  return h("div", { class: "chips" }, chips(texts), h("small", {}, ` ${cuts.length}`));
}

export function page(main, state, session, keep) {
  const names = session.tokenizers.map((one) => one.name);
  state.t = [0, 1].map((place) => (names.includes(state.t?.[place]) ? state.t[place] : names[Math.min(place, names.length - 1)]));
  state.text ??= "The tokenizers cut words differently: unbelievably, naïvely, 東京, antidisestablishmentarianism.";
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const [shown, wrong] = [h("div", {}), h("p", { class: "error", role: "alert" })];
  let asked = 0;
  const run = () => worker.postMessage({ number: ++asked, text: state.text, tokenizers: state.t, special: false, differences: true });
  worker.onmessage = ({ data }) => {
    if (data.number !== asked) return;
    wrong.textContent = data.error ?? "";
    if (data.error) return;
    const [one, other] = data.columns.map((columns) => columns.ids.length);
    const { rows, kinds, different } = data.differences;
    put(shown,
      h("p", { class: "lead", id: "totals" }, `${state.t[0]}: ${number(one)} tokens. ${state.t[1]}: ${number(other)} tokens. `,
        one && one !== other ? `That is ${((Math.abs(other - one) * 100) / one).toFixed(1)} % ${other > one ? "more" : "fewer"}.` : ""),
      different
        ? h("table", {}, h("caption", {}, `${number(different)} places are cut differently, ${number(kinds)} kinds of them; those that cost most first`),
            h("thead", {}, h("tr", {}, ["times", ...state.t, "more"].map((name) => h("th", { scope: "col" }, name)))),
            h("tbody", {}, rows.map((row) => h("tr", {}, h("td", { class: "n" }, number(row.times)), h("td", {}, parts(row, 0)), h("td", {}, parts(row, 1)),
              h("td", { class: "n" }, ((many) => (many > 0 ? `+${many}` : String(many)))((row.cuts[1].length - row.cuts[0].length) * row.times))))))
        : h("p", {}, "Both cut this text at the same places."));
  };
  const [soon, kept] = [later(run, 60), later(() => keep(state), 300)];
  const changed = () => { soon(); kept(); };
  const text = h("textarea", { rows: 5, spellcheck: "false", dir: "auto", id: "text", value: state.text, oninput: () => { state.text = text.value; changed(); } });
  const pick = (place, words) => field(words, choice(state.t[place], names.map((one) => [one, one]), (value) => { state.t[place] = value; changed(); }));
  put(main, h("h1", {}, "Diff"), h("div", { class: "controls" }, field("Text", text, "wide"), h("div", { class: "row" }, pick(0, "One tokenizer"), pick(1, "Another"))), wrong, shown);
  run();
  return () => worker.terminate();
}
