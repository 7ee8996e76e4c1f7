import { expect, test } from 'vitest'
import { KeyRing } from '../../../lib/key-ring.ts'
import { Links } from '../links/links.ts'
import { decorate } from './decorate.ts'
import { findLinks } from './link-places.ts'
import { renderLetter } from './letter.ts'

const text = (words: unknown, styles = {}) => ({ type: 'text', text: words, styles })
const block = (type: string, content: unknown, more = {}) => ({ type, content, ...more })

const message = [
  block('heading', [text('Hello Grace')], { props: { level: 2 } }),
  block('paragraph', [text('See '), { type: 'link', href: 'https://a.example/?a=1&b="2"', content: [text('this')] }]),
  block('bulletListItem', [text('one', { bold: true })]),
  block('bulletListItem', [text('two')], { children: [block('bulletListItem', [text('inside')])] }),
  block('numberedListItem', [text('first')]),
  block('numberedListItem', [text('second')]),
  block('checkListItem', [text('done')], { props: { checked: true } }),
  block('quote', [text('said')]),
  block('codeBlock', [text('a < b\nc')]),
  block('paragraph', [text(5), text(null), { type: 'mention', label: '@Ada' }]),
]

test('writes rich text as plain text', () => {
  expect(renderLetter({ subject: 'A', message }).text).toBe(
    [
      'Hello Grace\n-----------',
      'See this (https://a.example/?a=1&b="2")',
      ' - one\n - two\n    - inside',
      ' 1. first\n 2. second',
      '[x] done',
      '> said',
      'a < b\nc',
      '5@Ada',
    ].join('\n\n'),
  )
})

test('writes rich text as HTML, and what people wrote as text in it', () => {
  const { html } = renderLetter({ subject: 'A', message })
  for (const part of [
    '<h2>Hello Grace</h2>',
    '<p>See <a href="https://a.example/?a=1&amp;b=&quot;2&quot;">this</a></p>',
    '<ul><li><strong>one</strong></li><li>two<ul><li>inside</li></ul></li></ul>',
    '<ol><li>first</li><li>second</li></ol>',
    '<ul><li>☑ done</li></ul>',
    '<blockquote>said</blockquote>',
    '<pre><code>a &lt; b<br>c</code></pre>',
    '<p>5@Ada</p>',
  ])
    expect(html).toContain(part)
})

test.each(['javascript:alert(1)', 'data:text/html,x', ' javascript:a', '//a.example'])(
  'makes no link of %j',
  (href) => {
    const { html } = renderLetter({
      subject: 'A',
      message: [block('paragraph', [{ type: 'link', href, content: [] }])],
    })
    expect(html).not.toContain('<a')
  },
)

test('takes colours, and nothing that would be more', () => {
  const styles = { textColor: 'red', backgroundColor: 'red;background:url(//a)' }
  const { html } = renderLetter({ subject: 'A', message: [block('paragraph', [text('a', styles)])] })
  expect(html).toContain('<span style="color:red">a</span>')
})

test('takes whatever it is given as rich text', () => {
  const strange = [null, 5, 'a', [], {}, { type: 5 }, { type: 'x', content: 'y', children: {} }, block('a', [null, 1])]
  expect(() => renderLetter({ subject: 'A', message: strange })).not.toThrow()
  const deep = Array.from({ length: 200 }).reduce<object>((inner) => block('quote', [], { children: [inner] }), {})
  expect(() => renderLetter({ subject: 'A', message: [deep] })).not.toThrow()
})

test.each(['constructor', '__proto__', 'toString'])(
  'a block of the type %j is one of no kind that is known',
  (type) => {
    const { html } = renderLetter({ subject: 'A', message: [block(type, [text('said')])] })
    expect(html).toContain('<p>said</p>')
    expect(html).not.toContain('native code')
  },
)

const links = new Links(new KeyRing(['a'.repeat(32)]), 'https://crm.example')
const ids = {
  workspaceId: '01890000-0000-7000-8000-000000000001',
  emailId: '01890000-0000-8000-8000-000000000002',
}
const all = { tracksOpens: true, trackedLinks: [], unsubscribes: 'ada@example.com', postalAddress: null }
const none = { tracksOpens: false, trackedLinks: [], unsubscribes: undefined, postalAddress: null }
const tokenOf = (attribute = '') => /email\/\w+\/([\w-]+)/.exec(attribute)?.[1] ?? ''
const urlsOf = (html: string | null) =>
  [...(html ?? '').matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url ?? '')

test('leads its links over the server, each to where it was meant', () => {
  const markup =
    '<A class=x href="https://a.example/?b=1&amp;c=2">a</a><a href=\'http://b.example\'>b</a>' +
    '<a href=mailto:a@b.example>c</a><a href="https://">d</a></body></html>'
  const { html, unsubscribeUrl } = decorate({ subject: 'A', text: 'B', html: markup }, links, ids, {
    ...all,
    trackedLinks: findLinks(markup),
  })
  const [first, second, mail, broken, unsubscribe, pixel] = html?.match(/(?:href|src)=("[^"]*"|[^\s>]+)/g) ?? []
  expect(links.read('click', tokenOf(first))).toEqual({ ...ids, url: 'https://a.example/?b=1&c=2' })
  expect(links.read('click', tokenOf(second))).toEqual({ ...ids, url: 'http://b.example' })
  expect([mail, broken]).toEqual(['href=mailto:a@b.example', 'href="https://"'])
  expect(unsubscribe).toBe(`href="${unsubscribeUrl}"`)
  expect(links.read('open', tokenOf(pixel))).toEqual({ ...ids, url: '' })
  expect(html).toMatch(/alt=""><\/body><\/html>$/)
})

test('leads no links over the server that never end', () => {
  const markup = '<a '.repeat(100_000)
  const trackedLinks = findLinks(markup)
  expect(decorate({ subject: 'A', text: 'B', html: markup }, links, ids, { ...none, trackedLinks }).html).toBe(markup)
})

test('puts its pixel before the end of the body, whatever letters stand before it', () => {
  const markup = `<body>${'İ'.repeat(50)}</BODY ></html>`
  const { html } = decorate({ subject: 'A', text: 'B', html: markup }, links, ids, all)
  expect(html).toMatch(/^<body>İ{50}<p .*alt=""><\/BODY ><\/html>$/)
})

test('leaves a letter as it is unless asked for more', () => {
  const letter = { subject: 'A', text: 'B', html: '<a href="https://a.example">a</a>' }
  expect(decorate(letter, links, ids, none)).toEqual({ text: 'B', html: letter.html, unsubscribeUrl: undefined })
})

test('makes HTML of text that is to be tracked', () => {
  const { html } = decorate({ subject: 'A', text: 'a <b>\nc\n\nd', html: null }, links, ids, all)
  expect(html).toContain('<p>a &lt;b&gt;<br>c</p><p>d</p>')
  expect(urlsOf(html)).toHaveLength(2)
})

test('takes no token that was changed, or signed for something else', () => {
  const url = links.urlOf('click', { ...ids, url: 'https://a.example' })
  const token = url.slice(url.lastIndexOf('/') + 1)
  expect(links.read('click', token)).toMatchObject({ url: 'https://a.example' })
  expect(links.read('unsubscribe', token)).toBeUndefined()
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'A' ? 'B' : 'A'
    expect(links.read('click', `${token.slice(0, at)}${other}${token.slice(at + 1)}`)).toBeUndefined()
  }
  for (const broken of ['', 'a', token.slice(0, -1), `${token}=`, `${token}A`, ` ${token}`])
    expect(links.read('click', broken)).toBeUndefined()
})
