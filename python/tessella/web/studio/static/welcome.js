// The door that links knock at: it does not know the token, but this browser may, if it has been inside.

const inside = localStorage.getItem("studio") ?? "";
if (/^\/[\w-]+\/$/.test(inside)) {
  // A studio that has been started anew has another token.
  const reply = await fetch(inside, { method: "HEAD" }).catch(() => null);
  if (reply?.ok) location.replace(inside + location.hash);
}
