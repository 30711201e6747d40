// A slider with buttons that goes through steps, forwards and backwards, by itself if one likes.

import { h, put } from "./dom.js";

/** `draw(step)` gives the nodes of a step from 0 to `last`; `moved` hears where it is. */
export function player(last, first, draw, moved, words = "Step") {
  let now = Math.min(Math.max(first, 0), last);
  let timer = 0;
  const shown = h("div", { class: "played", "aria-live": "polite" });
  const told = h("output", {});
  const slider = h("input", { type: "range", min: 0, max: last, value: now, "aria-label": words, oninput: () => go(Number(slider.value)) });
  const button = (label, name, action) => h("button", { type: "button", "aria-label": name, title: name, onclick: action }, label);
  const play = button("▶", "Play", () => {
    if (timer) stop();
    else {
      if (now >= last) go(0);
      timer = setInterval(() => (now < last && play.isConnected ? go(now + 1) : stop()), 700);
      put(play, "⏸");
      play.setAttribute("aria-label", "Pause");
    }
  });
  const back = button("◀", "One step back", () => go(now - 1));
  const on = button("▷", "One step forward", () => go(now + 1));
  function stop() {
    clearInterval(timer);
    timer = 0;
    put(play, "▶");
    play.setAttribute("aria-label", "Play");
  }
  function go(step) {
    now = Math.min(Math.max(step, 0), last);
    slider.value = now;
    told.textContent = `${now} of ${last}`;
    back.disabled = now === 0;
    on.disabled = now === last;
    put(shown, draw(now));
    moved(now);
  }
  go(now);
  return h("div", { class: "player" }, h("div", { class: "row", role: "group", "aria-label": words }, back, play, on, slider, told), shown);
}
