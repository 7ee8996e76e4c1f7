/**
 * Ten tasks that an agent does with the sample data. A model would choose the calls by itself; here they are written
 * down.
 */
import assert from 'node:assert/strict'
import { allRows, idIn, rowsOf, type CallTool } from './tools.ts'

/** Does a task, and returns what came of it. */
export type Task = { readonly title: string; readonly run: (call: CallTool) => Promise<string> }

/** Updates records only where a dry run shows a change, so that doing it again does nothing. */
async function updateWhereNeeded(call: CallTool, input: Readonly<Record<string, unknown>>): Promise<string> {
  const rehearsal = await call('update', { ...input, dry_run: true })
  if (rehearsal.includes('nothing would change')) return 'nothing to do'
  await call('update', input)
  return `${rowsOf(rehearsal).length} fields changed`
}

const findOne = async (call: CallTool, object: string, query: string): Promise<string> => {
  const [found] = rowsOf(await call('search', { query, objects: [object], limit: 1 }))
  assert.ok(found?.['id'], `no ${object} for "${query}"`)
  return found['id']
}

async function findPerson(call: CallTool): Promise<string> {
  const id = await findOne(call, 'person', 'grace hopper')
  const [title = ''] = /^# .*$/m.exec(await call('read', { object: 'person', id })) ?? []
  assert.equal(title, '# Grace Hopper')
  return `${title.slice(2)} is ${id}`
}

async function correctPerson(call: CallTool): Promise<string> {
  const id = await findOne(call, 'person', 'ada byron')
  return updateWhereNeeded(call, { object: 'person', records: [{ id, attributes: { job_title: 'Programmer' } }] })
}

const senatorsOfWashington = {
  object: 'person',
  fields: ['name', 'company_id'],
  filter: {
    and: [
      { field: 'job_title', op: 'Is', value: 'Senator' },
      { field: 'location', op: 'Contains', value: 'WA' },
    ],
  },
}

async function enrichPeople(call: CallTool): Promise<string> {
  const firm = { name: 'Senate', domains: { items: ['senate.example.com'] } }
  const made = await call('upsert', { object: 'company', match_on: 'domains', records: [firm] })
  const company = rowsOf(made)[0]?.['id']
  const people = await allRows(call, senatorsOfWashington)
  assert.equal(people.length, 2)
  const records = people.map(({ id }) => ({ id, attributes: { company_id: company } }))
  return updateWhereNeeded(call, { object: 'person', records })
}

async function mergeDuplicates(call: CallTool): Promise<string> {
  const people = await allRows(call, { object: 'person', fields: ['name', 'labels'] })
  const target = await findOne(call, 'person', 'grace hopper')
  // The label comes along to the record that stays.
  const marked = people.filter(({ id, labels }) => labels === 'Duplicate' && id !== target)
  for (const { id } of marked) {
    const body = { data: { type: 'person', attributes: { sources: [id] } } }
    const merge = { operation: 'records.merge', input: { object: 'person', id: target, body } }
    await call('execute', { ...merge, dry_run: true })
    await call('execute', merge)
  }
  return `${marked.length} merged`
}

/** Answers a question by an aggregate, and checks the answer by counting rows, as nobody should. */
async function sumByStage(call: CallTool): Promise<string> {
  const group = { object: 'deal', group_by: [{ field: 'stage' }] }
  const sums = rowsOf(await call('aggregate', { ...group, measures: [{ function: 'sum', field: 'amount' }] }))
  const deals = await allRows(call, { object: 'deal', fields: ['stage', 'amount'] })
  for (const { stage, sum_amount: sum } of sums) {
    const amounts = deals.filter((deal) => deal['stage'] === stage).map(({ amount }) => Number(amount))
    assert.equal(
      Number(sum),
      amounts.reduce((total, amount) => total + amount, 0),
      stage,
    )
  }
  return sums.map(({ stage, sum_amount: sum }) => `${stage} ${sum}`).join(', ')
}

