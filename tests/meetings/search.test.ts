import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
const [meeting, other] = await recordsOf(app, 'member').createMany('meeting', [{ title: 'One' }, { title: 'Two' }])
const say = (speaker: string | null, text: string, from = 0) => ({
  speaker,
  words: text.split(' ').map((word, index) => ({ text: word, start_timestamp: from + index })),
})
const upload = async (id: string, transcript: Json, more: Json = {}) =>
  (
    await app.api.post(`/workspaces/acme/meetings/${id}/recordings/transcript`, {
      as: 'member',
      body: { transcript, ...more },
    })
  ).body.data.id
const search = async (query: Json, as: Parameters<typeof app.api.get>[1] = { as: 'member' }): Promise<Json> =>
  (await app.api.get('/workspaces/acme/transcripts', { ...as, query })).body
const textsOf = ({ data }: Json): string[] => data.map(({ attributes }: Json) => attributes.text)

const recording = await upload(meeting.id, [
  say('Grace Hopper', 'We need a compiler', 1.5),
  say('Ada Lovelace', 'Die Größe des Compilers zählt', 6),
  say(null, 'Nobody knows 100% who'),
])

test('what was said is found by its words and by who said it, in any case', async () => {
  const hit = (await search({ q: 'COMPILER need' })).data
  expect(hit).toEqual([
    {
      type: 'transcript_segment',
      id: `${recording}:0`,
      attributes: {
        meeting_id: meeting.id,
        recording_id: recording,
        speaker: 'Grace Hopper',
        text: 'We need a compiler',
        start_timestamp: 1.5,
      },
    },
  ])
  expect(textsOf(await search({ q: 'größe' }))).toHaveLength(1)
  expect(textsOf(await search({ q: 'compiler', speaker: 'lovelace' }))).toEqual(['Die Größe des Compilers zählt'])
  expect(textsOf(await search({ q: 'hopper' }))).toEqual(['We need a compiler'])
  // Nothing in it is a pattern.
  expect(textsOf(await search({ q: '0%' }))).toEqual(['Nobody knows 100% who'])
  expect(textsOf(await search({ q: '%_' }))).toEqual([])
})

test('a transcript that is replaced is found no longer, and hidden meetings never', async () => {
  const again = await upload(other.id, [say('Alan Turing', 'A secret machine')])
  await upload(other.id, [say('Alan Turing', 'A public machine')], { recordingId: again })
  expect(textsOf(await search({ q: 'secret' }))).toEqual([])
  const colleague = await app.addMember('member', 'listener')
  expect(textsOf(await search({ q: 'machine' }, { as: colleague.as }))).toEqual([])
  await share(app.api.post, `meeting/records/${other.id}`, colleague.id, 'view', 'member')
  const seen = await search({}, { as: colleague.as })
  expect([textsOf(seen), seen.meta.total_records]).toEqual([['A public machine'], 1])
  await app.api.delete(`/workspaces/acme/objects/meeting/records/${other.id}`, { as: 'member' })
  expect(textsOf(await search({ q: 'machine' }))).toEqual([])
})

test('a merged meeting takes what was said in the others', async () => {
  const [target, source] = await recordsOf(app, 'member').createMany('meeting', [{ title: 'A' }, { title: 'B' }])
  await upload(source.id, [say('Katherine Johnson', 'Check the numbers')])
  const body = { data: { type: 'meeting', attributes: { sources: [source.id] } } }
  await app.api.post(`/workspaces/acme/objects/meeting/records/${target.id}/merges`, { as: 'member', body })
  expect((await search({ q: 'numbers' })).data).toMatchObject([{ attributes: { meeting_id: target.id } }])
})

test.for(['ASC', 'DESC'])('the links lead through what was said one by one, there and back, %s', async (dir) => {
  for (const { id } of await recordsOf(app, 'member').createMany('meeting', [{ title: 'Three' }, { title: 'Four' }]))
    await upload(id, [say('Alan Turing', 'We can only see'), say('Alan Turing', 'a short distance')])
  const order = { 'sortOrder[column]': '_created_at', 'sortOrder[dir]': dir }
  const all = textsOf(await search(order))
  const walked: Json[] = []
  for (let url: string | null = '/workspaces/acme/transcripts'; url !== null; url = walked.at(-1)!['links'].next)
    walked.push(
      (
        await app.api.get(url.replace(app.baseUrl, ''), {
          as: 'member',
          ...(walked.length === 0 && { query: { ...order, 'page[limit]': '1' } }),
        })
      ).body,
    )
  expect(walked.flatMap(textsOf)).toEqual(all)
  const back: Json[] = []
  for (let url = walked.at(-1)!['links'].prev; url !== null; url = back.at(-1)!['links'].prev)
    back.push((await app.api.get(url.replace(app.baseUrl, ''), { as: 'member' })).body)
  expect(back.toReversed().flatMap(textsOf)).toEqual(all.slice(0, -1))
})
