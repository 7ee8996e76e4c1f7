import { openAdmin, readConfig } from '@kontor/server/admin'
import { adminEmail, workspace } from './seed.ts'

/**
 * A key of a member of a seeded database, by default its admin, made by a server upon it, as the header that it travels
 * in.
 */
export async function authorizationOf(url: string, baseUrl: string, email = adminEmail): Promise<string> {
  const response = await fetch(`${baseUrl}/workspaces/${workspace}/api-keys`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${await tokenOf(url, email)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ data: { type: 'api-key', attributes: { name: 'Benchmark', actor_type: 'user' } } }),
  })
  if (!response.ok) throw new Error(`no API key: ${await response.text()}`)
  return (
    'api-key ' +
    ((await response.json()) as { data: { attributes: { cleartext_api_key: string } } }).data.attributes
      .cleartext_api_key
  )
}

async function tokenOf(url: string, email: string): Promise<string> {
  const { admin, close } = await openAdmin(readConfig({ DATABASE_URL: url }))
  try {
    return (await admin.token(email)).access_token
  } finally {
    await close()
  }
}
