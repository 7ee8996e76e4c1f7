import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { pointersOf, recordsOf, recordsPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const { merge } = records
const remove = (object: string, ...ids: string[]) => records.remove(object, ids)

describe('is refused', () => {
  test.for<[string, (id: string, other: string) => readonly string[], string[]]>([
    ['into itself', (id) => [id], ['/data/attributes/sources/0']],
    ['a source given twice', (_id, other) => [other, other], ['/data/attributes/sources/1']],
    ['both', (id, other) => [other, id, other], ['/data/attributes/sources/1', '/data/attributes/sources/2']],
    ['no source', () => [], ['/data/attributes/sources']],
    ['more than 100', () => Array.from({ length: 101 }, () => unknownId), ['/data/attributes/sources']],
  ])('%s: 422', async ([, sourcesOf, pointers]) => {
    const [into, other] = await records.createMany('person', [{}, {}])
    await app.events()
    const answer = await merge('person', into.id, sourcesOf(into.id, other.id))
    expect([answer.status, pointersOf(answer)]).toEqual([422, pointers])
    expect(await app.events()).toEqual([])
  })

  test('another type, and members that are none', async () => {
    const [into, other] = await records.createMany('person', [{}, {}])
    const send = (data: Json) => app.api.post(`${recordsPath('person')}/${into.id}/merges`, { body: { data } })
    expect(pointersOf(await send({ type: 'company', attributes: { sources: [other.id] } }))).toEqual(['/data/type'])
    expect(pointersOf(await send({ type: 'person', attributes: { sources: [other.id], keep: 'all' } }))).toEqual([
      '/data/attributes/keep',
    ])
    expect((await send({ type: 'record', attributes: { sources: [other.id] } })).status).toBe(204)
  })

  test('sources that do not exist, are of another object, deleted or no ids: 404 with their ids', async () => {
    const [into, good, deleted] = await records.createMany('person', [{}, {}, {}])
    const company = await records.create('company', {})
    await remove('person', deleted.id)
    await app.events()
    for (const wrong of [unknownId, company.id, deleted.id, 'nothing']) {
      const { status, body } = await merge('person', into.id, [good.id, wrong])
      expect([status, body.errors[0].meta]).toEqual([404, { ids: [wrong] }])
      expect((await merge('person', wrong, [good.id])).body.errors[0]).toMatchObject({
        status: '404',
        detail: 'There is no person with this id.',
      })
    }
    expect(await app.events()).toEqual([])
    expect((await records.get('person', good.id)).status).toBe(200)
  })

  test('who may not change the target and every source', async () => {
    const [mine, second] = await records.createMany('meeting', [{}, {}])
    const theirs = await records.create('meeting', {}, { as: 'admin' })
    expect((await merge('meeting', mine.id, [theirs.id])).body.errors[0].meta).toEqual({ ids: [theirs.id] })
    expect((await merge('meeting', theirs.id, [mine.id])).status).toBe(404)
    expect((await merge('meeting', mine.id, [second.id])).status).toBe(204)
    expect((await merge('user', app.userIds.member, [app.userIds.viewer], { as: 'admin' })).status).toBe(403)
  })
})
