import { hash } from 'node:crypto'

/** Colours are held to a contrast of at least 4.5 to 1 (WCAG 2.2 AA), in both schemes. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f4f4f1; --card: #ffffff; --ink: #1b1f24; --soft: #59616b; --line: #d9dad5; --edge: #878f98;
  --accent: #1f5a4c; --accent-ink: #ffffff; --accent-hover: #17463b; --link: #1f5a4c;
  --bad: #a3241b; --bad-ground: #fdf0ee; --good: #1d5b3a; --good-ground: #ecf6f0; --ring: #2f7fd6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --card: #1d2125; --ink: #eceeef; --soft: #a4adb6; --line: #343a41; --edge: #7b8590;
    --accent: #7cc7b2; --accent-ink: #0d1f1a; --accent-hover: #97d8c6; --link: #8ed3c0;
    --bad: #ffa198; --bad-ground: #3a1f1d; --good: #8fd6ac; --good-ground: #18301f; --ring: #7db5f2;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; padding: 4rem 1rem 2rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
}
.brand {
  display: flex; align-items: center; gap: .55rem; margin: 0 0 1.5rem;
  font-weight: 650; font-size: 1.125rem; letter-spacing: -.01em; color: var(--ink);
}
.brand svg { width: 1.5rem; height: 1.5rem; color: var(--accent); }
main {
  width: 100%; max-width: 26rem; padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .875rem; box-shadow: 0 1px 2px rgb(0 0 0 / .04), 0 8px 24px rgb(0 0 0 / .05);
}
main.wide { max-width: 44rem; }
main.wide .field { max-width: 26rem; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.015em; text-wrap: balance; }
h2 { margin: 0 0 .25rem; font-size: 1.0625rem; line-height: 1.35; }
p { margin: 0 0 1rem; }
h1 + .message, main > h1 + :is(form, .shown) { margin-top: 1rem; }
main > :last-child { margin-bottom: 0; }
[hidden] { display: none !important; }
a { color: var(--link); text-underline-offset: .18em; }
.lead, .soft { color: var(--soft); }
.soft { font-size: .875rem; }
section { border-top: 1px solid var(--line); margin-top: 1.75rem; padding-top: 1.5rem; }
form { margin: 0; }
.field { margin: 0 0 1.125rem; }
label { display: block; margin: 0 0 .3rem; font-weight: 550; font-size: .9375rem; }
textarea, input:not([type=hidden], [type=radio], [type=checkbox], [hidden]) {
  display: block; width: 100%; padding: .625rem .75rem; min-height: 2.75rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--edge); border-radius: .5rem;
}
input[readonly] { background: var(--ground); color: var(--soft); }
:is(input, textarea)[aria-invalid=true] { border-color: var(--bad); border-width: 2px; }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; margin: 0 0 .3rem; font-weight: 550; font-size: .9375rem; }
.option {
  display: flex; gap: .625rem; align-items: flex-start; margin: 0; padding: .45rem 0; min-height: 2.75rem;
  font-weight: 400; cursor: pointer;
}
.option input { flex: none; width: 1.25rem; height: 1.25rem; margin: .0625rem 0 0; accent-color: var(--accent); }
.option .hint { display: block; margin: 0; }
.where { margin: .5rem 0 0; font-size: .875rem; font-weight: 550; }
.hint, .error { margin: .35rem 0 0; font-size: .875rem; }
.hint { color: var(--soft); }
.error { color: var(--bad); font-weight: 550; }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; min-height: 2.75rem; padding: .625rem 1.125rem;
  font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer;
  color: var(--accent-ink); background: var(--accent); border: 1px solid var(--accent); border-radius: .5rem;
}
button:hover, .button:hover { background: var(--accent-hover); border-color: var(--accent-hover); }
button.second, .button.second { color: var(--ink); background: transparent; border-color: var(--edge); }
button.second:hover, .button.second:hover { background: var(--ground); }
.pair { display: flex; flex-wrap: wrap; gap: .5rem; }
button.small, .button.small { min-height: 2.25rem; padding: .3rem .75rem; font-size: .875rem; }
main:not(.wide) .actions > :is(button, .button, form), main:not(.wide) .actions form button { width: 100%; }
.actions { display: flex; flex-wrap: wrap; gap: .625rem; margin-top: 1.5rem; }
.beside {
  display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 1rem; margin-top: 1.25rem;
  font-size: .9375rem;
}
.message {
  margin: 0 0 1.25rem; padding: .75rem 1rem; border-radius: .5rem; border-left: 4px solid; font-size: .9375rem;
}
.message.bad { color: var(--bad); background: var(--bad-ground); }
.message.good { color: var(--good); background: var(--good-ground); }
.message.note { background: var(--ground); border-color: var(--edge); }
.message.note p { margin: 0; }
.message.note .actions { margin-top: .75rem; }
.message ul { margin: .25rem 0 0; padding-left: 1.25rem; }
.message a { color: inherit; }
.whole { white-space: nowrap; }
.rows { list-style: none; margin: .75rem 0 0; padding: 0; }
.rows > li {
  display: flex; flex-wrap: wrap; align-items: start; justify-content: space-between; gap: .5rem 1rem;
  padding: .75rem 0; border-top: 1px solid var(--line);
}
.rows > li:first-child { border-top: 0; }
.rows > li > :first-child { flex: 1 1 14rem; min-width: 0; }
.rows strong { display: block; font-weight: 600; }
.rows ul { margin: .25rem 0 0; padding-left: 1.125rem; list-style: disc; }
.tag {
  display: inline-block; margin-left: .4rem; padding: .05rem .5rem; font-size: .75rem; font-weight: 600;
  color: var(--good); background: var(--good-ground); border-radius: 1rem; vertical-align: .1em;
}
.facts { margin: 1rem 0 1.5rem; padding: .25rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
.facts > div { display: flex; flex-wrap: wrap; gap: .125rem 1rem; justify-content: space-between; padding: .5rem 0; }
.facts > div + div { border-top: 1px solid var(--line); }
.facts dt { color: var(--soft); } .facts dd { margin: 0; font-weight: 550; }
.grants { margin: 1rem 0 1.5rem; padding: 0; list-style: none; }
.grants li { padding: .35rem 0 .35rem 1.75rem; position: relative; }
.grants li::before { content: "✓"; position: absolute; left: .25rem; color: var(--accent); font-weight: 700; }
.qr { display: block; width: 14rem; max-width: 100%; margin: 0 auto 1rem; border-radius: .5rem; }
details { margin: 0 0 1.25rem; } summary { cursor: pointer; color: var(--link); font-size: .9375rem; }
.shown { margin: 0 0 1.25rem; } .shown dt { margin: 0 0 .3rem; font-weight: 550; font-size: .9375rem; }
.shown dd {
  display: flex; align-items: start; justify-content: space-between; gap: .75rem; margin: 0 0 1rem;
  padding: .625rem .75rem; background: var(--ground); border: 1px solid var(--edge); border-radius: .5rem;
}
.shown dd code { min-width: 0; } .shown dd button { flex: none; }
.shown dd code, pre.command {
  white-space: pre-wrap; overflow-wrap: anywhere; -webkit-user-select: all; user-select: all;
}
.head {
  display: flex; flex-wrap: wrap; align-items: start; justify-content: space-between; gap: .75rem;
  margin-bottom: .5rem;
}
pre {
  overflow-x: auto; margin: 0 0 1rem; padding: .75rem 1rem; background: var(--ground); border: 1px solid var(--line);
  border-radius: .5rem; font-size: .8125rem; overflow-wrap: normal;
}
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em; }
pre code { font-size: inherit; }
article h2 { margin: 1.75rem 0 .5rem; }
article :is(ul, ol) { margin: 0 0 1rem; padding-left: 1.25rem; }
article li { margin: .25rem 0; }
.table { overflow-x: auto; margin: 0 0 1rem; } .table table { border-collapse: collapse; font-size: .9375rem; }
.table :is(th, td) {
  text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line);
  min-width: 9rem;
}
:focus-visible { outline: 3px solid var(--ring); outline-offset: 2px; }
footer { margin-top: 1.5rem; color: var(--soft); font-size: .8125rem; }
@media (max-width: 30rem) { body { padding-top: 1.5rem; } main { padding: 1.5rem 1.25rem; } }
`

/** By which the Content-Security-Policy knows this stylesheet, and lets in no other. */
export const styleHash = `sha256-${hash('sha256', style, 'base64')}`
