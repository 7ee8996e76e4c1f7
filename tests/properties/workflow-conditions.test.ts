import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { runSeed, sized } from '../harness/size.ts'
import { workflowsOf } from '../harness/workflows.ts'
import { conditionOn, fieldsOf, type Setting } from './reference-model/conditions.ts'
import { holds, type Leaf } from './reference-model/evaluate.ts'
import { objects, operators } from './reference-model/fields.ts'
import { seed, worldOf } from './reference-model/seed.ts'

/** Conditions of workflows are decided in memory, filters of records by the database: both must say the same. */

const app = await startApp()
const workflows = workflowsOf(app)

const now = Date.parse('2028-02-29T23:59:59.999Z')
await seed(app, now, runSeed)
app.stopClock(now)
const world = await worldOf(app, 'adminKey')
const setting: Setting = { world, now }

/** Conditions of one workflow: each is a block that branches. */
const conditionsMax = 60

function leavesOf(object: string): Leaf[] {
  const each = fieldsOf(object).flatMap((field) =>
    operators[field.kind].flatMap((op) =>
      fc.sample(conditionOn({ path: [], field }, op, setting, false), { seed: runSeed, numRuns: sized(8, 2) }),
    ),
  )
  return fc.sample(fc.shuffledSubarray(each, { minLength: Math.min(each.length, sized(180, conditionsMax)) }), {
    seed: runSeed,
    numRuns: 1,
  })[0]!
}

const keyOf = (index: number): string => `b${index}`

/** A workflow that says of each condition whether it holds. */
const asking = (object: string, leaves: readonly Leaf[]): Json => ({
  name: 'Asks',
  enabled: true,
  trigger: { plugin_id: 'on:manual:execution', input: { object }, next: keyOf(0) },
  blocks: Object.fromEntries(
    leaves.map(({ field, op, value }, index) => {
      const next = index + 1 < leaves.length ? keyOf(index + 1) : null
      const filter = { field: `state.event.object.data.${field}`, op, ...(value !== null && { value }) }
      const prev = index === 0 ? 'trigger' : keyOf(index - 1)
      const input = { branches: [{ key: 'holds', filter, next }] }
      return [keyOf(index), { plugin_id: 'general:branch', input, prev, next }]
    }),
  ),
})

/** The run of a workflow for a record, once it has ended. By a key: at the time of the clock tokens have expired. */
async function runFor(id: string, object: string, record_id: string): Promise<Json> {
  const body = { object, record_id }
  const { body: begun } = await app.api.post(`${workflows.path}/${id}/runs`, { as: 'adminKey', body })
  return workflows.until(async () => {
    const { attributes } = await workflows.run(begun.data.id, 'adminKey')
    return attributes.ended_at !== null && attributes
  })
}

test.for(Object.keys(objects).filter((object) => object !== 'user'))(
  '%s: what a condition of a workflow says of a record, a filter says too',
  { timeout: 300_000 },
  async (object) => {
    const leaves = leavesOf(object)
    const records = fc.sample(fc.shuffledSubarray([...world[object]!.values()], { minLength: sized(12, 6) }), {
      seed: runSeed,
      numRuns: 1,
    })[0]!
    for (let from = 0; from < leaves.length; from += conditionsMax) {
      const asked = leaves.slice(from, from + conditionsMax)
      const { id } = await workflows.create(asking(object, asked), 'adminKey')
      for (const record of records.slice(0, sized(12, 6))) {
        const attributes = await runFor(id, object, record._id)
        expect(attributes.error).toBeNull()
        const said = attributes.steps.map(({ output }: Json) => output.branch === 'holds')
        for (const [index, leaf] of asked.entries()) {
          const what = `${JSON.stringify(leaf)} of ${JSON.stringify(record[leaf.field])}`
          expect(said[index], what).toBe(holds(world, now, object, record, leaf))
        }
      }
    }
  },
)
