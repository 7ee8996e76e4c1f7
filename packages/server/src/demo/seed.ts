import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Output, apiKeys, records } from '@kontor/contract'
import type { Admin } from '../admin.ts'
import type { App } from '../app.ts'
import { inProcess, type InProcessCall } from '../in-process.ts'
import { sampleCompanies, samplePeople, sampleStages } from './sample.ts'

const workspace = 'acme'
const adminEmail = 'admin@example.com'
const memberEmail = 'member@example.com'

/** What the banner of `npm start` shows. */
export type Demo = { readonly workspace: string; readonly apiKey: string }

const keyFile = (dataDir: string): string => join(dataDir, 'demo-api-key')

/** The demo of an earlier start, if this database was made by one: its key lies beside it, readable by its owner alone. */
export async function findDemo(dataDir: string): Promise<Demo | undefined> {
  const apiKey = await readFile(keyFile(dataDir), 'utf8').catch(() => undefined)
  return apiKey === undefined ? undefined : { workspace, apiKey: apiKey.trim() }
}

/** Fills an empty database through the API itself, so that the sample data is as real as any. */
export async function seedDemo(app: App, admin: Admin, dataDir: string): Promise<Demo> {
  await admin.createWorkspace({ slug: workspace, name: 'Acme', adminEmail, adminName: 'Admin' })
  await admin.addUser({ workspace, email: memberEmail, role: 'member', name: 'Member' })
  const { access_token: token } = await admin.token(adminEmail)
  const call = inDemo(app, token)
  const companies = await createAll(call, 'company', sampleCompanies.map(({ domains, ...rest }) => ({ ...rest, domains: { items: domains } })))
  await createAll(call, 'person', samplePeople.map(({ first_name, last_name, job_title, location, phone }, index) => ({
    name: { first_name, last_name },
    email_addresses: { items: [`person${index + 1}@example.com`] },
    phone_numbers: { items: [phone] },
    job_title,
    location,
    company_id: companies[index]?.id ?? null,
  })))
  await createAll(call, 'deal', companies.map(({ id, attributes }, index) => ({
    name: `${String(attributes['name'])}: first order`,
    stage: sampleStages[index],
    amount: (index + 1) * 12_500,
    currency: 'USD',
    company_id: id,
  })))
  await createAll(call, 'task', [{ title: 'Call back about the offer', status: 'To Do', priority: 'High' }])
  const key = (await call('apiKeys.create', { body: { data: { type: 'api-key', attributes: { name: 'Demo', actor_type: 'user' } } } })) as Output<typeof apiKeys.create>
  const apiKey = key.data.attributes.cleartext_api_key
  await writeFile(keyFile(dataDir), `${apiKey}\n`, { mode: 0o600 })
  return { workspace, apiKey }
}

const inDemo = (app: App, token: string): InProcessCall => {
  const call = inProcess(app, `Bearer ${token}`, 'demo')
  return (name, input) => call(name, { workspace, ...input })
}

async function createAll(call: InProcessCall, object: string, rows: readonly Record<string, unknown>[]) {
  const body = { data: rows.map((attributes) => ({ type: object, attributes })) }
  return ((await call('records.createMany', { object, body })) as Output<typeof records.createMany>).data
}
