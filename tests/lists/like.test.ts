import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { listsOf } from './lists.ts'

const app = await startApp({ fieldIndexThreshold: 0 })
const records = recordsOf(app)
const lists = listsOf(app)

/** The last is longer than what indexes hold of a text. */
const texts = ['Senator', 'senator of Ohio', '100% clerk', 'a_b!c', 'Straße', '％ full', `${'long '.repeat(2500)}end`]

const patterns: readonly (readonly [string, readonly number[]])[] = [
  ['%ena%r%', [0, 1]],
  ['sen_tor', [0]],
  ['sen_tor%', [0, 1]],
  ['1__\\% cl_rk', [2]],
  ['%\\_b!c', [3]],
  ['a_b_c', [3]],
  ['%!%', [3]],
  ['stra_e', [4]],
  ['stra__e', []],
  ['%stra%e', [4]],
  ['\\% f%l', [5]],
  ['_ f%l', [5]],
  ['%ong %nd', [6]],
  ['_', []],
  ['_%', [0, 1, 2, 3, 4, 5, 6]],
  ['%_hio', [1]],
]

test('LIKE finds the same with trigrams as without, and asks for them', async () => {
  const made = await records.createMany(
    'person',
    texts.map((description) => ({ description })),
  )
  const found = async (pattern: string): Promise<number[]> => {
    const { id } = await lists.create('person', {
      query: { sql: `SELECT * FROM person WHERE description LIKE '${pattern}'` },
    })
    const { ids, total } = await lists.members('person', id)
    expect(total).toBe(ids.length)
    return ids.map((one) => made.findIndex((record) => record.id === one))
  }
  for (const [pattern, expected] of patterns) expect(await found(pattern), pattern).toEqual(expected)
  await app.startJobs()
  await app.indexes.ready()
  expect((await app.indexes.states()).map(({ field, kind, state }) => [field, kind, state])).toContainEqual([
    'description',
    'grams',
    'ready',
  ])
  for (const [pattern, expected] of patterns) expect(await found(pattern), `${pattern} by index`).toEqual(expected)
})
