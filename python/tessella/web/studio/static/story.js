// How a model came to the tokens of one piece: merges that are played, longest matches, a lattice, a look-up.

import { h, number } from "./dom.js";
import { lattice } from "./lattice.js";
import { player } from "./player.js";
import { signs } from "./signs.js";
import { whole } from "./state.js";
import { chips } from "./tokens.js";

const code = (text) => h("code", {}, text === "" ? "∅" : signs(text, true));

function merges(told, state, keep) {
  if (told.whole) return [h("p", {}, "The whole piece is a token, and was not taken apart.")];
  if (!told.merges.length) return [h("p", {}, "No merge fits."), h("div", { class: "chips" }, chips(told.symbols))];
  const symbols = (step) => (step === 0 ? told.symbols : told.merges[step - 1].symbols);
  const draw = (step) => {
    const next = told.merges[step];
    const made = step > 0 ? told.merges[step - 1].chosen : null;
    const pair = next?.chosen;
    const kind = (place) => [
      pair && (place === pair.position || place === pair.position + 1) ? "next" : "",
      made && place === made.position ? "made" : "",
    ].join(" ");
    const rivals = next ? [next.chosen, ...[...next.losing].sort((one, other) => one.rank - other.rank || one.position - other.position)] : [];
    return [
      h("div", { class: "chips big" }, chips(symbols(step), kind)),
      made ? h("p", {}, "Just merged: ", code(made.left), " + ", code(made.right), " → ", code(made.result), `, rank ${number(made.rank)}.`)
        : h("p", {}, "The symbols at first."),
      next
        ? h("table", {},
            h("caption", {}, "Pairs that could be merged now; the lowest rank goes first, the leftmost of equals"),
            h("thead", {}, h("tr", {}, ["rank", "pair", "makes", "at"].map((one) => h("th", { scope: "col" }, one)))),
            h("tbody", {}, rivals.slice(0, 30).map((one, place) =>
              h("tr", { class: place === 0 ? "wins" : "" }, h("td", { class: "n" }, number(one.rank)),
                h("td", {}, code(one.left), " + ", code(one.right)), h("td", {}, code(one.result)), h("td", { class: "n" }, number(one.position))))))
        : h("p", {}, "No pair is left that the model merges."),
      rivals.length > 30 ? h("p", {}, `… and ${rivals.length - 30} more`) : null,
    ];
  };
  const first = whole(state.step, told.merges.length, told.merges.length);
  return [player(told.merges.length, first, draw, (step) => { state.step = String(step); keep(state); }, "Merges")];
}

function matches(told) {
  const rows = told.matches.map((match) =>
    h("li", {}, `at character ${match.start}: `,
      match.tried.map((one, place) =>
        h("span", { class: place === match.tried.length - 1 && match.found !== null ? "tried found" : "tried", title: one === match.found ? "the longest entry" : "not in the vocabulary" }, signs(one, true))),
      match.found === null ? h("strong", {}, " nothing fits") : null));
  return [
    h("p", {}, "From the left, the longest entry that fits, again and again. What is struck through is not in the vocabulary."),
    h("ol", { class: "matches" }, rows),
    told.unknown !== null ? h("p", { class: "error" }, `The word is unknown: ${told.unknown}`) : null,
    h("div", { class: "chips big" }, chips(told.tokens)),
  ];
}

function ways(told, piece, state) {
  const picked = whole(state.way, Math.max(told.paths.length - 1, 0));
  const box = h("div", {});
  const draw = (place) => {
    const best = told.paths[place]?.tokens ?? [];
    box.replaceChildren(
      h("div", { class: "wide-picture", tabindex: "0", role: "group", "aria-label": "Lattice" }, lattice([...piece], told.edges, best)),
      h("ol", { class: "paths" }, told.paths.map((path, one) =>
        h("li", {}, h("button", { type: "button", class: "way", "aria-pressed": String(one === place), onclick: () => { state.way = String(one); draw(one); } },
          chips(path.tokens), h("span", { class: "score" }, path.score.toFixed(4)))))));
  };
  draw(picked);
  return [
    h("p", {}, "An arc is as wide as the share of all ways' probability that goes through it. Pick a way to see it in the picture."),
    box,
  ];
}

/** The story of a piece. */
export function story(told, state, keep) {
  const found = told.derivation;
  if (found === null) return [h("p", {}, told.piece.added === null ? "It is too long to show how, or its rule has no steps." : "An added token, cut out before the model.")];
  if (found.kind === "Merges") return merges(found, state, keep);
  if (found.kind === "LongestMatch") return matches(found);
  if (found.kind === "Lattice") return ways(found, told.piece.text, state);
  return [h("p", {}, found.found ? "One look into the table: it is there." : "One look into the table: it is not there, so it is unknown."), h("div", { class: "chips" }, chips(found.tokens))];
}
