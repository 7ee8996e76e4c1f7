import { createKontorClient, createRestClient } from '@kontor/client'
import { QueryClient } from '@tanstack/react-query'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import { accessToken, kontorUrl } from './sign-in.ts'

const connection = { url: `${kontorUrl}/v1`, accessToken }

export const people = { workspace: String(import.meta.env['VITE_WORKSPACE'] ?? 'acme'), object: 'person' } as const
export const rest = createRestClient(connection)
// Events say what is to be asked again, so nothing else does.
export const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } })
export const trpc = createTRPCOptionsProxy({ client: createKontorClient(connection), queryClient })

/** What this page shows of a person; `kontor types` writes such types for all objects of a workspace. */
export type Person = { name?: { full_name?: string | null } | null; job_title?: string | null }
