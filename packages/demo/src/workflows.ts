import { exampleIds } from '@kontor/contract'
import type { Stage } from './stage.ts'

/**
 * A workflow that takes what a website sends, and one that watches deals; each with runs, one of which fails. What has
 * not come to an end does so as soon as the server has started.
 */
export async function makeWorkflows(stage: Stage): Promise<void> {
  const admin = stage.as('admin')
  stage.nextIds(exampleIds.workflow)
  await admin('workflows.create', { body: takesLeads })
  const lead = { body: { name: 'Harvard Mark I', amount: 12_000 }, headers: {} }
  stage.nextIds(exampleIds.workflowRun)
  await admin('workflows.run', { id: exampleIds.workflow, body: { data: lead } })
  await admin('workflows.cancelRun', { id: exampleIds.workflowRun })
  const small = { body: { name: 'EDSAC spare parts', amount: 9000 }, headers: {} }
  stage.nextIds(exampleIds.waitingRun)
  await admin('workflows.run', { id: exampleIds.workflow, body: { data: small } })
  const other = { body: { name: 'ENIAC maintenance', amount: 65_000 }, headers: {} }
  await admin('workflows.run', { id: exampleIds.workflow, body: { data: other } })
  // People see how a run looks that failed: this amount is none.
  const vague = { body: { name: 'Whirlwind II', amount: 'to be agreed' }, headers: {} }
  await admin('workflows.run', { id: exampleIds.workflow, body: { data: vague } })
  const { data } = await admin('workflows.create', { body: watchesDeals })
  await admin('workflows.run', { id: data.id, body: { object: 'deal', record_id: exampleIds.deal } })
}

const body = '{{trigger.state.event.data.body'

const takesLeads = {
  name: 'Take leads from the website',
  description:
    'The form on the website sends a name and an amount; large leads get a task at once, others in two weeks.',
  enabled: true,
  trigger: { plugin_id: 'on:svc:automation-webhook', next: 'deal' },
  blocks: {
    deal: {
      plugin_id: 'svc:create:record',
      input: {
        object: 'deal',
        attributes: { name: `${body}.name}}`, amount: `${body}.amount}}`, stage: 'Lead', owner_id: exampleIds.admin },
      },
      prev: 'trigger',
      next: 'size',
    },
    size: {
      plugin_id: 'general:branch',
      input: {
        branches: [
          {
            key: 'large',
            filter: { field: 'trigger.state.event.data.body.amount', op: 'Greater than', value: 50_000 },
            next: 'call',
          },
        ],
      },
      prev: 'deal',
      next: 'rest',
    },
    rest: { plugin_id: 'general:delay:for', input: { amount: 2, unit: 'weeks' }, prev: 'size', next: 'call' },
    call: {
      plugin_id: 'svc:create:record',
      input: {
        object: 'task',
        attributes: {
          title: `Call about ${body}.name}}`,
          status: 'To Do',
          deal_id: '{{deal.state.output.record.id}}',
          assignee_id: exampleIds.admin,
        },
      },
      prev: 'size',
    },
  },
}

const deal = '{{trigger.state.event.object'

const watchesDeals = {
  name: 'Look after large deals',
  description: 'A deal above 40,000 gets a comment that says so.',
  enabled: true,
  trigger: {
    plugin_id: 'on:svc:upsert:record',
    input: { object: 'deal' },
    filters: [{ field: 'state.event.object.data.amount', condition: { operator: 'Greater than', value: 40_000 } }],
    next: 'say',
  },
  blocks: {
    say: {
      plugin_id: 'svc:create:comment',
      input: { object: 'deal', record_id: `${deal}._id}}`, message: `A large deal: ${deal}.data.amount}}.` },
      prev: 'trigger',
    },
  },
  run_limits: { max_runs_per_record: 1 },
}
