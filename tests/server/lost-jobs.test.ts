import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { exportsOf } from '../harness/exports.ts'
import { importsOf, mappingOf } from '../harness/imports.ts'
import { verificationOf } from '../harness/verification.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const tenMinutesMs = 10 * 60_000

const app = await startApp()
const [imports, exported] = [importsOf(app), exportsOf(app)]
const { create, path, runIn } = workflowsOf(app)
const { found, change } = verificationOf(app.databaseUrl)

test('finds an import, an export and a run that no job carries on, and gives them one', async () => {
  const mapping = mappingOf({ Name: 'name' })
  const { body: begun } = await imports.start('Name\nAda\nBob', { object: 'company', mapping })
  const { body: archive } = await exported.create({ kind: 'workspace' })
  const makeTask = {
    key: 'task',
    plugin_id: 'svc:create:record',
    input: { object: 'task', attributes: { title: 'A' } },
  }
  const { id } = await create({
    name: 'By hand',
    enabled: true,
    ...chain({ plugin_id: 'on:manual:execution' }, makeTask),
  })
  const { body: run } = await app.api.post(`${path}/${id}/runs`, { body: {} })
  const kinds = ['imports.run', 'exports.run', 'workflows.run']
  await change(async (tx, workspace_id) => {
    await tx.change(({ knex }) => knex('job').where({ workspace_id }).whereIn('kind', kinds).delete())
  })
  expect(await found()).toEqual({})
  const lost = { found: 1, repaired: 1 }
  expect(await found({ repair: true, aheadMs: tenMinutesMs })).toMatchObject({
    'Imports without a job': { ...lost, details: [expect.stringContaining(begun.data.id)] },
    'Exports without a job': { ...lost, details: [expect.stringContaining(archive.data.id)] },
    'Runs without a job': { ...lost, details: [expect.stringContaining(run.data.id)] },
  })
  expect(await found({ aheadMs: tenMinutesMs })).not.toHaveProperty('Runs without a job')
  expect(await imports.ended(begun.data.id)).toMatchObject({ state: 'completed', created: 2 })
  expect(await exported.ended(archive.data.id)).toMatchObject({ state: 'completed' })
  expect((await runIn(run.data.id)).attributes.status).toBe('success')
})
