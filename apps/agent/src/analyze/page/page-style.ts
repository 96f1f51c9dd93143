/** Colors that color-blind readers can distinguish, for light and dark mode. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fbfbfa; --card: #ffffff; --line: #e4e3df; --grid: #ecebe7; --ink: #1d1d1f; --soft: #5f6067; --faint: #8b8c93;
  --fixed: #9aa0aa; --summary: #b25fa2; --user: #159a9c; --agent: #c9695c; --thinking: #d99a2b; --assistant: #3f9b5f;
  --calls: #7c6bd0; --results: #3d78c9;
  --read: #7fb0a2; --write: #d98a3d; --fresh: #b8483b; --lost: #b8483b; --fold: #1d1d1f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #141517; --card: #1c1d20; --line: #303238; --grid: #2a2c31; --ink: #ececee; --soft: #b0b2ba; --faint: #858892;
    --fixed: #767c87; --summary: #c987ba; --user: #3fbcbd; --agent: #de877b; --thinking: #e3b056; --assistant: #66bd84;
    --calls: #a092ea; --results: #6a9fe6;
    --read: #568f80; --write: #e39c58; --fresh: #e0705f; --lost: #e0705f; --fold: #ececee;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.55 ui-sans-serif, system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 40px 20px 72px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 6px; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 0 0 4px; letter-spacing: -0.005em; }
p { margin: 0; }
.about { color: var(--soft); overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px; margin: 26px 0 18px; padding: 0; list-style: none; }
.tiles li, .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.tiles li { padding: 14px 16px; }
.tiles strong { display: block; font-size: 24px; font-weight: 620; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; }
.tiles span { color: var(--soft); font-size: 13px; }
.card { padding: 20px 22px 22px; margin: 18px 0; }
.card > p { color: var(--soft); font-size: 13.5px; margin-bottom: 12px; max-width: 74ch; }
.chart { overflow-x: auto; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--ink); font-size: 12.5px; font-variant-numeric: tabular-nums; }
svg .tick { fill: var(--soft); font-size: 11.5px; }
svg .faint { fill: var(--faint); }
svg .value { fill: var(--soft); }
.grid { stroke: var(--grid); stroke-width: 1; }
.hover { fill: transparent; } .hover:hover { fill: var(--ink); fill-opacity: 0.09; }
.fold line { stroke: var(--fold); stroke-width: 1.2; stroke-dasharray: 3 3; } .fold path { fill: var(--fold); }
.break { fill: var(--lost); stroke: var(--card); stroke-width: 1; }
.part-fixed { fill: var(--fixed); } .part-summary { fill: var(--summary); } .part-user { fill: var(--user); } .part-agent { fill: var(--agent); }
.part-thinking { fill: var(--thinking); } .part-assistant { fill: var(--assistant); } .part-calls { fill: var(--calls); } .part-results { fill: var(--results); }
.cache-read { fill: var(--read); } .cache-write { fill: var(--write); } .cache-fresh { fill: var(--fresh); } .lost { fill: var(--lost); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 10px 0 0; padding: 0; list-style: none; color: var(--soft); font-size: 13px; }
.legend svg { display: inline-block; width: 11px; height: 11px; margin-right: 6px; vertical-align: -1px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 560; color: var(--soft); } th, td { padding: 6px 14px 6px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; } td.number, th.number { text-align: right; white-space: nowrap; } td.when { white-space: nowrap; }
td.what { overflow-wrap: anywhere; min-width: 220px; } .files { color: var(--soft); }
details > summary { cursor: pointer; padding: 10px 0; font-weight: 560; overflow-wrap: anywhere; }
footer { color: var(--faint); font-size: 13px; margin-top: 28px; max-width: 80ch; }
@media (max-width: 720px) {
  main { padding: 24px 12px 48px; } .card { padding: 16px 14px; } .tiles { grid-template-columns: repeat(2, 1fr); }
  .chart svg { min-width: 660px; }
}
@media print { body { background: none; } .card, .tiles li { break-inside: avoid; } }
`;
