import { expect, test } from 'vitest'
import { ReadAhead } from './read-ahead.ts'
import type { ImportWindow } from './window.ts'

const schemas = {}
const at = (id: string, position: number) => ({ id, position })
const window = (line: number): ImportWindow => ({ rows: 1, bytes: 10, line, mapped: [], isLast: false })

test('a window that was read ahead is taken once, at its place and by its schemas', async () => {
  const ahead = new ReadAhead()
  const begin = () => ahead.begin(at('one', 10), schemas, async () => window(2))
  begin()
  expect(await ahead.take(at('one', 10), schemas)).toEqual(window(2))
  expect(await ahead.take(at('one', 10), schemas)).toBeUndefined()
  begin()
  expect(await ahead.take(at('one', 20), schemas)).toBeUndefined()
  begin()
  expect(await ahead.take(at('one', 10), {})).toBeUndefined()
})

test('a window that could not be read ahead is read again by the one that wants it', async () => {
  const ahead = new ReadAhead()
  ahead.begin(at('one', 10), schemas, () => Promise.reject(new Error('The pool is busy')))
  expect(await ahead.take(at('one', 10), schemas)).toBeUndefined()
})

test('few imports are read ahead at a time, so that windows left behind do not fill the memory', async () => {
  const ahead = new ReadAhead()
  for (const [line, id] of ['one', 'two', 'three'].entries()) ahead.begin(at(id, 0), schemas, async () => window(line))
  expect(await ahead.take(at('one', 0), schemas)).toBeUndefined()
  expect(await ahead.take(at('two', 0), schemas)).toEqual(window(1))
  expect(await ahead.take(at('three', 0), schemas)).toEqual(window(2))
})
