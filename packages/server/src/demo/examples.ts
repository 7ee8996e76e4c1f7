import { exampleIds, exampleKey } from '@kontor/contract'
import type { Stage } from './stage.ts'

const someone = (first: string, last: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name: { first_name: first, last_name: last },
  email_addresses: { items: [`${first.toLowerCase()}.${last.toLowerCase()}@example.com`] },
  ...more,
})

const committeeFields = {
  founded: { xSvcType: 'date', title: 'Founded' },
  website: { xSvcType: 'url', title: 'Website' },
  jurisdiction: { xSvcType: 'long_text', title: 'Jurisdiction' },
}

/** The demo workspace's own object and relationship. */
export async function makeObjects(stage: Stage): Promise<void> {
  const admin = stage.as('admin')
  await admin('schemas.create', { body: { name: 'Committee', plural: 'Committees', properties: committeeFields } })
  const attributes = {
    deal: {
      introduced_by: {
        title: 'Introduced by',
        xSvcRelationship: { kind: 'many-to-one', entity: 'person', field: 'introductions' },
      },
    },
    person: {
      introductions: {
        title: 'Introductions',
        xSvcRelationship: { kind: 'one-to-many', entity: 'deal', field: 'introduced_by' },
      },
    },
  }
  await admin('schemas.addRelationship', { entity: 'deal', body: { data: { type: 'relationship', attributes } } })
}

/** Everything that the examples in the OpenAPI document name, under the same ids. */
export async function makeExamples(stage: Stage): Promise<void> {
  const admin = stage.as('admin')
  stage.nextIds(exampleIds.company)
  await stage.createMany('admin', 'company', [
    {
      name: 'Remington Rand',
      industry: 'Information Technology',
      location: 'Philadelphia, Pennsylvania',
      domains: { items: ['remington.example.com'] },
    },
  ])
  stage.nextIds(exampleIds.person, exampleIds.spare, exampleIds.deleted, exampleIds.duplicate)
  await stage.createMany('admin', 'person', [
    {
      name: { first_name: 'Grace', last_name: 'Hopper' },
      email_addresses: { items: ['grace@example.com'] },
      job_title: 'Rear admiral',
      company_id: exampleIds.company,
    },
    someone('Ada', 'Byron', { job_title: 'Mathematician' }),
    someone('Charles', 'Babbage', { job_title: 'Engineer' }),
    someone('Grace', 'Murray', { job_title: 'Rear admiral', labels: { items: ['Duplicate'] } }),
  ])
  await admin('records.removeMany', { object: 'person', body: { items: [exampleIds.deleted] } })
  stage.nextIds(exampleIds.deal)
  await stage.createMany('admin', 'deal', [
    {
      name: 'Remington Rand: first order',
      stage: 'Proposal',
      amount: 42_000,
      currency: 'USD',
      company_id: exampleIds.company,
      owner_id: exampleIds.admin,
    },
  ])
  await stage.createMany('member', 'task', [
    {
      title: 'Call back about the offer',
      status: 'To Do',
      priority: 'High',
      person_id: exampleIds.person,
      deal_id: exampleIds.deal,
    },
  ])
  await makeLists(stage)
  const message = [
    { type: 'paragraph', content: [{ type: 'text', text: 'Met at the conference; asked for an offer.' }] },
  ]
  await admin('comments.create', {
    body: { _id: exampleIds.comment, entity: 'person', owner_id: exampleIds.person, message },
  })
  stage.nextIds(exampleIds.grant)
  const grant = { grantee_type: 'user', grantee_id: exampleIds.member, access_level: 'view' }
  await admin('access.create', {
    object: 'person',
    id: exampleIds.person,
    body: { data: { type: 'object-record-access', attributes: grant } },
  })
  stage.nextIds(exampleIds.objectGrant)
  await admin('access.createOfObject', {
    object: 'person',
    body: { data: { type: 'object-record-access', attributes: grant } },
  })
}

async function makeLists(stage: Stage): Promise<void> {
  const admin = stage.as('admin')
  stage.nextIds(exampleIds.list)
  await admin('lists.create', {
    object: 'person',
    body: { title: 'Pioneers', type: 'static', permission: 'workspace_edit' },
  })
  await admin('lists.addRecords', {
    object: 'person',
    list: exampleIds.list,
    body: { data: [exampleIds.person, exampleIds.spare].map((id) => ({ type: 'person', id })) },
  })
  await admin('lists.create', {
    object: 'person',
    body: {
      title: 'Senators',
      type: 'dynamic',
      permission: 'workspace',
      query: { sql: "SELECT * FROM person WHERE job_title = 'Senator' ORDER BY name" },
    },
  })
  const filter = {
    and: [
      { field: 'stage', op: 'Is', value: 'Negotiation' },
      { field: 'amount', op: 'Greater than', value: 50_000 },
    ],
  }
  await admin('lists.create', {
    object: 'deal',
    body: { title: 'Large deals in negotiation', type: 'dynamic', permission: 'workspace', query: { filter } },
  })
}

/** Recent things in any workspace: an open invitation, a key, a committed request, and a running task. */
export async function makeRecent(stage: Stage): Promise<void> {
  const admin = stage.as('admin')
  stage.nextIds(exampleIds.invitation)
  await admin('invitations.create', {
    body: { data: { type: 'invitation', attributes: { email: 'colleague@example.com', role: 'member' } } },
  })
  stage.nextIds(exampleIds.apiKey)
  await admin('apiKeys.create', {
    body: {
      data: { type: 'api-key', attributes: { name: 'Nightly import', scopes: ['records:read'], actor_type: 'user' } },
    },
  })
  await admin(
    'records.update',
    {
      object: 'person',
      id: exampleIds.person,
      body: { data: { type: 'person', attributes: { location: 'Arlington, Virginia' } } },
    },
    { idempotencyKey: exampleKey },
  )
  stage.nextIds(exampleIds.asyncTask)
  const name = { type: ['string', 'null'], title: 'Name', xSvcPrimary: true, maxLength: 300 }
  const document = {
    $id: 'https://crm.example.com/schemas/entities/c_committee',
    xSvcLabel: { singular: 'Committee', plural: 'Committees' },
    properties: { name, ...committeeFields },
  }
  await admin('schemas.replace', { object: 'c_committee', body: document })
}
