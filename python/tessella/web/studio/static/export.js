// A view as one file of HTML, without scripts and without requests: what is on the page, with its styles.

import { h } from "./dom.js";

function styles() {
  return [...document.styleSheets].map((sheet) => [...sheet.cssRules].map((rule) => rule.cssText).join("\n")).join("\n");
}

/** Controls become what they say, since nothing answers them any longer. */
function still(copy, original) {
  const [controls, own] = [copy, original].map((one) => [...one.querySelectorAll("textarea, input, select, button")]);
  controls.forEach((control, place) => {
    const source = own[place];
    if (source.tagName === "BUTTON") {
      if (source.classList.contains("chip") || source.classList.contains("link") || source.classList.contains("way")) {
        control.replaceWith(h("span", { class: control.className }, ...control.childNodes));
      } else control.remove();
    } else if (source.type === "checkbox") control.replaceWith(source.checked ? "☑" : "☐");
    else if (source.tagName === "SELECT") control.replaceWith(h("b", {}, source.selectedOptions[0]?.textContent ?? ""));
    else if (source.tagName === "TEXTAREA") control.replaceWith(h("pre", { class: "text", dir: "auto" }, source.value));
    else control.replaceWith(h("b", {}, source.value));
  });
}

/** The file's text. */
export function frozen() {
  const main = document.getElementById("main");
  main.querySelectorAll(".tokens").forEach((box) => box.fillAll?.());
  const copy = main.cloneNode(true);
  still(copy, main);
  copy.querySelectorAll("datalist").forEach((one) => one.remove());
  const made = document.implementation.createHTMLDocument("Tessella studio");
  made.documentElement.lang = "en";
  if (document.documentElement.dataset.theme) made.documentElement.dataset.theme = document.documentElement.dataset.theme;
  const policy = h("meta", { "http-equiv": "Content-Security-Policy", content: "default-src 'none'; style-src 'unsafe-inline'" });
  made.head.prepend(h("meta", { charset: "utf-8" }), policy, h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }));
  made.head.append(h("style", {}, styles()));
  made.body.append(copy);
  return `<!doctype html>\n${made.documentElement.outerHTML}\n`;
}

/** Saves the view. */
export function save(name) {
  const link = h("a", { href: URL.createObjectURL(new Blob([frozen()], { type: "text/html" })), download: `${name}.html` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
