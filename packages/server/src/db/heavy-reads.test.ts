import { expect, test } from 'vitest'
import type { QueryResult } from 'pg'
import { databaseTurns } from './database-turns.ts'
import { HeavyReads } from './heavy-reads.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A database whose answers come when the test says so. */
function slowDatabase() {
  const sent: {
    readonly name: string
    readonly answer: (row: string) => void
    readonly fail: (error: Error) => void
  }[] = []
  const turns = databaseTurns({ atOnceMax: 3, waitingMax: 10, waitMsMax: 1000, mayJoin: () => true })
  const reads = new HeavyReads(turns, ({ name }) => {
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult>()
    sent.push({ name, answer: (row) => resolve({ rows: [row] } as QueryResult), fail: reject })
    return promise
  })
  const ask = (name: string, value = 1): Promise<unknown> =>
    reads.send({ name, text: name, values: [value] }).then(({ rows }) => rows[0])
  return { sent, ask }
}

test('of several that are alike one is under way, and those that come meanwhile share the next', async () => {
  const { sent, ask } = slowDatabase()
  const first = ask('scan')
  await settled()
  const others = [ask('scan'), ask('scan'), ask('scan')]
  await settled()
  expect(sent).toHaveLength(1)
  sent[0]!.answer('before')
  expect(await first).toBe('before')
  await settled()
  expect(sent).toHaveLength(2)
  // It came after the shared one had begun, which may not see what was committed since.
  const last = ask('scan')
  sent[1]!.answer('then')
  expect(await Promise.all(others)).toEqual(['then', 'then', 'then'])
  await settled()
  sent[2]!.answer('after')
  expect(await last).toBe('after')
})

test('others go beside it, as many as may', async () => {
  const { sent, ask } = slowDatabase()
  const all = [ask('scan', 1), ask('scan', 2), ask('count')]
  await settled()
  expect(sent.map(({ name }) => name)).toEqual(['scan', 'scan'])
  sent[0]!.answer('one')
  await settled()
  expect(sent).toHaveLength(3)
  sent[1]!.answer('two')
  sent[2]!.answer('three')
  expect(await Promise.all(all)).toEqual(['one', 'two', 'three'])
})

test('a failure is that of those who share it, and of no one after them', async () => {
  const { sent, ask } = slowDatabase()
  const first = ask('scan')
  await settled()
  const second = ask('scan')
  sent[0]!.fail(new Error('no'))
  await expect(first).rejects.toThrow('no')
  await settled()
  sent[1]!.answer('yes')
  expect(await second).toBe('yes')
})
