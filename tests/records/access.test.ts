import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)

/** Meetings are private to their makers, until they are shared. */
const mine = await records.create('meeting', { title: 'Mine' }, { as: 'member' })
const theirs = await records.create('meeting', { title: 'Theirs' }, { as: 'admin' })

const statusOf = async (as: Caller, method: string, path: string, body?: unknown) =>
  (await app.api.send(method, path, { as, ...(body !== undefined && { body }) })).status

describe('a record that is private by default', () => {
  const who: [Caller, string[]][] = [
    ['admin', ['Mine', 'Theirs']],
    ['adminKey', ['Mine', 'Theirs']],
    ['member', ['Mine']],
    ['memberKey', ['Mine']],
    ['viewer', []],
    ['workspaceKey', []],
  ]
  test.for(who)('%s lists, counts and filters what it may see', async ([as, titles]) => {
    for (const query of [
      {},
      { 'sortOrder[column]': 'title', 'sortOrder[dir]': 'ASC' },
      { 'filter[title][Is not empty]': '' },
      { 'page[offset]': 0, 'page[limit]': 10, 'sortOrder[column]': '_created_at', 'sortOrder[dir]': 'ASC' },
    ] as const) {
      const { body } = await records.list('meeting', query, { as })
      expect(body.data.map((one: { attributes: { title: string } }) => one.attributes.title)).toEqual(titles)
      expect(body.meta.total_records).toBe(titles.length)
    }
    expect((await records.list('meeting', { 'filter[title]': 'Theirs' }, { as })).body.meta.total_records).toBe(
      titles.includes('Theirs') ? 1 : 0,
    )
  })

  test('answers to all other members as if it were not there', async () => {
    const data = { type: 'meeting', attributes: { title: 'Taken' } }
    for (const as of ['member', 'memberKey', 'workspaceKey', 'viewer'] as const) {
      for (const path of [recordsPath('meeting'), resourcesPath('meeting')])
        expect(await statusOf(as, 'GET', `${path}/${theirs.id}`)).toBe(404)
      if (as === 'viewer') continue
      expect(await statusOf(as, 'PATCH', `${recordsPath('meeting')}/${theirs.id}`, { data })).toBe(404)
      expect(await statusOf(as, 'DELETE', `${recordsPath('meeting')}/${theirs.id}`)).toBe(404)
      expect(await statusOf(as, 'DELETE', recordsPath('meeting'), { items: [theirs.id] })).toBe(404)
      expect(await statusOf(as, 'PATCH', recordsPath('meeting'), { data: [{ ...data, id: theirs.id }] })).toBe(404)
    }
    expect((await records.get('meeting', theirs.id, { as: 'admin' })).body.data.attributes.title).toBe('Theirs')
  })

  test('cannot be referred to either', async () => {
    const { status, body } = await records.post('task', { title: 'Prepare', meeting_id: theirs.id })
    expect([status, body.errors[0].source.pointer]).toEqual([422, '/data/attributes/meeting_id'])
    expect((await records.post('task', { title: 'Prepare', meeting_id: mine.id })).status).toBe(201)
  })

  test('is changed and deleted by its owner and by admins', async () => {
    expect((await records.patch('meeting', mine.id, { title: 'Mine' })).status).toBe(200)
    expect((await records.patch('meeting', mine.id, { title: 'Mine' }, {}, { as: 'admin' })).status).toBe(200)
    const { id } = await records.create('meeting', {})
    expect(await statusOf('member', 'DELETE', `${recordsPath('meeting')}/${id}`)).toBe(200)
  })
})

describe('a record that all members may change', () => {
  test('is changed by a member who did not make it, and by a workspace key', async () => {
    const { id } = await records.create('person', {}, { as: 'admin' })
    for (const as of ['member', 'memberKey', 'workspaceKey'] as const)
      expect((await records.patch('person', id, { job_title: as as string }, {}, { as })).status).toBe(200)
    expect((await records.get('person', id, { as: 'viewer' })).body.data.attributes.job_title).toBe('workspaceKey')
  })
})
