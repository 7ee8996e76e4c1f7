import { type NewWorkflow, type RestClient, workflows } from '@kontor/client'

/** Deals from here on are looked after by a person. */
export const largeFrom = 10_000

/** Takes orders from the outside: a deal for the company that an order names. */
const takeOrders: NewWorkflow = {
  name: 'Take orders',
  enabled: true,
  trigger: { plugin_id: 'on:svc:automation-webhook', next: 'company' },
  blocks: {
    company: {
      plugin_id: 'svc:find:records',
      input: {
        object: 'company',
        filter: { field: 'name', op: 'Is', value: '{{trigger.state.event.data.body.company}}' },
        limit: 1,
      },
      prev: 'trigger',
      next: 'deal',
    },
    deal: {
      plugin_id: 'svc:create:record',
      input: {
        object: 'deal',
        attributes: {
          name: 'Order {{trigger.state.event.data.body.number}}',
          amount: '{{trigger.state.event.data.body.amount}}',
          stage: 'Lead',
          company_id: '{{company.state.output.records.0.id}}',
        },
      },
      prev: 'company',
      next: null,
    },
  },
}

const deal = { object: 'deal', record_id: '{{trigger.state.event.object._id}}' }
const name = '{{trigger.state.event.object.data.name}}'

type Person = { readonly id: string; readonly email: string }

/** Looks after large deals: waits, assigns, comments, tells another program and the person. Qualifies small ones. */
const lookAfterDeals = (person: Person, receiver: string): NewWorkflow => ({
  name: 'Look after deals',
  enabled: true,
  trigger: { plugin_id: 'on:svc:create:record', input: { object: 'deal' }, next: 'size' },
  blocks: {
    size: {
      plugin_id: 'general:branch',
      input: {
        branches: [
          {
            key: 'large',
            filter: { field: 'state.event.object.data.amount', op: 'Greater than', value: largeFrom },
            next: 'wait',
          },
        ],
      },
      prev: 'trigger',
      next: 'qualify',
    },
    qualify: {
      plugin_id: 'svc:update:record',
      input: { ...deal, attributes: { stage: 'Qualified' } },
      prev: 'size',
      next: null,
    },
    // Two seconds, for the reader who watches; days elsewhere.
    wait: {
      plugin_id: 'general:delay:for',
      input: { amount: 1 / 30, unit: 'minutes' },
      prev: 'size',
      next: 'assign',
    },
    assign: {
      plugin_id: 'svc:update:record',
      input: { ...deal, attributes: { owner_id: person.id, stage: 'Negotiation' } },
      prev: 'wait',
      next: 'comment',
    },
    comment: {
      plugin_id: 'svc:create:comment',
      input: { ...deal, message: `${name} is large: please call.` },
      prev: 'assign',
      next: 'tell',
    },
    tell: {
      plugin_id: 'webhook:send:outbound',
      input: { url: receiver, body: { deal: name, amount: '{{trigger.state.event.object.data.amount}}' } },
      prev: 'comment',
      next: 'write',
    },
    write: {
      plugin_id: 'svc:send:email',
      input: { to: person.email, subject: name, text: `${name} is yours.` },
      prev: 'tell',
      next: null,
    },
  },
})

/** Creates both workflows; their ids, and the secret that the second signs with. */
export async function createWorkflows(
  rest: RestClient,
  workspace: string,
  { person, receiver }: { readonly person: Person; readonly receiver: string },
): Promise<{ readonly orders: string; readonly deals: string; readonly secret: string }> {
  const create = async (body: NewWorkflow): Promise<string> =>
    (await rest.call(workflows.create, { workspace, body })).body.data.id
  const deals = await create(lookAfterDeals(person, receiver))
  const { body } = await rest.call(workflows.rotateSecret, { workspace, id: deals, body: {} })
  return { orders: await create(takeOrders), deals, secret: body.data.attributes.secret }
}
