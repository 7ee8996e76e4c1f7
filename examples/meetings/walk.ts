/**
 * A week of meetings from a calendar file, three of them with transcripts, imported twice: it exists once.
 *
 * DATABASE_URL runs the same on Postgres; the database must be empty.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRestClient, meetings, resources, type RestClient } from '@kontor/client'
import { createPersonalKey, kontor, type Server } from '../shell.ts'
import { inNewFolder, withServer } from '../stand.ts'
import { step, tell } from '../tell.ts'
import { guestsCount, meetingsCount, said, transcriptOf, weekOfMeetings } from './week.ts'

const workspace = 'week'
const patienceMs = 60_000

/** Made once: the walk may go on into another week. */
const ics = weekOfMeetings()

async function walk({ baseUrl: url }: Server): Promise<void> {
  const email = 'ada@example.org'
  await kontor('workspace', 'create', '--slug', workspace, '--name', 'Week', '--admin-email', email)
  const rest = createRestClient({ url, apiKey: await createPersonalKey(workspace, email) })

  step('Import a week of meetings, and what was said in three of them')
  const first = await importWeek(rest)
  assert.deepEqual([first.created.length, first.updated.length], [meetingsCount, 0])
  const before = await stateOf(rest)
  assert.equal(before.meetings.length, meetingsCount)
  assert.deepEqual(before.transcripts, [1, 1, 1])
  tell(`${meetingsCount} meetings with ${guestsCount} people`)

  step('Import the same week again: nothing changes')
  const second = await importWeek(rest)
  assert.deepEqual([second.created, second.updated, second.unchanged], [[], [], meetingsCount])
  assert.deepEqual(await stateOf(rest), before)
  tell(`${second.unchanged} unchanged`)

  step('Search what was said')
  const { body } = await rest.call(meetings.searchTranscripts, { workspace, q: 'analytical engine' })
  const hits = body.data.map(({ attributes: { speaker, text } }) => `${speaker}: ${text}`).toSorted()
  assert.equal(hits.length, 2)
  for (const hit of hits) tell(hit)
}

/** Imports the calendar, and adds what was said to the meetings where it is not yet; elsewhere it replaces it. */
async function importWeek(rest: RestClient) {
  const { body } = await rest.call(meetings.importCalendar, { workspace, body: { ics } })
  for (const [title, lines] of Object.entries(said)) {
    const meetingId = await meetingOf(rest, title)
    const { body: known } = await rest.call(meetings.listRecordings, { workspace, meetingId })
    const [recording] = known.data
    await rest.call(meetings.uploadTranscript, {
      workspace,
      meetingId,
      body: { transcript: transcriptOf(lines), ...(recording !== undefined && { recordingId: recording.id }) },
    })
  }
  await untilPeople(rest)
  return body.data
}

async function list(rest: RestClient, object: string, filter: Record<string, Record<string, string>> = {}) {
  const { body } = await rest.call(resources.list, { workspace, object, filter, page: { limit: 100 } })
  assert.ok('data' in body)
  return body.data
}

async function meetingOf(rest: RestClient, title: string): Promise<string> {
  const [found] = await list(rest, 'meeting', { title: { Is: title } })
  assert.ok(found)
  return found.id
}

/** The guests become persons, by a job. */
async function untilPeople(rest: RestClient): Promise<void> {
  for (const began = Date.now(); (await list(rest, 'person')).length < guestsCount; await sleep(100))
    assert.ok(Date.now() < began + patienceMs, 'the people of the meetings have not come')
}

/** Everything that there is of the week. */
async function stateOf(rest: RestClient) {
  const people = await list(rest, 'person')
  const found = await list(rest, 'meeting')
  const transcripts: number[] = []
  for (const title of Object.keys(said)) {
    const meetingId = await meetingOf(rest, title)
    const { body } = await rest.call(meetings.listRecordings, { workspace, meetingId })
    transcripts.push(body.data.length)
  }
  return {
    people: people.map(({ id }) => id).toSorted(),
    meetings: found.map(({ id, attributes: { title, start } }) => `${id} ${String(title)} ${String(start)}`).toSorted(),
    transcripts,
  }
}

await inNewFolder('meetings', {}, () => withServer(walk))
