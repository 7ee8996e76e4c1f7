import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { attachmentsOf } from '../harness/attachments.ts'
import { share } from '../harness/grants.ts'
import { recordsOf, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app, 'member')
const files = attachmentsOf(app)
const pdf = '%PDF-1.7 an offer'

test('a file is uploaded, attached, listed, fetched and deleted', async () => {
  const person = await records.create('person', {})
  const upload = await files.begin('person', person.id, 'offer.pdf')
  expect(upload).toEqual({
    signedUrl: expect.stringMatching(/^http/),
    key: `attachments/acme/person/${upload.attachmentId}/offer.pdf`,
    attachmentId: expect.any(String),
    entity: 'person',
    _id: person.id,
  })
  expect((await files.list('person', person.id)).body.data).toEqual([])
  expect((await files.send(upload.signedUrl, pdf)).status).toBe(200)
  await app.events()
  const created = await files.finish('person', person.id, upload, 'The offer.pdf')
  expect([created.status, created.body.data.type, created.body.data.id]).toEqual([201, 'person', person.id])
  const path = ['attachments', upload.attachmentId, 'name']
  const diff = [{ op: 'add', path, val: 'The offer.pdf', oldVal: null }]
  expect(await app.events()).toMatchObject([
    {
      type: 'attachment.created',
      object: 'person',
      record_id: person.id,
      payload: { attachment_id: upload.attachmentId, diff },
    },
  ])
  // Sent again, it changes nothing.
  expect((await files.finish('person', person.id, upload, 'The offer.pdf')).status).toBe(201)
  expect(await app.events()).toEqual([])
  expect((await files.list('person', person.id)).body).toEqual({
    data: [
      {
        _id: upload.attachmentId,
        name: 'The offer.pdf',
        _created_at: expect.stringMatching(/Z$/),
        _created_by: app.userIds.member,
        source: 'user',
        mime_type: 'application/pdf',
        size_bytes: pdf.length,
      },
    ],
    meta: { total_records: 1, total_pages: 1 },
    links: { next: null, prev: null },
  })
  const url = await files.urlOf('person', person.id, upload.attachmentId)
  expect(await app.http.send({ method: 'GET', url })).toMatchObject({ status: 200, body: pdf })
  const removed = await files.remove('person', person.id, upload.attachmentId)
  expect([removed.status, removed.body.data.id]).toEqual([200, person.id])
  expect(await app.events()).toMatchObject([{ type: 'attachment.deleted', record_id: person.id }])
  expect((await files.list('person', person.id)).body.data).toEqual([])
  expect(await files.urlOf('person', person.id, upload.attachmentId)).toBeUndefined()
  const feed = (await app.api.get(`/workspaces/acme/objects/person/records/${person.id}/activities`)).body.data
  const changes = feed.flatMap((one: { attributes: { data: { object: { diff: unknown[] } }[] } }) =>
    one.attributes.data.flatMap((event) => event.object.diff),
  )
  expect(changes).toContainEqual(expect.objectContaining({ op: 'add', path, val: 'The offer.pdf' }))
})

test('a list comes whole, or in pages, sorted by name or by time', async () => {
  const company = await records.create('company', {})
  for (const name of ['b.txt', 'a.txt', 'c.txt']) await files.attach('company', company.id, name, name)
  const namesOf = async (query = {}) =>
    (await files.list('company', company.id, query)).body.data.map(({ name }: { name: string }) => name)
  expect(await namesOf()).toEqual(['b.txt', 'a.txt', 'c.txt'])
  const byName = { 'sortOrder[column]': 'name', 'sortOrder[dir]': 'DESC' }
  expect(await namesOf(byName)).toEqual(['c.txt', 'b.txt', 'a.txt'])
  const second = await files.list('company', company.id, { ...byName, 'page[offset]': 1, 'page[limit]': 1 })
  expect(second.body.data).toMatchObject([{ name: 'b.txt', mime_type: 'text/plain' }])
  expect(second.body.meta).toEqual({ total_records: 3, total_pages: 3, offset: 1, limit: 1 })
  const next = await app.api.get(second.body.links.next.slice(app.baseUrl.length), { as: 'member' })
  expect(next.body.data).toMatchObject([{ name: 'a.txt' }])
})

