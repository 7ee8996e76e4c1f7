import { describe, expect, test } from 'vitest'
import type { DocumentedOperation, Schema } from '../openapi.ts'
import type { Api } from './api.ts'
import { chapterOf, hasChapter, withChapter } from './changelog.ts'
import { compare } from './compare.ts'
import { changesSinceRelease } from './released.ts'

const person: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 10 },
    kind: { type: 'string', enum: ['a', 'b'] },
    code: { pattern: '^(a|b)$' },
  },
  required: ['name'],
}
const reference: Schema = { $ref: '#/components/schemas/Person' }

type Shape = { readonly sent?: Schema; readonly answered?: Schema; readonly named?: Schema; readonly post?: object }

const apiWith = ({ sent = reference, answered = reference, named = person, post = {} }: Shape = {}): Api => ({
  paths: {
    '/people': {
      post: {
        operationId: 'people_create',
        summary: '',
        parameters: [{ name: 'silent', in: 'query', required: false, schema: { type: 'boolean' } }],
        requestBody: { content: { 'application/json': { schema: sent } } },
        responses: { 201: { description: '', content: { 'application/json': { schema: answered } } } },
        ...post,
      } satisfies DocumentedOperation,
    },
  },
  webhooks: {},
  components: { schemas: { Person: named }, parameters: {}, responses: {}, headers: {} },
})

const told = (before: Api, after: Api): string[] =>
  compare(before, after).map(({ kind, where, what }) => `${kind}: ${where} ${what}`)

const changed = (changes: Partial<Schema>): Schema => ({ ...person, ...changes })

/** Intended changes: what showed contents to readers who may not see them, and what no client could send. */
const repaired: readonly string[] = [
  'event workflow.run_failed.data has no `detail` any more',
  'WorkflowRunFailedEvent.data has no `detail` any more',
  'WebhookDeliveryDetail.attributes.request.body may be null, which it was not',
  'WebhookAttempt.response.body may be null, which it was not',
  // Real clients send numbers, and read back what they sent.
  'TranscriptSegment.speaker_id may be number, which it was not',
]

test('the API breaks no program that was written for its last release, but for repaired leaks', () => {
  const breaking = changesSinceRelease()?.filter(({ kind }) => kind === 'breaking')
  expect(breaking?.map(({ where, what }) => `${where} ${what}`).toSorted()).toEqual(repaired.toSorted())
})

test('an API is as it was', () => {
  expect(told(apiWith(), apiWith())).toEqual([])
})

describe('what is sent', () => {
  const sent = (schema: Schema): string[] => told(apiWith({ sent: person }), apiWith({ sent: schema }))

  test.for<[string, Schema, string]>([
    ['a member that is gone', changed({ properties: { name: person.properties?.['name'] ?? {} } }), 'has no `kind`'],
    ['a member that is needed', changed({ required: ['name', 'kind'] }), 'needs `kind`'],
    ['another kind of value', changed({ properties: { ...person.properties, name: { type: 'number' } } }), 'no string'],
    [
      'a shorter text',
      changed({ properties: { ...person.properties, name: { type: 'string', maxLength: 9 } } }),
      '`maxLength` 9',
    ],
    [
      'a word less',
      changed({ properties: { ...person.properties, kind: { type: 'string', enum: ['a'] } } }),
      'takes no "b"',
    ],
    [
      'another pattern',
      changed({ properties: { ...person.properties, code: { pattern: '^(a|c)$' } } }),
      'has another `pattern`',
    ],
    ['no other members', changed({ additionalProperties: false }), 'no other members'],
  ])('breaks by %s', ([, schema, what]) => {
    const changes = sent(schema)
    expect(changes).toContainEqual(expect.stringMatching(/^breaking: POST \/people, body/))
    expect(changes.join('\n')).toContain(what)
  })

  test.for<[string, Schema]>([
    ['a member more', changed({ properties: { ...person.properties, age: { type: 'integer' } } })],
    ['a member that need not be there', changed({ required: [] })],
    [
      'null beside',
      changed({ properties: { ...person.properties, name: { type: ['string', 'null'], maxLength: 10 } } }),
    ],
    ['a word more in a pattern', changed({ properties: { ...person.properties, code: { pattern: '^(a|b|c)$' } } })],
    ['another shape beside', { anyOf: [{ type: 'string' }, person] }],
  ])('takes %s without breaking', ([, schema]) => {
    expect(sent(schema).filter((text) => text.startsWith('breaking'))).toEqual([])
  })
})

