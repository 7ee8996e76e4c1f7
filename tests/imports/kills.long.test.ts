import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { startMortal } from '../harness/fault-points.ts'
import { importsOf, mappingOf } from '../harness/imports.ts'
import { say } from '../harness/long-run.ts'
import { recordsOf } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { until } from '../harness/until.ts'

/**
 * A real server is killed (-9) at each commit of an import: just before the commit is sent, and once it is done.
 * Another server finishes it.
 */

const key = 'a key of at least thirty-two characters'
const observer = await startApp({ encryptionKeys: [key] })
const settings = { ENCRYPTION_KEYS: key, FILES_DIR: observer.filesFolder }
const records = recordsOf(observer)
const imports = importsOf({ ...observer, startJobs: async () => undefined })
const rows = Array.from({ length: 1200 }, (_, row) => `Deal ${row},${row % 400 === 7 ? 'none' : row}`)

test('each row is written once, wherever the server is killed', { timeout: 1_200_000 }, async () => {
  const deaths: string[] = []
  for (let commit = 1, alive = 0; alive < 2; commit++)
    for (const moment of ['before', 'after'] as const) {
      const before = await records.count('company')
      const mortal = await startMortal(observer.databaseUrl, settings, { moment, commit, table: 'record_import' })
      let isDead = false
      void mortal.gone.then(() => (isDead = true))
      await mortal.arm()
      const mapping = mappingOf({ Name: 'name', Size: 'employee_count' })
      const { body } = await imports.start(`Name,Size\n${rows.join('\n')}`, { object: 'company', mapping })
      const { id } = body.data
      await until(async () => isDead || (await imports.get(id)).body.data.attributes.ended_at !== null)
      if (isDead) deaths.push(`${moment} ${commit}: ${mortal.lastWrites()}`)
      else alive++
      await mortal.kill()
      const other = await startServer(observer.databaseUrl, settings)
      await observer.schemaJobs.giveBack()
      expect(await imports.ended(id), deaths.at(-1)).toMatchObject({
        state: 'completed',
        rows_done: 1200,
        created: 1197,
        rejected: 3,
      })
      expect((await records.count('company')) - before, deaths.at(-1)).toBe(1197)
      expect((await imports.rejects(id)).trim().split('\r\n'), deaths.at(-1)).toHaveLength(4)
      await other.kill()
    }
  say([`an import: killed ${deaths.length} times`, ...deaths].join('\n  '))
  expect(deaths.length).toBeGreaterThanOrEqual(8)
})
