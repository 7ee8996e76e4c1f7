import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { holdRecord } from '../harness/held-record.ts'
import { follower, type Polling } from '../harness/polling.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { apiOf } from '../harness/api.ts'

// Three nodes: two in this process, whose clocks can be set, and a server of its own.
const app = await startApp()
const second = await startApp({ beside: app })

type Api = Pick<typeof app, 'api'>

/** With a key, since tokens end when a clock is set forwards. */
const recordsOn = (node: Api) => recordsOf(node, 'memberKey')

let serial = 0
const title = (): string => `Title ${++serial}`

/** An object of its own for each test, and a text of it that is changed. */
type Subject = { readonly object: string; readonly field: string }

/**
 * Writes for a while, and until that is enough, as different people do: much and little, new and again, all at once.
 */
async function writeFor(
  ms: number,
  isEnough: () => boolean,
  nodes: readonly Api[],
  { object, field }: Subject,
): Promise<void> {
  const ids: string[] = []
  const end = performance.now() + ms
  const repeat = async (work: (node: Api, turn: number) => Promise<void>, pauseMs: number) => {
    for (let turn = 0; performance.now() < end || !isEnough(); turn++) {
      await work(nodes[turn % nodes.length]!, turn)
      await sleep(pauseMs)
    }
  }
  const single = async (node: Api) => {
    const { body } = await recordsOn(node).post(object, { [field]: title() })
    ids.push(body.data.id)
  }
  const again = async (node: Api, turn: number) => {
    const id = ids[(turn * 7919) % Math.max(1, ids.length)]
    if (id !== undefined) await recordsOn(node).patch(object, id, { [field]: title() })
  }
  const many = async (node: Api) => {
    ids.push(
      ...(
        await recordsOn(node).createMany(
          object,
          Array.from({ length: 300 }, () => ({ [field]: title() })),
        )
      ).map(({ id }) => id),
    )
  }
  const manyAgain = async (node: Api, turn: number) => {
    const data = ids
      .filter((_, index) => index % 9 === turn % 9)
      .slice(0, 150)
      .map((id) => ({ type: object, id, attributes: { [field]: title() } }))
    if (data.length > 0) await node.api.patch(recordsPath(object), { as: 'memberKey', body: { data } })
  }
  await Promise.all([
    repeat(single, 0),
    repeat(single, 1),
    repeat(single, 3),
    repeat(again, 0),
    repeat(again, 5),
    repeat(many, 120),
    repeat(manyAgain, 150),
  ])
}

/** Reads the final state, by walking everything. */
async function everything(object: string): Promise<Map<string, Json>> {
  const found = new Map<string, Json>()
  let next: string | null = `${resourcesPath(object)}?page[limit]=1000`
  while (next !== null) {
    const { body }: { body: Json } = await app.api.get(next, { as: 'memberKey' })
    for (const { attributes } of body.data) found.set(attributes._id, attributes)
    next = body.links.next
  }
  return found
}

const pollings: readonly Polling[] = [
  { query: { 'sortOrder[column]': '_updated_at', 'sortOrder[dir]': 'ASC', 'page[limit]': 50 } },
  { query: { 'page[limit]': 200 }, pauseMs: 20 },
  {
    query: { 'sortOrder[column]': '_created_by', 'sortOrder[dir]': 'DESC', 'page[limit]': 5000, 'page[total]': 'none' },
    pauseMs: 100,
  },
]

/** The property: who polls by the latest time seen has, in the end, everything as it is. */
async function expectNothingMissed(
  subject: Subject,
  nodes: readonly Api[],
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  const { object, field } = subject
  const stop = { stopped: false }
  const followers = pollings.flatMap((polling) => [app, second].map((node) => follower(node, object, polling)))
  const newcomers = follower(second, object, { by: '_created_at', query: { 'page[limit]': 100 } })
  const following = [...followers, newcomers].map(({ follow }) => follow(stop))
  const havePolled = () => followers.every(({ polls }) => polls() > 2)
  await Promise.all([writeFor(4000, havePolled, nodes, subject), meanwhile()])
  stop.stopped = true
  await Promise.all(following)
  const all = await everything(object)
  expect(all.size).toBeGreaterThan(300)
  for (const { copy } of followers) {
    expect(
      [...all].filter(([id, attributes]) => copy.get(id)?.[field] !== attributes[field]).length,
      `missed of ${all.size}`,
    ).toBe(0)
  }
  expect([...all.keys()].filter((id) => !newcomers.copy.has(id))).toEqual([])
}

describe('who polls by time misses nothing', () => {
  test('while several apps write all the time', { timeout: 300_000 }, async () => {
    const server = await startServer(app.databaseUrl)
    const third = { api: apiOf(app.http, server.baseUrl, app.credentials) }
    await expectNothingMissed({ object: 'company', field: 'industry' }, [app, second, third])
  })

  test('while clocks differ, and one is set forwards and back', { timeout: 300_000 }, async () => {
    await second.advance(-2500)
    await expectNothingMissed({ object: 'deal', field: 'currency' }, [app, second], async () => {
      for (const ms of [90_000, -3_600_000, 86_400_000, -90_000_000, 60_000]) {
        await sleep(700)
        await app.advance(ms)
      }
    })
  })

  test.for([100, 1800])('while a change is under way for %i ms, and later ones overtake it', async (ms) => {
    const { poll, copy } = follower(second, 'meeting')
    const [slow] = await recordsOn(app).createMany('meeting', [{ title: title() }, {}, {}])
    await poll()
    const letGo = await holdRecord(app.databaseUrl, slow.id)
    const changed = recordsOn(app).patch('meeting', slow.id, { title: 'Overtaken' })
    await sleep(30)
    const overtaking = Promise.all(
      [app, second, app].map((node) => recordsOn(node).post('meeting', { title: title() })),
    )
    await sleep(30)
    const polled = poll()
    await sleep(ms)
    await letGo()
    const made = [await changed, ...(await overtaking)].map(({ body }) => body.data)
    await polled
    await poll()
    expect(made.map(({ id }) => copy.get(id)?.title)).toEqual(made.map(({ attributes }) => attributes.title))
  })

  test('and sees what it has written itself, at once, on every app', async () => {
    const copies = [follower(app, 'task'), follower(second, 'task')]
    for (const [turn, node] of [app, second, app, second, app].entries()) {
      const { body } = await recordsOn(node).post('task', { title: title() })
      for (const { poll, copy } of turn % 2 === 0 ? copies : copies.toReversed()) {
        await poll()
        expect(copy.get(body.data.id)?.title).toBe(body.data.attributes.title)
      }
    }
  })
})

test('a poll that finds nothing new finds nothing, and leaves nothing', async () => {
  const { poll, copy, since } = follower(app, 'task')
  await poll()
  const size = copy.size
  const before = since()
  await poll()
  expect([copy.size, since()]).toEqual([size, before])
})

test('the times of a record never go backwards, whatever the clocks do', async () => {
  const { id } = await recordsOn(app).create('task', { title: title() })
  const times: string[] = []
  for (const ms of [0, 3_600_000, -7_200_000, 1000, -86_400_000, 90_000_000]) {
    await app.advance(ms)
    times.push((await recordsOn(app).patch('task', id, { title: title() })).body.data.attributes._updated_at)
  }
  expect(times).toEqual(times.toSorted())
})
