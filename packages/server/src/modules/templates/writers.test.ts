import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fillInput, isJsonTemplate } from './template.ts'
import { TemplateFault } from './variable-filters.ts'
import type { Syntax } from './writers.ts'

/** Without -0, which JSON does not tell from 0. */
const json = fc.jsonValue({ maxDepth: 3 }).map((value): unknown => JSON.parse(JSON.stringify(value)))

/** Fills in one text that is something more than text. */
const fillAs = (syntax: Syntax, text: string, scope: Record<string, unknown>) =>
  fillInput({ text }, scope, { charactersMax: Infinity, syntaxes: { text: syntax } })['text']

test('a value in the URL of a link stays in its place, with quotes or without', () => {
  const scope = { q: 'a&b="c" d/..', base: 'https://example.com/?a=1&b=2', mail: 'ada+x@example.com' }
  const encoded = 'a%26b%3D%22c%22%20d%2F..'
  expect(fillAs('html', '<a class="{{q}}" href="https://x.example/{{q}}?q={{q}}">{{q}}</a>', scope)).toBe(
    '<a class="a&amp;b=&quot;c&quot; d/.." ' +
      `href="https://x.example/${encoded}?q=${encoded}">a&amp;b=&quot;c&quot; d/..</a>`,
  )
  expect(fillAs('html', "<img alt=x SRC = 'https://x.example/{{q}}'>", scope)).toBe(
    `<img alt=x SRC = 'https://x.example/${encoded}'>`,
  )
  expect(fillAs('html', '<a href={{base}}>', scope)).toBe('<a href=https://example.com/?a&#61;1&#38;b&#61;2>')
  expect(fillAs('html', '<a href="{{base}}">', scope)).toBe('<a href="https://example.com/?a=1&amp;b=2">')
  expect(fillAs('html', '<a href="mailto:{{mail}}?subject={{mail}}">', scope)).toBe(
    '<a href="mailto:ada+x@example.com?subject=ada%2Bx%40example.com">',
  )
  expect(fillAs('html', '<!-- <a href="{{mail}}/{{q}}"> --><b title={{q}}>', scope)).toBe(
    `<!-- <a href="${scope.mail}/a&amp;b=&quot;c&quot; d/.."> --><b title=a&#38;b&#61;&#34;c&#34;&#32;d/..>`,
  )
})

test('links of rich text are URLs, and what they say is text', () => {
  const message = [{ type: 'link', href: 'https://x.example/?q={{q}}', content: [{ type: 'text', text: '{{q}}!' }] }]
  const filled = fillInput({ message }, { q: 'a&b' }, { charactersMax: 100, syntaxes: { message: 'rich_text' } })
  expect(filled['message']).toEqual([
    { type: 'link', href: 'https://x.example/?q=a%26b', content: [{ type: 'text', text: 'a&b!' }] },
  ])
})

test('a value gives a link no other scheme than the plain ones: it is left out', () => {
  const linkIn = (href: string, a: string) => {
    const message = [{ type: 'link', href, content: [] }]
    const filled = fillInput({ message }, { a }, { charactersMax: 999, syntaxes: { message: 'rich_text' } })
    expect(fillAs('html', `<a href="${href}">`, { a })).toBe(
      `<a href="${Reflect.get(Object((filled['message'] as unknown[])[0]), 'href')}">`,
    )
    return Reflect.get(Object((filled['message'] as unknown[])[0]), 'href')
  }
  for (const a of ['https://x.example/', 'HTTP://x.example', 'mailto:a@example.com', 'tel:+1', '/a:b', '?a:b', '', 'a'])
    expect([linkIn('{{a}}', a), linkIn('{{a}}#x', a)]).toEqual([a, `${a}#x`])
  for (const a of [
    'javascript:alert(1)',
    ' \u0001JavaScript:x',
    'java\nscript:x',
    'data:text/html,x',
    'vbscript:x',
    ':',
  ])
    expect([linkIn('{{a}}', a), linkIn('{{a}}#x', a)]).toEqual(['', '#x'])
  expect(fillAs('url', '{{a}}/x', { a: 'javascript:x' })).toBe('javascript:x/x')
})

