// A small training that is watched: choose a corpus and an algorithm, and go through its steps.

import { ask } from "./ask.js";
import { choice, field, h, later, number, put, s, say, short } from "./dom.js";
import { player } from "./player.js";
import { signs } from "./signs.js";
import { whole } from "./state.js";
import { chips } from "./tokens.js";

const SAMPLES = {
  cats: { words: "Words about cats", text: "cat 5\ncats 2\neat 10\neating 3\nrunning 2\njumping 1\nfood 6", counted: "yes", algorithm: "bpe", size: "21", first: "yes" },
  hug: { words: "hug, pug, pun, bun, hugs", text: "hug 10\npug 5\npun 12\nbun 4\nhugs 5", counted: "yes", algorithm: "bpe", size: "10", first: "yes" },
  rain: { words: "A chance of rainfall", text: "There is an 80% chance of rainfall today. We are pretty sure it is going to rain.", counted: "no", algorithm: "bpe", size: "90", first: "yes", end: "</w>" },
  course: { words: "Four sentences, by WordPiece", text: "This is the Hugging Face Course.\nThis chapter is about tokenization.\nThis section shows several tokenizer algorithms.\nHopefully, you will be able to understand how they are trained and generate tokens.", counted: "no", algorithm: "wordpiece", size: "66", first: "yes", likelihood: "yes", cut: "words" },
  unigram: { words: "The same sentences, by Unigram", text: "This is the Hugging Face Course.\nThis chapter is about tokenization.\nThis section shows several tokenizer algorithms.\nHopefully, you will be able to understand how they are trained and generate tokens.", counted: "no", algorithm: "unigram", size: "60", cut: "blanks" },
};

