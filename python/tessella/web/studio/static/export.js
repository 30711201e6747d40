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
  const theme = document.documentElement.dataset.theme;
  const parts = [
    "<!doctype html>",
    `<html lang="en"${theme ? ` data-theme="${theme === "dark" ? "dark" : "light"}"` : ""}><head><meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Tessella studio</title>',
    `<style>${styles()}</style></head><body>`,
    // Written by the browser from nodes, which escapes what is text.
    copy.outerHTML,
    "</body></html>",
  ];
  return `${parts.join("\n")}\n`;
}

/** Saves the view; a report is a file already. */
export async function save(name) {
  const report = document.querySelector("main iframe.report");
  const text = report ? await (await fetch(report.src)).text() : frozen();
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "text/html" })), download: `${name}.html` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
