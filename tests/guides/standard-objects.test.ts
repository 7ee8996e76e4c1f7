import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'

const app = await startApp()

const examples: Readonly<Record<string, Json>> = {
  person: {
    name: { first_name: 'Ada', last_name: 'Lovelace' },
    email_addresses: { items: ['ada@example.com'] },
    phone_numbers: { items: ['+442079460958'] },
    job_title: 'Head of Engines',
    linkedin: 'https://linkedin.example.com/in/ada',
    location: 'London',
    description: 'Met at the conference.',
    avatar_url: 'https://example.com/ada.png',
    labels: { items: ['VIP'] },
  },
  company: {
    name: 'Analytical Engines',
    domains: { items: ['engines.example'] },
    industry: 'Machinery',
    employee_count: 250,
    annual_revenue: 1_250_000,
    location: 'London',
    linkedin: 'https://linkedin.example.com/company/engines',
    description: 'Builds engines.',
    labels: { items: ['Key account'] },
  },
  deal: {
    name: 'Two engines',
    stage: 'Proposal',
    amount: 5000,
    currency: 'EUR',
    close_date: '2026-12-31',
    description: 'Delivery in spring.',
    labels: { items: ['Renewal'] },
  },
  task: {
    title: 'Call Ada',
    description: { text: [{ type: 'paragraph', id: 'a', content: [{ type: 'text', text: 'About the engines' }] }] },
    status: 'To Do',
    priority: 'High',
    due_date: '2026-12-31',
  },
  meeting: {
    title: 'Kick-off',
    start: '2026-01-31T09:30:00Z',
    end: '2026-01-31T10:00:00Z',
    all_day: false,
    participants: { items: [{ email: 'ada@example.com', name: 'Ada Lovelace' }] },
    recording_enabled: true,
    visibility: 'workspace',
    summary: 'We agreed on two engines.',
    event_id: 'evt_1',
    ical_uid: '1@example.com',
  },
}

/** Creates a record with the examples of an object, which so are known to be accepted. */
async function exampleOf(object: string): Promise<Json> {
  const given = examples[object]
  if (given === undefined) return {}
  const { attributes } = await recordsOf(app).create(object, given)
  return Object.fromEntries(Object.keys(given).map((name) => [name, attributes[name]]))
}

/** The docs are built without the server; `vitest run guides/standard-objects -u` writes what they show. */
test('the tables of standard objects in the docs are those of a new workspace', async () => {
  const told: Json[] = []
  for (const name of ['person', 'company', 'deal', 'task', 'meeting', 'message', 'user']) {
    const schema = await schemasOf(app).get(name)
    const { xSvcLabel, properties, required = [], xSvcAccess, readOnly = false } = schema
    const example = await exampleOf(name)
    told.push({
      name,
      label: xSvcLabel,
      access: xSvcAccess.default,
      readOnly,
      fields: Object.entries<Json>(properties).map(([field, declared]) => ({
        name: field,
        title: declared.title,
        type: declared.xSvcType,
        required: required.includes(field),
        unique: declared.xSvcUnique === true,
        readOnly: declared.readOnly === true,
        ...(declared.enum !== undefined && { options: declared.enum }),
        ...(declared.xSvcRelationship !== undefined && { relationship: declared.xSvcRelationship }),
        ...(declared.description !== undefined && { description: declared.description }),
        ...(example[field] !== undefined && { example: example[field] }),
      })),
    })
  }
  await expect(`${JSON.stringify(told, null, 1)}\n`).toMatchFileSnapshot(
    '../../packages/docs/src/site/standard-objects.json',
  )
})
