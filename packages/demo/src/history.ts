import type { RecordResource } from '@kontor/contract'
import { dealOf, meetingOf, moveOf, remarkOf, tasksOf } from './made.ts'
import type { Sample } from './sample.ts'
import { historyDays, type RecordEdit, type StagePerson, type Stage } from './stage.ts'

/** Each step writes a part of everything, two steps to a week. The last days are left to the examples. */
const steps = 40
const stepDays = (historyDays - 3) / steps

/** Steps after its creation at which a deal moves on and a task is reviewed. */
const moveSteps = [3, 8, 14] as const
const taskSteps = 4

/** Steps after its first order at which a company orders again. */
const renewalSteps = 15

/** The number of a deal decides its course. */
type NumberedDeal = { readonly number: number; readonly deal: RecordResource }

/** The things made at each step, for later steps to continue. */
type Past = {
  readonly companies: (readonly RecordResource[])[]
  readonly deals: (readonly NumberedDeal[])[]
  readonly tasks: (readonly RecordResource[])[]
}

const batch = <T>(rows: readonly T[], step: number): readonly T[] =>
  rows.slice(Math.floor((rows.length * step) / steps), Math.floor((rows.length * (step + 1)) / steps))

/**
 * Simulates some months of work through the API: companies and people are added day by day, two people in turn create
 * deals, tasks and meetings for them, deals move on, tasks get done, and all of them get comments.
 */
export async function playHistory(stage: Stage, sample: Sample): Promise<void> {
  const past: Past = { companies: [], deals: [], tasks: [] }
  stage.clock.goTo(historyDays)
  await stage.createMany('admin', 'c_committee', sample.committees)
  for (let step = 0; step < steps; step++) {
    const [actor, other]: readonly [StagePerson, StagePerson] =
      step % 3 === 1 ? ['member', 'admin'] : ['admin', 'member']
    const goTo = (days: number) => stage.clock.goTo(historyDays - step * stepDays - days)
    goTo(0.1)
    const companies = await stage.createMany(actor, 'company', batch(sample.companies, step))
    const people = await stage.createMany(other, 'person', batch(sample.people, step))
    goTo(0.4)
    const deals = await makeDeals(stage, actor, past, companies)
    const newTasks = deals.flatMap(({ number, deal }) => tasksOf(deal, number, stage.clock.now()))
    const tasks = await stage.createMany(other, 'task', newTasks)
    past.companies.push(companies)
    past.deals.push(deals)
    past.tasks.push(tasks)
    goTo(1.2)
    await stage.createMany(
      actor,
      'meeting',
      people.slice(0, 1).map((person) => meetingOf(person, stage.clock.now())),
    )
    goTo(1.7)
    await stage.updateMany(other, 'deal', movedDeals(past, step, stage.clock.now()))
    goTo(2.2)
    await stage.updateMany(actor, 'task', doneTasks(past, step))
    goTo(2.6)
    await talk(stage, step, [
      ...companies.slice(0, 1),
      ...people.slice(0, 1),
      ...deals.slice(0, 3).map(({ deal }) => deal),
    ])
  }
}

type MakeDeals = (
  stage: Stage,
  actor: StagePerson,
  past: Past,
  companies: readonly RecordResource[],
) => Promise<readonly NumberedDeal[]>

const makeDeals: MakeDeals = async (stage, actor, past, companies) => {
  const first = past.deals.flat().length
  const again = (past.companies.at(-renewalSteps) ?? []).filter((_, index) => index % 5 !== 4)
  const now = stage.clock.now()
  const orders = [
    ...companies.map((one) => [one, 'first order'] as const),
    ...again.map((one) => [one, 'renewal'] as const),
  ]
  const rows = orders.map(([company, kind], index) => dealOf(company, kind, first + index, now))
  const deals = await stage.createMany(actor, 'deal', rows)
  return deals.map((deal, index) => ({ number: first + index, deal }))
}

const movedDeals = ({ deals }: Past, step: number, nowMs: number): readonly RecordEdit[] =>
  moveSteps.flatMap((ago, index) =>
    (deals[step - ago] ?? []).flatMap(({ number, deal }) => {
      const attributes = moveOf(number, index + 1, nowMs)
      return attributes === undefined ? [] : [{ id: deal.id, attributes }]
    }),
  )

/** Most of the reviewed tasks are done, and a few are still in progress. */
const doneTasks = ({ tasks }: Past, step: number): readonly RecordEdit[] =>
  (tasks[step - taskSteps] ?? []).map(({ id }, index) => {
    const status = index % 6 === 5 ? 'In Progress' : 'Done'
    return { id, attributes: { status } }
  })

async function talk(stage: Stage, step: number, about: readonly RecordResource[]): Promise<void> {
  for (const [index, { type, id }] of about.entries()) {
    const body = { entity: type, owner_id: id, message: remarkOf(step * about.length + index) }
    await stage.as((step + index) % 2 === 0 ? 'admin' : 'member')('comments.create', { body })
  }
}
