"""How the report looks: light or dark as the reader's system is, wide tables scroll, nothing is fetched."""

STYLE = """
:root {
  color-scheme: light dark;
  --ink: #24292f; --soft: #57606a; --ground: #ffffff; --line: #d0d7de; --band: #f6f8fa; --alarm: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6edf3; --soft: #9aa4af; --ground: #14181d; --line: #39424d; --band: #1c2229; --alarm: #ff8a80;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2.5rem 0 .75rem; }
#failures { border: 2px solid var(--alarm); border-radius: 6px; padding: 0 1rem 1rem; margin-top: 1.5rem; }
#failures h2 { color: var(--alarm); margin-top: 1rem; }
#failures td, #failures .number { text-align: left; }
#failures td:last-child { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 16rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.25rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .5rem; } }
.scroll { overflow-x: auto; position: relative; }
.scroll:focus-visible { outline: 2px solid var(--soft); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: .2rem .6rem; white-space: nowrap; vertical-align: top; }
th { text-align: left; font-weight: 500; }
td, .number { text-align: right; }
thead th { border-bottom: 2px solid var(--line); font-weight: 600; }
tbody { border-bottom: 1px solid var(--line); }
tbody th[scope="rowgroup"] { font-weight: 600; }
tr.paper, tr.difference { color: var(--soft); }
tbody tr:hover > * { background: var(--band); }
tbody th[scope="rowgroup"], thead th:first-child { position: sticky; left: 0; background: var(--ground); }
#summary th, #summary td { position: static; white-space: normal; }
.note { color: var(--soft); font-size: .875rem; max-width: 60rem; margin: .5rem 0 0; }
.findings { padding-left: 1.2rem; max-width: 60rem; }
.findings li { margin: .4rem 0; }
figure { margin: 1rem 0; }
figure svg { display: block; width: 100%; height: auto; max-width: 62rem; }
figcaption { color: var(--soft); font-size: .875rem; }
.pairs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); }
.scroll > svg { min-width: 44rem; }
.pairs { gap: 1rem 2rem; }
.pairs svg { max-width: 34rem; }
@media print { .scroll { overflow: visible; } figure, tr { break-inside: avoid; } }
"""
