import { rootOf, type Page } from './page.ts'

/** Addresses of pages that are part of another page now, each with the address of that page. */
export const moved: Readonly<Record<string, string>> = {
  'guides/access': 'guides/share',
  'guides/creating-and-changing-records': 'guides/write-records',
  'guides/custom-objects': 'guides/change-schemas',
  'guides/errors': 'errors',
  'guides/filters-sorting-and-search': 'guides/find-records',
  'guides/limits': 'guides/versions',
  'guides/lists': 'guides/use-lists',
  'guides/quick-start': 'guides/start',
  'guides/versioning': 'guides/versions',
  'guides/webhooks': 'guides/receive-webhooks',
}

/** The files at an address that has moved; `moved.js` keeps the fragment of the address. */
function filesOf(from: string, to: Page): [string, string][] {
  const target = `${rootOf(from)}${to.path}`
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${to.title} · Kontor</title>
<meta name="robots" content="noindex">
<link rel="canonical" href="${target}.html">
<noscript><meta http-equiv="refresh" content="0; url=${target}.html"></noscript>
<script src="${rootOf(from)}assets/moved.js" defer></script>
</head>
<body><p>This page is now part of <a href="${target}.html">${to.title}</a>.</p></body>
</html>
`
  return [
    [`${from}.html`, page],
    [`${from}.md`, `This page is now part of [${to.title}](${target}.md).\n`],
  ]
}

/** The files at all addresses that have moved. */
export const movedFiles = (pages: readonly Page[]): [string, string][] =>
  Object.entries(moved).flatMap(([from, path]) => {
    const to = pages.find((page) => page.path === path)
    if (to === undefined) throw new Error(`${from} leads to ${path}, which is no page`)
    return filesOf(from, to)
  })
