// Pure work on columns of tokens, for the worker: where tokens of several tokenizers are cut alike, and how a text
// is divided into blocks that are drawn when they come into view. No document here.

/** Of each token 1 where its beginning is no beginning for at least one of the other tokenizers. */
export function marks(columns) {
  if (columns.length < 2) return columns.map((one) => new Uint8Array(one.ids.length));
  const sets = columns.map((one) => new Set(one.starts.filter((_, place) => one.ends[place] > one.starts[place])));
  return columns.map((one, mine) => {
    const made = new Uint8Array(one.ids.length);
    one.starts.forEach((start, place) => {
      if (one.ends[place] > start && sets.some((set, other) => other !== mine && !set.has(start))) made[place] = 1;
    });
    return made;
  });
}

const BLOCK = 160;
const LONGEST = 400;

/** Blocks of tokens `[first, end)`: about `BLOCK` of them, cut behind line ends where there are any. */
export function blocks(text, one) {
  const found = [];
  let first = 0;
  for (let place = 0; place < one.ids.length; place++) {
    const many = place + 1 - first;
    if (many < BLOCK) continue;
    // A token that shares its characters with the next one stays with it.
    const shared = place + 1 < one.ids.length && one.starts[place + 1] < one.ends[place];
    const line = one.ends[place] > 0 && text[one.ends[place] - 1] === "\n";
    if ((line && !shared) || (many >= LONGEST && !shared)) {
      found.push([first, place + 1]);
      first = place + 1;
    }
  }
  if (first < one.ids.length) found.push([first, one.ids.length]);
  return found;
}

/** Stretches of text that two tokenizers cut differently, alike ones together: those that cost most first. */
export function differences(text, one, other, most = 500) {
  const found = new Map();
  let a = 0;
  let b = 0;
  let begin = 0;
  const real = (columns, place) => columns.ends[place] > columns.starts[place];
  const next = (columns, place) => {
    let now = place;
    while (now < columns.ids.length && !real(columns, now)) now++;
    return now;
  };
  let different = 0;
  while ((a = next(one, a)) < one.ids.length && (b = next(other, b)) < other.ids.length) {
    const [firstA, firstB] = [a, b];
    let [endA, endB] = [one.ends[a++], other.ends[b++]];
    // On to the first place where both end.
    for (;;) {
      while (a < one.ids.length && one.starts[a] < endA) endA = Math.max(endA, one.ends[a++]);
      while (b < other.ids.length && other.starts[b] < endB) endB = Math.max(endB, other.ends[b++]);
      if (endA === endB) break;
      if (endA < endB && a < one.ids.length) endA = Math.max(endA, one.ends[a++]);
      else if (endB < endA && b < other.ids.length) endB = Math.max(endB, other.ends[b++]);
      else break;
    }
    begin = Math.min(one.starts[firstA], other.starts[firstB]);
    const cut = (columns, first, end) => Array.from(columns.ends.subarray(first, end), (one) => one - begin);
    const [cutsA, cutsB] = [cut(one, firstA, a), cut(other, firstB, b)];
    if (String(cutsA) === String(cutsB)) continue;
    different++;
    const own = text.slice(begin, Math.max(endA, endB));
    // What stands beside a text may change how it is cut.
    const key = `${cutsA} ${cutsB} ${own}`;
    const known = found.get(key);
    if (known) known.times++;
    else found.set(key, { text: own, times: 1, cuts: [cutsA, cutsB], at: begin });
  }
  const rows = [...found.values()];
  const cost = (row) => Math.abs(row.cuts[0].length - row.cuts[1].length) * row.times;
  rows.sort((x, y) => cost(y) - cost(x) || y.times - x.times || x.at - y.at);
  return { rows: rows.slice(0, most), kinds: rows.length, different };
}
