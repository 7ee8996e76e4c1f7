import { posix } from 'node:path'
import { runInNewContext } from 'node:vm'
import { contract, errorCodes } from '@kontor/contract'
import { describe, expect, test } from 'vitest'
import { moved } from './moved.ts'
import { site } from './site.ts'

const files = await site()
const htmlFiles = Object.entries(files).filter(([path]) => path.endsWith('.html'))
const operations = Object.entries(contract).flatMap(([domain, endpoints]) =>
  Object.keys(endpoints).map((key) => ({ domain, key })),
)

/** Returns the addresses in `src` and `href` of a page. */
const namedBy = (text: string): string[] =>
  [...text.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, target = '']) => target)

const anchorsOf = (text: string): Set<string> => new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id))

const anchors = new Map(htmlFiles.map(([path, text]) => [path, anchorsOf(text)]))

const sizeOf = (path: string): number => Buffer.byteLength(files[path] ?? '')

function deadLinks([path, text]: [string, string]): string[] {
  return namedBy(text).filter((target) => {
    if (/^(https?:|data:)/.test(target)) return false
    const [file = '', fragment] = target.split('#')
    const to = file === '' ? path : posix.join(posix.dirname(path), file)
    if (files[to] === undefined) return true
    return fragment !== undefined && anchors.get(to)?.has(fragment) !== true
  })
}

