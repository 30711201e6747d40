// Requests to the studio's own server; there are no others.

/** The answer to a request, or an error with the server's words. */
export async function ask(name, given, signal) {
  const reply = await fetch(new URL(`../ask/${name}`, import.meta.url), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(given ?? {}),
    signal,
  }).catch((error) => {
    if (error.name === "AbortError") throw error;
    throw new Error("the studio does not answer: does it still run?");
  });
  const body = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Error(body.error?.message ?? `the server answered ${reply.status}`);
  return body;
}
