import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { countWaiting } from '../harness/database.ts'
import { holdRecord } from '../harness/held-record.ts'
import type { Answer, Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const records = recordsOf(app)

type Call = (object: string, id: string, other: string) => Promise<Answer>

const given = (object: string, attributes: Json) => ({ data: { type: object, attributes } })

const calls: readonly (readonly [what: string, call: Call, status: number])[] = [
  ['an update', (object, id) => records.patch(object, id, { note: 'x' }), 422],
  [
    'an update of several',
    (object, id) =>
      app.api.patch(recordsPath(object), { body: { data: [{ type: object, id, attributes: { note: 'x' } }] } }),
    422,
  ],
  ['an upsert', (object) => records.post(object, { code: 'A', note: 'x' }, { match_on: 'code' }), 422],
  [
    'a creation that takes the counterpart of another',
    (object, _id, other) => records.post(object, { note: 'x', twin: other }),
    422,
  ],
  [
    'a bulk creation item by item',
    (object, _id, other) =>
      app.api.post(`${recordsPath(object)}/bulk`, {
        query: { atomic: false },
        body: { data: [given(object, { note: 'x', twin: other }).data] },
      }),
    422,
  ],
  [
    'a change of links',
    (object, id, other) =>
      app.api.post(`${recordsPath(object)}/${id}/relationships/friends`, {
        body: { data: [{ type: object, id: other }] },
      }),
    404,
  ],
]

// SQLite has one writer: no other request changes schemas while a call waits.
test.runIf(inject('database') === 'postgres').for(calls)(
  '%s that has waited for a record does not write what was dropped meanwhile',
  async ([, call, status]) => {
    const object = await schemasOf(app).make({
      name: { type: 'string', xSvcPrimary: true },
      code: { type: 'string', xSvcUnique: true },
      note: { type: 'string' },
    })
    await changesOf(app).edit(object, (properties) => {
      properties.friends = { xSvcRelationship: { kind: 'many-to-many', entity: object, field: 'friends_of' } }
      properties.twin = { xSvcRelationship: { kind: 'one-to-one', entity: object, field: 'twin_of' } }
    })
    const [one, other] = await records.createMany(object, [{ code: 'A' }, { code: 'B' }])
    const releases = await Promise.all([one, other].map(({ id }) => holdRecord(app.databaseUrl, id)))
    const waiting = call(object, one.id, other.id)
    await expect.poll(() => countWaiting(app.databaseUrl)).toBe(1)
    await changesOf(app).edit(object, (properties) => {
      delete properties.note
      delete properties.friends
      delete properties.friends_of
    })
    await Promise.all(releases.map((release) => release()))
    const answer = await waiting
    expect(answer.body.results?.[0]?.status ?? answer.status, JSON.stringify(answer.body)).toBe(status)
  },
)
