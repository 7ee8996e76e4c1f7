import { describe, expect, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { startMortal, type FaultPoint } from '../harness/fault-points.ts'
import type { Json } from '../harness/http.ts'
import { say } from '../harness/long-run.ts'
import { receiver, status } from '../harness/receiver.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'
import { Gone, Round, type Scenario, type Stage } from './fault-points.ts'

/**
 * A real server is killed (-9) at each commit that a run takes, from the change that triggers it to its end: just
 * before the commit is sent, and once it is done and no caller has been told. Another server finishes it.
 */

const key = 'a key of at least thirty-two characters'
const settings = { ENCRYPTION_KEYS: key, WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
const observer = await startApp({ encryptionKeys: [key] })
const there = await receiver()
const stepUrl = new URL('/step', there.url).href

const onDeal = { plugin_id: 'on:svc:create:record', input: { object: 'deal' } }
const own = { object: 'deal', record_id: '{{trigger.state.event.object._id}}' }
const comment = { key: 'comment', plugin_id: 'svc:create:comment', input: { ...own, message: 'Seen' } }
const change = { key: 'change', plugin_id: 'svc:update:record', input: { ...own, attributes: { amount: 7 } } }
const post = {
  key: 'post',
  plugin_id: 'webhook:send:outbound',
  input: { url: stepUrl, body: { deal: '{{trigger.state.event.object._id}}' } },
}
const delay = { key: 'delay', plugin_id: 'general:delay:for', input: { amount: 0.005, unit: 'minutes' } }
const changed = (field: string) => ({ plugin_id: 'on:svc:update:record', input: { object: 'deal', fields: [field] } })
const waitFor = (field: string) => ({ key: 'wait', plugin_id: 'general:wait:event', input: changed(field) })
const { key: _key, ...afterExit } = comment

const scenarios: readonly Scenario[] = [
  { name: 'effects', workflow: chain(onDeal, comment, change, post), deliveries: 2 },
  { name: 'another attempt', workflow: chain(onDeal, post, comment), isRefusedFirst: true, deliveries: 1 },
  {
    name: 'waits',
    workflow: chain(onDeal, delay, waitFor('amount'), comment),
    changes: { wait: { amount: 9 } },
    deliveries: 2,
  },
  {
    name: 'an exit',
    workflow: {
      ...chain(onDeal, waitFor('name')),
      blocks: { ...chain(onDeal, waitFor('name')).blocks, comment: { ...afterExit, next: null } },
      exits: { grown: { ...changed('amount'), next: 'comment' } },
    },
    changes: { wait: { amount: 9 } },
    deliveries: 2,
  },
]

/** All commits, and some for themselves: what goes on beside comes before or behind them by chance. */
const tables = [undefined, 'workflow_run', 'webhook_delivery'] as const

/** Every commit. */
function* points(table: string | undefined): Generator<FaultPoint> {
  for (let commit = 1; ; commit++) for (const moment of ['before', 'after'] as const) yield { moment, commit, table }
}

/** The first request under each id is refused. */
function refuseFirst(): void {
  const refused = new Set<unknown>()
  there.always((response, request) => {
    const id = request.headers['webhook-id']
    const isRefused = request.path === '/step' && !refused.has(id)
    refused.add(id)
    status(isRefused ? 503 : 200)(response, request)
  })
}

/** Kills servers one after another; each has first finished what the one before has left. Why each of them died. */
async function killAtEach(stage: Stage, table: string | undefined): Promise<string[]> {
  const deaths: string[] = []
  let left: Round | undefined
  let expected: Json
  for (const point of points(table)) {
    const server = await startMortal(observer.databaseUrl, settings, point)
    const first = left ?? new Round(stage)
    await first.drive(server)
    if (left === undefined) expected = await first.outcome()
    else expect(await left.outcome(), deaths.at(-1)).toEqual(expected)
    await observer.quiet()
    left = new Round(stage)
    await server.arm()
    let isDead = false
    void server.gone.then(() => (isDead = true))
    await left.drive(server).catch((error: unknown) => {
      if (!(error instanceof Gone)) throw error
      return server.gone
    })
    await observer.quiet(() => isDead)
    if (!isDead) {
      await server.kill()
      return deaths
    }
    await expect.poll(() => server.lastWrites()).toBeDefined()
    deaths.push(`${point.moment} ${point.commit}: ${server.lastWrites()}`)
    await observer.schemaJobs.giveBack()
    await left.remember()
  }
  return deaths
}

describe.each(scenarios)('a run with $name', (scenario) => {
  const title = 'comes to the same end wherever the server is killed, and nothing that was done is done again'
  test(title, { timeout: 1_200_000 }, async () => {
    if (scenario.isRefusedFirst === true) refuseFirst()
    else there.always(status(200))
    const workflows = workflowsOf(observer)
    const { _id: webhookId } = await webhooksOf(observer).create({
      url: there.url,
      events: ['record.created', 'record.updated'],
      filter: { object: 'deal' },
    })
    const { id: workflowId } = await workflows.create({ name: scenario.name, enabled: true, ...scenario.workflow })
    onTestFinished(async () => {
      await observer.api.delete(`${workflows.path}/${workflowId}`, { as: 'adminKey' })
      await observer.api.delete(`/workspaces/acme/webhooks/${webhookId}`, { as: 'adminKey' })
    })
    const stage = { observer, scenario, workflowId, webhookId, got: there.got }
    const deaths: string[] = []
    for (const table of tables) deaths.push(...(await killAtEach(stage, table)))
    say([`a run with ${scenario.name}: killed ${deaths.length} times`, ...deaths].join('\n  '))
    for (const table of ['workflow_run', 'workflow_step', 'event_cursor', 'webhook_delivery', 'job'])
      expect(
        deaths.some((death) => death.split(' ').includes(table)),
        table,
      ).toBe(true)
  })
})