test('attachments follow the rights on their record', async () => {
  const meeting = await records.create('meeting', { title: 'Ours' })
  const id = await files.attach('meeting', meeting.id, 'notes.txt', 'Notes')
  const colleague = await app.addMember('member', 'reader')
  const theirs = attachmentsOf(app, colleague.as)
  expect((await theirs.list('meeting', meeting.id)).status).toBe(404)
  await share(app.api.post, `meeting/records/${meeting.id}`, colleague.id, 'view', 'member')
  expect((await theirs.list('meeting', meeting.id)).body.data).toHaveLength(1)
  expect(await theirs.urlOf('meeting', meeting.id, id)).toContain('/files/')
  const refused = await app.api.put(theirs.pathOf('meeting', meeting.id), { as: colleague.as, body: { name: 'x' } })
  expect([refused.status, refused.body.errors[0].code]).toEqual([403, 'forbidden'])
  expect((await theirs.remove('meeting', meeting.id, id)).status).toBe(403)
  // An attachment is found under its own record alone.
  const other = await records.create('meeting', { title: 'Another' })
  expect(await files.urlOf('meeting', other.id, id)).toBeUndefined()
  expect((await files.remove('meeting', other.id, id)).status).toBe(404)
})

test('what was not uploaded here, for this record and under this key, is not attached', async () => {
  const [one, two] = await records.createMany('person', [{}, {}])
  const upload = await files.begin('person', one.id, 'a.txt')
  const early = await files.finish('person', one.id, upload, 'a.txt')
  expect([early.status, early.body.errors[0].source]).toEqual([422, { pointer: '/attachmentId' }])
  await files.send(upload.signedUrl, 'bytes')
  for (const wrong of [
    await files.finish('person', two.id, upload, 'a.txt'),
    await files.finish('person', one.id, { ...upload, key: `${upload.key}x` }, 'a.txt'),
    await files.finish('person', one.id, { ...upload, attachmentId: unknownId }, 'a.txt'),
  ])
    expect([wrong.status, wrong.body.errors[0].code]).toEqual([422, 'invalid_body'])
  expect((await files.finish('person', one.id, upload, 'a.txt')).status).toBe(201)
})

test('a merged record takes the attachments of the others; one in the bin keeps them until it is purged', async () => {
  const [target, source] = await records.createMany('person', [{}, {}])
  const id = await files.attach('person', source.id, 'cv.txt', 'A life')
  const body = { data: { type: 'person', attributes: { sources: [source.id] } } }
  const path = '/workspaces/acme/objects/person/records'
  expect((await app.api.post(`${path}/${target.id}/merges`, { as: 'member', body })).status).toBe(204)
  const url = await files.urlOf('person', target.id, id)
  expect((await app.http.send({ method: 'GET', url })).body).toBe('A life')
  await app.api.delete(`${path}/${target.id}`, { as: 'member' })
  expect((await files.list('person', target.id)).status).toBe(404)
  await app.api.post(`${path}/restore`, { as: 'member', body: { items: [target.id] } })
  expect((await files.list('person', target.id)).body.data).toMatchObject([{ _id: id }])
  await app.api.delete(`${path}/${target.id}`, { as: 'member' })
  await app.advance(31 * 86_400_000)
  await app.purge()
  expect(await app.remains(target.id)).toEqual({})
})

test('a comment carries attachments of its record, until they are deleted', async () => {
  const [person, other] = await records.createMany('person', [{}, {}])
  const ids = [
    await files.attach('person', person.id, 'b.txt', 'b'),
    await files.attach('person', person.id, 'a.txt', 'a'),
  ]
  const message = [{ type: 'paragraph', content: [{ type: 'text', text: 'See both' }] }]
  const post = (attachment_ids: string[]) =>
    app.api.post('/workspaces/acme/comments', {
      as: 'member',
      body: { entity: 'person', owner_id: person.id, message, attachment_ids },
    })
  const { status, body } = await post(ids)
  expect([status, body.attachment_ids]).toEqual([201, ids])
  const read = async () => (await app.api.get(`/workspaces/acme/comments/${body._id}`, { as: 'member' })).body
  expect((await read()).attachment_ids).toEqual(ids)
  const foreign = await post([ids[0] ?? '', await files.attach('person', other.id, 'c.txt', 'c')])
  expect([foreign.status, foreign.body.errors[0].source]).toEqual([422, { pointer: '/attachment_ids/1' }])
  await files.remove('person', person.id, ids[0] ?? '')
  expect((await read()).attachment_ids).toEqual([ids[1]])
  await files.remove('person', person.id, ids[1] ?? '')
  expect(await read()).not.toHaveProperty('attachment_ids')
})
