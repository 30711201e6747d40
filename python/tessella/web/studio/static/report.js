// The report of some tokenizers over corpora: what `tessella evaluate --html` writes, measured here.

import { ask } from "./ask.js";
import { choice, field, h, later, put, say } from "./dom.js";

const FIRST = "low lower lowest newer wider tiles\nnaïve café, 東京タワー\nمرحبا بالعالم\nif (a == b) return 0;\n";

export function page(main, state, session, keep) {
  const names = session.tokenizers.map((one) => one.name);
  state.t = (state.t ?? []).filter((name) => names.includes(name));
  if (!state.t.length) state.t = names.slice(0, 4);
  const corpora = session.corpora;
  state.c = (state.c ?? corpora).filter((name) => corpora.includes(name));
  const shown = h("div", {});
  const wrong = h("p", { class: "error", role: "alert" });
  const kept = later(() => keep(state), 300);
  if (!corpora.length) state.text ??= FIRST;
  let asked = 0;
  const stop = new AbortController();

  const run = async () => {
    const mine = ++asked;
    wrong.textContent = "";
    put(shown, h("p", { class: "waiting" }, "Measuring …"));
    kept();
    try {
      const baseline = state.t.includes(state.base) ? state.base : null;
      const told = await ask("report", { tokenizers: state.t, corpora: state.c, text: state.text ?? "", baseline }, stop.signal);
      if (mine !== asked) return;
      // A page of its own, without scripts; it is as high as what it holds.
      const frame = h("iframe", { class: "report", sandbox: "allow-same-origin", title: "The report", src: new URL(`../report/${told.report}`, import.meta.url) });
      frame.addEventListener("load", () => {
        const fit = () => frame.style.setProperty("height", `${frame.contentDocument.documentElement.scrollHeight + 8}px`);
        fit();
        new ResizeObserver(fit).observe(frame.contentDocument.body);
        frame.contentDocument.querySelectorAll("details").forEach((one) => one.addEventListener("toggle", fit));
      });
      put(shown, frame);
      say("The report is there");
    } catch (error) {
      if (mine !== asked || error.name === "AbortError") return;
      put(shown);
      wrong.textContent = error.message;
    }
  };
  const ticks = (words, all, key) => h("fieldset", {}, h("legend", {}, words), all.map((name) => {
    const box = h("input", { type: "checkbox", checked: state[key].includes(name), onchange: () => {
      state[key] = all.filter((one) => (one === name ? box.checked : state[key].includes(one)));
      kept();
    } });
    return h("label", { class: "check" }, box, ` ${name}`);
  }));
  const text = h("textarea", { rows: 4, spellcheck: "false", dir: "auto", id: "text", value: state.text ?? "",
    oninput: () => { state.text = text.value; kept(); } });
  put(main, h("h1", {}, "Report"),
    h("div", { class: "controls" },
      ticks("Tokenizers", names, "t"),
      corpora.length ? ticks("Corpora", corpora, "c") : null,
      field("Further text, a document on each line", text, "wide"),
      h("div", { class: "row" },
        field("Told against", choice(state.base ?? "", [["", "the first"], ...names.map((one) => [one, one])], (value) => { state.base = value; kept(); })),
        h("button", { type: "button", class: "main", id: "measure", onclick: run }, "Measure"))),
    wrong, shown);
  run();
  return () => stop.abort();
}
