import { expect, inject, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { openAt } from '../harness/database.ts'
import { holdRecord } from '../harness/held-record.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)

/** From so many records on a write waits for one of two turns. */
const large = 100

/** Waits until so many transactions wait for a lock. */
async function untilLocked(waiting: number): Promise<void> {
  const database = openAt(app.databaseUrl)
  onTestFinished(() => database.close())
  const waits = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(() => database.reader.query(({ knex }) => knex.raw(waits))).toHaveLength(waiting)
}

// SQLite has one writer: a transaction that holds a record there holds up all others.
test.runIf(inject('database') === 'postgres')(
  'a large write that has waited for its turn is refused to a caller who has lost the role meanwhile',
  async () => {
    const rows = Array.from({ length: large }, () => ({}))
    const made = await records.createMany('company', rows)
    const { id, as } = await app.addMember('member', 'Lena')
    const letGo = await holdRecord(app.databaseUrl, made[0]!.id)
    const changes = made.map((one) => ({ type: 'company', id: one.id, attributes: { industry: 'Steel' } }))
    const before = [1, 2].map(() => app.api.patch(recordsPath('company'), { as: 'member', body: { data: changes } }))
    await untilLocked(2)
    const body = { data: rows.map((attributes) => ({ type: 'company', attributes })) }
    const late = app.api.post(`${recordsPath('company')}/bulk`, { as, body })
    const role = { data: { type: 'user', attributes: { role: 'viewer' } } }
    expect((await app.api.patch(`/workspaces/acme/users/${id}`, { body: role })).status).toBe(200)
    await letGo()
    expect((await Promise.all(before)).map(({ status }) => status)).toEqual([200, 200])
    expect((await late).status).toBe(403)
    expect(await records.count('company')).toBe(large)
  },
)
