import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { startNodes } from '../harness/citus-nodes.ts'
import { hasCitus } from '../harness/citus.ts'
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

describe.runIf(hasCitus())('upkeep while a node does not answer', () => {
  test('asks each node once, and does the work of the others', limits, async () => {
    const nodes = await startNodes()
    const app = await startApp({ databaseUrl: nodes.url })
    const made: { readonly slug: string; readonly key: string; readonly node: string | undefined }[] = []
    while (nodes.workers.some(({ folder }) => made.filter(({ node }) => node === folder).length < perNode)) {
      const slug = `tenant-${made.length}`
      const as = await app.addWorkspace(slug)
      const { key } = await createKey(app.api.post, as, { workspace: slug })
      const created = await app.api.post(`/workspaces/${slug}/objects/person/records`, {
        as,
        body: { data: { type: 'person', attributes: {} } },
      })
      expect(created.status).toBe(201)
      made.push({ slug, key, node: await nodes.nodeOf(await app.workspaceId(slug)) })
    }
    await app.idle()
    const [dead] = nodes.workers
    await dead?.kill()
    const searches = searchesOfEvents()
    await app.advance(expiredMs)
    const send = (slug: string, key: string) =>
      app.http.send({
        method: 'GET',
        url: `${app.baseUrl}/workspaces/${slug}/events`,
        headers: { Authorization: `api-key ${key}` },
      })
    for (const { slug, key, node } of made) {
      if (node === dead?.folder) expect((await send(slug, key)).status).toBe(503)
      else
        await until(async () => (await send(slug, key)).body.data.length === 0, { withinMs: 60_000, what: () => slug })
    }
    // All at once, and then each of the two nodes.
    const rounds = searches.filter((text) => text.startsWith('select distinct') && !text.includes('any(')).length
    expect(searches.length).toBeLessThanOrEqual(rounds * (1 + nodes.workers.length))
    await dead?.start()
    const live = async () =>
      (await Promise.all(made.map(({ slug, key }) => send(slug, key)))).map(({ status }) => status)
    await until(async () => (await live()).every((status) => status === 200), { withinMs: 60_000 })
    app.takeErrors()
  })
})
