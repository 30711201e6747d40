// Characters that cannot be seen get a sign of their own; the text itself stays as it is, also when it is copied.

import { h } from "./dom.js";

const NAMED = new Map([
  [" ", "·"],
  ["\t", "⇥"],
  ["\n", "⏎"],
  ["\r", "␍"],
  ["\u00a0", "⍽"],
  ["\u3000", "□"],
]);
// Controls, blanks and joiners. Selectors and joiners inside of emoji are left alone: they belong to the picture.
const UNSEEN = /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\p{Cf}\p{Co}\p{Cn}]/u;
const PICTURE = /[\u200d\ufe0e\ufe0f\u{e0020}-\u{e007f}]/u;
const MARK = /^\p{M}/u;

const code = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Nodes for a text: what can be seen as it is, the rest with signs. */
export function signs(text, apart = false) {
  const nodes = [];
  let plain = "";
  // A mark by itself needs something to sit on.
  if (apart && MARK.test(text)) plain = "◌";
  for (const character of text) {
    if (!UNSEEN.test(character) || PICTURE.test(character)) {
      plain += character;
      continue;
    }
    if (plain) nodes.push(plain);
    plain = "";
    const sign = NAMED.get(character) ?? code(character);
    const kind = NAMED.has(character) ? "blank" : "code";
    // The sign is drawn by the sheet of styles; the character itself stays in the text.
    const inside = kind === "code" ? "" : character;
    nodes.push(h("span", { class: kind, "data-sign": sign }, inside));
  }
  if (plain) nodes.push(plain);
  return nodes;
}

/** The code points of a text, the first ones. */
export function points(text, most = 24) {
  const all = [...text].map(code);
  return all.length > most ? `${all.slice(0, most).join(" ")} … ${all.length - most} more` : all.join(" ");
}
