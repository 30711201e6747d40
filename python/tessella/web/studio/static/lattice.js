// The lattice of a Unigram model: places are dots, entries are arcs whose width is the share of all ways that goes
// through them; the best way is drawn through, others are dashed.

import { s } from "./dom.js";
import { hide } from "./tokens.js";

const STEP = 62;
const seen = (text) => text.replaceAll(" ", "·").replaceAll("\n", "⏎").replaceAll("\t", "⇥");

/** The picture of a lattice. `best` are the tokens of the way that is drawn through. */
export function lattice(characters, edges, best) {
  const last = characters.length;
  const onBest = new Set();
  let place = 0;
  for (const one of best) {
    const edge = edges.find((some) => some.token === one && some.start === place);
    if (!edge) break;
    onBest.add(edge);
    place = edge.end;
  }
  // Longer entries arch higher; those of one character are straight, below the others.
  const longest = Math.max(1, ...edges.map((edge) => edge.end - edge.start));
  const height = 66 + Math.min(longest, 9) * 26;
  const width = last * STEP + 60;
  const base = height - 40;
  const x = (at) => 30 + at * STEP;
  // The best way lies below, so that its wide arcs hide nothing.
  const drawn = [...edges].sort((one, other) => onBest.has(other) - onBest.has(one));
  const arcs = drawn.map((edge) => {
    const many = edge.end - edge.start;
    const lift = many === 1 ? 0 : 8 + Math.min(many, 9) * 24;
    const [from, to] = [x(edge.start), x(edge.end)];
    const path = many === 1 ? `M${from} ${base}L${to} ${base}` : `M${from} ${base}C${from + 12} ${base - lift * 1.3} ${to - 12} ${base - lift * 1.3} ${to} ${base}`;
    const share = edge.share ?? 0;
    const words = `${edge.token}: score ${edge.score.toFixed(4)}, ${(100 * share).toPrecision(3)} % of the probability`;
    return s("g", { class: onBest.has(edge) ? "edge best" : "edge", role: "img", "aria-label": words },
      s("title", {}, words),
      s("path", { d: path, "stroke-width": (1 + 9 * share).toFixed(2) }),
      s("text", { x: (from + to) / 2, y: many === 1 ? base + 18 : base - lift - 8 }, seen(edge.token)));
  });
  const dots = Array.from({ length: last + 1 }, (_, at) => s("circle", { cx: x(at), cy: base, r: 4 }));
  // Where a character is no entry by itself, it is written without a score.
  const single = new Set(edges.filter((edge) => edge.end - edge.start === 1).map((edge) => edge.start));
  const letters = characters.map((one, at) => (single.has(at) ? [] : s("text", { class: "letter", x: x(at) + STEP / 2, y: base + 18 }, seen(one))));
  hide();
  return s("svg", { class: "lattice", viewBox: `0 0 ${width} ${height + 4}`, width, height: height + 4, role: "group",
    "aria-label": `Lattice of ${characters.join("")}: ${edges.length} entries fit` }, arcs, dots, letters);
}
