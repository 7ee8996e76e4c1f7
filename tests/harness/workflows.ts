import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import type { Json } from './http.ts'
import type { Caller } from './people.ts'
import { until as untilHolds } from './until.ts'

const ended = new Set(['success', 'failed', 'cancelled', 'suppressed'])

/** Longest that a run of a test takes on a busy machine. */
const patienceMs = 60_000

/** Workflows of a workspace, and their runs. */
export function workflowsOf(app: TestApp, workspace = 'acme') {
  const base = `/workspaces/${workspace}`
  const path = `${base}/workflows`
  const create = async (attributes: Json, as?: Caller): Promise<Json> => {
    const { status, body } = await app.api.post(path, { body: attributes, ...(as && { as }) })
    expect([status, body.errors]).toEqual([201, undefined])
    return body.data
  }
  const runs = async (id: string, as?: Caller): Promise<Json[]> =>
    (await app.api.get(`${path}/${id}/runs`, { ...(as && { as }) })).body.data
  const run = async (id: string, as?: Caller): Promise<Json> =>
    (await app.api.get(`${base}/workflow-runs/${id}`, { ...(as && { as }) })).body.data
  /** Waits until a condition holds. */
  const until = async <T>(look: () => Promise<T>): Promise<Exclude<T, false | undefined>> => {
    await app.startJobs()
    return untilHolds(look, { withinMs: patienceMs, what: 'what comes of a workflow' })
  }
  /** Waits for so many runs of a workflow, all ended; the oldest first. */
  const endedRuns = (id: string, count = 1): Promise<Json[]> =>
    until(async () => {
      const found = await runs(id)
      return (
        found.length >= count && found.every(({ attributes }) => ended.has(attributes.status)) && found.toReversed()
      )
    })
  /** Waits for a run to end, or to be in another state. */
  const runIn = (id: string, ...statuses: string[]): Promise<Json> =>
    until(async () => {
      const found = await run(id)
      return (statuses.length === 0 ? ended : new Set(statuses)).has(found.attributes.status) && found
    })
  let markers = 0
  /** Waits until all that has happened so far has been looked at: a run that comes of it has begun. */
  const settled = async (): Promise<void> => {
    const title = `Marker ${++markers}`
    const filters = [{ field: 'state.event.object.data.title', condition: { operator: 'Is', value: title } }]
    const trigger = { plugin_id: 'on:svc:create:record', input: { object: 'task' }, filters }
    const { id } = await create({ name: title, enabled: true, trigger })
    // Later writes wake the jobs, which else look for the rest after five seconds.
    await app.startJobs()
    await app.api.post(`${base}/objects/task/records`, { body: { data: { type: 'task', attributes: { title } } } })
    await endedRuns(id)
    await app.api.delete(`${path}/${id}`)
  }
  return { path, runsPath: `${base}/workflow-runs`, create, runs, run, until, endedRuns, runIn, settled }
}

/** A chain of blocks after a trigger: each leads to the next. */
export function chain(trigger: Json, ...blocks: readonly Json[]): Json {
  const keys = blocks.map(({ key }) => key)
  return {
    trigger: { ...trigger, next: keys[0] ?? null },
    blocks: Object.fromEntries(
      blocks.map(({ key, ...block }, index) => [
        key,
        { prev: keys[index - 1] ?? 'trigger', next: keys[index + 1] ?? null, ...block },
      ]),
    ),
  }
}
