import fc from 'fast-check'
import { contract, typeName } from '@kontor/contract'
import { toOpenApi } from '@kontor/contract/openapi'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { pythonNames } from '../harness/globals/python.ts'
import { scriptNames } from '../harness/globals/script.ts'
import type { Json } from '../harness/http.ts'
import { schemasOf } from '../harness/schemas.ts'

const { api, baseUrl } = await startApp()
const { post } = schemasOf({ api })

const namesIn = (document: Json): string[] => Object.keys(document.components.schemas)
const shadowing = (names: readonly string[]): string[] =>
  names.filter((name) => scriptNames.has(name) || pythonNames.has(name))

/** Generators begin words with capitals and leave out what is no letter or digit. */
const squashed = (name: string): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, first: string) => first.toUpperCase())
const repeated = (names: readonly string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index)

/** Named after globals, or so that names put together of theirs could meet. */
const objects = ['Map', 'Promise', 'Error', 'O S E algorithm', 'X', 'X record', 'X sort', 'X 1', 'X1', 'X X1', '1']

test('the lists of globals are those that matter', () => {
  expect(
    shadowing(['Record', 'Error', 'Comment', 'Event', 'Request', 'List', 'Map', 'COSEAlgorithmIdentifier', 'Awaited']),
  ).toHaveLength(9)
  expect(scriptNames.size).toBeGreaterThan(1_500)
})

test('no component of the document is called as a global of JavaScript, TypeScript or Python', () => {
  expect(
    shadowing(namesIn(toOpenApi(contract, { serverUrl: 'http://kontor.test/v1', authUrl: 'http://kontor.test' }))),
  ).toEqual([])
})

test('nor is one of the actions’ document', async () => {
  const document = (await api.get(`${new URL(baseUrl).origin}/actions/openapi.json`)).body
  expect(shadowing(namesIn(document))).toEqual([])
})

describe('the document of a workspace whose objects are called like globals', async () => {
  for (const name of objects) {
    const partner = `f_${name.toLowerCase().replaceAll(' ', '_')}`
    const link = { xSvcRelationship: { kind: 'many-to-one', entity: 'person', field: partner } }
    // Two relationships whose operations a generator would call alike, here and in `X record`.
    const more =
      name === 'X'
        ? { record_parent: { xSvcRelationship: { kind: 'many-to-many', entity: 'person', field: 'f_other' } } }
        : {}
    const { status, body } = await post({
      name,
      plural: `${name} all`,
      properties: {
        name: { type: 'string', xSvcPrimary: true },
        code: { type: 'string', xSvcUnique: true },
        parent: link,
        ...more,
      },
    })
    expect(status, JSON.stringify(body)).toBe(201)
  }
  const document = (await api.get('/workspaces/acme/openapi.json')).body
  const names = namesIn(document)
  const operations = Object.values<Json>(document.paths).flatMap((item) =>
    Object.values<Json>(item).map(({ operationId }) => String(operationId)),
  )

  test('has no component that is called as one', () => {
    expect(shadowing(names)).toEqual([])
  })

  test('has none either whatever an object is called: what is made of one ends as no global does', () => {
    const ends = names.filter((name) => name.startsWith('CMap')).map((name) => name.slice('CMap'.length))
    expect(ends.length).toBeGreaterThan(10)
    const meeting = [...scriptNames, ...pythonNames].filter(
      (name) => /^C[A-Z0-9]/.test(name) && ends.some((end) => name.endsWith(end)),
    )
    expect(meeting).toEqual([])
    for (const end of ends)
      expect(
        ends.filter((other) => other !== end && other.endsWith(end)),
        end,
      ).toEqual([])
  })

  test('says of each object what is its own', () => {
    const { properties } = document.components.schemas.CXRecordInput
    expect(Object.keys(properties)).toEqual(['name', 'code', 'parent'])
    expect(repeated(names.map(squashed))).toEqual([])
    expect(repeated(operations.map(squashed))).toEqual([])
  })
})

test('no two objects share the name of a type', () => {
  const word = fc.stringMatching(/^[a-cx-z0-2]{1,3}$/)
  const slug = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => `c_${words.join('_')}`)
  fc.assert(
    fc.property(slug, slug, (a, b) => a === b || squashed(typeName(a)) !== squashed(typeName(b))),
    { numRuns: 20_000 },
  )
  expect(['c_part_1', 'c_part1', 'c_sub_committee', 'c_x_1', 'c_xx1', 'person'].map(typeName)).toEqual([
    'CPartX1',
    'CPart1',
    'CSubCommittee',
    'CXX1',
    'CXxx1',
    'Person',
  ])
})
