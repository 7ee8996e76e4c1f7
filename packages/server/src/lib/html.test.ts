import { expect, test } from 'vitest'
import { html } from './html.ts'

test('what is put in is text, in elements and in attributes', () => {
  expect(html`<p title="${`"><script>'&`}">${'<b>'}${5}</p>`.text).toBe(
    '<p title="&quot;&gt;&lt;script&gt;&#39;&amp;">&lt;b&gt;5</p>',
  )
})

test('markup that was made here stays markup, one piece or many', () => {
  expect(html`<ul>${['a', '<'].map((item) => html`<li>${item}</li>`)}</ul>`.text).toBe(
    '<ul><li>a</li><li>&lt;</li></ul>',
  )
})

test('what does not hold leaves nothing', () => {
  expect(html`a${false}b${undefined}c${[]}d${''}e${0}`.text).toBe('abcde0')
})
