// The whole state stands in the address behind the #, so that a view can be sent and comes back with the browser's
// buttons. Long texts are packed.

const PLAIN = 1500;
// Names that may come several times.
const LISTS = ["t", "c", "own"];

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

function base64(bytes) {
  let letters = "";
  for (let start = 0; start < bytes.length; start += 8192) {
    letters += String.fromCharCode(...bytes.subarray(start, start + 8192));
  }
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function unbase64(letters) {
  return Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
}

/** What stands behind the #, as `{page, ...}`; lists are names that come several times. */
export async function read() {
  const [page, ...rest] = location.hash.slice(1).split("?");
  const state = { page: page || "playground" };
  // Those who send addresses on may write the question marks of texts out.
  for (const [name, value] of new URLSearchParams(rest.join("?"))) {
    let text = value;
    if (name.endsWith("~")) {
      try {
        const raw = await through(unbase64(value), new DecompressionStream("deflate-raw"));
        text = new TextDecoder().decode(raw);
      } catch {
        continue;
      }
    }
    const key = name.replace(/~$/, "");
    state[key] = LISTS.includes(key) ? [...(state[key] ?? []), text] : text;
  }
  return state;
}

/** A whole number from 0 to `most` by what stands in an address, where anything may stand. */
export function whole(text, most, otherwise = 0) {
  const given = Math.trunc(Number(text ?? otherwise));
  return Number.isNaN(given) ? Math.min(otherwise, most) : Math.max(Math.min(given, most), 0);
}

let latest = 0;

/** Writes a state into the address; a new entry for the browser's buttons where the page is another one. */
export async function write(state, isNew = false) {
  const mine = ++latest;
  const made = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (name === "page" || value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [String(value)]) {
      if (one.length <= PLAIN) made.append(name, one);
      else {
        const packed = await through(new TextEncoder().encode(one), new CompressionStream("deflate-raw"));
        made.append(`${name}~`, base64(packed));
      }
    }
  }
  if (mine !== latest) return;
  const query = made.toString();
  const hash = `#${state.page}${query ? `?${query}` : ""}`;
  try {
    if (isNew) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
  } catch {
    // Browsers bound the length of an address: the view stays, and is not in it.
  }
}