/** A curve of some values over the steps. */
function curve(values, now, words) {
  const [width, height] = [640, 140];
  const most = Math.max(...values, 1e-9);
  const x = (place) => 8 + (place * (width - 16)) / Math.max(values.length - 1, 1);
  const y = (value) => height - 12 - (value * (height - 44)) / most;
  return s("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${words}, from ${short(values[0])} to ${short(values.at(-1))}` },
    s("polyline", { points: values.map((value, place) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }),
    values.length && now >= 0 ? s("circle", { cx: x(now), cy: y(values[now]), r: 5 }) : null,
    s("text", { x: 8, y: 12 }, `${words}: ${short(values[Math.max(now, 0)])}`));
}

const code = (text) => h("code", {}, signs(text, true));

function corpus(rows) {
  if (!rows) return h("p", {}, "The corpus has too many different words to show how each is spelled.");
  return h("table", {}, h("caption", {}, "The words as they are spelled now"), h("tbody", {}, rows.slice(0, 60).map(([symbols, times]) =>
    h("tr", {}, h("td", { class: "n" }, `${number(times)} ×`), h("td", {}, h("div", { class: "chips" }, chips(symbols)))))));
}

function step(told, now) {
  const one = told.steps[now - 1];
  if (!one) {
    return [h("p", {}, `${number(told.words_count)} different words, ${number(told.occurrences)} in all.`),
      h("table", {}, h("tbody", {}, told.words.map(([word, times]) => h("tr", {}, h("td", { class: "n" }, `${number(times)} ×`), h("td", {}, code(word))))))];
  }
  if (one.step === "merge") {
    return [
      h("p", { class: "lead" }, code(one.left), " + ", code(one.right), " → ", code(one.made), ` — ${number(one.count)} times`, one.score === one.count ? "" : `, score ${short(one.score)}`),
      one.runner_up ? h("p", {}, "second: ", code(one.runner_up.left), " + ", code(one.runner_up.right), ` — ${number(one.runner_up.count)} times`, one.score === one.count ? "" : `, score ${short(one.runner_up.score)}`) : h("p", {}, "There was no other pair."),
      h("p", {}, `${number(one.vocab_size)} entries in the vocabulary; the corpus has ${number(one.total_symbols)} symbols of ${number(one.symbols)} kinds.`),
      corpus(one.corpus)];
  }
  if (one.step === "estimate") return [h("p", { class: "lead" }, `Probabilities are estimated anew: loss ${one.loss.toFixed(6)} for each word`), h("p", {}, `${number(one.vocab_size)} entries are left.`)];
  return [h("p", { class: "lead" }, `${number(one.dropped_count)} entries are dropped, ${number(one.vocab_size)} are left`),
    h("table", {}, h("caption", {}, "What dropping costs, the costliest of those dropped first"), h("tbody", {}, one.dropped.map(([token, loss]) =>
      h("tr", {}, h("td", { class: "n" }, loss.toFixed(6)), h("td", {}, code(token))))))];
}

function download(name, text) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function page(main, state, session, keep) {
  if (state.text === undefined) Object.assign(state, SAMPLES.cats, { words: undefined });
  const shown = h("div", {});
  const wrong = h("p", { class: "error", role: "alert" });
  const kept = later(() => keep(state), 300);

  const draw = (told) => {
    const merges = told.steps.length && told.steps[0].step === "merge";
    const values = told.steps.map((one) => (one.step === "merge" ? one.count : one.step === "estimate" ? one.loss : one.vocab_size));
    const kind = (place) => told.steps[place]?.step;
    const same = (now) => {
      const places = told.steps.map((_, place) => place).filter((place) => merges || kind(place) === "estimate");
      const at = places.filter((place) => place < now).length - 1;
      return curve(places.map((place) => values[place]), at, merges ? "count of the pair" : "loss");
    };
    put(shown,
      h("p", { class: "note" }, `Learned: ${told.name}, ${number(told.size)} entries. ${told.ended ? `It ended: ${told.ended}.` : ""} It can be chosen on every page now. `,
        h("button", { type: "button", id: "save", onclick: async () => {
          try { download("tokenizer.json", (await ask("save", { tokenizer: told.name })).json); } catch (error) { wrong.textContent = error.message; }
        } }, "Save tokenizer.json")),
      told.steps.length
        ? player(told.steps.length, whole(state.step, told.steps.length, 1), (now) => [same(now), step(told, now)], (now) => { state.step = String(now); kept(); }, "Steps of the training")
        : h("p", {}, "There was nothing to learn."));
    say(`Trained ${told.name} in ${told.steps.length} steps`);
  };
  let asked = 0;
  const run = async () => {
    const mine = ++asked;
    wrong.textContent = "";
    put(shown, h("p", {}, "Training …"));
    try {
      const told = await ask("train", {
        text: state.text, counted: state.counted === "yes", algorithm: state.algorithm ?? "bpe", cut: state.cut ?? "blanks",
        vocab_size: Number(state.size) || 1, first_seen: state.first === "yes", likelihood: state.likelihood === "yes", end_of_word: state.end ?? "",
      });
      session.tokenizers = await ask("tokenizers");
      // Of trainings that were asked for one after the other, the last one is shown.
      if (mine === asked) draw(told);
    } catch (error) {
      if (mine !== asked) return;
      put(shown);
      wrong.textContent = error.message;
    }
    kept();
  };
  const controls = h("div", { class: "controls" });
  const build = () => {
    const text = h("textarea", { rows: 6, spellcheck: "false", dir: "auto", id: "text", value: state.text, maxlength: 200000, oninput: () => { state.text = text.value; kept(); } });
    const flag = (name, words) => {
      const box = h("input", { type: "checkbox", checked: state[name] === "yes", onchange: () => { state[name] = box.checked ? "yes" : "no"; kept(); } });
      return h("label", { class: "check" }, box, ` ${words}`);
    };
    const size = h("input", { type: "number", min: 1, max: 5000, value: state.size ?? "100", oninput: () => { state.size = size.value; kept(); } });
    const end = h("input", { type: "text", value: state.end ?? "", placeholder: "such as </w>", size: 8, oninput: () => { state.end = end.value; kept(); } });
    const algorithm = state.algorithm ?? "bpe";
    put(controls, field("Text to learn from", text, "wide"),
      h("div", { class: "row" },
        field("Example", choice("", [["", "your own"], ...Object.entries(SAMPLES).map(([name, one]) => [name, one.words])], (name) => {
          for (const key of ["cut", "end", "likelihood", "first", "step"]) delete state[key];
          Object.assign(state, SAMPLES[name] ?? {}, { words: undefined });
          build();
          if (name) run();
        }, { id: "example" })),
        field("Algorithm", choice(algorithm, [["bpe", "BPE"], ["wordpiece", "WordPiece"], ["unigram", "Unigram"]], (value) => { state.algorithm = value; build(); kept(); }, { id: "algorithm" })),
        field("Words are cut", choice(state.cut ?? "blanks", [["blanks", "at blanks"], ["words", "at blanks and punctuation"], ["bytes", "as GPT-2 does, in bytes"]], (value) => { state.cut = value; kept(); })),
        field("Size of the vocabulary", size),
        algorithm === "bpe" ? field("End of a word", end) : null),
      h("div", { class: "row" }, flag("counted", "each line is a word and its count"),
        algorithm === "unigram" ? null : flag("first", "of equal pairs the one seen first"),
        algorithm === "wordpiece" ? flag("likelihood", "score by likelihood") : null,
        h("button", { type: "button", class: "main", id: "train", onclick: () => { delete state.step; run(); } }, "Train")));
  };
  build();
  put(main, h("h1", {}, "Train"), controls, wrong, shown);
  run();
}
