import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { countWaiting } from '../harness/database.ts'
import { holdRecord } from '../harness/held-record.ts'
import { importsOf, mappingOf } from '../harness/imports.ts'
import { recordsOf } from '../harness/records.ts'
import { until } from '../harness/until.ts'
import { verificationOf } from '../harness/verification.ts'

/** Rows that are written together, and those of the file. */
const [portion, rows] = [500, 600]

// SQLite has one process, in which a run that has lost its lease is told to stop before another begins.
test.runIf(inject('database') === 'postgres')(
  'an import goes on where a run that was taken for dead, and was still at work, has left it',
  async () => {
    const app = await startApp()
    const imports = importsOf(app)
    const made = await recordsOf(app).createMany('person', [{ email_addresses: { items: ['ada-0@example.com'] } }])
    const lines = ['E-mail,Job', ...Array.from({ length: rows }, (_, at) => `ada-${at}@example.com,Baker`)]
    const letGo = await holdRecord(app.databaseUrl, made[0]!.id)
    const { body } = await imports.start(lines.join('\n'), {
      object: 'person',
      mapping: mappingOf({ 'E-mail': 'email_addresses', Job: 'job_title' }),
      match_on: 'email_addresses',
    })
    const { id } = body.data
    await app.startJobs()
    await until(async () => (await countWaiting(app.databaseUrl)) > 0)
    const position = Buffer.byteLength(`${lines.slice(0, portion + 1).join('\n')}\n`)
    await verificationOf(app.databaseUrl).change((tx, workspaceId) =>
      tx.updateByKey(
        'record_import',
        ['workspace_id', 'id'],
        [{ workspace_id: workspaceId, id, position, line: portion + 1, rows_done: portion, created: portion }],
      ),
    )
    await letGo()
    expect(await imports.ended(id)).toMatchObject({ state: 'completed', rows_done: rows, created: rows })
    expect(await recordsOf(app).count('person')).toBe(1 + rows - portion)
  },
)
