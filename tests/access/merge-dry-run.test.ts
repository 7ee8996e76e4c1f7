import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { commentsOf } from '../harness/comments.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { listsOf } from '../lists/lists.ts'
import { mergingOf } from './merging.ts'

const app = await startApp()
const { api, userIds } = app
const records = recordsOf(app)
const { accessOf, merge } = mergingOf(app)

const add = (path: string[], val: Json, oldVal: Json = null) => ({
  op: oldVal === null ? 'add' : 'update',
  path,
  val,
  oldVal,
})

const byPath = (one: Json, two: Json): number => (JSON.stringify(one.path) < JSON.stringify(two.path) ? -1 : 1)

describe('a dry run', () => {
  test('tells everything that would change, and nothing does', async () => {
    const lists = listsOf(app)
    const [person, deal] = [await records.create('person', {}), await records.create('deal', {})]
    const company = await records.create('company', { name: 'Source' })
    const target = await records.create('company', {})
    await records.patch('person', person.id, { company_id: company.id })
    await records.patch('deal', deal.id, { company_id: company.id })
    await share(api.post, `company/records/${company.id}`, userIds.viewer, 'comment', 'member')
    await share(api.post, `company/records/${company.id}`, 'workspace', 'view', 'member')
    await share(api.post, `company/records/${target.id}`, userIds.viewer, 'view', 'member')
    const said = await commentsOf(app).create('company', company.id)
    const list = await lists.create('company')
    const hidden = await listsOf(app, 'admin').create('company')
    for (const [id, as] of [
      [list.id, 'member'],
      [hidden.id, 'admin'],
    ] as const)
      await lists.add('company', id, [company.id], { as })
    await app.events()
    const { status, body } = await merge('company', target.id, [company.id], 'member', true)
    expect(status).toBe(200)
    expect(body.meta.dry_run).toBe(true)
    const expected = [
      add(['name'], 'Source'),
      add(['_merged_ids'], [company.id]),
      add(['access', userIds.viewer], 'comment', 'view'),
      add(['access', 'workspace'], 'view'),
      add(['people'], [person.id]),
      add(['deals'], [deal.id]),
      add(['comments'], [said._id]),
      add(['lists'], list.id),
    ]
    expect(body.meta.diff.toSorted(byPath)).toEqual(expected.toSorted(byPath))
    expect(await app.events()).toEqual([])
    expect((await commentsOf(app).get(said._id)).body.owner_id).toBe(company.id)
    expect(await accessOf('company', target.id)).toEqual({ [userIds.viewer]: 'view' })
    expect((await lists.members('company', list.id)).ids).toEqual([company.id])
    expect((await records.get('person', person.id)).body.data.attributes.company_id).toBe(company.id)
    expect((await merge('company', target.id, [company.id], 'member')).status).toBe(204)
    expect(await accessOf('company', target.id)).toEqual({ [userIds.viewer]: 'comment', workspace: 'view' })
    expect((await lists.members('company', list.id)).ids).toEqual([target.id])
  })

  test('names no record that the caller may not see', async () => {
    const [target, source] = [await records.create('person', {}), await records.create('person', {})]
    const secret = await records.create('meeting', {}, { as: 'admin' })
    await api.patch(`${recordsPath('person')}/${source.id}/relationships/meetings`, {
      body: { data: [{ type: 'meeting', id: secret.id }] },
    })
    const { body } = await merge('person', target.id, [source.id], 'member', true)
    expect(JSON.stringify(body)).not.toContain(secret.id)
    expect(JSON.stringify((await merge('person', target.id, [source.id], 'admin', true)).body)).toContain(secret.id)
  })
})
