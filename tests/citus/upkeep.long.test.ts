import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, expect, onTestFinished, test } from 'vitest'
import { answered } from '../cli/kontor.ts'
import { startApp } from '../harness/app.ts'
import { startNodes } from '../harness/citus-nodes.ts'
import { hasCitus } from '../harness/citus.ts'
import type { Answer } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'
import { until } from '../harness/until.ts'

/** Workspaces on each node, at least: more than there are nodes. */
const perNode = 4

/** Longer than events are kept. */
const expiredMs = 31 * 24 * 3_600_000

/** Ends what hangs. */
const limits = { timeout: 300_000 }

const ofOneWorkspace = /"workspace_id" = \$/

/** Collects the statements that look for workspaces with old events. */
function searchesOfEvents(): string[] {
  const texts: string[] = []
  const hear = (message: unknown): void => {
    const { text } = message as { readonly text: string }
    if (/^select .*"workspace_id" from "event_head"/.test(text)) texts.push(text)
  }
  subscribe('kontor:statement', hear)
  onTestFinished(() => void unsubscribe('kontor:statement', hear))
  return texts
}

/** An app on three nodes with jobs, and workspaces on each node with a key and events each. */
async function startTenants(nodes: Awaited<ReturnType<typeof startNodes>>) {
  const app = await startApp({ databaseUrl: nodes.url })
  await app.startJobs()
  const made: { readonly node: string | undefined; readonly list: () => Promise<Answer> }[] = []
  while (nodes.workers.some(({ folder }) => made.filter(({ node }) => node === folder).length < perNode)) {
    const slug = `tenant-${made.length}`
    const as = await app.addWorkspace(slug)
    const { key } = await createKey(app.api.post, as, { workspace: slug })
    const headers = { Authorization: `api-key ${key}` }
    const list = () => app.http.send({ method: 'GET', url: `${app.baseUrl}/workspaces/${slug}/events`, headers })
    made.push({ list, node: await nodes.nodeOf(await app.workspaceId(slug)) })
  }
  await until(async () => (await countEvents(made)).every((events) => events > 0), { what: 'numbers of events' })
  return { app, made }
}

const countEvents = (some: readonly { readonly list: () => Promise<Answer> }[]): Promise<number[]> =>
  Promise.all(some.map(async ({ list }) => (await list()).body.data?.length))

describe.runIf(hasCitus())('upkeep while a node does not answer', () => {
  test('asks each node once, and does the work of the others', limits, async () => {
    const nodes = await startNodes()
    const { app, made } = await startTenants(nodes)
    const [dead] = nodes.workers
    const [lost, others] = [
      made.filter(({ node }) => node === dead?.folder),
      made.filter(({ node }) => node !== dead?.folder),
    ]
    await dead?.kill()
    const searches = searchesOfEvents()
    await app.advance(expiredMs)
    const isEmpty = async (some: typeof made) => (await countEvents(some)).every((events) => events === 0)
    await until(() => isEmpty(others), { withinMs: 60_000, what: () => countEvents(others) })
    for (const { list } of lost) expect((await list()).status).toBe(503)
    expect(searches.filter((text) => !text.includes('any(')).length).toBeLessThanOrEqual(1)
    expect(searches.filter((text) => ofOneWorkspace.test(text))).toEqual([])
    const { body: figures } = await app.http.send({ method: 'GET', url: `${app.origin}/metrics` })
    for (const figure of ['kontor_nodes_lost 1', String.raw`kontor_outbox_waiting \d+`])
      expect(figures).toMatch(new RegExp(`^${figure}$`, 'm'))
    const { json: jobs } = await answered(['jobs', 'list', '--json'], { DATABASE_URL: nodes.url, LOG_LEVEL: 'silent' })
    expect(jobs).toMatchObject({ failed: 0, events: { waiting: expect.any(Number) }, nodes_lost: 1 })
    await dead?.start()
    await until(() => isEmpty(lost), { withinMs: 60_000, what: () => countEvents(lost) })
    app.takeErrors()
  })
})
