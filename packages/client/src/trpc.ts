import { createTRPCClient, httpBatchLink, type TRPCClient } from '@trpc/client'
import type { AppRouter } from '@kontor/contract/trpc'
import { authorization, baseOf, type Connection } from './credential.ts'

/** What the server takes: calls in one batch, and bytes of one URL. */
const batchMax = 50
const urlBytesMax = 8000

/** Every endpoint as a typed function: `client.records.get.query({ workspace, object, id })`. */
export type KontorClient = TRPCClient<AppRouter>

/** A tRPC client for one caller; calls made at once travel in one request. */
export const createKontorClient = (connection: Connection): KontorClient =>
  createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${baseOf(connection).replace(/\/v1$/, '')}/trpc`,
        headers: { Authorization: authorization(connection) },
        maxItems: batchMax,
        maxURLLength: urlBytesMax,
      }),
    ],
  })
