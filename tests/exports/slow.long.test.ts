import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { holdTable } from '../harness/database.ts'
import { exportsOf } from '../harness/exports.ts'

// Readers of SQLite wait for no table: there it takes a statement of seconds.
test.runIf(inject('database') === 'postgres')(
  'an export of a SELECT that takes too long fails with "timeout", without another attempt',
  async () => {
    const patient = await startApp()
    const hurried = await startApp({ beside: patient, statementTimeoutMs: 1000 })
    const { create } = exportsOf(patient)
    const { ended } = exportsOf({ api: patient.api, startJobs: hurried.startJobs })
    const { body } = await create({ kind: 'sql', sql: 'SELECT count(*) FROM person' })
    const release = await holdTable(patient.databaseUrl, 'record')
    try {
      expect(await ended(body.data.id)).toMatchObject({
        state: 'failed',
        error: expect.stringMatching(/took too long/),
      })
    } finally {
      await release()
    }
    const task = await patient.api.get(`/workspaces/acme/async-tasks/${body.data.id}`)
    expect(task.body.data.attributes.error_code).toBe('timeout')
  },
)
