import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf, unknownId } from '../harness/records.ts'
import { failed, kontor } from './kontor.ts'

const app = await startApp()
const records = recordsOf(app)
const env = { KONTOR_BASE_URL: app.baseUrl, KONTOR_API_KEY: app.credentials.keys.memberKey!, KONTOR_WORKSPACE: 'acme' }
const run = (...args: string[]) => kontor(['records', ...args], env)

test('what was deleted is listed, and comes back', { timeout: 60_000 }, async () => {
  const [one, two] = await records.createMany('deal', [{ name: 'One', amount: 5 }, { name: 'Two' }])
  await records.remove('deal', [one.id])
  await app.advance(1000)
  await records.remove('deal', [two.id])
  const table = await run('deleted', 'deal')
  expect(table).toMatchObject({ code: 0, stderr: '2 in all.\n' })
  expect(table.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['id', '_deleted_at', 'name', 'amount'],
    [two.id, expect.stringMatching(/^\d{4}-/), 'Two'],
    [one.id, expect.stringMatching(/^\d{4}-/), 'One', '5'],
    [''],
  ])
  expect((await run('deleted', 'deal', '--json')).json).toMatchObject({
    data: [{ id: two.id, attributes: { _deleted_by: app.userIds.member } }, { id: one.id }],
    meta: { total_records: 2 },
  })
  expect((await run('deleted', 'deal', '--limit', '1', '--ndjson')).json.id).toBe(two.id)
  expect(await run('restore', 'deal', one.id, two.id, '--dry-run')).toMatchObject({
    code: 0,
    stdout: 'Nothing was written; this would be: 2 records restored.\n',
  })
  expect(await run('restore', 'deal', one.id)).toMatchObject({ code: 0, stdout: '1 record restored.\n', stderr: '' })
  expect((await run('restore', 'deal', two.id, '--json')).json.data[0].attributes.name).toBe('Two')
  expect(await run('restore', 'deal', one.id)).toMatchObject(failed(1, /There is no deal with this id/))
  expect(await run('deleted', 'deal')).toMatchObject({ code: 0, stdout: '', stderr: '0 in all.\n' })
})

test('duplicates are merged', { timeout: 60_000 }, async () => {
  const [into, first, second] = await records.createMany('person', [
    {},
    { job_title: 'Clerk' },
    { labels: { items: ['a'] } },
  ])
  expect(await run('merge', 'person', into.id, first.id, second.id, '--dry-run')).toMatchObject({
    code: 0,
    stdout: `Nothing was written; this would be: 2 records merged into ${into.id}, which changes job_title, labels.\n`,
  })
  expect((await run('merge', 'person', into.id, first.id, '--dry-run', '--json')).json.meta).toMatchObject({
    dry_run: true,
    diff: [{ path: ['job_title'] }, { path: ['_merged_ids'] }],
  })
  expect(await run('merge', 'person', into.id, first.id, second.id)).toMatchObject({
    code: 0,
    stdout: `2 records merged into ${into.id}.\n`,
    stderr: '',
  })
  expect((await records.get('person', into.id)).body.data.attributes).toMatchObject({
    job_title: 'Clerk',
    _merged_ids: [first.id, second.id],
  })
  expect(await run('merge', 'person', into.id, first.id)).toMatchObject(
    failed(1, new RegExp(`it was merged into ${into.id}`)),
  )
  expect(await run('merge', 'person', into.id, into.id)).toMatchObject(failed(1, /cannot be merged into itself/))
  expect(await run('merge', 'person', unknownId, into.id)).toMatchObject(failed(1, /There is no person with this id/))
})
