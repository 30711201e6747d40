"""The look of a report page: light, dark, and on paper; colours that colour-blind readers can tell apart."""

from __future__ import annotations

#: Series, by Okabe and Ito, a shade darker for light pages and a shade lighter for dark ones.
_LIGHT = ("#0067a5", "#b35900", "#00785a", "#8c4b83", "#7a6500", "#2b8cbe", "#a03020", "#555555")
_DARK = ("#56b4e9", "#e69f00", "#2fbf93", "#d48fbf", "#d9cc55", "#8fc9f0", "#f08a70", "#b5b5b5")
_DASHES = ("", "7 3", "2 3", "10 3 2 3", "4 2", "1 3", "12 4", "6 2 1 2")


def _series() -> str:
    rules = []
    for place, dash in enumerate(_DASHES):
        rules.append(f".s{place}{{fill:var(--c{place})}}.c{place}{{stroke:var(--c{place})}}")
        if dash:
            rules.append(f"path.c{place}{{stroke-dasharray:{dash}}}")
    for step in range(1, 10):
        rules.append(f".h{step}{{fill:var(--c0);fill-opacity:{step * 0.1:.1f}}}")
    return "".join(rules)


def _variables(colours: tuple[str, ...]) -> str:
    return "".join(f"--c{place}:{colour};" for place, colour in enumerate(colours))


_DARK_RULES = (
    "--paper:#16191d;--ink:#e8eaed;--dim:#a9b0b8;--rule:#3a4048;--card:#1e2227;--warn:#4a3a12;"
    f"--token:#243b53;--other:#3d3222;{_variables(_DARK)}color-scheme:dark;"
)

STYLE = (
    ":root{--paper:#fff;--ink:#1c2024;--dim:#545c66;--rule:#d4d9df;--card:#f6f8fa;--warn:#fff3cd;--token:#dbeafe;"
    f"--other:#fde8cf;{_variables(_LIGHT)}color-scheme:light}}"
    f"@media (prefers-color-scheme:dark){{:root{{{_DARK_RULES}}}}}"
    "@media print{:root{--paper:#fff;--ink:#000;--dim:#333;--rule:#999;--card:#fff;--warn:#fff;--token:#eee;"
    f"--other:#ddd;{_variables(_LIGHT)}color-scheme:light}}details>*{{display:block}}"
    "section,figure,tr{break-inside:avoid}a{color:inherit}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif}"
    "main{max-width:1080px;margin:0 auto;padding:24px 16px}"
    "h1{font-size:1.7rem;line-height:1.2;margin:0 0 .3em}"
    "h2{font-size:1.25rem;margin:2em 0 .5em;border-bottom:1px solid var(--rule)}"
    "h3{font-size:1rem;margin:0 0 .4em}"
    ".dim{color:var(--dim)}.warn{background:var(--warn);border:1px solid var(--rule);border-left:6px solid "
    "var(--c1);padding:8px 12px;margin:8px 0}"
    ".grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:16px}"
    "figure{margin:0;padding:12px;background:var(--card);border:1px solid var(--rule);border-radius:6px;"
    "overflow-x:auto}figcaption{font-size:.85rem;color:var(--dim);margin-top:6px}"
    "svg{width:100%;height:auto;display:block;overflow:visible}"
    "svg text{font:12px system-ui,sans-serif;fill:var(--ink)}.e{text-anchor:end}.m{text-anchor:middle}"
    ".i{stroke:var(--ink);stroke-width:1.6;fill:none}.a{stroke:var(--dim);fill:none}.g{stroke:var(--rule)}"
    ".c{fill:none;stroke-width:2.2}.k{fill:var(--paper);stroke-width:2.5}"
    ".h{fill:var(--card);stroke:var(--rule)}.v7,.v8,.v9{fill:var(--paper)!important}"
    f"{_series()}"
    ".table{overflow-x:auto;max-width:100%}table{border-collapse:collapse;font-size:.9rem;margin:.5em 0}"
    "th,td{padding:3px 10px;text-align:left;border-bottom:1px solid var(--rule);vertical-align:top}"
    "th{color:var(--dim);font-weight:600}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    "td .r{color:var(--dim);font-size:.85em}code,.t{font-family:ui-monospace,monospace;font-size:.9em}"
    ".t{background:var(--token);border:1px solid var(--rule);border-radius:3px;padding:0 2px;"
    "unicode-bidi:isolate;"
    "white-space:pre-wrap;overflow-wrap:anywhere}.t:nth-of-type(even){background:var(--other)}"
    "summary{cursor:pointer;font-weight:600;padding:6px 0}summary:focus-visible{outline:3px solid var(--c0)}"
    "dt{font-weight:600;margin-top:.6em}dd{margin:0 0 0 1em}"
)
