import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { assert, describe, expect, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { startNodes } from '../harness/citus-nodes.ts'
import { hasCitus } from '../harness/citus.ts'
import { followEvents } from '../harness/event-stream.ts'
import { createKey } from '../harness/people.ts'
import { until } from '../harness/until.ts'

/** Workspaces on each node, at least: more than there are nodes. */
const perNode = 4

/** Longer than events are kept. */
const expiredMs = 31 * 24 * 3_600_000

/** Ends what hangs. */
const limits = { timeout: 300_000 }

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

type Nodes = Awaited<ReturnType<typeof startNodes>>

/** An app on three nodes, and workspaces on each node with a key each. */
async function startTenants(nodes: Nodes) {
  const app = await startApp({ databaseUrl: nodes.url })
  const made: { readonly slug: string; readonly key: string; readonly node: string | undefined }[] = []
  while (nodes.workers.some(({ folder }) => made.filter(({ node }) => node === folder).length < perNode)) {
    const slug = `tenant-${made.length}`
    const as = await app.addWorkspace(slug)
    const { key } = await createKey(app.api.post, as, { workspace: slug })
    made.push({ slug, key, node: await nodes.nodeOf(await app.workspaceId(slug)) })
  }
  const send = (method: string, { slug, key }: { readonly slug: string; readonly key: string }, path: string) =>
    app.http.send({
      method,
      url: `${app.baseUrl}/workspaces/${slug}/${path}`,
      headers: { Authorization: `api-key ${key}`, 'Content-Type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify({ data: { type: 'person', attributes: {} } }) }),
    })
  const create = async (tenant: (typeof made)[number]): Promise<void> =>
    expect((await send('POST', tenant, 'objects/person/records')).status).toBe(201)
  const listEvents = (tenant: (typeof made)[number]) => send('GET', tenant, 'events')
  for (const tenant of made) await create(tenant)
  await app.idle()
  const [dead] = nodes.workers
  const others = made.filter(({ node }) => node !== dead?.folder)
  const lost = made.filter(({ node }) => node === dead?.folder)
  return { app, create, listEvents, dead, others, lost }
}

describe.runIf(hasCitus())('while a node does not answer', () => {
  test('upkeep asks each node once, and does the work of the others', limits, async () => {
    const nodes = await startNodes()
    const { app, dead, others, lost, listEvents } = await startTenants(nodes)
    await dead?.kill()
    const searches = searchesOfEvents()
    await app.advance(expiredMs)
    for (const tenant of lost) expect((await listEvents(tenant)).status).toBe(503)
    for (const tenant of others)
      await until(async () => (await listEvents(tenant)).body.data.length === 0, { withinMs: 60_000 })
    // All at once, and then each of the two nodes.
    const rounds = searches.filter((text) => text.startsWith('select distinct') && !text.includes('any(')).length
    expect(searches.length).toBeLessThanOrEqual(rounds * (1 + nodes.workers.length))
    await dead?.start()
    for (const tenant of lost) await until(async () => (await listEvents(tenant)).status === 200, { withinMs: 60_000 })
    app.takeErrors()
  })

  test('streams of the others go on', limits, async () => {
    const nodes = await startNodes()
    const { app, create, dead, others, lost } = await startTenants(nodes)
    const [away, here] = [lost[0], others[0]]
    assert(away && here)
    await followEvents(app, { elsewhere: away })
    const stream = await followEvents(app, { elsewhere: here })
    await dead?.kill()
    await create(here)
    await until(() => stream.events.length > 0, { withinMs: 60_000 })
    await dead?.start()
    app.takeErrors()
  })
})
