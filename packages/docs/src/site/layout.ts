import { html, raw } from 'hono/html'
import { foot } from './foot.ts'
import { navigation } from './navigation.ts'
import { anchorOf, rootOf, type Heading, type Html, type Page } from './page.ts'
import { neighbours, trail } from './trail.ts'

const mark = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
<rect x="2" y="2" width="20" height="20" rx="5" fill="currentColor"/><path d="M8 6.5v11M16 6.5 9.5 12l6.5 5.5"
  fill="none" stroke="var(--card)" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round"/></svg>`

/** A text with fewer headings needs no table of contents. */
const headingsMin = 2

const headingLinks = (headings: readonly Heading[]): Html =>
  html`<ul>${headings.map(
    ({ title, level }) =>
      html`<li${raw(level === 3 ? ' class="inner"' : '')}>
        <a href="#${anchorOf(title)}">${title.replaceAll('`', '')}</a>
      </li>`,
  )}</ul>`

/** A whole page. Nothing in it is inline, so that a server can forbid what it did not send. */
export function layout(page: Page): Html {
  const { path, title, summary, body, aside, headings = [], markdown } = page
  const root = rootOf(path)
  const isLong = headings.length >= headingsMin
  const name = path.slice(path.lastIndexOf('/') + 1)
  return html`<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === 'Kontor' ? 'Kontor documentation' : `${title} · Kontor`}</title>
<meta name="description" content="${summary.replaceAll('`', '')}">
<link rel="icon" href="${root}assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}assets/site.css">
${markdown === undefined ? '' : html`<link rel="alternate" type="text/markdown" href="${name}.md">`}
<script src="${root}assets/site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="brand" href="${root}index.html">${mark}Kontor</a>
<button class="find" type="button" hidden>Search <kbd>/</kbd></button>
<label class="menu" for="menu"><span>Menu</span><span class="shut">Close</span></label>
</header>
<input type="checkbox" id="menu" aria-label="Show the navigation">
<nav aria-label="Pages">${navigation({ path, root })}</nav>
<main id="content"${raw(aside === undefined ? (isLong ? ' class="reading"' : '') : ' class="beside"')}>
<article>${trail(path, root)}${
    isLong ? html`<details class="onpage"><summary>On this page</summary>${headingLinks(headings)}</details>` : ''
  }${body(root)}
${neighbours(path, root)}
${foot(page, root)}
</article>
${aside === undefined ? '' : html`<aside aria-label="Samples">${aside(root)}</aside>`}
${isLong ? html`<aside class="onpage" aria-label="Contents"><p>On this page</p>${headingLinks(headings)}</aside>` : ''}
</main>
</body>
</html>
`
}
