import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exampleIds } from '@kontor/contract'
import { makeDemo } from '@kontor/demo'
import { Admin } from '../admin/admin.ts'
import type { App, AppOptions } from '../app/app.ts'
import { inProcess, type InProcessCall } from '../kernel/invoke/in-process.ts'
import { createStage, stageClock } from './stage.ts'

const workspace = 'acme'
const adminEmail = 'admin@example.com'
const memberEmail = 'member@example.com'

/** The data that the banner of `npm start` shows. */
export type Demo = { readonly workspace: string; readonly apiKey: string; readonly admin: DemoAdmin }

/** The way in which the admin signs in: by their password, or by a link to set one. */
type DemoAdmin = { readonly email: string; readonly signInUrl: string; readonly hasPassword: boolean }

type SeedOptions = Pick<ConstructorParameters<typeof Admin>[0], 'database'> &
  Pick<AppOptions, 'logger' | 'baseUrl' | 'authUrl' | 'fieldIndexThreshold' | 'encryptionKeys' | 'files' | 'clock'> & {
    readonly app: App
    readonly admin: Admin
    readonly dataDir: string
  }

const keyFile = (dataDir: string): string => join(dataDir, 'demo-api-key')

/**
 * The demo of an earlier start, if this database has one. Its key is in the data folder, readable by its owner alone; a
 * key that this database does not know belongs to another one.
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
 * Fills an empty database through the API itself, so that the sample data is as real as any; only the clock is replaced
 * by one that begins some months ago. Undefined if another node that started at the same time does so.
 */
export async function seedDemo({ app, admin, dataDir, ...options }: SeedOptions): Promise<Demo | undefined> {
  const clock = stageClock(options.clock)
  const past = new Admin({ database: options.database, clock, authUrl: options.authUrl })
  const workspaceId = await claimWorkspace(past)
  if (workspaceId === undefined) return undefined
  await past.addUser({ workspace, email: memberEmail, role: 'member', name: 'Member', id: exampleIds.member })
  const tokens = {
    admin: (await admin.token(adminEmail)).access_token,
    member: (await admin.token(memberEmail)).access_token,
  }
  // First of all: a start that is killed while it fills the samples leaves a workspace that can be used.
  const apiKey = await createKey(inDemo(app, tokens.admin), dataDir)
  await makeDemo(createStage({ ...options, clock, workspace, workspaceId, tokens }))
  return { workspace, apiKey, admin: await wayIn(admin, options.authUrl) }
}

/** No user gets a password that others know: until the admin has set one, each start makes a new link to do so. */
async function wayIn(admin: Admin, authUrl: string): Promise<DemoAdmin> {
  const hasPassword = await admin.hasPassword(adminEmail)
  return {
    email: adminEmail,
    hasPassword,
    signInUrl: hasPassword ? `${authUrl}/auth/sign-in` : (await admin.passwordLink(adminEmail)).url,
  }
}

async function createKey(call: InProcessCall, dataDir: string): Promise<string> {
  const body = { data: { type: 'api-key', attributes: { name: 'Demo', actor_type: 'user' } } }
  const key = await call('apiKeys.create', { body })
  await writeFile(keyFile(dataDir), `${key.data.attributes.cleartext_api_key}\n`, { mode: 0o600 })
  return key.data.attributes.cleartext_api_key
}

/** Makes the workspace; undefined where another node was faster. */
async function claimWorkspace(admin: Admin): Promise<string | undefined> {
  try {
    const made = await admin.createWorkspace({
      slug: workspace,
      name: 'Acme',
      adminEmail,
      adminName: 'Admin',
      adminId: exampleIds.admin,
    })
    return made.workspace.id
  } catch (error) {
    if (await admin.isEmpty()) throw error
    return undefined
  }
}

const inDemo = (app: App, token: string): InProcessCall => {
  const call = inProcess(app, { authorization: `Bearer ${token}` }, 'demo')
  return (name, input) => call(name, { workspace, ...input })
}
