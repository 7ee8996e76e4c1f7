import { openAdmin, openConfigured, readConfig } from '@kontor/server/admin'
import { authorizationOf } from './keys.ts'
import { settle } from './seed.ts'
import type { Stand } from './stand.ts'

/** The grants of one member. */
const grants = 10_000
const memberEmail = 'member@example.com'
/** Updating half of a million records takes longer than a request may. */
const timeoutMs = '600000'

/** The member who sees what was shared, as a header, and as the floor knows them. */
export type Sharing = { readonly userId: string; readonly authorization: string }

/**
 * Closes persons to members, shares every other one with the workspace, and grants one member 10,000 of the others: the
 * rows that as many requests would have left.
 */
export async function share({ url, seeded, baseUrl, ours }: Stand, say: (text: string) => void): Promise<Sharing> {
  await closePersons(`${baseUrl}/workspaces/${seeded.workspace}/schemas/objects/person`, ours.headers)
  const settings = readConfig({ DATABASE_URL: url, STATEMENT_TIMEOUT_MS: timeoutMs })
  const { admin, close } = await openAdmin(settings)
  const { id: userId } = await admin.addUser({ workspace: seeded.workspace, email: memberEmail, role: 'member' })
  await close()
  const database = openConfigured(settings)
  try {
    for (const [what, text, values] of statements(seeded, userId)) {
      say(`sharing: ${what}`)
      await database.write((tx) => tx.change(({ knex }) => knex.raw(text, values)))
    }
  } finally {
    await database.close()
  }
  await settle(url)
  return { userId, authorization: await authorizationOf(url, baseUrl, memberEmail) }
}

async function closePersons(address: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const { data } = (await (await fetch(address, { headers })).json()) as {
    readonly data: { readonly attributes: object }
  }
  const response = await fetch(address, {
    method: 'PUT',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...data.attributes, xSvcAccess: { default: 'none' } }),
  })
  if (!response.ok) throw new Error(`Persons cannot be closed: ${await response.text()}`)
}

type Statement = readonly [what: string, text: string, values: readonly (string | number)[]]

/** Creations are a millisecond apart: every second one is shared. */
const statements = ({ workspaceId, userId: adminId, people }: Stand['seeded'], userId: string): Statement[] => [
  [
    'half of the records',
    "update record set visibility = 1 where workspace_id = ? and object = 'person' and created_at % 2 = 0",
    [workspaceId],
  ],
  ...['field_text', 'field_number'].map((table): Statement => [
    `their rows in ${table}`,
    `update ${table} set visibility = 1 where workspace_id = ? and record_id in (select id from record where ` +
      'workspace_id = ? and visibility = 1)',
    [workspaceId, workspaceId],
  ]),
  [
    'how many these are',
    "insert into record_count (workspace_id, object, total) select workspace_id, 'person#public', count(*) " +
      "from record where workspace_id = ? and object = 'person' and visibility = 1 group by workspace_id",
    [workspaceId],
  ],
  [
    'grants to the workspace',
    `${granting} 'workspace' from record where workspace_id = ? and visibility = 1`,
    [workspaceId, adminId, workspaceId],
  ],
  [
    'grants to one member',
    `${granting} 'user' from record where workspace_id = ? and object = 'person' and visibility = 0 and ` +
      '(created_at / 2) % ? = 0 limit ?',
    [userId, adminId, workspaceId, Math.max(1, Math.floor(people / 2 / grants)), grants],
  ],
]

/** The id of a record serves as the id of its grant. */
const granting = `insert into access_grant
  (workspace_id, record_id, grantee_id, id, object, level, created_at, created_by, grantee_type)
  select workspace_id, id, ?, id, object, 1, created_at, ?,`