test('a link is judged as a whole: values make no scheme of several parts', () => {
  const linkOf = (href: string) => {
    const scope = { java: 'java', script: 'script', code: 'alert(1)', mail: 'mailto', colon: ':' }
    const [message] = fillInput({ message: [{ href }] }, scope, {
      charactersMax: 999,
      syntaxes: { message: 'rich_text' },
    })['message'] as Record<string, unknown>[]
    const markup = String(fillAs('html', `<a class=b href="${href}" id={{code}}>`, scope))
    expect(fillAs('html', `<a href='${href}'>{{code}}`, scope)).toMatch(/^<a href='[^']*'>alert\(1\)$/)
    return [message?.['href'], /^<a class=b href="(.*)" id=alert\(1\)>$/.exec(markup)?.[1]]
  }
  for (const href of [
    '{{java}}script:{{code}}',
    'java{{script}}:{{code}}',
    ' {{java}}{{script}}:alert(1)',
    'javascript:{{code}}',
    'data{{nothing}}:text/html,{{code}}',
    '{{java}}\nscript:{{code}}',
  ])
    expect([href, ...linkOf(href)]).toEqual([href, '', ''])
  for (const href of ['cid:{{code}}', 'app://record/{{code}}', '{{mail}}:{{code}}', '/a/{{java}}:b', '{{java}}?a:b'])
    expect([href, ...linkOf(href)]).toEqual([href, ...Array(2).fill(expect.stringMatching(/.../))])
  expect(linkOf('{{java}}{{colon}}{{code}}')).toEqual(['java%3Aalert(1)', 'java%3Aalert(1)'])
  const spelled = { java: 'java', code: 'a' }
  for (const colon of ['&colon;', '&#58;', '&#x3A;', '&#58'])
    expect(fillAs('html', `<a href="{{java}}script${colon}{{code}}">`, spelled)).toBe('<a href="">')
  expect(fillAs('html', '<a href={{java}}script:{{code}} id=b>', spelled)).toBe('<a href="" id=b>')
})

test.each([
  ['https://x.example/a/{{d}}/b', '..'],
  ['https://x.example/a/{{d}}', '.'],
  ['https://x.example/a/.{{d}}?q', '.'],
  ['https://x.example/a/%2E{{d}}#x', '.'],
  ['https://x.example/a/{{d}}\\b', '..'],
  ['/{{d}}/{{d}}', '..'],
])('a path segment that becomes a dot or two fails: %s with %j', (url, d) => {
  expect(() => fillAs('url', url, { d })).toThrow(TemplateFault)
  expect(() => fillAs('html', `<a href="${url}">`, { d })).toThrow(TemplateFault)
  expect(fillAs('url', url, { d: 'a..' })).toContain('a..')
  expect(fillAs('url', `https://x.example/?${url}`, { d })).toContain(d)
})

const inText = (value: unknown): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

test('what variables put into HTML is text, even where one is the whole of it', () => {
  const scope = { a: { b: '<i>"&\'' } }
  expect(fillAs('html', '<p>{{a.b}}</p>', scope)).toBe('<p>&lt;i&gt;&quot;&amp;&#39;</p>')
  expect(fillAs('text', '<{{a.b}}>', scope)).toBe('<<i>"&\'>')
  expect(fillAs('html', '{{a.b}}', scope)).toBe('&lt;i&gt;&quot;&amp;&#39;')
  expect(fillAs('html', '{{a.c}}', scope)).toBe('')
})

test('in a text of JSON a value is JSON, and escaped within a string', () => {
  const template = '{"a\\"": {{a}}, "b": "{{a}}", "c": ["\\\\{{a}} \\"-{{a}}", {{a}}], "d": "\\{{a}}"}'
  fc.assert(
    fc.property(json, (a) => {
      const text = inText(a)
      expect(JSON.parse(String(fillAs('json', template, { a })))).toEqual({
        'a"': a,
        b: text,
        c: [`\\${text} "-${text}`, a],
        d: '{{a}}',
      })
    }),
  )
  expect(isJsonTemplate(template)).toBe(true)
  expect(fillAs('json', ' {{a}}\n', { a: [1] })).toEqual([1])
  for (const text of ['{{a}}', 'Dear {{a}}', '{{a}} {{b}}', '5', '{"a": {{a}', '"{{a}}"', '[{{a}}](x)'])
    expect(isJsonTemplate(text)).toBe(false)
})

test('a value stays where it stands in a URL, and no URL but one that it begins says where it leads', () => {
  fc.assert(
    fc.property(json, (a) => {
      const url = new URL(String(fillAs('url', 'https://example.com/x-{{a}}/y?q={{a}}&r=1#z-{{a}}', { a })))
      const text = inText(a)
      expect([url.host, url.pathname.split('/').map(decodeURIComponent)]).toEqual([
        'example.com',
        ['', `x-${text}`, 'y'],
      ])
      expect([...url.searchParams]).toEqual([
        ['q', text],
        ['r', '1'],
      ])
      expect(decodeURIComponent(url.hash)).toBe(`#z-${text}`)
    }),
  )
  const scope = { base: 'https://example.com/a', evil: 'evil.example/' }
  expect(fillAs('url', ' {{base}}/{{evil}}', scope)).toBe(' https://example.com/a/evil.example%2F')
  expect(fillAs('url', '{{base}}', scope)).toBe(scope.base)
  expect(() => new URL(String(fillAs('url', 'https://{{evil}}.example.com/', scope)))).toThrow('Invalid URL')
  expect(fillAs('form', '{{evil}}&a={{base}}', scope)).toBe('evil.example%2F&a=https%3A%2F%2Fexample.com%2Fa')
})
