import type { apiKeys, Output } from '@kontor/contract'
import { pino } from 'pino'
import { createApp, type AppOptions } from './app.ts'
import { inProcess } from './in-process.ts'

export type KeyRequest = {
  readonly workspace: string
  /** Whose key it is, or for a workspace key the admin who makes it. */
  readonly email: string
  readonly kind: 'personal' | 'workspace'
  readonly scopes: readonly string[]
  readonly name: string
}

export type NewKey = Output<typeof apiKeys.create>

/** Makes an API key as its owner would by the API, so that every rule of the API holds. */
export async function createKey(options: Pick<AppOptions, 'database' | 'clock' | 'baseUrl' | 'authUrl'>, accessToken: string, { workspace, kind, scopes, name }: KeyRequest): Promise<NewKey> {
  const app = createApp({ ...options, logger: pino({ level: 'silent' }), rateLimitPerMinute: 0, fieldIndexThreshold: Infinity })
  const attributes = { name, scopes, actor_type: kind === 'personal' ? 'user' : 'workspace' }
  const call = inProcess(app, `Bearer ${accessToken}`, 'command-line')
  return (await call('apiKeys.create', { workspace, body: { data: { type: 'api-key', attributes } } })) as NewKey
}
