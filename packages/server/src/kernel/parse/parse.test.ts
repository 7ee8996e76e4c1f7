import { expect, test } from 'vitest'
import { resources, type Endpoint } from '@kontor/contract'
import type { Failure } from '../errors.ts'
import { parseInput } from './parse.ts'

const list: Endpoint = resources.list
const query: Endpoint = resources.query

function faultsOf(endpoint: Endpoint, input: object): (readonly [string | undefined, string | undefined])[] {
  try {
    parseInput(endpoint, { workspace: 'acme', object: 'person', ...input })
    return []
  } catch (error) {
    return (error as Failure).faults.map(
      ({ detail, source }) => [source?.parameter ?? source?.pointer, detail] as const,
    )
  }
}

test('a value that fits no branch of a union is told what they take', () => {
  expect(faultsOf(list, { sortOrder: 'name' })).toEqual([['sortOrder', 'Must be an object or an array.']])
  expect(faultsOf(list, { filter: { name: { Is: { a: 1 } } } })).toEqual([
    ['filter[name][Is]', 'Must be a string, a number, true or false, null or an array.'],
  ])
  expect(faultsOf(query, { body: { filter: [] } })).toEqual([['/filter', 'Must be an object.']])
})

test('one that fits a branch nearly is told what is wrong with it there', () => {
  expect(faultsOf(list, { sortOrder: { column: 'name', dir: 'up' } })).toEqual([
    ['sortOrder[dir]', 'Must be one of "ASC", "DESC".'],
  ])
  expect(faultsOf(list, { sortOrder: { column: 'name' } })).toEqual([
    ['sortOrder[dir]', 'Is missing; must be one of "ASC", "DESC".'],
  ])
  expect(faultsOf(list, { filter: { name: 'x'.repeat(10_001) } })).toEqual([
    ['filter[name]', 'Must have at most 10000 characters.'],
  ])
  expect(faultsOf(query, { body: { filter: { and: [{ field: 'name', op: 5 }] } } })).toEqual([
    ['/filter/and/0/op', 'Must be a string.'],
  ])
  expect(faultsOf(query, { body: { filter: { or: [] } } })).toEqual([['/filter/or', 'Must have at least one item.']])
})
