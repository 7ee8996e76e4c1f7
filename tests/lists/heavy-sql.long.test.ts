import { beforeAll, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Answer } from '../harness/http.ts'
import { heavy } from './heavy-sql.ts'
import { listsOf } from './lists.ts'

const app = await startApp()
const lists = listsOf(app)

const send = (sql: string): Promise<Answer> =>
  lists.post('person', { title: 'Hostile', type: 'dynamic', query: { sql } })

// The parser is loaded on first use.
beforeAll(async () => expect((await send('SELECT * FROM person')).status).toBe(201))

test.for(heavy)('%s: is refused at no cost', async ([, sql]) => {
  // Once for what is compiled only then.
  await send(sql)
  const costs: number[] = []
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage()
    const { status, body } = await send(sql)
    const { user, system } = process.cpuUsage(before)
    costs.push((user + system) / 1000)
    expect([status, body.errors[0].code], JSON.stringify(body).slice(0, 500)).toEqual([422, 'unsupported_sql'])
  }
  expect(Math.min(...costs), 'milliseconds of work').toBeLessThan(50)
})
