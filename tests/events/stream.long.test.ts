import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import { followEvents } from '../harness/event-stream.ts'
import { logOf } from '../harness/events.ts'
import type { Json } from '../harness/http.ts'
import { say } from '../harness/long-run.ts'
import { peakMemory } from '../harness/memory.ts'
import { openAnswer } from '../harness/open-answer.ts'
import { createKey } from '../harness/people.ts'
import { recordsOf } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'

const app = await startApp()
const { api } = app
const W = '/workspaces/acme'
await logOf(app).end()

/** The interval of the signs of life of a stream, as the reference has it. */
const signOfLifeMs = 25_000

const until = (look: () => unknown, withinMs: number) =>
  expect.poll(look, { timeout: withinMs, interval: 5 }).toBeTruthy()

describe('an idle stream', { timeout: 120_000 }, () => {
  test('gives a sign of life with the position that was reached, whatever its filter left out', async () => {
    const stream = await followEvents(app, { query: { 'filter[object]': 'person' } })
    await recordsOf(app).createMany('deal', [{}, {}, {}])
    const reached = await logOf(app).end()
    const from = performance.now()
    await until(() => stream.text().includes(': still here\n'), signOfLifeMs + 5000)
    expect(performance.now() - from).toBeLessThan(signOfLifeMs)
    expect(stream.events).toEqual([])
    expect(stream.ids).toEqual([reached])
    await until(() => stream.ids.length === 2, signOfLifeMs + 5000)
  })

  test('ends within that time when access does: by expiry, by a revoked key, by the removal of a member', async () => {
    const revoked = await createKey(api.post, 'admin')
    const expiring = await createKey(api.post, 'admin', { expiresAt: new Date(app.now() + 3_600_000).toISOString() })
    const leaver = await app.addMember('member', 'leaver')
    const { viewer } = app.credentials.cast.tokens
    const follow = (authorization: string) => followEvents(app, { as: { authorization } })
    const [byExpiring, byToken] = [await follow(`api-key ${expiring.key}`), await follow(`Bearer ${viewer}`)]
    await logOf(app).end()
    // Longer than either holds; nothing happens that streams would tell of.
    await app.advance(2 * 3_600_000)
    expect(await endedIn(signOfLifeMs, [byExpiring, byToken])).toEqual([true, true])
    const [byRevoked, byLeaver] = [await follow(`api-key ${revoked.key}`), await follow(await again(leaver.id))]
    const stays = await followEvents(app, { as: 'adminKey' })
    await api.delete(`${W}/api-keys/${revoked.id}`)
    await api.delete(`${W}/users/${leaver.id}`)
    expect(await endedIn(signOfLifeMs, [byRevoked, byLeaver])).toEqual([true, true])
    const { id } = await recordsOf(app, 'adminKey').create('deal', {})
    await until(() => stays.text().includes(id), 10_000)
    for (const { text } of [byExpiring, byToken, byRevoked, byLeaver]) expect(text()).not.toContain(id)
  })
})

test('an event reaches a listener on the same node soon', async () => {
  const stream = await followEvents(app)
  const took: number[] = []
  for (let number = 1; number <= 40; number++) {
    await recordsOf(app).create('deal', {})
    const from = performance.now()
    await until(() => stream.events.length >= number, 10_000)
    took.push(stream.events[number - 1].at - from)
  }
  // The lag on a machine that does nothing else is measured in bench (`listening`).
  expect(took.toSorted((a, b) => a - b)[took.length / 2]).toBeLessThan(500)
})

/** A token that is valid after the clock has gone on. */
const again = async (userId: string): Promise<string> => `Bearer ${(await app.issuer.mint(userId)).access_token}`

/** Returns whether streams were ended as they should, within a time. */
const endedIn = (ms: number, streams: readonly { readonly ended: Promise<boolean> }[]): Promise<unknown> =>
  Promise.race([
    Promise.all(streams.map(({ ended }) => ended)),
    sleep(ms, undefined, { ref: false }).then(() => 'still open'),
  ])

/** The number of followers of events at a server. */
const followersOf = async (baseUrl: string): Promise<number> => {
  const metrics = await (await fetch(`${new URL(baseUrl).origin}/metrics`)).text()
  return Number(/^kontor_event_followers (\d+)$/m.exec(metrics)?.[1])
}

