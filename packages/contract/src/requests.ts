import { z } from 'zod'
import { domain } from './endpoint.ts'
import { timestamp } from './shared.ts'

const key = z
  .string()
  .meta({ description: 'The `Idempotency-Key` of the request.', example: 'import-2026-01-31-row-17' })

const request = z
  .object({
    type: z.literal('request'),
    id: key,
    attributes: z.object({
      _id: key,
      endpoint: z
        .string()
        .meta({ description: 'The name of the operation, as in tRPC.', example: 'records.createMany' }),
      status: z.int().meta({ description: 'Status of its response.', example: 201 }),
      body: z
        .record(z.string(), z.unknown())
        .nullable()
        .meta({
          description:
            'Body of its response; null if it had none, if it contained a secret, and for a credential without ' +
            'the scope of the request.',
        }),
      _created_at: timestamp,
      expires_at: timestamp.meta({ description: 'When the stored response is deleted and its key can be used again.' }),
    }),
  })
  .meta({ id: 'SentRequest', description: 'A request that changed something, known by its `Idempotency-Key`.' })

/** The results of requests whose response was lost. */
export const requests = domain({
  get: {
    method: 'GET',
    path: '/workspaces/{workspace}/requests/{key}',
    caller: 'any',
    scope: null,
    openToApps: true,
    summary: 'Get a request by its key',
    description:
      'For a caller that sent a change with an `Idempotency-Key` and received no response. 200: the ' +
      'change was committed, within the last 24 hours, by the same user or workspace key. 404: it was ' +
      'not, so send it again with its key. 409: it is still running. If one key was used for several ' +
      'operations, the latest is returned; `endpoint` selects another.',
    query: z.strictObject({
      endpoint: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .meta({ description: 'The operation, for example `records.createMany`.' }),
    }),
    response: z.object({
      data: request,
      meta: z.object({
        endpoints: z.array(z.string()).meta({ description: 'All operations that the key was used for, newest first.' }),
      }),
    }),
    errors: ['idempotency_in_progress'],
  },
})
