import { exampleIds, exampleKey, exampleObject, exampleRelationship } from '@kontor/contract'
import { keep } from './collection-variables.ts'

/** A request that is no operation's example: it creates what those use. */
export type SetUp = {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the workspace. */
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly script?: readonly string[]
}

const record = (name: string, type: string, attributes: object, thing: Parameters<typeof keep>[0]): SetUp => ({
  name,
  method: 'POST',
  path: `objects/${type}/records`,
  body: { data: { type, attributes } },
  script: [keep(thing)],
})

const person = (first_name: string, last_name: string, thing: Parameters<typeof keep>[0]): SetUp =>
  record(
    `Create ${first_name} ${last_name}`,
    'person',
    {
      name: { first_name, last_name },
      email_addresses: { items: [`${first_name}.${last_name}@example.com`.toLowerCase()] },
    },
    thing,
  )

const leads = {
  name: 'Take leads from the website',
  enabled: true,
  trigger: { plugin_id: 'on:svc:automation-webhook', next: 'task' },
  blocks: {
    task: {
      plugin_id: 'svc:create:record',
      input: { object: 'task', attributes: { title: 'Call the lead' } },
      prev: 'trigger',
      next: 'mail',
    },
    mail: {
      plugin_id: 'svc:send:email',
      input: { to: 'sales@acme.example', subject: 'A lead', text: 'Call them.' },
      prev: 'task',
      next: 'rest',
    },
    rest: { plugin_id: 'general:delay:for', input: { amount: 2, unit: 'weeks' }, prev: 'mail' },
  },
}

const run = (name: string, thing: Parameters<typeof keep>[0]): SetUp => ({
  name,
  method: 'POST',
  path: `workflows/${exampleIds.workflow}/runs`,
  body: { data: { body: {}, headers: {} } },
  script: [keep(thing)],
})

/** Creates in a new workspace what the sample data has under fixed ids. */
export const setUp: readonly SetUp[] = [
  {
    name: 'Find the users',
    method: 'GET',
    path: 'users',
    script: [
      'const users = pm.response.json().data',
      `const isAdmin = ({ attributes }) => attributes.roles.items.includes('admin')`,
      `pm.collectionVariables.set('adminId', users.find(isAdmin).id)`,
      `pm.collectionVariables.set('memberId', users.find((user) => !isAdmin(user)).id)`,
    ],
  },
  record('Create a company', 'company', { name: 'Remington Rand' }, 'companyId'),
  person('Grace', 'Hopper', 'personId'),
  person('Ada', 'Byron', 'spareId'),
  person('Grace', 'Murray', 'duplicateId'),
  person('Charles', 'Babbage', 'deletedId'),
  {
    name: 'Delete Charles Babbage',
    method: 'DELETE',
    path: 'objects/person/records',
    body: { items: [exampleIds.deleted] },
  },
  record('Create a deal', 'deal', { name: 'First order', stage: 'Lead', amount: 42_000 }, 'dealId'),
  record('Create a meeting', 'meeting', { title: 'Kick-off', start: '2026-01-31T09:30:00.000Z' }, 'meetingId'),
  {
    name: 'Send a request that can be found again',
    method: 'PATCH',
    path: `objects/person/records/${exampleIds.person}`,
    body: { data: { type: 'person', attributes: { location: 'Arlington, Virginia' } } },
    headers: { 'Idempotency-Key': exampleKey },
  },
  { name: 'Create an object', method: 'POST', path: 'schemas/objects', body: exampleObject },
  {
    name: 'Add a relationship',
    method: 'POST',
    path: 'schemas/deal/relationships',
    body: { data: { type: 'relationship', attributes: exampleRelationship } },
  },
  { name: 'Create a workflow', method: 'POST', path: 'workflows', body: leads, script: [keep('workflowId')] },
  run('Start a run that waits', 'waitingRunId'),
  run('Start a run to cancel', 'workflowRunId'),
  { name: 'Cancel that run', method: 'POST', path: `workflow-runs/${exampleIds.workflowRun}/cancel` },
]
