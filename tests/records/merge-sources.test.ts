import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath, resourcesPath, unknownId } from '../harness/records.ts'
import { mergingOf } from './merging.ts'

const app = await startApp()
const records = recordsOf(app)
const { merged, attributesOf } = mergingOf(app)
const { merge } = records
const remove = (object: string, ...ids: string[]) => records.remove(object, ids)
const restore = (object: string, ...ids: string[]) => records.restore(object, ids)

describe('a source', () => {
  test('answers 404 everywhere and says where it went, at the end of a chain too', async () => {
    const [a, b, c] = await records.createMany('person', [{}, {}, {}])
    const before = await records.count('person')
    await merged('person', b.id, a.id)
    await merged('person', c.id, b.id)
    expect(await records.count('person')).toBe(before - 2)
    expect((await attributesOf('person', c.id))._merged_ids).toEqual([a.id, b.id])
    for (const { id } of [a, b]) {
      const one = `${recordsPath('person')}/${id}`
      const answers = [
        await app.api.get(one),
        await app.api.get(`${resourcesPath('person')}/${id}`),
        await app.api.get(`${one}/activities`),
        await app.api.patch(one, { body: { data: { type: 'person', attributes: {} } } }),
        await app.api.delete(one),
        await merge('person', id, [c.id]),
      ]
      for (const { status, body } of answers)
        expect([status, body.errors[0].code, body.errors[0].meta]).toEqual([404, 'not_found', { merged_into: c.id }])
    }
    expect(
      (await app.api.get('/workspaces/acme/objects/person/deleted-resources')).body.data.map(({ id }: Json) => id),
    ).not.toContain(a.id)
    // It is 404 under another object, as ever.
    expect((await app.api.get(`${recordsPath('company')}/${a.id}`)).body.errors[0].meta).toBeUndefined()
  })

  test('in a bulk call: the ids by where they went', async () => {
    const [into, first, second, live] = await records.createMany('person', [{}, {}, {}, {}])
    await merged('person', into.id, first.id, second.id)
    await app.events()
    const answers = [
      await remove('person', live.id, first.id, unknownId, second.id),
      await restore('person', live.id, first.id, unknownId, second.id),
      await app.api.patch(recordsPath('person'), {
        body: { data: [live.id, first.id, unknownId, second.id].map((id) => ({ type: 'person', id, attributes: {} })) },
      }),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(404)
      expect(body.errors.map(({ code, meta }: Json) => [code, meta.merged_into ?? null])).toEqual([
        ['not_found', null],
        ['not_found', into.id],
      ])
      expect(body.errors[0].meta.ids).toContain(unknownId)
      expect(body.errors[1].meta.ids).toEqual([first.id, second.id])
    }
    expect((await merge('person', live.id, [first.id])).body.errors[0].meta).toEqual({
      ids: [first.id],
      merged_into: into.id,
    })
    expect((await restore('person', first.id)).body.errors[0].meta).toEqual({ ids: [first.id], merged_into: into.id })
    expect(await app.events()).toEqual([])
  })

  test('says nothing where the target is deleted or may not be seen', async () => {
    const [into, from] = await records.createMany('person', [{}, {}])
    await merged('person', into.id, from.id)
    await remove('person', into.id)
    expect((await records.get('person', from.id)).body.errors[0].meta).toBeUndefined()
    await restore('person', into.id)
    expect((await records.get('person', from.id)).body.errors[0].meta).toEqual({ merged_into: into.id })
    const [mine, other] = await records.createMany('meeting', [{}, {}])
    await merged('meeting', mine.id, other.id)
    expect((await records.get('meeting', other.id)).body.errors[0].meta).toEqual({ merged_into: mine.id })
    expect((await records.get('meeting', other.id, { as: 'viewer' })).body.errors[0].meta).toBeUndefined()
  })
})
