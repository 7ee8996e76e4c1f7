import { expect, test } from 'vitest'
import { firstSchema } from '../../schemas/index.ts'
import { compileObject, type RecordRow } from '../../objects/index.ts'
import type { RecordData } from '../../fields/index.ts'
import { mergedData } from './merge-values.ts'

const object = compileObject(
  firstSchema({
    title: 'c_unit',
    type: 'object',
    xSvcNamespace: 'objects',
    xSvcLabel: { singular: 'Unit', plural: 'Units' },
    xSvcAccess: { default: 'edit' },
    properties: {
      name: { type: ['string', 'null'], xSvcType: 'text', xSvcPrimary: true },
      size: { type: ['number', 'null'], xSvcType: 'number' },
      tags: { type: ['object', 'null'], xSvcType: 'labels' },
      parent_id: {
        type: ['string', 'null'],
        xSvcType: 'reference',
        xSvcRelationship: { kind: 'many-to-one', entity: 'c_unit', field: 'children' },
      },
      children: {
        type: ['array', 'null'],
        xSvcType: 'reference',
        xSvcRelationship: { kind: 'one-to-many', entity: 'c_unit', field: 'parent_id' },
      },
    },
  }),
)

const row = (id: string, data: RecordData): RecordRow => ({
  id,
  version: 1,
  owner_id: null,
  visibility: 0,
  created_at: 0,
  created_by: null,
  updated_at: 0,
  updated_by: null,
  data,
})
const merge = (target: RecordData, ...sources: RecordData[]) =>
  mergedData(
    object,
    row('t', target),
    sources.map((data, index) => row(`s${index}`, data)),
  )

test('the target wins, then the sources in their order; collections are united, each item once', () => {
  expect(
    merge(
      { name: 'T', tags: { items: ['a'] } },
      { name: 'S', size: 1, tags: { items: ['b', 'a'] } },
      { size: 2, tags: { items: ['c'] } },
    ).data,
  ).toEqual({
    name: 'T',
    size: 1,
    tags: { items: ['a', 'b', 'c'] },
    _merged_ids: ['s0', 's1'],
  })
})

test('zero and false are values', () => {
  expect(merge({ size: 0 }, { size: 5 }).data).toMatchObject({ size: 0 })
})

test('a record never comes to refer to itself', () => {
  expect(merge({ parent_id: 's0' }, { parent_id: 't' }).data).toEqual({ _merged_ids: ['s0'] })
  expect(merge({}, { parent_id: 's1' }, { parent_id: 'x' }).data).toEqual({ parent_id: 'x', _merged_ids: ['s0', 's1'] })
  expect(merge({ parent_id: 's0' }, { parent_id: 'x' }).data).toEqual({ parent_id: 'x', _merged_ids: ['s0'] })
})

test('what was merged into the sources counts as merged into the target', () => {
  expect(merge({ _merged_ids: ['a'] }, { _merged_ids: ['b', 'c'] }, {}).data['_merged_ids']).toEqual([
    'a',
    'b',
    'c',
    's0',
    's1',
  ])
})

const numbers = (from: number) => ({ items: Array.from({ length: 600 }, (_, index) => String(from + index)) })

test('a collection beyond its limit is told', () => {
  const { overflows } = merge({ tags: numbers(0) }, { tags: numbers(500) })
  expect(overflows.map(({ field, items: count }) => [field.name, count])).toEqual([['tags', 1100]])
  expect(merge({ tags: numbers(0) }, { tags: numbers(400) }).overflows).toEqual([])
})