describe('what is answered', () => {
  const answered = (schema: Schema): string[] => told(apiWith({ answered: person }), apiWith({ answered: schema }))

  test.for<[string, Schema, string]>([
    ['a member that is gone', changed({ properties: {}, required: [] }), 'has no `name`'],
    ['a member that may be missing', changed({ required: [] }), 'may come without `name`'],
    ['null', changed({ properties: { ...person.properties, name: { type: ['string', 'null'] } } }), 'may be null'],
    ['another shape', { anyOf: [person, { type: 'string' }] }, 'may be string'],
  ])('breaks by %s', ([, schema, what]) => {
    expect(answered(schema)).toContainEqual(expect.stringMatching(/^breaking: POST \/people, 201/))
    expect(answered(schema).join('\n')).toContain(what)
  })

  test.for<[string, Schema]>([
    ['a member more', changed({ properties: { ...person.properties, age: { type: 'integer' } } })],
    ['a word more', changed({ properties: { ...person.properties, kind: { type: 'string', enum: ['a', 'b', 'c'] } } })],
    ['a longer text', changed({ properties: { ...person.properties, name: { type: 'string', maxLength: 99 } } })],
  ])('may have %s', ([, schema]) => {
    expect(answered(schema).filter((text) => text.startsWith('breaking'))).toEqual([])
  })
})

test('a named schema is compared once, in each direction that it goes', () => {
  expect(told(apiWith(), apiWith({ named: changed({ required: [] }) }))).toEqual([
    'breaking: Person may come without `name`',
  ])
  expect(told(apiWith(), apiWith({ named: changed({ required: ['name', 'kind'] }) }))).toEqual([
    'breaking: Person needs `kind`',
  ])
})

/** A tree whose nodes have this name. */
const treeOf = (name: string, extra: Schema = {}): Schema => ({
  type: 'object',
  properties: { child: { $ref: `#/components/schemas/${name}` }, ...extra.properties },
})

const apiWithTree = (name: string, schema: Schema): Api => {
  const made = apiWith({ answered: { $ref: `#/components/schemas/${name}` } })
  return { ...made, components: { ...made.components, schemas: { ...made.components.schemas, [name]: schema } } }
}

test('schemas within themselves are compared to their end, under another name too', () => {
  const more = treeOf('Tree', { properties: { size: { type: 'integer' } } })
  expect(told(apiWithTree('Tree', more), apiWithTree('Node', treeOf('Node')))).toEqual([
    'breaking: POST /people, 201 has no `size` any more',
  ])
})

test('operations, parameters, bodies and answers that are gone or needed break; new ones do not', () => {
  const none = { ...apiWith(), paths: {} }
  expect(told(apiWith(), none)).toEqual(['breaking: POST /people is gone'])
  expect(told(none, apiWith())).toEqual(['addition: POST /people is new'])
  const needed = { name: 'silent', in: 'query', required: true, schema: { type: 'boolean' } }
  expect(told(apiWith(), apiWith({ post: { parameters: [needed] } }))).toEqual([
    'breaking: POST /people needs the query `silent`',
  ])
  expect(told(apiWith(), apiWith({ post: { parameters: [] } }))).toEqual([
    'breaking: POST /people has no query `silent` any more',
  ])
  expect(told(apiWith(), apiWith({ post: { responses: {} } }))).toEqual([
    'breaking: POST /people answers no 201 any more',
  ])
  expect(told(apiWith(), apiWith({ post: { 'x-kontor-scope': 'people:write' } }))).toEqual([
    'breaking: POST /people has another `x-kontor-scope`: people:write',
  ])
})

test('a release has its chapter before those of earlier ones', () => {
  const first = withChapter('# Changes\n\nAll of them.\n', chapterOf('1.0.0', '2026-01-01', undefined))
  expect(first).toBe('# Changes\n\nAll of them.\n\n## 1.0.0 (2026-01-01)\n\nThe first release.\n')
  expect([hasChapter(first, '1.0.0'), hasChapter(first, '1.0')]).toEqual([true, false])
  expect(chapterOf('1.0.1', '2026-01-02', [])).toContain('The API is as it was.')
  const second = withChapter(first, chapterOf('1.1.0', '2026-02-01', compare({ ...apiWith(), paths: {} }, apiWith())))
  expect(second.slice(0, second.indexOf('## 1.0.0'))).toBe(
    '# Changes\n\nAll of them.\n\n## 1.1.0 (2026-02-01)\n\n### New\n\n- `POST /people` is new\n\n',
  )
})
