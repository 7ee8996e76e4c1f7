import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exampleIds } from '@kontor/contract'
import { expect, test } from 'vitest'
import { emptyDatabase } from '../harness/database.ts'
import { httpClient, type Json } from '../harness/http.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { startServer } from '../harness/server-process.ts'
import { visitorOf } from '../harness/visitor.ts'

test(
  'the first start prints a link to set the password of the admin, later ones where to sign in',
  { timeout: 60_000 },
  async ({ onTestFinished }) => {
    const scratch = await emptyDatabase()
    const http = httpClient()
    onTestFinished(async () => {
      http.close()
      await scratch.remove()
    })
    const settings = { KONTOR_DEMO: '1', DATA_DIR: await scratchFolder() }
    const first = await startServer(scratch.url, settings)
    await expect.poll(first.output).toMatch(/Admin +admin@example\.com; set a password within an hour:/)
    const [link = ''] = /http\S+\/auth\/password\?token=[\w-]{43}/.exec(first.output()) ?? []
    const browser = visitorOf({ http, origin: new URL(first.baseUrl).origin })
    await browser.go(link)
    // Setting the password signs in, and the password does from then on.
    expect((await browser.submit('/auth/password', { password: 'quiet rivers run deep' })).status).toBe(303)
    expect((await browser.go('/auth/account')).body).toContain('admin@example.com')
    const other = visitorOf({ http, origin: new URL(first.baseUrl).origin })
    expect((await other.signIn('admin@example.com', 'quiet rivers run deep')).status).toBe(303)
    expect(await first.terminate()).toBe(0)

    const second = await startServer(scratch.url, settings)
    await expect.poll(second.output).toMatch(/Sign in +http:\/\/127\.0\.0\.1:\d+\/auth\/sign-in as admin@example\.com/)
    expect(second.output()).not.toContain('token=')
    expect(await second.terminate()).toBe(0)
  },
)

test(
  'the sample data has what automation looks like: runs that failed too, recipients of each status, both switches',
  { timeout: 120_000 },
  async ({ onTestFinished }) => {
    const scratch = await emptyDatabase()
    const http = httpClient()
    onTestFinished(async () => {
      http.close()
      await scratch.remove()
    })
    const dataDir = await scratchFolder()
    const server = await startServer(scratch.url, { DATA_DIR: dataDir, KONTOR_DEMO: '1' })
    const headers = { Authorization: `api-key ${readFileSync(join(dataDir, 'demo-api-key'), 'utf8').trim()}` }
    const get = async (path: string): Promise<Json> =>
      (await http.send({ method: 'GET', url: `${server.baseUrl}/workspaces/acme${path}`, headers })).body
    const statuses = async (workflow: Json): Promise<string[]> =>
      (await get(`/workflows/${workflow.id}/runs`)).data.map(({ attributes }: Json) => attributes.status)
    const workflows: Json[] = (await get('/workflows?filter[type]=workflow&filter[enabled]=true')).data
    expect(workflows).toHaveLength(2)
    // The runs of the sample data end as soon as the server serves, but for one, which waits for two weeks.
    await expect
      .poll(async () => (await Promise.all(workflows.map(statuses))).flat().toSorted(), { timeout: 30_000 })
      .toEqual(['cancelled', 'failed', 'success', 'success', 'success', 'waiting'])

    const campaigns = (await get('/campaigns')).data
    expect(campaigns.map(({ attributes }: Json) => attributes.state)).toEqual(['running', 'paused'])
    const counted = ['scheduled', 'completed', 'paused', 'failed', 'unsubscribed'].map(async (status) => {
      const pages = await Promise.all(
        campaigns.map(({ id }: Json) => get(`/campaigns/${id}/recipients?filter[status]=${status}`)),
      )
      return [status, pages.map(({ meta }) => meta.total_records)] as const
    })
    expect(Object.fromEntries(await Promise.all(counted))).toEqual({
      scheduled: [26, 0],
      completed: [5, 0],
      paused: [0, 12],
      failed: [5, 0],
      unsubscribed: [5, 0],
    })

    const engaged = ['opened', 'clicked', 'replied'].map(
      async (event) =>
        (await get(`/campaigns/${campaigns[0].id}/recipients?filter[event]=${event}`)).meta.total_records > 0,
    )
    expect(await Promise.all(engaged)).toEqual([true, true, true])

    const said: Json[] = (await get('/transcripts?page[limit]=100')).data
    expect(new Set(said.map(({ attributes }) => attributes.meeting_id)).size).toBe(2)
    const reviews = (await get('/objects/meeting/resources?filter[title]=Review%20of%20the%20compiler')).data
    const attached = async (object: string, id: string): Promise<Json[]> =>
      (await get(`/objects/${object}/records/${id}/attachments`)).data.map(({ name }: Json) => name)
    expect(await attached('person', exampleIds.person)).toEqual(['offer.txt'])
    expect(await attached('meeting', reviews[0]?.id)).toEqual(['minutes.txt'])

    const meetings = (await get('/objects/meeting/resources?page[limit]=1000')).data
    const switches = new Set(meetings.map(({ attributes }: Json) => attributes.recording_enabled))
    expect([true, false].filter((one) => switches.has(one))).toEqual([true, false])
    expect((await get('/agents')).data).toHaveLength(1)

    const [webhook] = (await get('/webhooks')).data
    expect(webhook.attributes).toMatchObject({ enabled: false, url: 'https://receiver.example/kontor' })
    // The webhook misses what its workflows do as soon as the server serves.
    const all: Json[] = (await get(`/webhooks/${webhook.id}/deliveries`)).data
    const deliveries = all.filter(({ attributes }) => attributes.status !== 'skipped_disabled')
    expect(deliveries.map(({ attributes }) => [attributes.event.type, attributes.status, attributes.attempts])).toEqual(
      [
        ['webhook.test', 'succeeded', 1],
        ['record.updated', 'succeeded', 1],
        ['record.updated', 'succeeded', 1],
        ['record.updated', 'succeeded', 2],
      ],
    )
    const { log } = (await get(`/webhooks/${webhook.id}/deliveries/${deliveries[3]!.id}`)).data.attributes
    expect(log.map(({ response }: Json) => [response.status, response.body])).toEqual([
      [503, 'Starting'],
      [200, 'Taken'],
    ])
    expect(await server.terminate()).toBe(0)
  },
)

test('a server limits tries to sign in by itself', { timeout: 30_000 }, async ({ onTestFinished }) => {
  const scratch = await emptyDatabase()
  const http = httpClient()
  onTestFinished(async () => {
    http.close()
    await scratch.remove()
  })
  const server = await startServer(scratch.url)
  const browser = visitorOf({ http, origin: new URL(server.baseUrl).origin })
  const tries: number[] = []
  for (let round = 0; round < 12; round++)
    tries.push((await browser.signIn(`unknown-${round}@example.com`, 'not the password')).status)
  expect(tries.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 422))
  expect(tries).toContain(429)
  expect(await server.terminate()).toBe(0)
})
