import { assert, describe, expect, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { startNodes } from '../harness/citus-nodes.ts'
import { hasCitus } from '../harness/citus.ts'
import { FollowedLog } from '../harness/followed-log.ts'
import { httpClient, type Json } from '../harness/http.ts'
import { say } from '../harness/long-run.ts'
import { createKey } from '../harness/people.ts'
import { receiver } from '../harness/receiver.ts'
import { startServer } from '../harness/server-process.ts'
import { Tenant, type Place } from '../harness/tenant.ts'
import { until } from '../harness/until.ts'

const key = 'a key of at least thirty-two characters'
const settings = { ENCRYPTION_KEYS: key, WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }

/** Workspaces on each node, at least. */
const perNode = 2

/** Ends what hangs. */
const limits = { timeout: 480_000 }

/** A line of the server's log. */
const failedUpkeepOf = (workspaceId: string): RegExp =>
  new RegExp(`"workspaceId":"${workspaceId}","msg":"the upkeep of a workspace failed`)

/** Makes a task for each deal. */
const workflow = {
  name: 'Call',
  enabled: true,
  trigger: { plugin_id: 'on:svc:create:record', input: { object: 'deal' }, next: 'call' },
  blocks: {
    call: {
      prev: 'trigger',
      next: null,
      plugin_id: 'svc:create:record',
      input: { object: 'task', attributes: { title: 'Call' } },
    },
  },
}

type Nodes = Awaited<ReturnType<typeof startNodes>>

/**
 * A server on the distributed tables, and workspaces on each worker, each with a load, a webhook, a workflow and a
 * stream.
 */
async function startTenants(nodes: Nodes) {
  const app = await startApp({ databaseUrl: nodes.url, encryptionKeys: [key] })
  const { baseUrl, output, terminate } = await startServer(nodes.url, settings)
  const tenants: Tenant[] = []
  const logs = new Map<Tenant, FollowedLog>()
  const workflows = new Map<Tenant, string>()
  const there = await receiver()
  const isMissing = (): boolean =>
    nodes.workers.some(({ folder }) => tenants.filter(({ place }) => place.node === folder).length < perNode)
  while (isMissing()) {
    const slug = `tenant-${tenants.length}`
    const as = await app.addWorkspace(slug)
    const id = await app.workspaceId(slug)
    const { key: apiKey } = await createKey(app.api.post, as, { workspace: slug })
    const made = await app.api.post(`/workspaces/${slug}/webhooks`, {
      as,
      body: { url: `${there.url}/${slug}`, events: ['record.created'] },
    })
    expect(made.status).toBe(201)
    const begun = await app.api.post(`/workspaces/${slug}/workflows`, { as, body: workflow })
    expect(begun.status).toBe(201)
    const tenant = new Tenant(baseUrl, { slug, id, key: apiKey, node: (await nodes.nodeOf(id)) ?? '' })
    const log = new FollowedLog(baseUrl, tenant.place, 'person')
    await log.connected
    tenants.push(tenant)
    logs.set(tenant, log)
    workflows.set(tenant, begun.body.data.id)
  }
  const deliveredOf = ({ place }: Tenant): Set<string> =>
    new Set(there.got.filter(({ path }) => path.endsWith(`/${place.slug}`)).map(({ body }) => body.record_id))
  return {
    tenants,
    output,
    terminate,
    deliveredOf,
    toldOf: (tenant: Tenant): FollowedLog => logs.get(tenant)!,
    runsOf: (tenant: Tenant) => runsOf(baseUrl, tenant.place, workflows.get(tenant)!),
  }
}

/** Lets the workflow of a workspace run; returns how many runs have been successful. */
function runsOf(baseUrl: string, { slug, key: apiKey }: Place, workflowId: string) {
  const { send, close } = httpClient()
  onTestFinished(close)
  const headers = { Authorization: `api-key ${apiKey}`, 'Content-Type': 'application/json' }
  const url = `${baseUrl}/workspaces/${slug}`
  return {
    begin: async (): Promise<void> => {
      const body = JSON.stringify({ data: { type: 'deal', attributes: { name: 'Offer' } } })
      expect((await send({ method: 'POST', url: `${url}/objects/deal/records`, headers, body })).status).toBe(201)
    },
    ended: async (): Promise<number> => {
      const { body } = await send({ method: 'GET', url: `${url}/workflows/${workflowId}/runs`, headers })
      return body.data.filter(({ attributes }: Json) => attributes.status === 'success').length
    },
  }
}

/**
 * Asserts that nothing acknowledged is lost, that each webhook came, and each event once and in order, and that `doctor
 * --deep` finds nothing.
 */
async function expectWhole(nodes: Nodes, { tenants, deliveredOf, toldOf, output, terminate }: Started): Promise<void> {
  for (const tenant of tenants) {
    await tenant.stop()
    expect(tenant.faults).toEqual([])
    expect(await tenant.differences()).toEqual([])
    const undelivered = () => [...tenant.titles.keys()].filter((id) => !deliveredOf(tenant).has(id)).length
    await until(() => undelivered() === 0, { withinMs: 120_000, what: undelivered })
    const told = toldOf(tenant)
    const untold = () => [...tenant.titles.keys()].filter((id) => !told.ids.includes(id)).length
    await until(() => untold() === 0, { withinMs: 120_000, what: untold })
    expect(told.ids).toHaveLength(tenant.titles.size)
    expect(told.isInOrder).toBe(true)
  }
  expect(await nodes.verify()).toEqual([])
  expect(output()).not.toMatch(/"level":[56]0/)
  expect(await terminate()).toBe(0)
}

/** Asserts that streams hear of changes, that webhooks send, and that a workflow runs to its end. */
async function expectWork({ deliveredOf, toldOf, runsOf: runs }: Started, some: readonly Tenant[]): Promise<void> {
  const before = some.map((tenant) => ({ delivered: deliveredOf(tenant).size, told: toldOf(tenant).ids.length }))
  for (const [at, tenant] of some.entries()) {
    const { delivered = 0, told = 0 } = before[at] ?? {}
    const { begin, ended } = runs(tenant)
    await begin()
    await tenant.until(201, 40)
    const { slug } = tenant.place
    await until(() => toldOf(tenant).ids.length > told + 10, { withinMs: 60_000, what: `events of ${slug}` })
    await until(() => deliveredOf(tenant).size > delivered + 10, { withinMs: 60_000, what: `requests of ${slug}` })
    await until(async () => (await ended()) > 0, { withinMs: 60_000, what: `the workflow of ${slug}` })
  }
}

type Started = Awaited<ReturnType<typeof startTenants>>

describe.runIf(hasCitus())('three nodes of Citus', () => {
  test('a worker that is killed takes only its workspaces with it, and loses nothing', limits, async () => {
    const nodes = await startNodes()
    const started = await startTenants(nodes)
    const { tenants } = started
    for (const tenant of tenants) tenant.start()
    await Promise.all(tenants.map((tenant) => tenant.until(200, 10)))
    const [dead] = nodes.workers
    const [lost, others] = [
      tenants.filter(({ place }) => place.node === dead?.folder),
      tenants.filter(({ place }) => place.node !== dead?.folder),
    ]
    for (const tenant of tenants) tenant.begin()
    await dead?.kill()
    await Promise.all(lost.map((tenant) => tenant.until(503, 20)))
    await expectWork(started, others)
    say(`while it is down: ${JSON.stringify(tenants.map(({ statuses }) => [...statuses]))}`)
    for (const { statuses } of others) expect(new Set(statuses.keys())).toEqual(new Set([200, 201]))
    for (const { place } of others) expect(started.output()).not.toMatch(failedUpkeepOf(place.id))
    for (const tenant of tenants) tenant.begin()
    await dead?.start()
    await Promise.all(tenants.map((tenant) => tenant.until(201, 20)))
    await expectWork(started, lost)
    await expectWhole(nodes, started)
  })

  test('a node is added and takes over the shards of another under load', limits, async () => {
    const nodes = await startNodes()
    const started = await startTenants(nodes)
    const { tenants } = started
    for (const tenant of tenants) tenant.start()
    await Promise.all(tenants.map((tenant) => tenant.until(200, 10)))
    for (const tenant of tenants) tenant.begin()
    const [emptied] = nodes.workers
    assert(emptied)
    const added = await nodes.addWorker()
    const moved = await nodes.moveShards(emptied, added)
    say(`while ${moved} shards moved: ${JSON.stringify(tenants.map(({ statuses }) => [...statuses]))}`)
    for (const tenant of tenants) tenant.begin()
    await Promise.all(tenants.map((tenant) => tenant.until(201, 20)))
    for (const { place } of tenants)
      expect(await nodes.nodeOf(place.id)).toBe(place.node === emptied.folder ? added.folder : place.node)
    await emptied.kill()
    for (const tenant of tenants) tenant.begin()
    await Promise.all(tenants.map((tenant) => tenant.until(201, 20)))
    for (const { statuses } of tenants) expect(new Set(statuses.keys())).toEqual(new Set([200, 201]))
    await emptied.start()
    await expectWhole(nodes, started)
  })
})
