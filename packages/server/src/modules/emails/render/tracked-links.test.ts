import { expect, test } from 'vitest'
import { findLinks } from './link-places.ts'
import { withTrackedLinks } from './tracked-links.ts'

const tracked = (markup: string): string => withTrackedLinks(markup, findLinks(markup), (url) => `[${url}]`)

const link = (href: string): string => `<p>&uuml;</p><A\n class='x' HREF = ${href} id=y>a</a>`

test.each([
  ['"https://a.example/?b=1&amp;c=2"', 'https://a.example/?b=1&amp;c=2'],
  ['"https://a.example/?b=1&#38;c=2"', 'https://a.example/?b=1&amp;c=2'],
  ['"https://a.example/?b=1&#x26;c=2"', 'https://a.example/?b=1&amp;c=2'],
  ['"https://a.example/?b=1&#X26c=2"', 'https://a.example/?b=1ɬ=2'],
  ['"https://a.example/?b=1&#038;c=2"', 'https://a.example/?b=1&amp;c=2'],
  ['"https://a.example/?b=1&c=2"', 'https://a.example/?b=1&amp;c=2'],
  ['"https://a.example/?b=1&copy=2"', 'https://a.example/?b=1&amp;copy=2'],
  ['"https://a.example/?b=1&ampc=2"', 'https://a.example/?b=1&amp;ampc=2'],
  ['"https://a.example/m&uuml;ller"', 'https://a.example/müller'],
  ['"https://a.example/m&uuml"', 'https://a.example/mü'],
  ['"&#104;ttps&colon;//a.example"', 'https://a.example'],
  ['"https://a.example/&#x110000;&#xd800;"', 'https://a.example/\u{fffd}\u{fffd}'],
  ["'https://a.example/?\"'", 'https://a.example/?&quot;'],
  ['https://a.example/&amp;', 'https://a.example/&amp;'],
  ['"\n https://a.example "', 'https://a.example'],
])('leads the link %s to where browsers do', (value, url) => {
  expect(tracked(link(value))).toBe(link(`"[${url}]"`).replace('HREF = ', 'href='))
})

test.each([
  '<a href="mailto:a@b.example">',
  '<a href="https://">',
  '<a href="/path">',
  `<a href="https://a.example/${'x'.repeat(2000)}">`,
  '<a data-href="https://a.example">',
  '<link href="https://a.example"><img href="https://a.example">',
  '<!-- <a href="https://a.example"> --><title><a href="https://a.example"></title>',
  '<style><a href="https://a.example"></style>',
  '</a href="https://a.example">',
])('leaves %j as it is written', (markup) => {
  expect(tracked(markup)).toBe(markup)
})

test('of several addresses of one link the first counts, and a map has links too', () => {
  expect(tracked('<area href="http://a.example" href="http://b.example">')).toBe(
    '<area href="[http://a.example]" href="http://b.example">',
  )
})

test.each([
  '<b>',
  '<b></i>',
  '<a ',
  '<a href="',
  '<a href=https://a.example ',
  '<a href="https://a.example">',
  '&#',
  '<',
  '</',
])('tracks the links of megabytes of %j in time', (piece) => {
  const count = Math.ceil((2 * 1024 * 1024) / piece.length)
  expect(tracked(piece.repeat(count)).length).toBeGreaterThanOrEqual(piece.length * count)
})

test('tracks the first thousand links', () => {
  const one = '<a href="http://a.example">'
  expect(tracked(one.repeat(1001))).toBe('<a href="[http://a.example]">'.repeat(1000) + one)
})
