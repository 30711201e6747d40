// Elements, made in one place. Text goes in as text nodes only: nothing that a person typed, or that a vocabulary
// holds, is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") made[name] = value;
    else if (name === "style") for (const [key, one] of Object.entries(value)) made.style.setProperty(key, one);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** An element of HTML: name, attributes, children (texts or nodes). */
export function h(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** An element of SVG. */
export function s(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** Puts these children in the place of all that an element has. */
export function put(parent, ...children) {
  parent.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return parent;
}

/** A labelled control. */
export function field(label, control, more) {
  return h("label", { class: `field ${more ?? ""}` }, h("span", {}, label), control);
}

/** A choice: pairs of value and words. */
export function choice(value, pairs, onchange, attributes) {
  const made = h(
    "select",
    { ...attributes, onchange: () => onchange(made.value) },
    pairs.map(([one, words]) => h("option", { value: one }, words)),
  );
  made.value = value;
  return made;
}

/** Calls when nothing has come for so many milliseconds (a number, or what gives one), with the last arguments. */
export function later(call, wait) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), typeof wait === "function" ? wait() : wait);
  };
}

/** Says something to people who listen to the page. */
export function say(words) {
  document.getElementById("status").textContent = words;
}

export const number = (value) => value.toLocaleString("en");

/** A number with few digits. */
export function short(value) {
  if (value === null || value === undefined) return "";
  return Number.isInteger(value) ? number(value) : value.toPrecision(4);
}
