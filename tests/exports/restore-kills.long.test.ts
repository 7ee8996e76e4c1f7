import { expect, test } from 'vitest'
import { answered, kontor, start } from '../cli/kontor.ts'
import { startApp } from '../harness/app.ts'
import { commentsOf } from '../harness/comments.ts'
import { exportsOf } from '../harness/exports.ts'
import { recordsOf } from '../harness/records.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { until } from '../harness/until.ts'

const app = await startApp()
const records = recordsOf(app)
const company = await records.create('company', { name: 'Acme' })
const [ada] = await records.createMany('person', [{ name: { full_name: 'Ada' }, company_id: company.id }])
await commentsOf(app).create('person', ada!.id, `See ${company.id}`)
const bundle = await exportsOf(app).save({ kind: 'workspace' })

test('after a kill, the same command begins again, and nobody sees half a workspace', async () => {
  const folder = await scratchFolder()
  const env = { DATA_DIR: `${folder}/new`, DATABASE_URL: `sqlite:${folder}/kontor.db` }
  const first = start(['workspace', 'restore', bundle], env)
  await until(async () => /Restoring activities/.test(first.stderr()))
  first.child.kill('SIGKILL')
  await first.ended
  const [unfinished] = (await answered(['workspace', 'list', '--json'], env)).json
  expect(unfinished).toMatchObject({ slug: expect.stringMatching(/^restoring-/), members: 0 })
  const second = await kontor(['workspace', 'restore', bundle, '--json'], env)
  expect(second).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Removing the remains of an earlier restore'),
  })
  expect(second.json.data).toMatchObject({ slug: 'acme', rows: { records: 5, comments: 1 } })
  const third = await kontor(['workspace', 'restore', bundle], env)
  expect(third).toMatchObject({ code: 1, stderr: expect.stringContaining('already has a workspace "acme"') })
})