async function wonByQuarter(call: CallTool): Promise<string> {
  const won = { object: 'deal', filter: { field: 'stage', op: 'Is', value: 'Won' } }
  const quarters = rowsOf(await call('aggregate', { ...won, group_by: [{ field: 'close_date', by: 'quarter' }] }))
  const deals = await allRows(call, { ...won, fields: ['close_date'] })
  const counts = quarters.map(({ count }) => Number(count))
  assert.equal(
    counts.reduce((total, count) => total + count, 0),
    deals.length,
  )
  return quarters.map(({ close_date: quarter, count }) => `${quarter}: ${count}`).join(', ')
}

async function openTasksByPerson(call: CallTool): Promise<string> {
  const open = { object: 'task', filter: { field: 'status', op: 'Not one of', value: ['Done', 'Canceled'] } }
  const rows = rowsOf(await call('aggregate', { ...open, group_by: [{ field: 'assignee_id' }] }))
  assert.ok(rows.length > 0)
  return rows.map(({ assignee_id: assignee = '', count }) => `${assignee.replace(/ \(.*/, '')}: ${count}`).join(', ')
}

const title = 'Senators of Washington'

async function planCampaign(call: CallTool): Promise<string> {
  const people = await allRows(call, senatorsOfWashington)
  const known = rowsOf(await call('lists', { action: 'list', object: 'person' })).find(
    (list) => list['title'] === title,
  )
  const ids = people.map(({ id }) => id)
  const made = known ?? { id: listId(await call('lists', { action: 'create', object: 'person', title, ids })) }
  const campaigns = await call('execute', { operation: 'campaigns.list' })
  if (campaigns.includes(`"name":"${title}"`)) return 'planned already'
  const letter = { plugin_id: 'svc:send:email', prev: 'trigger', next: null, filters: [] }
  const body = {
    name: title,
    list_id: made['id'],
    first_block: 'letter',
    blocks: { letter: { _id: 'letter', ...letter, input: { subject: 'A question', text: 'May we call you?' } } },
  }
  await call('execute', { operation: 'campaigns.create', input: { body } })
  return `a draft for ${ids.length} people`
}

const listId = (text: string): string => /static list (\S+)/.exec(text)?.[1] ?? ''

async function meetingIntoTasks(call: CallTool): Promise<string> {
  const [promise] = rowsOf(await call('transcripts', { query: 'offer by Friday' }))
  assert.ok(promise?.['meeting_id'] && promise['text'])
  const said = await call('transcripts', { meeting_id: promise['meeting_id'] })
  assert.ok(said.includes(promise['text']))
  const filter = { field: 'meeting_id', op: 'Is', value: promise['meeting_id'] }
  const known = await allRows(call, { object: 'task', filter, fields: ['title'] })
  if (known.some((task) => task['title'] === 'Send the offer')) return 'the task is there'
  const task = { title: 'Send the offer', status: 'To Do', meeting_id: promise['meeting_id'] }
  await call('create', { object: 'task', records: [task] })
  return `a task from: ${promise['text']}`
}

async function tellPeople(call: CallTool): Promise<string> {
  const [deal] = await allRows(call, {
    object: 'deal',
    fields: ['name', 'company_id'],
    filter: { field: 'company_id.name', op: 'Is', value: 'Remington Rand' },
  })
  assert.ok(deal?.['id'])
  assert.match(idIn(deal['company_id'] ?? ''), /^[0-9a-f-]{36}$/)
  const text = 'The offer is due on Friday; there is a task for it.'
  await call('comment', { object: 'deal', id: deal['id'], text, idempotency_key: 'offer-is-due' })
  return `commented on ${deal['name']}`
}

export const tasks: readonly Task[] = [
  { title: 'Find Grace Hopper', run: findPerson },
  { title: 'Correct the job of Ada Byron', run: correctPerson },
  { title: 'Give the senators of Washington their company', run: enrichPeople },
  { title: 'Merge the people who are marked as duplicates', run: mergeDuplicates },
  { title: 'What are the deals worth, by stage?', run: sumByStage },
  { title: 'How many deals were won in each quarter?', run: wonByQuarter },
  { title: 'Who has how many open tasks?', run: openTasksByPerson },
  { title: 'Plan a campaign', run: planCampaign },
  { title: 'Turn a meeting into tasks', run: meetingIntoTasks },
  { title: 'Tell people on the deal', run: tellPeople },
]
