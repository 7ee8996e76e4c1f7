import { exampleIds, type RecordResource } from '@kontor/contract'
import type { Sample } from './sample.ts'
import { historyDays, type Stage } from './stage.ts'

/** One portion of everything is written at each step, a week after the one before. */
const steps = 20
const dayOf = (step: number): number => historyDays * (1 - step / steps)

const stages = ['Lead', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost'] as const
const statuses = ['To Do', 'In Progress', 'Done'] as const
const priorities = ['Low', 'Medium', 'High', 'Urgent'] as const
const remarks = ['Called back; wants the offer by Friday.', 'Asked for a second price.', 'Signed off by purchasing.', 'No answer since last week.'] as const

const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T

const portion = <T>(rows: readonly T[], step: number): readonly T[] => rows.slice(Math.floor((rows.length * step) / steps), Math.floor((rows.length * (step + 1)) / steps))

/**
 * Plays some months of work through the API: companies and people come week by week, deals and tasks are made of them by
 * two people in turn, deals move on, and are talked about.
 */
export async function playHistory(stage: Stage, sample: Sample): Promise<void> {
  const open: RecordResource[] = []
  for (let step = 0; step < steps; step++) {
    const actor = step % 3 === 1 ? 'member' : 'admin'
    const day = dayOf(step)
    stage.clock.goTo(day)
    const companies = await stage.createMany(actor, 'company', portion(sample.companies, step))
    await stage.createMany('member', 'person', portion(sample.people, step))
    stage.clock.goTo(day - 1.3)
    const deals = await stage.createMany(actor, 'deal', companies.filter((_, index) => index % 2 === 0).map((company, index) => dealOf(company, step + index)))
    stage.clock.goTo(day - 2.1)
    await stage.createMany('admin', 'task', deals.map((deal, index) => taskOf(deal, step + index)))
    stage.clock.goTo(day - 4.6)
    await moveOn(stage, open.splice(0, 6), step)
    await talk(stage, deals, step)
    open.push(...deals.slice(0, 8))
  }
  if (sample.committees.length > 0) await stage.createMany('admin', 'c_committee', sample.committees)
}

const dealOf = (company: RecordResource, index: number) => ({
  name: `${String(company.attributes['name'])}: ${index % 3 === 0 ? 'renewal' : 'first order'}`,
  stage: pick(stages, index),
  amount: (((index * 37) % 90) + 5) * 1000,
  currency: 'USD',
  company_id: company.id,
  owner_id: index % 2 === 0 ? exampleIds.admin : exampleIds.member,
})

const taskOf = (deal: RecordResource, index: number) => ({
  title: `${index % 2 === 0 ? 'Prepare the offer' : 'Call back'}: ${String(deal.attributes['name'])}`,
  status: pick(statuses, index),
  priority: pick(priorities, index),
  assignee_id: index % 2 === 0 ? exampleIds.member : exampleIds.admin,
  deal_id: deal.id,
})

async function moveOn(stage: Stage, deals: readonly RecordResource[], step: number): Promise<void> {
  if (deals.length === 0) return
  const data = deals.map(({ id }, index) => ({ type: 'deal', id, attributes: { stage: pick(stages, step + index + 2) } }))
  await stage.as(step % 2 === 0 ? 'member' : 'admin')('records.updateMany', { object: 'deal', body: { data } })
}

async function talk(stage: Stage, deals: readonly RecordResource[], step: number): Promise<void> {
  for (const [index, { id }] of deals.slice(0, 2).entries()) {
    const message = [{ type: 'paragraph', content: [{ type: 'text', text: pick(remarks, step + index) }] }]
    await stage.as(index === 0 ? 'member' : 'admin')('comments.create', { body: { entity: 'deal', owner_id: id, message } })
  }
}
