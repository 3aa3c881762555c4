"""The style sheet of the sweep's page: two colour schemes, and nothing that colour alone says."""

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --line: #d0d7de; --panel: #f6f8fa;
  --good: #2f7d4f; --good-ink: #1f6b3f; --bad: #e8b4a8; --bad-line: #8c2f1b; --bad-ink: #9a2f17; --idle: #f0dca0; --idle-line: #7a5c00; --open: #c9ced6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa4af; --paper: #0d1117; --line: #30363d; --panel: #161b22;
  --good: #3fa06a; --good-ink: #6fd39b; --bad: #5c2a20; --bad-line: #ff9c86; --bad-ink: #ff9c86; --idle: #4d3f10; --idle-line: #e9c46a; --open: #4a525c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 .75rem; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem; margin: 0 0 1rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
code { font: .88em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: .93em; }
th, td { text-align: left; vertical-align: top; padding: .28rem .6rem; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
td:first-child { white-space: nowrap; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--soft); }
summary:focus-visible { outline: 2px solid var(--good); outline-offset: 2px; }
.why { color: var(--soft); font-size: .93em; }
.state.accepted { color: var(--good-ink); } .state.aborts { color: var(--bad-ink); font-weight: 600; }
.state.inert { color: var(--soft); font-style: italic; }
.tally { display: flex; height: 2rem; border: 1px solid var(--line); border-radius: 4px; overflow: hidden; }
.part { flex-basis: 0; min-width: 4px; display: flex; align-items: center; justify-content: center; font-weight: 600; }
.part + .part { border-left: 2px solid var(--paper); }
.part.starts { color: #ffffff; background: #2a6f46; }
.part { color: var(--ink); text-shadow: 0 0 3px var(--paper), 0 0 3px var(--paper), 0 0 3px var(--paper); } .part.starts { text-shadow: none; }
.starts { background: var(--good); }
.partly { background: radial-gradient(var(--good-ink) 1.2px, transparent 1.4px) 0 0 / 6px 6px, var(--panel); }
.stops { background: repeating-linear-gradient(45deg, var(--bad-line) 0 1.5px, transparent 1.5px 6px), var(--bad); }
.key.inert { background: radial-gradient(var(--idle-line) 1.2px, transparent 1.4px) 0 0 / 6px 6px, var(--idle); }
.open { background: var(--open); } td .open { background: none; color: var(--soft); }
.keys { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; margin: .5rem 0; }
.key { display: inline-block; width: 1.1em; height: 1.1em; margin-right: .4em; vertical-align: -.2em; border: 1px solid var(--line); border-radius: 2px; }
.plot { display: block; width: 100%; min-width: 38rem; height: auto; }
.axis { font: 11px ui-monospace, monospace; fill: var(--ink); } .axis.end { text-anchor: end; } .axis.strong { font-weight: 700; }
.grid { stroke: var(--line); stroke-width: 1; }
.fill-inert { fill: var(--idle); } .fill-aborts { fill: var(--bad); }
.hatching { stroke: var(--bad-line); stroke-width: 2; } .dotting { fill: var(--idle-line); }
.bar-accepted { stroke: var(--good); fill: var(--good); } .bar-inert { stroke: var(--idle-line); } .bar-aborts { stroke: var(--bad-line); }
.line-all { fill: none; stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 5 4; }
.line-starts { fill: none; stroke: var(--good); stroke-width: 2.5; }
.mark-all { fill: var(--paper); stroke: var(--soft); } .mark-starts { fill: var(--good); stroke: var(--paper); stroke-width: 1; }
footer { margin-top: 2.5rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .93em; } footer ul { padding-left: 1.1rem; }
"""
