import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Output, RecordResource, apiKeys } from '@kontor/contract'
import type { Admin } from '../admin.ts'
import type { App } from '../app.ts'
import { inProcess, type InProcessCall } from '../in-process.ts'
import { sampleCompanies, samplePeople, sampleStages } from './sample.ts'

const workspace = 'acme'
const adminEmail = 'admin@example.com'
const memberEmail = 'member@example.com'

/** What the banner of `npm start` shows. */
export type Demo = { readonly workspace: string; readonly apiKey: string; readonly admin: DemoAdmin }

/** How the admin signs in: by the password that they have set, or by a link to set one. */
type DemoAdmin = { readonly email: string; readonly signInUrl: string; readonly hasPassword: boolean }

const keyFile = (dataDir: string): string => join(dataDir, 'demo-api-key')

/**
 * The demo of an earlier start, if this database was made by one. Its key lies in the data folder, readable by its owner
 * alone; a key that this database does not know is another one's.
 */
export async function findDemo(app: App, admin: Admin, dataDir: string, authUrl: string): Promise<Demo | undefined> {
  const apiKey = (await readFile(keyFile(dataDir), 'utf8').catch(() => '')).trim()
  const known = await app.runtime.authenticate(`api-key ${apiKey}`).then(
    () => true,
    () => false,
  )
  return known ? { workspace, apiKey, admin: await wayIn(admin, authUrl) } : undefined
}

/**
 * Fills an empty database through the API itself, so that the sample data is as real as any. Undefined where another
 * node that started at the same time does so.
 */
export async function seedDemo(app: App, admin: Admin, dataDir: string, authUrl: string): Promise<Demo | undefined> {
  if (!(await claimWorkspace(admin))) return undefined
  await admin.addUser({ workspace, email: memberEmail, role: 'member', name: 'Member' })
  const { access_token: token } = await admin.token(adminEmail)
  const call = inDemo(app, token)
  // First of all: a start that is killed while it fills the samples leaves a workspace that can be used.
  const apiKey = await createKey(call, dataDir)
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
  return { workspace, apiKey, admin: await wayIn(admin, authUrl) }
}

/** Nobody is given a password that others know: until the admin has set one, each start makes a new link to do so. */
async function wayIn(admin: Admin, authUrl: string): Promise<DemoAdmin> {
  const hasPassword = await admin.hasPassword(adminEmail)
  return { email: adminEmail, hasPassword, signInUrl: hasPassword ? `${authUrl}/auth/sign-in` : (await admin.passwordLink(adminEmail)).url }
}

async function createKey(call: InProcessCall, dataDir: string): Promise<string> {
  const body = { data: { type: 'api-key', attributes: { name: 'Demo', actor_type: 'user' } } }
  const key = (await call('apiKeys.create', { body })) as Output<typeof apiKeys.create>
  await writeFile(keyFile(dataDir), `${key.data.attributes.cleartext_api_key}\n`, { mode: 0o600 })
  return key.data.attributes.cleartext_api_key
}

/** Makes the workspace; false where another node was faster. */
async function claimWorkspace(admin: Admin): Promise<boolean> {
  try {
    await admin.createWorkspace({ slug: workspace, name: 'Acme', adminEmail, adminName: 'Admin' })
    return true
  } catch (error) {
    if (await admin.isEmpty()) throw error
    return false
  }
}

const inDemo = (app: App, token: string): InProcessCall => {
  const call = inProcess(app, `Bearer ${token}`, 'demo')
  return (name, input) => call(name, { workspace, ...input })
}

async function createAll(call: InProcessCall, object: string, rows: readonly Record<string, unknown>[]): Promise<readonly RecordResource[]> {
  const body = { data: rows.map((attributes) => ({ type: object, attributes })) }
  return ((await call('records.createMany', { object, body })) as { readonly data: readonly RecordResource[] }).data
}
