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

export type Place = {
  readonly workspace: string
  readonly workflows: { readonly orders: string; readonly deals: string }
}

const ended: ReadonlySet<string> = new Set(['success', 'failed', 'cancelled', 'suppressed'])

/** All runs of both workflows, with their steps. */
async function readRuns(rest: RestClient, { workspace, workflows: both }: Place): Promise<Run[]> {
  const runs: Run[] = []
  for (const id of [both.orders, both.deals])
    for await (const page of rest.pages(workflows.listRuns, { workspace, id, page: { limit: 100 } }))
      for (const { id: run } of page.data)
        runs.push((await rest.call(workflows.getRun, { workspace, id: run })).body.data.attributes)
  return runs
}

/** Steps that were stored as done at the last look, by run and block. */
export class DoneSteps {
  readonly #seen = new Map<string, Step>()

  get size(): number {
    return this.#seen.size
  }

  /** Looks at all runs; fails where a step that was done is another one now. Whether so many runs are there, ended. */
  async look(rest: RestClient, place: Place, runsExpected: number): Promise<boolean> {
    const runs = await readRuns(rest, place)
    for (const { _id, steps } of runs)
      for (const step of steps.filter(({ status }) => status === 'success')) {
        const key = `${_id} ${step.block_id}`
        const before = this.#seen.get(key)
        if (before !== undefined) assert.deepEqual(step, before, 'a step that was done has run again')
        this.#seen.set(key, step)
      }
    return runs.length >= runsExpected && runs.every(({ status }) => ended.has(status))
  }
}

/** What became of an order, without ids and times: what two walks must agree on. */
export type Outcome = {
  readonly deal: string
  readonly amount: unknown
  readonly stage: unknown
  readonly isAssigned: boolean
  readonly company: string | undefined
  readonly history: readonly string[]
  readonly steps: readonly string[]
}

const companyOf = (linked: Related): string | undefined =>
  linked === null || linked === undefined || Array.isArray(linked) ? undefined : String(linked.attributes?.['name'])

/** What became of all orders, by the names of their deals. */
export async function readOutcomes(rest: RestClient, place: Place): Promise<Outcome[]> {
  const { workspace } = place
  const runs = await readRuns(rest, place)
  const path = { workspace, object: 'deal' }
  const { body } = await rest.call(resources.list, { ...path, include: ['company_id'], page: { limit: 100 } })
  const outcomes = body.data.map(async ({ id, attributes, relationships }): Promise<Outcome> => {
    const events = (await rest.call(activities.list, { ...path, record: id })).body.data
    const run = runs.find(({ record_id }) => record_id === id)
    return {
      deal: String(attributes['name']),
      amount: attributes['amount'],
      stage: attributes['stage'],
      isAssigned: attributes['owner_id'] !== null,
      company: companyOf(relationships['company_id']?.data),
      history: events.flatMap(({ attributes: { data } }) => data.map(({ type }) => type)).toSorted(),
      steps: run?.steps.map(({ block_id, status }) => `${block_id} ${status}`) ?? [],
    }
  })
  return (await Promise.all(outcomes)).toSorted((a, b) => (a.deal < b.deal ? -1 : 1))
}
