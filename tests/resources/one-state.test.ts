import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { countWaiting, openAt } from '../harness/database.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { until } from '../harness/until.ts'

const app = await startApp()
const records = recordsOf(app)

/** A change by hand that keeps the counters of records to itself, and is committed when it is called. */
async function deletion(id: string): Promise<() => Promise<void>> {
  const workspace_id = await app.workspaceId('acme')
  const database = openAt(app.databaseUrl)
  const [holding, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = database.write(async (tx) => {
    await tx.query(({ knex }) => knex.raw('lock table record_count in access exclusive mode'))
    const [row] = await tx.query<{ object: string }>(({ knex }) =>
      knex('record').select('object').where({ workspace_id, id }),
    )
    await tx.change(({ knex }) =>
      knex('record')
        .where({ workspace_id, id })
        .update({ deleted_at: knex.ref('updated_at') }),
    )
    await tx.insert('record_count_delta', [{ workspace_id, object: row?.object ?? '', id, delta: -1 }])
    holding.resolve()
    await released.promise
  })
  await Promise.race([holding.promise, done])
  return async () => {
    released.resolve()
    await done
    await database.close()
  }
}

test.runIf(inject('database') === 'postgres')(
  'the records of a page and their total are of one state, whatever is committed between them',
  async () => {
    const made = await records.createMany('company', [{ name: 'One' }, { name: 'Two' }, { name: 'Three' }])
    const ids = made.map(({ id }) => id)
    const query = { 'sortOrder[column]': '_created_at', 'sortOrder[dir]': 'DESC', 'page[limit]': 1 }
    const commit = await deletion(ids[2] ?? '')
    const answer = app.api.get(resourcesPath('company'), { query })
    await until(async () => (await countWaiting(app.databaseUrl)) === 1)
    await commit()
    const { body } = await answer
    const states = [
      [ids[2], 3],
      [ids[1], 2],
    ]
    expect(states).toContainEqual([body.data[0].id, body.meta.total_records])
    const next = (await app.api.get(resourcesPath('company'), { query })).body
    expect([next.data[0].id, next.meta.total_records]).toEqual(states[1])
  },
)
