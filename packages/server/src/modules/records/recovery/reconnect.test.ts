import { expect, test } from 'vitest'
import { firstSchema } from '../../schemas/index.ts'
import { compileObject, type ObjectModel, type LinkRow, type RecordRow } from '../../objects/index.ts'
import { reconnect } from './reconnect.ts'

const compileUnit = () =>
  compileObject(
    firstSchema({
      title: 'c_unit',
      type: 'object',
      xSvcNamespace: 'objects',
      xSvcLabel: { singular: 'Unit', plural: 'Units' },
      xSvcAccess: { default: 'edit' },
      properties: {
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
        peers: {
          type: ['array', 'null'],
          xSvcType: 'reference',
          xSvcRelationship: { kind: 'many-to-many', entity: 'c_unit', field: 'peers' },
        },
      },
    }),
  )
const unit = compileUnit()
const objects = new Map<string, ObjectModel>([['c_unit', unit]])

const row = (id: string, parent?: string): RecordRow => ({
  id,
  version: 1,
  owner_id: null,
  visibility: 0,
  created_at: 0,
  created_by: null,
  updated_at: 0,
  updated_by: null,
  data: parent === undefined ? {} : { parent_id: parent },
})
const parent = (from_id: string, to_id: string): LinkRow => ({ relationship: 'c_unit.parent_id', from_id, to_id })
const peer = (from_id: string, to_id: string): LinkRow => ({ relationship: 'c_unit.peers', from_id, to_id })

const [live, deleted] = [{ deleted: false }, { deleted: true }]
const back = (
  links: readonly LinkRow[],
  rows: readonly RecordRow[],
  ends: Readonly<Record<string, { deleted: boolean }>> = {},
) => reconnect(links, { objects, object: unit, rows, ends: new Map(Object.entries(ends)), partners: new Map() })

test('links between many and many show, wait for the other end, or go with it', () => {
  const links = [peer('a', 'x'), peer('y', 'a'), peer('a', 'z'), peer('a', 'b')]
  const { shown, waiting, dropped, offers } = back(links, [row('a'), row('b')], { x: live, y: deleted })
  expect({ shown, waiting, dropped, offers }).toEqual({
    shown: [links[0], links[3]],
    waiting: [{ ...links[1], hidden_by: 'y' }],
    dropped: [links[2]],
    offers: [],
  })
})

test('two of one object that refer to each other come back together', () => {
  const links = [parent('a', 'b'), parent('b', 'a')]
  const { shown, data } = back(links, [row('a', 'b'), row('b', 'a')])
  expect([shown, data.size]).toEqual([links, 0])
})

test('a reference to what is gone is empty, and waits where that may come back', () => {
  const { data, waiting, dropped } = back([parent('a', 'x'), parent('b', 'y')], [row('a', 'x'), row('b', 'y')], {
    x: deleted,
  })
  expect([...data]).toEqual([
    ['a', {}],
    ['b', {}],
  ])
  expect([waiting, dropped]).toEqual([[{ ...parent('a', 'x'), hidden_by: 'x' }], [parent('b', 'y')]])
})

test('of several that a field could refer to, it takes the one that it had', () => {
  const links = [parent('a', 'x'), parent('a', 'y')]
  expect(back(links, [row('a', 'y')], { x: live, y: live })).toMatchObject({ shown: [links[1]], dropped: [links[0]] })
  const empty = back(links, [row('a')], { x: live, y: live })
  expect([empty.shown, empty.dropped, empty.data.get('a')]).toEqual([[links[0]], [links[1]], { parent_id: 'x' }])
})

test('references of live records are offered to them', () => {
  const link = parent('x', 'a')
  expect(back([link], [row('a')], { x: live }).offers).toEqual([{ object: unit, field: unit.references[0], link }])
  expect(back([link], [row('a')], { x: deleted })).toMatchObject({ offers: [], waiting: [{ ...link, hidden_by: 'x' }] })
})

test('fields are the same by their keys, whenever their schema was compiled', () => {
  const link = parent('a', 'x')
  const { shown, dropped, data } = reconnect([link], {
    objects,
    object: compileUnit(),
    rows: [row('a', 'x')],
    ends: new Map([['x', live]]),
    partners: new Map(),
  })
  expect([shown, dropped, data.size]).toEqual([[link], [], 0])
})
