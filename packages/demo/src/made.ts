import { exampleIds, type RecordResource } from '@kontor/contract'
import type { Attributes } from './stage.ts'
import { defined, memberOf } from './values.ts'

const dayMs = 86_400_000

const remarks = [
  'Called back; expects the offer by Friday.',
  'Asked for a second price.',
  'Signed off by purchasing.',
  'No answer since last week.',
  'Legal has the contract.',
  'Would like a shorter term.',
  'Sent the new terms.',
] as const

const offerTasks = ['Prepare the offer for', 'Check the terms with', 'Plan the delivery to'] as const
const callTasks = ['Call back', 'Send references to', 'Book a call with'] as const
const priorities = ['Low', 'Medium', 'High', 'Urgent'] as const
const funnel = ['Lead', 'Qualified', 'Proposal', 'Negotiation'] as const

const pick = <T>(values: readonly T[], index: number): T => defined(values[index % values.length])

const dateAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const nameOf = (record: RecordResource): string => {
  const { name } = record.attributes
  return String(typeof name === 'string' ? name : memberOf(name, 'full_name'))
}

/** A deal is closed with its last move; one in five is still being negotiated then. */
const movesMax = 3

/** The stage of a deal after a number of moves; undefined once it does not move any more. */
function stageOf(number: number, moves: number): string | undefined {
  const isLostEarly = number % 7 === 3
  if (isLostEarly && moves >= 2) return moves === 2 ? 'Lost' : undefined
  if (moves < movesMax) return pick(funnel, (number % 2) + moves)
  return number % 5 === 4 ? undefined : number % 5 === 2 ? 'Lost' : 'Won'
}

/** The changes of a deal's move: a deal that closes gets that day as its closing date. */
export function moveOf(number: number, moves: number, nowMs: number): Attributes | undefined {
  const stage = stageOf(number, moves)
  if (stage === undefined) return undefined
  return stage === 'Won' || stage === 'Lost' ? { stage, close_date: dateAt(nowMs) } : { stage }
}

export const dealOf = (
  company: RecordResource,
  kind: 'first order' | 'renewal',
  number: number,
  nowMs: number,
): Attributes => ({
  name: `${nameOf(company)}: ${kind}`,
  stage: stageOf(number, 0),
  amount: (((number * 37) % 90) + 5) * 1000,
  currency: 'USD',
  close_date: dateAt(nowMs + (30 + (number % 40)) * dayMs),
  company_id: company.id,
  owner_id: number % 2 === 0 ? exampleIds.admin : exampleIds.member,
})

/** Every deal begins with an offer, and every other one with a call beside it. */
export function tasksOf(deal: RecordResource, number: number, nowMs: number): readonly Attributes[] {
  const [company = ''] = nameOf(deal).split(': ')
  const task = (title: string, index: number): Attributes => ({
    title: `${title} ${company}`,
    status: 'To Do',
    priority: pick(priorities, index),
    due_date: dateAt(nowMs + (5 + (index % 12)) * dayMs),
    assignee_id: index % 2 === 0 ? exampleIds.member : exampleIds.admin,
    company_id: deal.attributes['company_id'],
    deal_id: deal.id,
  })
  const offer = task(pick(offerTasks, number), number)
  return number % 2 === 0 ? [offer] : [offer, task(pick(callTasks, number >> 1), number + 1)]
}

export function meetingOf(person: RecordResource, nowMs: number): Attributes {
  const items: unknown = memberOf(person.attributes['email_addresses'], 'items')
  return {
    title: `Call with ${nameOf(person)}`,
    start: new Date(nowMs + dayMs).toISOString(),
    end: new Date(nowMs + dayMs + 1_800_000).toISOString(),
    participants: {
      items: (Array.isArray(items) ? items : []).map((email: unknown) => ({ email, name: nameOf(person) })),
    },
  }
}

export const remarkOf = (number: number) => [
  { type: 'paragraph', content: [{ type: 'text', text: pick(remarks, number) }] },
]
