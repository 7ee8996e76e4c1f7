import assert from 'node:assert/strict'
import {
  activities,
  type RecordResource,
  resources,
  type RestClient,
  type RunResource,
  workflows,
} from '@kontor/client'

type Run = RunResource['attributes']
type Step = Run['steps'][number]
type Related = NonNullable<RecordResource['relationships'][string]>['data'] | undefined

export type Place = { readonly workspace: string; readonly workflow: string }

const ended: ReadonlySet<string> = new Set(['success', 'failed', 'cancelled', 'suppressed'])

/** All runs of the workflow, with their steps. */
async function readRuns(rest: RestClient, { workspace, workflow: id }: Place): Promise<Run[]> {
  const { data } = (await rest.call(workflows.listRuns, { workspace, id, page: { limit: 100 } })).body
  return Promise.all(
    data.map(async ({ id: run }) => (await rest.call(workflows.getRun, { workspace, id: run })).body.data.attributes),
  )
}

/** Steps that were stored as done at the last look, by run and block. */
export class DoneSteps {
  readonly #seen = new Map<string, Step>()

  get size(): number {
    return this.#seen.size
  }

  /**
   * Looks at all runs; fails where a step that was done is another one now. Returns whether so many runs are there,
   * ended. The server does not repeat a step with which two processes were lost: those runs are retried.
   */
  async look(rest: RestClient, place: Place, runsExpected: number): Promise<boolean> {
    const runs = await readRuns(rest, place)
    for (const { _id, steps } of runs)
      for (const step of steps.filter(({ status }) => status === 'success')) {
        const key = `${_id} ${step.block_id}`
        const before = this.#seen.get(key)
        if (before !== undefined) assert.deepEqual(step, before, 'a step that was done has run again')
        this.#seen.set(key, step)
      }
    assert.ok(runs.length <= runsExpected, 'an order has begun a second run')
    const lost = runs.filter(({ status, error }) => status === 'failed' && error?.code === 'worker_lost')
    for (const { _id: id } of lost)
      await rest.call(workflows.retryRun, { workspace: place.workspace, id, body: { from: 'failed' } })
    return lost.length === 0 && runs.length === runsExpected && runs.every(({ status }) => ended.has(status))
  }
}

/** The result of an order, without ids and times, which two walks must agree on. */
export type Outcome = {
  readonly deal: string
  readonly amount: unknown
  readonly stage: unknown
  readonly company: string | undefined
  readonly history: readonly string[]
  readonly run: string
  readonly steps: readonly string[]
}

const companyOf = (linked: Related): string | undefined =>
  linked === null || linked === undefined || Array.isArray(linked) ? undefined : String(linked.attributes?.['name'])

/** The deal that a run has made. */
const dealOf = ({ steps }: Run): unknown => {
  const output = steps.find(({ block_id }) => block_id === 'deal')?.output as { record?: { id?: unknown } } | null
  return output?.record?.id
}

/** A step as it is printed: how it ended, and with which attempt. */
const told = ({ block_id, status, attempts, error }: Step): string =>
  `${block_id} ${status}${attempts > 1 ? ` (${attempts} attempts)` : ''}${error === null ? '' : ` ${error.code}`}`

/** Returns the results of all orders, by the names of their deals. */
export async function readOutcomes(rest: RestClient, place: Place): Promise<Outcome[]> {
  const { workspace } = place
  const runs = await readRuns(rest, place)
  const path = { workspace, object: 'deal' }
  const { body } = await rest.call(resources.list, { ...path, include: ['company_id'], page: { limit: 100 } })
  const outcomes = body.data.map(async ({ id, attributes, relationships }): Promise<Outcome> => {
    const events = (await rest.call(activities.list, { ...path, record: id })).body.data
    const run = runs.find((one) => dealOf(one) === id)
    return {
      deal: String(attributes['name']),
      amount: attributes['amount'],
      stage: attributes['stage'],
      company: companyOf(relationships['company_id']?.data),
      history: events.flatMap(({ attributes: { data } }) => data.map(({ type }) => type)).toSorted(),
      run: run === undefined ? 'none' : run.error === null ? run.status : `${run.status} (${run.error.code})`,
      steps: run?.steps.map(told) ?? [],
    }
  })
  return (await Promise.all(outcomes)).toSorted((a, b) => (a.deal < b.deal ? -1 : 1))
}

/** Outcomes without the number of attempts: an answer that came as a server died is asked for once more. */
export const withoutAttempts = (outcomes: readonly Outcome[]): Outcome[] =>
  outcomes.map(({ steps, ...rest }) => ({ ...rest, steps: steps.map((step) => step.replace(/ \(\d+ attempts\)/, '')) }))
