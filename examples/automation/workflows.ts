import { type NewWorkflow, type RestClient, workflows } from '@kontor/client'

/** Orders from here on are looked after by a person. */
export const largeFrom = 10_000

type Person = { readonly email: string }

const sent = '{{trigger.state.event.data.body'
const deal = { object: 'deal', record_id: '{{deal.state.output.record.id}}' }
const name = `Order ${sent}.number}}`

/** A large deal waits two seconds, gets a comment, is told to another program and to a person. */
const lookAfter = (person: Person, receiver: string) => ({
  // Two seconds, for the reader who watches; days elsewhere.
  wait: {
    plugin_id: 'general:delay:for',
    input: { amount: 1 / 30, unit: 'minutes' },
    prev: 'size',
    next: 'comment',
  },
  comment: {
    plugin_id: 'svc:create:comment',
    input: { ...deal, message: `${name} is large: please call.` },
    prev: 'wait',
    next: 'tell',
  },
  tell: {
    plugin_id: 'webhook:send:outbound',
    input: { url: receiver, body: { deal: name, amount: `${sent}.amount}}` } },
    prev: 'comment',
    next: 'write',
  },
  write: {
    plugin_id: 'svc:send:email',
    input: { to: person.email, subject: name, text: `${name} is yours.` },
    prev: 'tell',
    next: null,
  },
})

/** Takes orders from the outside: a deal for the company that an order names. A small one is qualified. */
const takeOrders = (person: Person, receiver: string): NewWorkflow => ({
  name: 'Take orders',
  enabled: true,
  trigger: { plugin_id: 'on:svc:automation-webhook', next: 'company' },
  blocks: {
    company: {
      plugin_id: 'svc:find:records',
      input: { object: 'company', filter: { field: 'name', op: 'Is', value: `${sent}.company}}` }, limit: 1 },
      prev: 'trigger',
      next: 'deal',
    },
    deal: {
      plugin_id: 'svc:create:record',
      input: {
        object: 'deal',
        attributes: {
          name,
          amount: `${sent}.amount}}`,
          stage: 'Lead',
          company_id: '{{company.state.output.records.0.id}}',
        },
      },
      prev: 'company',
      next: 'size',
    },
    size: {
      plugin_id: 'general:branch',
      input: {
        branches: [
          {
            key: 'large',
            filter: { field: 'trigger.state.event.data.body.amount', op: 'Greater than', value: largeFrom },
            next: 'wait',
          },
        ],
      },
      prev: 'deal',
      next: 'qualify',
    },
    qualify: {
      plugin_id: 'svc:update:record',
      input: { ...deal, attributes: { stage: 'Qualified' } },
      prev: 'size',
      next: null,
    },
    ...lookAfter(person, receiver),
  },
})

/** Creates the workflow; its id, and the secret that it signs with. */
export async function createWorkflow(
  rest: RestClient,
  workspace: string,
  { person, receiver }: { readonly person: Person; readonly receiver: string },
): Promise<{ readonly workflow: string; readonly secret: string }> {
  const made = await rest.call(workflows.create, { workspace, body: takeOrders(person, receiver) })
  const { id } = made.body.data
  const { body } = await rest.call(workflows.rotateSecret, { workspace, id, body: {} })
  return { workflow: id, secret: body.data.attributes.secret }
}