describe('the site', () => {
  test.each(operations)('has a page of $domain.$key, with samples, and its Markdown', ({ domain, key }) => {
    const page = files[`reference/${domain}/${key}.html`]
    for (const part of ['<h1>', 'id="errors"', '<dt>Credential</dt>', 'curl', 'TypeScript', 'Python'])
      expect(page?.includes(part), part).toBe(true)
    expect(files[`reference/${domain}/${key}.md`]).toMatch(/^# .*\n\n`(GET|POST|PUT|PATCH|DELETE) \/v1/)
  })

  test('shows what a server answered, on the page and in its Markdown', () => {
    const path = 'reference/records/get'
    expect(files[`${path}.html`]).toContain('<figcaption>Response 200</figcaption>')
    expect(files[`${path}.md`]).toContain('Response 200\n\n```json\n{')
  })

  test.each(errorCodes)('has a page of the error %s', (code) => {
    expect(files[`errors/${code}.html`]).toContain(`<code>${code}</code>`)
    expect(files[`errors/${code}.md`]).toContain(code)
  })

  test('leads from a guide to the ones beside it, to its parts and to what is above it', () => {
    const page = files['guides/field-types.html']
    expect(page).toMatch(/<a rel="prev" href="\.\.\/guides\/standard-objects\.html"/)
    expect(page).toMatch(/<a rel="next" href="\.\.\/guides\/\S+\.html"/)
    expect(page).toMatch(/<aside class="onpage"[\s\S]*href="#currency-amount-currency"/)
    expect(page).toMatch(/<details class="onpage"><summary>On this page/)
    expect(page).toMatch(/aria-label="Breadcrumbs"><span><a href="\.\.\/index\.html">/)
  })

  test('shows on each page when it was last changed, and where to report a mistake', () => {
    const undated = htmlFiles.filter(
      ([path, text]) =>
        path !== '404.html' &&
        !Object.hasOwn(moved, path.replace('.html', '')) &&
        !/Last changed <time datetime="\d{4}-\d{2}-\d{2}">\d+ [A-Z][a-z]+ \d{4}</.test(text),
    )
    expect(
      undated.map(([path]) => path),
      'run `npx pnpm --filter @kontor/docs build`',
    ).toEqual([])
    expect(files['reference/records/create.html']).toMatch(/<a href="\S+">Report a mistake<\/a>/)
  })

  test('describes a body once, and names the form in which it may be wrapped', () => {
    const page = files['reference/lists/create.md'] ?? ''
    expect(page).toContain('`{"data": {"type": "list", "attributes": {…}}}`')
    expect(page.match(/^- `title` \(string, required\)/gm)).toHaveLength(1)
    expect(page).not.toContain('- `data` (object)\n  - `type`')
    const created = files['reference/records/create.md'] ?? ''
    expect(created.match(/^- `data` \(object, required\): A record of any object/gm)).toHaveLength(1)
    expect(created).toMatch(/\*\*200\*\* [^\n]*\n\nThe body is the same\./)
  })

  test('names the rate limit of an operation only where it is not the usual one, which a guide describes', () => {
    const naming = operations
      .map(({ domain, key }) => [`${domain}.${key}`, files[`reference/${domain}/${key}.md`] ?? ''] as const)
      .filter(([, text]) => /rate limit:|calls a minute|requests a minute/i.test(text.split('## Errors')[0] ?? ''))
    expect(naming.map(([name]) => name)).toEqual([
      'api.get',
      'workspaces.list',
      'inboundWebhooks.workflow',
      'inboundWebhooks.check',
      'inboundWebhooks.agent',
    ])
    expect(files['guides/versions.md']).toMatch(/has its own bucket/)
  })

  test('explains the words of two vocabularies in the row where they meet', () => {
    const page = files['reference/campaigns/listRecipients.md'] ?? ''
    expect(page).toMatch(/^- `filter\[status\]` .*`completed`: [^.]*run status `success`/m)
    expect(page).toMatch(/^ *- `status` .*it finds `success` as `completed`/m)
  })

  test('reads JSON by jq in every guide, never by grep, cut or a program in a line', () => {
    const guides = Object.entries(files).filter(([path]) => /^guides\/.*\.md$/.test(path))
    const lines = guides.flatMap(([path, text]) => text.split('\n').map((line) => `${path}: ${line}`))
    expect(lines.filter((line) => /grep -o|cut -d|sed -n? ?'s\/.*"|node -[ep] .*JSON\.parse/.test(line))).toEqual([])
  })

  test('shows the output of each command, but of those that a person confirms or that never end', () => {
    const text = `${files['guides/command-line.md'] ?? ''}\n${files['guides/server-commands.md'] ?? ''}`
    const chapters = text.split(/^## (?=kontor)/m).slice(1)
    const names = chapters.map((chapter) => chapter.split('\n')[0] ?? '')
    const single = names.filter((name) => !names.some((other) => other.startsWith(`${name} `)) && name !== 'kontor')
    const shown = chapters.filter((chapter) => chapter.includes('\n$ kontor ')).map((one) => one.split('\n')[0] ?? '')
    expect(single.filter((name) => !shown.includes(name)).toSorted()).toEqual([
      'kontor login',
      'kontor logout',
      'kontor serve',
      'kontor user provider-disconnect',
      'kontor user second-factor-off',
      'kontor webhooks listen',
      'kontor worker',
    ])
  })

  test('breaks no name of a setting', () => {
    const named = htmlFiles.flatMap(([, text]) => [...text.matchAll(/<code([^>]*)>([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)</g)])
    expect(named.length).toBeGreaterThan(100)
    expect(named.filter(([, attributes]) => attributes !== ' class="whole"')).toEqual([])
  })

  test('shows what is the same in several languages as tabs', () => {
    const page = files['guides/write-records.html'] ?? ''
    const [tabs = ''] = /<div class="tabs">[\s\S]*?<\/div>/.exec(page) ?? []
    expect([...tabs.matchAll(/<figcaption>([^<]*)/g)].map(([, title]) => title)).toEqual([
      'curl',
      'TypeScript',
      'Python',
      'Command line',
    ])
    expect(page).not.toContain('```')
  })

  test('leads from a type that contains itself to the page that describes it', () => {
    expect(files['reference/resources/query.md']).toMatch(/- `filter` .*\(\/docs\/guides\/filter-tree\)\.\n- `/)
    expect(files['reference/comments/create.html']).toContain('href="../../guides/comment.html#rich-text"')
  })

  test('gives an example of every identifier and every name of an object', () => {
    const parameters = Object.entries(files)
      .filter(([path]) => /^reference\/\w+\/\w+\.md$/.test(path))
      .flatMap(([, text]) => text.match(/^ *- `\w+` \(.*(?:Identifier|Name of the object)\..*/gm) ?? [])
    expect(parameters.length).toBeGreaterThan(100)
    expect(parameters.filter((line) => !line.includes('or example `'))).toEqual([])
  })

  test('leads from an address that has moved to the page that has its subject now, at the same fragment', () => {
    for (const [from, to] of Object.entries(moved)) {
      const target = `../${to}`
      const page = files[`${from}.html`] ?? ''
      expect(page).toContain(`<link rel="canonical" href="${target}.html">`)
      expect(page).toContain(`<meta http-equiv="refresh" content="0; url=${target}.html">`)
      expect(page).toMatch(/<a href="[^"]*">/)
      expect(files[`${from}.md`]).toContain(`(${target}.md)`)
    }
    const page = files['guides/lists.html'] ?? ''
    const visited = { href: '' }
    const document = { querySelector: () => ({ href: /rel="canonical" href="([^"]*)"/.exec(page)?.[1] }) }
    const location = { hash: '#sql', replace: (href: string) => (visited.href = href) }
    runInNewContext(files['assets/moved.js'] ?? '', { document, location })
    expect(visited.href).toBe('../guides/use-lists.html#sql')
    expect(files['guides/use-lists.html']).toContain('id="sql"')
  })

  test('has one page for a subject: the guide, and its rules under "Details"', () => {
    const page = files['guides/use-lists.html'] ?? ''
    expect(page).toMatch(/id="details"[\s\S]*<h3 id="sql">/)
    expect(page).not.toContain('Step by step')
    const linked = htmlFiles.flatMap(([path, text]) => namedBy(text).map((target) => [path, target] as const))
    const old = linked.filter(
      ([path, target]) =>
        Object.hasOwn(moved, posix.join(posix.dirname(path), target.replace(/\.html(#.*)?$/, ''))) &&
        !Object.hasOwn(moved, path.replace('.html', '')),
    )
    expect(old).toEqual([])
  })

  test('has no heading twice on a page', () => {
    for (const [path, text] of htmlFiles) {
      const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
      expect(
        ids.filter((id, index) => ids.indexOf(id) !== index),
        path,
      ).toEqual([])
    }
  })

  test('has no link that leads nowhere', () => {
    const dead = htmlFiles.flatMap((file) => deadLinks(file).map((target) => `${file[0]}: ${target}`))
    expect(dead).toEqual([])
  })

  test('loads nothing from elsewhere, and has nothing inline that a server would have to allow', () => {
    for (const [path, text] of htmlFiles) {
      const loaded = [...text.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]*)"/g)].map(([, url = '']) => url)
      expect(
        loaded.filter((url) => /^([a-z]+:|\/)/.test(url)),
        path,
      ).toEqual([])
      expect(text, path).not.toMatch(/<style|<script(?![^>]* src=)| style="| on\w+="|type="module"/)
    }
    for (const name of ['assets/site.css', 'assets/site.js', 'assets/search.js'])
      expect(files[name]).not.toMatch(/https?:|@import|\bfetch\(/)
  })

  test('has small pages: 64 kB each, 200 kB with all that they load, 11 MB altogether', () => {
    const large = htmlFiles.map(([path]) => [path, sizeOf(path)] as const).filter(([, size]) => size > 64_000)
    expect(large).toEqual([])
    expect(Object.keys(files).reduce((sum, path) => sum + sizeOf(path), 0)).toBeLessThan(11e6)
    for (const [path, text] of htmlFiles) {
      const loaded = namedBy(text).filter((target) => /\.(js|css|svg)$/.test(target))
      const sizes = loaded.map((target) => sizeOf(posix.join(posix.dirname(path), target)))
      expect(
        sizes.reduce((sum, size) => sum + size, sizeOf(path)),
        path,
      ).toBeLessThan(200_000)
    }
  })

  test('lists every page for programs that read', () => {
    const listed = [...(files['llms.txt'] ?? '').matchAll(/\]\((\S+)\): /g)].map(([, path = '']) => path)
    expect(listed.filter((path) => files[path] === undefined)).toEqual([])
    const pages = Object.keys(files).filter(
      (path) =>
        path.endsWith('.md') && !/(^|\/)index\.md$/.test(path) && !Object.hasOwn(moved, path.replace(/\.md$/, '')),
    )
    expect(pages.filter((path) => !listed.includes(path))).toEqual([])
  })
})
