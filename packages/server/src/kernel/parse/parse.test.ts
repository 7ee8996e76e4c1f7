import { expect, test } from 'vitest'
import { campaigns, pathParameters, records, resources, webhooks, type Endpoint } from '@kontor/contract'
import type { Failure } from '../errors.ts'
import { parseInput } from './parse.ts'

const list: Endpoint = resources.list
const query: Endpoint = resources.query

function faultsOf(endpoint: Endpoint, input: object): (readonly [string | undefined, string | undefined])[] {
  try {
    const path = Object.fromEntries(pathParameters(endpoint.path).map((name) => [name, name]))
    parseInput(endpoint, { ...path, ...input })
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

test('a value that is not there is missing, whatever it may be', () => {
  expect(faultsOf(records.updateMany, { body: { data: [{ type: 'deal', attributes: {} }] } })).toEqual([
    ['/data/0/id', 'Is missing; must be a string or an object.'],
  ])
})

test('of a body that may be bare or in `data`, the members that are missing are named', () => {
  expect(faultsOf(webhooks.create, { body: {} })).toEqual([
    ['/url', 'Is missing; must be a string.'],
    ['/events', 'Is missing; must be an array.'],
  ])
})

test('a text of the contract is a sentence', () => {
  const body = { sending: { window: { from: '9', until: '17:00' } } }
  expect(faultsOf(campaigns.update, { body })).toContainEqual(['/sending/window/from', 'Must be a time such as 09:00.'])
})
