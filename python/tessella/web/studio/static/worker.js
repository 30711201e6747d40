// Off the main thread: asks for tokens, reads the answers, compares cuts. Typing never waits for it.

import { ask } from "./ask.js";
import { blocks, differences, marks } from "./cuts.js";

// Typed arrays are handed over to the page without a copy.
const packed = (one) => ({ ...one, ids: Uint32Array.from(one.ids), starts: Uint32Array.from(one.starts), ends: Uint32Array.from(one.ends) });

let latest = 0;
let stop = new AbortController();

onmessage = async ({ data }) => {
  const mine = ++latest;
  stop.abort();
  stop = new AbortController();
  try {
    // A text may hold half a character while it is edited; the server is told what a reader would see.
    const text = data.text.toWellFormed?.() ?? data.text;
    const given = { text, special: data.special };
    const answers = await Promise.all(
      data.tokenizers.map((tokenizer) => ask("tokens", { ...given, tokenizer }, stop.signal)),
    );
    if (mine !== latest) return;
    const columns = answers.map(packed);
    const marked = marks(columns);
    const made = columns.map((one, place) => ({ ...one, marks: marked[place], blocks: blocks(text, one) }));
    let characters = 0;
    for (const _ of text) characters++;
    const told = { number: data.number, columns: made, characters };
    if (data.differences && columns.length === 2) told.differences = differences(text, ...columns);
    postMessage(told, made.flatMap((one) => [one.ids.buffer, one.starts.buffer, one.ends.buffer, one.marks.buffer]));
  } catch (error) {
    if (mine === latest && error.name !== "AbortError") postMessage({ number: data.number, error: error.message });
  }
};
