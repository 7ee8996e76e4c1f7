import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { commentsOf, paragraph } from '../harness/comments.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)

const made = await app.api.post('/workspaces/acme/schemas/deal/properties', {
  as: 'admin',
  body: {
    data: {
      type: 'schema-properties',
      attributes: {
        code: { xSvcType: 'text', type: 'string', xSvcUnique: true },
        story: { xSvcType: 'long_text', type: 'string' },
        page: { xSvcType: 'rich_text', type: 'object' },
      },
    },
  },
})
expect(made.status, JSON.stringify(made.body)).toBe(202)
await app.idle()

const blank = ['', '  ', '\n\t', '\u200b', '\u2060\ufe0f\u00ad', '\u00a0\u3000', '\u2800', '\u202e']
const textBlock = (text: string): Json => ({ type: 'paragraph', content: [{ type: 'text', text }] })
const link = (content: Json): Json[] => [
  { type: 'paragraph', content: [{ type: 'link', href: 'https://a.ch', content }] },
]

test('a line of text is stored without what is invisible at its ends, a long or rich text as it is', async () => {
  const { attributes } = await records.create('deal', {
    name: '\ufeff \u200bRenewal of\u200b 2026\u202c\r\n',
    story: ' \n  Indented\n',
    page: { text: [textBlock('  said \n')] },
  })
  expect([attributes.name, attributes.story, attributes.page.text[0].content[0].text]).toEqual([
    'Renewal of\u200b 2026',
    ' \n  Indented\n',
    '  said \n',
  ])
  const heart = await records.create('deal', { name: ' For you ❤\ufe0f ' })
  expect(heart.attributes.name).toBe('For you ❤\ufe0f')
  const person = await records.create('person', {
    name: { first_name: '\u200bAda ', last_name: '\u2060' },
    labels: { items: ['\u200evip\u200b', 'vip'] },
    location: ' Bern\u200b',
  })
  expect([person.attributes.name, person.attributes.labels, person.attributes.location]).toEqual([
    { first_name: 'Ada', last_name: null, full_name: 'Ada' },
    { items: ['vip'] },
    'Bern',
  ])
})

test('unique values that differ in nothing that is seen at their ends are one', async () => {
  const first = await records.create('deal', { name: 'A', code: 'Renewal' })
  for (const code of [
    'Renewal ',
    '\nRenewal',
    'RENEWAL\u200b',
    '\u202aRenewal\u202c',
    'Renewal\ufe0f',
    '\u3164Renewal',
  ]) {
    const { status, body } = await records.post('deal', { name: 'B', code })
    expect([status, body.errors?.[0]?.code], JSON.stringify(code)).toEqual([409, 'unique_violation'])
    const matched = await records.post('deal', { name: 'C', code }, { match_on: 'code' })
    expect([matched.status, matched.body.data?.id], JSON.stringify(code)).toEqual([200, first.id])
  }
  expect((await records.post('deal', { name: 'D', code: 'Rene wal' })).status).toBe(201)
})

test('a text of nothing visible is empty, wherever a text may be required', async () => {
  for (const text of blank) {
    const told = JSON.stringify(text)
    const { id, attributes } = await records.create('deal', {
      name: `Blank ${blank.indexOf(text)}`,
      code: text,
      story: text,
      page: { text: [textBlock(text), { type: 'paragraph' }] },
    })
    expect([attributes.code, attributes.story, attributes.page], told).toEqual([null, null, null])
    for (const field of ['code', 'story', 'page']) {
      const { body } = await records.list('deal', { [`filter[${field}][Is empty]`]: '', 'filter[_id]': id })
      expect(body.data, `${field} ${told}`).toHaveLength(1)
    }
    const [plain, given] = [await records.post('task', { title: '' }), await records.post('task', { title: text })]
    expect([given.status, given.body.data?.attributes.title ?? null], told).toEqual([
      plain.status,
      plain.body.data?.attributes.title ?? null,
    ])
  }
})

test('a required text must have something to see', async () => {
  const changed = await app.api.post('/workspaces/acme/schemas/company/properties', {
    as: 'admin',
    body: {
      data: {
        type: 'schema-properties',
        attributes: { motto: { xSvcType: 'text', type: 'string', minLength: 1 } },
      },
    },
  })
  expect(changed.status, JSON.stringify(changed.body)).toBe(202)
  await app.idle()
  for (const motto of blank)
    expect((await records.post('company', { name: 'M', motto })).status, JSON.stringify(motto)).toBe(422)
})

test('so must a comment', async () => {
  const comments = commentsOf(app)
  const { id } = await records.create('person', {})
  const messages = [
    ...blank.map((text) => [textBlock(text)]),
    link([]),
    link('\u200b'),
    link([{ type: 'text', text: ' ' }]),
    [{ type: 'quote', content: [], children: [textBlock('\u200b')] }],
  ]
  for (const message of messages)
    expect((await comments.post('person', id, message)).status, JSON.stringify(message)).toBe(422)
  for (const message of [link([{ type: 'text', text: 'here' }]), paragraph('\u200b.'), [{ type: 'image' }]])
    expect((await comments.post('person', id, message)).status, JSON.stringify(message)).toBe(201)
})

test('and so must the names of lists, keys and invitations', async () => {
  for (const text of blank) {
    const list = await app.api.post('/workspaces/acme/objects/deal/lists', { body: { title: text, type: 'static' } })
    const key = await app.api.post('/workspaces/acme/api-keys', { as: 'admin', body: { name: text, scopes: [] } })
    expect([list.status, key.status], JSON.stringify(text)).toEqual([422, 422])
  }
})
