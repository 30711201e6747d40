// Off the main thread: asks for tokens, reads the answers, compares cuts. Typing never waits for it.

import { ask } from "./ask.js";
import { blocks, differences, marks } from "./cuts.js";

let latest = 0;
let stop = new AbortController();

onmessage = async ({ data }) => {
  const mine = ++latest;
  stop.abort();
  stop = new AbortController();
  try {
    const given = { text: data.text, special: data.special };
    const columns = await Promise.all(
      data.tokenizers.map((tokenizer) => ask("tokens", { ...given, tokenizer }, stop.signal)),
    );
    if (mine !== latest) return;
    const marked = marks(columns);
    const made = columns.map((one, place) => ({ ...one, marks: marked[place], blocks: blocks(data.text, one) }));
    const told = { number: data.number, columns: made };
    if (data.differences && columns.length === 2) told.differences = differences(data.text, ...columns);
    postMessage(told);
  } catch (error) {
    if (mine === latest && error.name !== "AbortError") postMessage({ number: data.number, error: error.message });
  }
};
