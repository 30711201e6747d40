// What a tokenizer knows: a search, and the family of one token.

import { ask } from "./ask.js";
import { choice, field, h, later, number, put, short } from "./dom.js";
import { points, signs } from "./signs.js";
import { whole } from "./state.js";

const COUNT = 100;
const code = (text) => h("code", {}, signs(text, true));

function family(told, go) {
  const one = (token, words) => h("button", { type: "button", class: "link", onclick: () => go(token) }, code(token), words ? h("small", {}, ` ${words}`) : null);
  return [
    h("h2", {}, code(told.token), h("small", {}, ` id ${number(told.id)}`)),
    h("dl", {}, [
      ["text", signs(told.text, true)], ["bytes", h("code", {}, told.bytes)], ["code points", told.whole ? points(told.text) : "part of a character"],
      ["kind", told.kind], ["rank", told.rank === null || told.rank === undefined ? "" : number(told.rank)], ["score", short(told.score)],
      ...(told.flags ?? []).map(([name, words]) => [name, words]),
    ].filter(([, value]) => value !== "").map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    told.tree ? h("section", {}, h("h3", {}, "How it is made"),
      told.tree.length > 1
        ? h("ul", { class: "tree" }, told.tree.map(([depth, token, rank]) => h("li", {}, "\u2003".repeat(Math.min(depth, 20)), one(token, rank === null ? "" : `rank ${number(rank)}`))))
        : h("p", {}, "No merge makes it.")) : null,
    told.children ? h("section", {}, h("h3", {}, `What is made of it: ${number(told.children_count)} ${told.children_count === 1 ? "merge" : "merges"}`),
      h("ul", { class: "tree" }, told.children.map(([rank, left, right, made]) => h("li", {}, one(made, `= ${left} + ${right}, rank ${number(rank)}`))))) : null,
  ];
}

export function page(main, state, session, keep) {
  const names = session.tokenizers.map((one) => one.name);
  if (!names.includes(state.k)) state.k = names[0];
  const kept = later(() => keep(state), 300);
  const [found, shown, wrong] = [h("div", { class: "found" }), h("div", { class: "family", "aria-live": "polite" }), h("p", { class: "error", role: "alert" })];
  const scripts = h("datalist", { id: "scripts" });
  const audited = h("p", { class: "counts", id: "audited", "aria-live": "polite" });
  let asked = 0;
  const open = async (id) => {
    state.id = String(id);
    kept();
    try { put(shown, family(await ask("token", { tokenizer: state.k, id: Number(id) }), byName)); } catch (error) { put(shown, h("p", { class: "error" }, error.message)); }
  };
  const byName = async (token) => {
    const { id } = await ask("id", { tokenizer: state.k, token });
    if (id !== null) open(id);
  };
  const run = async () => {
    const mine = ++asked;
    try {
      const first = whole(state.first, 2 ** 31);
      const told = await ask("vocabulary", {
        tokenizer: state.k, query: state.q ?? "", by: state.by ?? "text", order: state.order ?? "id", only: state.only ?? "all",
        script: (state.script ?? "").toUpperCase(), least: Number(state.least) || 0, most: Number(state.most) || 2 ** 31, first, count: COUNT,
      });
      if (mine !== asked) return;
      wrong.textContent = "";
      put(scripts, told.scripts.map(([name, many]) => h("option", { value: name }, `${name} ${many}`)));
      const turn = (by) => { state.first = String(Math.max(first + by, 0)); run(); kept(); };
      put(found,
        h("p", { id: "count" }, `${number(told.count)} ${told.count === 1 ? "entry" : "entries"}`, told.scripts.length ? `; ${told.scripts.slice(0, 5).map(([name, many]) => `${name.toLowerCase()} ${number(many)}`).join(", ")}` : ""),
        h("table", {}, h("thead", {}, h("tr", {}, ["id", "token", "text", "bytes", "rank", "score", "audit"].map((one) => h("th", { scope: "col" }, one)))),
          h("tbody", {}, told.rows.map((row) => h("tr", {}, h("td", { class: "n" }, row.id),
            h("td", {}, h("button", { type: "button", class: "link", onclick: () => open(row.id) }, code(row.token))),
            h("td", { dir: "auto" }, signs(row.text, true)), h("td", { class: "n" }, row.bytes), h("td", { class: "n" }, row.rank === null ? "" : number(row.rank)), h("td", { class: "n" }, short(row.score)), h("td", {}, row.flags.map((flag) => [h("span", { class: `flag ${flag}` }, flag), " "])))))),
        h("div", { class: "row" },
          h("button", { type: "button", disabled: first === 0, onclick: () => turn(-COUNT) }, "Before"),
          h("span", {}, told.count ? `${number(first + 1)} to ${number(Math.min(first + COUNT, told.count))}` : "nothing fits"),
          h("button", { type: "button", disabled: first + COUNT >= told.count, onclick: () => turn(COUNT) }, "After")));
    } catch (error) {
      if (mine === asked) wrong.textContent = error.message;
    }
  };
  // The audit of a large vocabulary takes seconds: the page is there before it.
  const judge = async () => {
    const name = state.k;
    put(audited, "The vocabulary is being audited …");
    try {
      const told = await ask("audit", { tokenizer: name });
      if (name !== state.k) return;
      const some = told.filter((one) => one.count);
      put(audited, some.length ? ["Audit: ", some.map((one, place) => [place ? ", " : "", h("span", { title: one.words }, `${number(one.count)} ${one.flag}`)])] : "The audit found nothing to flag.");
      run();
      if (state.id) open(state.id);
    } catch (error) {
      if (name === state.k) put(audited, error.message);
    }
  };
  const soon = later(run, 150);
  const set = (name) => (value) => { state[name] = value; delete state.first; soon(); kept(); };
  const input = (name, attributes) => { const made = h("input", { ...attributes, value: state[name] ?? "", oninput: () => set(name)(made.value) }); return made; };
  put(main, h("h1", {}, "Vocabulary"),
    h("div", { class: "controls" }, h("div", { class: "row" },
      field("Tokenizer", choice(state.k, names.map((one) => [one, one]), (value) => { put(shown); delete state.id; set("k")(value); judge(); })),
      field("Look for", input("q", { type: "search", id: "query" })),
      field("by", choice(state.by ?? "text", [["text", "text"], ["bytes", "bytes, such as c3 a9"], ["regex", "a pattern"]], set("by"))),
      field("Script", input("script", { type: "text", list: "scripts", size: 10 })), scripts,
      field("At least, in characters", input("least", { type: "number", min: 0 })),
      field("At most", input("most", { type: "number", min: 0 })),
      field("Only", choice(state.only ?? "all", [["all", "all"], ["added", "added tokens"], ["partial", "parts of characters"], ["unreachable", "unreachable, proven"], ["open", "no text found"], ["forgeable", "can be written in a text"], ["double", "doubles"], ["reserved", "reserved"]], set("only"))),
      field("Order", choice(state.order ?? "id", [["id", "id"], ["length", "the longest first"], ["score", "the best score first"]], set("order"))))),
    wrong, audited, h("div", { class: "two" }, found, shown));
  run();
  judge();
  if (state.id) open(state.id);
}
