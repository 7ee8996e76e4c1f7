import { createKontorClient, createRestClient } from '@kontor/client'
import { createBrowserSession } from '@kontor/client/browser'
import { QueryClient } from '@tanstack/react-query'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'

/** Set by `.env.local`: see the README. */
const kontorUrl = String(import.meta.env['VITE_KONTOR_URL'] ?? 'http://127.0.0.1:4000')
const clientId = String(import.meta.env['VITE_CLIENT_ID'] ?? '')

export const session = createBrowserSession({
  authUrl: kontorUrl,
  clientId,
  scope: 'records:read records:write events:read',
})
const connection = { url: `${kontorUrl}/v1`, accessToken: session.accessToken }

export const people = { workspace: String(import.meta.env['VITE_WORKSPACE'] ?? 'acme'), object: 'person' } as const
export const rest = createRestClient(connection)
// Events say what is to be asked again, so nothing else does.
export const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } })
export const trpc = createTRPCOptionsProxy({ client: createKontorClient(connection), queryClient })

/** The fields of a person on this page; `kontor types` writes such types for all objects of a workspace. */
export type Person = { name?: { full_name?: string | null } | null; job_title?: string | null }