/** Makes events of a hundred kilobytes each. */
async function fill(baseUrl: string, count: number): Promise<void> {
  const records = recordsOf({ api: apiOf(app.http, baseUrl, app.credentials) }, 'adminKey')
  const description = 'x'.repeat(100_000)
  for (let made = 0; made < count; made += 20)
    await records.createMany(
      'person',
      Array.from({ length: 20 }, () => ({ description })),
    )
}

/** Followers that read nothing: for each of them, a server that kept what they have not read would hold 10 MB. */
const lazy = 60
const events = 100

test('clients that read nothing cost no memory, and are cut off', { timeout: 240_000 }, async () => {
  const server = await startServer(app.databaseUrl)
  const there = { baseUrl: server.baseUrl, credentials: app.credentials }
  const before = await logOf(app).end()
  const alone = await peakMemory(server.pid, () => fill(server.baseUrl, events))
  // Half begin at the end of the log, half far behind.
  const open = (query: Record<string, string>) =>
    Promise.all(Array.from({ length: lazy / 2 }, () => openAnswer(there, `${W}/events/stream`, { query })))
  const streams = [...(await open({})), ...(await open({ after: String(before) }))]
  for (const stream of streams) stream.on('error', () => undefined)
  expect(await followersOf(server.baseUrl)).toBe(lazy)
  const beside = await peakMemory(server.pid, () => fill(server.baseUrl, events))
  say(`peak of ${alone.toFixed(0)} MiB without them, of ${beside.toFixed(0)} MiB with ${lazy}`)
  expect(beside - alone).toBeLessThan(300)
  await expect.poll(() => followersOf(server.baseUrl), { timeout: 90_000, interval: 500 }).toBe(0)
  for (const stream of streams) stream.destroy()
  expect(await server.terminate()).toBe(0)
})

test('a client that reads slowly is not cut off, and gets everything', { timeout: 240_000 }, async () => {
  const server = await startServer(app.databaseUrl)
  const there = { baseUrl: server.baseUrl, credentials: app.credentials }
  const after = await logOf(app).end()
  await fill(server.baseUrl, events)
  const from = performance.now()
  const stream = await openAnswer(there, `${W}/events/stream`, { query: { after: String(after) } })
  let ids = 0
  let rest = ''
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop()!
    ids += lines.filter((line) => line.startsWith('id: ')).length
    // 200 KB a second, so that all of it takes longer than a client has that takes nothing.
    stream.pause()
    setTimeout(() => stream.resume(), chunk.length / 200)
  })
  stream.resume()
  await until(() => ids >= events, 150_000)
  expect(performance.now() - from).toBeGreaterThan(35_000)
  stream.destroy()
})

test('goes on where it was after the server was killed: nothing is missed and nothing comes twice', async () => {
  const before = await logOf(app).end()
  const made: string[] = []
  const ids: number[] = []
  const told: string[] = []
  let lastEventId: string | undefined
  for (let round = 0; round < 4; round++) {
    const server = await startServer(app.databaseUrl)
    const there = { ...app, baseUrl: server.baseUrl }
    const stream = await followEvents(there, {
      as: 'adminKey',
      ...(lastEventId === undefined ? { query: { after: String(before) } } : { lastEventId }),
    })
    expect(stream.response.status).toBe(200)
    const records = recordsOf({ api: apiOf(app.http, server.baseUrl, app.credentials) }, 'adminKey')
    for (let count = 0; count < 30; count++) made.push((await records.create('deal', {})).id)
    // The last round waits for all; the others are killed in the midst of it.
    if (round === 3) await until(() => told.length + stream.events.length === made.length, 15_000)
    await server.kill()
    await stream.ended
    ids.push(...stream.ids.slice(0, stream.events.length))
    told.push(...stream.events.map(({ attributes }: Json) => attributes.record_id))
    lastEventId = String(stream.ids.at(-1) ?? lastEventId ?? before)
  }
  expect(told).toEqual(made)
  expect(ids).toEqual(made.map((_, index) => before + 1 + index))
}, 120_000)
