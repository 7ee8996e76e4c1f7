import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { importsOf, mappingOf } from '../harness/imports.ts'
import { recordsOf } from '../harness/records.ts'
import { until } from '../harness/until.ts'

const app = await startApp()
const records = recordsOf(app)
const imports = importsOf(app)

/** So long that a window has some hundred rows. */
const padding = 'x'.repeat(600)

test('an import whose worker is lost goes on behind the last row that was written, and writes none twice', async () => {
  const rows = Array.from({ length: 1500 }, (_, row) => `Company ${row},${row % 500 === 7 ? 'none' : row},${padding}`)
  const mapping = mappingOf({ Name: 'name', Size: 'employee_count' })
  const started = await imports.start(`Name,Size,Note\n${rows.join('\n')}`, { object: 'company', mapping })
  expect([started.status, started.body]).toMatchObject([202, { data: { attributes: { state: 'queued' } } }])
  const { id } = started.body.data
  await app.startJobs()
  let losses = 0
  for (let seen = 0; ; losses++) {
    const { rows_done, ended_at } = await until(async () => {
      const { attributes } = (await imports.get(id)).body.data
      return (attributes.ended_at !== null || attributes.rows_done > seen) && attributes
    })
    if (ended_at !== null) break
    seen = rows_done
    await app.schemaJobs.giveBack()
    // Summons the workers.
    await imports.start('Name\n', { object: 'company', mapping: mappingOf({ Name: 'name' }) })
  }
  expect(losses).toBeGreaterThan(0)
  const done = await imports.ended(id)
  expect(done).toMatchObject({ state: 'completed', rows_total: 1500, rows_done: 1500, created: 1497, rejected: 3 })
  expect(await records.count('company')).toBe(1497)
  expect((await imports.rejects(id)).trim().split('\r\n')).toHaveLength(4)
})
